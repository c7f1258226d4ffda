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
