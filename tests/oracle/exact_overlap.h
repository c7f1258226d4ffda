// Exact answers for everything that the caller's doubles make rational: any pose, since the rotation of a quaternion
// is a rational function of its four numbers.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <vector>

#include "oracle/exact_hull.h"
#include "oracle/spec.h"

namespace graze_oracle {

__extension__ typedef __int128 Int128;

using Rational = mpq_class;
struct RationalPoint {
  Rational x, y, z;
};

/// A body in the world without any rounding: the hull of points widened by a radius, or a plane and what is below it.
struct ExactBody {
  Kind kind = Kind::sphere;
  std::vector<RationalPoint> core;  ///< of bounded ones
  Rational radius;
  RationalPoint normal;  ///< of half-spaces and planes, of any length: normal · x against level
  Rational level;
};

/// Whether the body is rational: all but cylinders, cones and ellipsoids.
inline bool has_exact_body(Kind kind) { return !curved(kind); }
/// Needs has_exact_body.
ExactBody exact_body(const Spec& spec);
/// The same body, turned by a quaternion of any length (real part first) and then moved.
ExactBody moved(const ExactBody& body, const std::array<double, 4>& wxyz, const Triple& xyz);

/// Two of them; their distance is computed once. Half-spaces and planes that are not exactly parallel
/// meet, however far away.
class ExactPair {
 public:
  ExactPair(ExactBody a, ExactBody b);
  /// The sign of (signed distance - margin): -1 deeper or nearer, 0 exactly at the margin, 1 farther.
  int compare(double margin) const;
  /// A double next to the signed distance where that is positive, otherwise 0.
  double gap() const;

 private:
  ExactBody a_, b_;
  // Of bounded bodies: the squared distance of the cores. Otherwise the signed distance is the larger of the heights
  // over the normal's length, less the radius.
  Rational apart_sq_, normal_sq_ = 1, radius_;
  std::optional<Rational> above_, below_;
  bool endless_ = false;  // minus infinity
  mutable std::optional<Rational> depth_sq_;
};

/// World coordinates of the vertices of a box, triangle or hull, of a capsule's ends, of a sphere's centre.
std::vector<RationalPoint> exact_core(const Spec& spec);
/// The radius around the core: of a sphere or capsule; otherwise 0.
Rational exact_radius(const Spec& spec);

/// Squared distance of the hulls of rational points, and squared depth where they meet.
Rational distance_sq(const std::vector<RationalPoint>& a, const std::vector<RationalPoint>& b);
Rational depth_sq(const std::vector<RationalPoint>& a, const std::vector<RationalPoint>& b);

/// The sign of (signed distance - margin): -1 deeper or nearer, 0 exactly at the margin, 1 farther. Known for every
/// pair of sphere, capsule, box, triangle, convex, and each of them against a half-space or plane; nothing otherwise.
std::optional<int> compare_with_margin(const Spec& a, const Spec& b, double margin);

/// A second exact method for two triangles (degenerate ones included), by edges and faces instead of simplices.
Rational triangle_distance_sq(const std::array<RationalPoint, 3>& a, const std::array<RationalPoint, 3>& b);

}  // namespace graze_oracle
