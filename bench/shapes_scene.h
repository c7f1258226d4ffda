// The poses of the shape benchmark, with the truth about each of them, made without graze's queries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graze/base/pose.h"
#include "graze/base/vec.h"

namespace shapes_bench {

using graze::Mat3;
using graze::Pose;
using graze::Vec3;

enum class Kind { sphere, box, capsule, cylinder, cone, ellipsoid, convex };
inline constexpr std::array kKinds = {Kind::sphere, Kind::box,       Kind::capsule, Kind::cylinder,
                                      Kind::cone,   Kind::ellipsoid, Kind::convex};
const char* name_of(Kind kind);

/// A convex body about its origin, independent of all libraries: each adapter converts it to its own type.
struct ShapeSpec {
  Kind kind = Kind::sphere;
  /// Metres. Box and ellipsoid: half extents, radii. Capsule, cylinder, cone: x is the radius, z half the length
  /// (the capsule's without its caps). Sphere: x is the radius.
  Vec3 half = Vec3::Ones();
  /// Of the convex hull; all of them are extreme.
  std::vector<Vec3> vertices;
};

/// The point farthest along d (not zero); written independently of graze's own function.
Vec3 support(const ShapeSpec& shape, const Vec3& d);
/// How far p lies outside the shape at most (an upper bound of the distance), 0 or less inside. Not for hulls.
double outside(const ShapeSpec& shape, const Vec3& p);
/// A convex hull of `count` >= 8 vertices on the ellipsoid with these radii, its origin strictly inside.
ShapeSpec hull_spec(std::size_t count, const Vec3& radii, std::uint64_t seed);

/// Two placed shapes; `size` is the index into PairSet::a and ::b.
struct Case {
  std::size_t size = 0;
  Pose a, b;
  /// Known by construction.
  bool colliding = false;
};

/// The questions about one pair of kinds: a few pairs of sizes, each in many poses.
struct PairSet {
  std::string name;
  std::vector<ShapeSpec> a, b;
  std::vector<Case> cases;
};

struct SceneOptions {
  std::size_t sizes = 20;
  std::size_t poses_per_size = 100;
  std::size_t hull_vertices = 64;
  std::uint64_t seed = 1;
};

/// Random sizes (0.1 to 1 m across), orientations and directions. Along its direction b is moved to where it just
/// touches a, then in or out by 2 to 50 % of that offset: half of the poses collide, in random order.
PairSet random_poses(Kind a, Kind b, const SceneOptions& options);

/// One pair of sizes in coherent motion: b wanders about a in steps of `step` metres and `turn` radians, colliding
/// about half of the time. Case::colliding is not known.
PairSet coherent_motion(Kind a, Kind b, double step, double turn, const SceneOptions& options);

}  // namespace shapes_bench
