// What a ray meets.
#pragma once

#include <span>

#include "graze/geometry/geometry.h"
#include "graze/query/distance.h"

namespace graze {

/// From a point of the world along a direction, for some length or without end.
class Ray {
 public:
  /// The direction need not be a unit vector. Throws Error if it has no length, if a coordinate is not finite or that
  /// of the origin is beyond 1e50, or if the length (m) is negative or NaN.
  Ray(const Vec3& origin, const Vec3& direction, double length = kInfinity);
  /// From one point to another.
  static Ray between(const Vec3& from, const Vec3& to);

  /// Where the ray starts.
  const Vec3& origin() const { return origin_; }
  const Vec3& direction() const { return direction_; }  ///< unit
  double length() const { return length_; }
  /// The point at this distance (m) from the origin.
  Vec3 at(double distance) const { return origin_ + distance * direction_; }

 private:
  Vec3 origin_, direction_;
  double length_;
};

/// Where a ray meets something.
struct RayHit {
  double distance = kInfinity;  ///< metres along the ray; infinite if it meets nothing
  Vec3 point = Vec3::Zero();    ///< world
  /// Unit, world: of the surface there, on the side from which the ray comes.
  Vec3 normal = Vec3::UnitX();
  Feature feature = 0;  ///< of the body

  /// Whether it meets anything.
  bool found() const { return distance < kInfinity; }
};

/// The first thing of the body that the ray meets; of equally near ones that with the lowest feature. Shapes with a
/// volume, solid meshes and the balls of clouds are bodies: a ray that begins inside meets them at once, with the
/// distance 0 and minus its direction as the normal. Of other meshes, triangles and planes the surface counts, from
/// either side. Touching is meeting, and so is what rounding cannot distinguish from it: no ray slips through between
/// triangles that share an edge. Distances are right to some roundings of the coordinates over the cosine of the angle
/// at which the surface is met. Never throws or allocates (but see Cloud::prepare).
///
///     RayHit hit = raycast(at(shelf), Ray(camera, {1, 0, 0}));
///     if (hit.found()) mark(hit.point, hit.normal);
RayHit raycast(const Placed& body, const Ray& ray);

/// Whether there is anything to meet: ends at the first thing found.
bool meets(const Placed& body, const Ray& ray);

/// Every point where the ray enters or leaves, meets a triangle or passes a ball, nearest first: the nearest ones if
/// the buffer has no room for all. Points behind the ray's origin do not count.
std::span<RayHit> raycast_all(const Placed& body, const Ray& ray, std::span<RayHit> buffer);

/// Options of raycast_each().
struct RaycastEachOptions {
  int threads = 0;  ///< 0: as many as the machine has
};
/// hits[i] is raycast(body, rays[i]). Throws Error unless there is room for one hit per ray.
void raycast_each(const Placed& body, std::span<const Ray> rays, std::span<RayHit> hits,
                  const RaycastEachOptions& options = {});

}  // namespace graze
