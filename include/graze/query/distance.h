// How far apart two things are, or how deep they overlap.
#pragma once

#include "graze/geometry/geometry.h"
#include "graze/query/pair_cache.h"

namespace graze {

/// Which primitive of a geometry: a triangle of a mesh, a point of a cloud; 0 for a shape.
using Feature = std::size_t;

struct DistanceOptions {
  /// Metres. A pair known to be farther apart than this answers `beyond` as soon as that is certain.
  double limit = kInfinity;
  /// Whether the depth of an overlap must be measured. If not, an overlapping pair may answer 0, with a tolerance that
  /// says how deep it is at most: several times faster where only clearance matters. What costs nothing is measured.
  bool depth = true;
  /// Optional memory for coherent motion.
  PairCache* cache = nullptr;
};

struct Distance {
  /// Metres; negative: minus the length of the shortest translation that separates; −∞ where no finite one does;
  /// +∞ with `beyond`.
  double value = kInfinity;
  /// The true value is never below value − tolerance. Nor is it above value + tolerance, but for deep overlaps of
  /// curved shapes, where another way out may in rare cases be shorter than the one reported.
  double tolerance = 0;
  /// World points of a and b with on_b − on_a = value · normal: the nearest ones, or the deepest where they overlap.
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  /// Unit, world, from a to b: moving b along it increases the distance.
  Vec3 normal = Vec3::UnitX();
  Feature a = 0, b = 0;
  /// The pair is farther apart than `limit`; value is +∞ and the points mean nothing.
  bool beyond = false;
};

/// Signed distance. Never throws, allocates or fails to answer. Both orders give the same bits with a and b exchanged
/// (equal shapes at equal poses, which cannot be told apart, give the same answer both ways).
///
///     Distance d = distance(at(Box{.half = {1, 1, 1}}), at(Sphere{.radius = 0.5}, Pose::at({2, 0, 0})));
///     // d.value == 0.5, d.on_a == (1, 0, 0), d.on_b == (1.5, 0, 0)
Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options = {});

}  // namespace graze
