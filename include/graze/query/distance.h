// How far apart two things are, or how deep they overlap.
#pragma once

#include "graze/geometry/geometry.h"
#include "graze/query/pair_cache.h"

namespace graze {

/// Which primitive of a geometry: a triangle of a mesh, a point of a cloud; 0 for a shape.
using Feature = std::size_t;

/// Options of distance().
struct DistanceOptions {
  /// Metres. A pair known to be farther apart than this answers `beyond` as soon as that is certain.
  double limit = kInfinity;
  /// Whether the depth of an overlap must be measured. If not, an overlapping pair may answer 0, with a tolerance that
  /// says how deep it is at most: several times faster where only clearance matters. What costs nothing is measured.
  bool depth = true;
  /// Optional memory for coherent motion.
  PairCache* cache = nullptr;
};

/// What distance() returns.
struct Distance {
  /// Metres; negative: minus the length of the shortest translation that separates; −∞ where no finite one does;
  /// +∞ with `beyond`. A solid mesh is all that its surface holds, the surface being where inside meets outside; a
  /// cloud is the union of its balls, and all of them have to leave. Overlaps of these that are not convex: minus the
  /// length of a translation that was checked to separate.
  double value = kInfinity;
  /// The true value is never below value − tolerance. Nor is it above value + tolerance, but for deep overlaps of
  /// curved shapes, where another translation may in rare cases be shorter than the one reported. Of solid meshes and
  /// clouds it reaches up to a proven bound: it is rounding only for convex pairs (solid meshes that are convex
  /// included, whatever their triangles), points in any solid, planes and half-spaces; elsewhere what a search from
  /// 35 directions, over 48,000 pairs of parts and 256 points (4096 of a cloud), leaves open.
  double tolerance = 0;
  /// World points of a and b with on_b − on_a = value · normal: the nearest ones, or the deepest where they overlap.
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  /// Unit, world, from a to b: moving b along it increases the distance.
  Vec3 normal = Vec3::UnitX();
  /// The primitives of a and b that these points belong to.
  Feature a = 0, b = 0;
  /// The pair is farther apart than `limit`; value is +∞ and the points mean nothing.
  bool beyond = false;
};

/// Signed distance. Never throws, allocates (but for Cloud::prepare) or fails to answer. Both orders give the same bits
/// with a and b exchanged (equal shapes at equal poses, which are indistinguishable, give the same answer in both
/// orders).
///
///     Distance d = distance(at(Box{.half = {1, 1, 1}}), at(Sphere{.radius = 0.5}, Pose::at({2, 0, 0})));
///     // d.value == 0.5, d.on_a == (1, 0, 0), d.on_b == (1.5, 0, 0)
Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options = {});

}  // namespace graze
