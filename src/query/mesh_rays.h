// Rays through the triangles of a mesh, as the walks in float32 see them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "geometry/mesh_data.h"
#include "graze/query/raycast.h"
#include "query/mesh_walk.h"
#include "query/products.h"
#include "query/ray_shape.h"

namespace graze {

/// A ray in the frame of a geometry. Its line starts `shift` metres farther along than the ray, near the geometry's
/// centre, so that numbers are small. What is within `slack` metres of the line may be met.
struct LocalRay {
  Vec3 origin;
  Line line;
  double shift, length, slack;

  double start() const { return -shift; }
  double end() const { return length - shift; }
};

/// A body as rays see it; known once for all rays of a batch.
class RayTarget {
 public:
  explicit RayTarget(const Placed& body);

  const Placed& body() const { return body_; }
  LocalRay local(const Ray& ray) const;

  bool bounded() const { return bounded_; }
  /// The rounding of coordinates of the body is proportional to this (m) and to that of the ray.
  double size() const { return size_; }
  const Vec3& center() const { return center_; }  ///< in the body's frame

 private:
  const Placed& body_;
  bool bounded_ = false;
  Vec3 center_ = Vec3::Zero();
  double size_ = 0;
};

/// Roundings of a local ray, in units of the sizes that are added.
inline constexpr double kRayRoundings = 16 * kEpsilon;

namespace walk {

/// The axis along which a direction is steepest; without branches, which would be mispredicted.
inline int steepest_axis(const Vec3& direction) {
  const double x = std::abs(direction[0]), y = std::abs(direction[1]), z = std::abs(direction[2]);
  const int w = y > x ? 1 : 0;
  return z > std::max(x, y) ? 2 : w;
}

/// Eight rays side by side, each in a lane, in float32 about the origin of a mesh's tree. Numbers along a ray count
/// from the origin of its line.
struct alignas(64) RayLanes {
  float origin[3][bvh::kWidth];
  float inverse[3][bvh::kWidth];                       ///< of the direction
  float enter[3][bvh::kWidth], leave[3][bvh::kWidth];  ///< the origin, moved against and along the ray by the slack
  float shear_u[bvh::kWidth], shear_v[bvh::kWidth];    ///< of the other two axes along the steepest one
  float start[bvh::kWidth], slack[bvh::kWidth];        ///< where the ray starts; metres
  std::uint8_t steepest[bvh::kWidth];                  ///< axis
  std::uint8_t backwards[bvh::kWidth];                 ///< a bit for each axis along which the direction is negative
  bool fits[bvh::kWidth];                              ///< whether float32 has room for this
};

/// So steep that across all of a mesh a ray that is made so is off by less than the slack.
inline constexpr double kMinSlope = 1e-18;
/// What all arithmetic of a walk with a ray is wrong by at most, in metres.
inline double ray_slack(const mesh::Data& mesh, double reach, double missed, double from) {
  return 8 * missed + kFloatSlack * reach + 32 * kEpsilon * (size_of(mesh.tree.origin) + from);
}
/// A float32 that is not below a number along the ray, with the slack.
inline float above(double t, float slack) {
  constexpr double kFar = 1e38;
  return static_cast<float>(std::clamp(t + double{slack} + std::abs(t) * 0x1p-22, -kFar, kFar));
}

/// Puts a ray of the mesh's frame into a lane.
void put(const mesh::Data& mesh, const LocalRay& ray, RayLanes& lanes, std::size_t lane);

/// Triangles that the ray of the first lane may meet no farther along it than the limit, near ones first. A limit of
/// −∞ ends the walk.
void visit(const mesh::Data& mesh, const RayLanes& ray, double limit, const Visitor& visitor);

/// The same rays in double, as local() gives them.
struct alignas(64) LocalRays {
  double origin[3][bvh::kWidth], line[3][bvh::kWidth], direction[3][bvh::kWidth];
  double shift[bvh::kWidth], length[bvh::kWidth], slack[bvh::kWidth];

  LocalRay ray(std::size_t lane) const {
    const auto at = [lane](const double(&of)[3][bvh::kWidth]) { return Vec3(of[0][lane], of[1][lane], of[2][lane]); };
    return {at(origin), {at(line), at(direction)}, shift[lane], length[lane], slack[lane]};
  }
};
struct RayBlock {
  LocalRays local;
  RayLanes lanes;
};
/// Makes blocks of rays, eight to a block, with the bits of local(). Lanes behind the last ray repeat it.
void prepare(const RayTarget& target, const mesh::Data& mesh, std::span<const Ray> rays, std::span<RayBlock> blocks);

/// Many rays, some of them in flight at a time: while memory of one is fetched, the others go on.
struct RaysVisitor {
  void* self;
  /// Ray `ray` may meet the triangle. Returns its new limit, as that of Visitor.
  double (*call)(void* self, std::size_t ray, std::uint32_t triangle);
};
/// Walks with those of the first `count` rays of the blocks that fit.
void visit(const mesh::Data& mesh, std::span<const RayBlock> blocks, std::size_t count, const RaysVisitor& visitor);

}  // namespace walk
}  // namespace graze
