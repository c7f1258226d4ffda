// What stands in space: bodies of any geometry, and obstacles of one's own.
#pragma once

#include <variant>

#include "graze/geometry/geometry.h"
#include "graze/scene/custom_obstacle.h"
#include "graze/scene/spatial_path.h"

namespace graze::spatial {

/// The point of an obstacle's boundary that is nearest to a point.
struct NearestPoint {
  double distance = kInfinity;  ///< metres; inside the obstacle minus the distance from the boundary
  Vec3 point = Vec3::Zero();    ///< on the boundary
  double tolerance = 0;         ///< metres; the distance exceeds the truth by no more
};

/// The first contact of a ball on a path.
struct Hit {
  /// The fraction of the path that is free for certain, 0 … 1: never later than the truth. Infinite if all of it is
  /// free.
  double fraction = kInfinity;
  Vec3 center = Vec3::Zero();  ///< of the ball then
  Vec3 point = Vec3::Zero();   ///< of the obstacle's boundary, the nearest one then
  /// The ball touches the obstacle there, up to rounding; off straight lines up to a nanometre. False: the steps were
  /// used up before, and all that is known is that the path is free up to `fraction`.
  bool certain = true;

  /// Whether it touches anything. If not, that is proven for the whole path.
  bool found() const { return fraction < kInfinity; }
};

/// What obstacles of one's own are made of.
struct Space {
  using Vec = Vec3;                            ///< a point
  using Box = Aabb;                            ///< around it
  using Path = spatial::Path;                  ///< where it is asked along
  using NearestPoint = spatial::NearestPoint;  ///< of its boundary
  using Hit = spatial::Hit;                    ///< a first contact
};
/// Holds an obstacle of one's own, which needs nothing but `NearestPoint nearest(const Vec3& q) const`: see
/// CustomObstacle.
///
///     struct Floor { NearestPoint nearest(const Vec3& q) const { return {q.z(), {q.x(), q.y(), 0}}; } };
///     World world({Obstacle(Custom(Floor()))});
using Custom = CustomObstacle<Space>;

/// Anything that stands in space: spheres, boxes, height fields, meshes and every other geometry at a pose, or one's
/// own.
using Obstacle = std::variant<Placed, Custom>;

/// Around the obstacle, rounded outwards; empty if it has no points.
Aabb bounds(const Obstacle& obstacle);
/// The nearest point of the boundary; infinitely far if there is none within `limit` metres. What is not a number has
/// the distance NaN.
NearestPoint nearest(const Obstacle& obstacle, const Vec3& point, double limit = kInfinity);
/// Whether a ball (radius ≥ 0) touches the obstacle. False is proof; what is not a number touches, and so does a radius
/// beyond 1e50.
bool collide(const Obstacle& obstacle, const Vec3& point, double radius);
/// The first contact of a ball on a path. Bodies on lines go from plane to plane (sweep_sphere), on arcs as bodies that
/// turn do (sweep), on other curves by certified steps. Start in contact: fraction 0.
Hit sweep(const Obstacle& obstacle, const Path& path, double radius);

}  // namespace graze::spatial
