// Points and bodies: inside or not, how far, and the nearest point of the surface.
#pragma once

#include <span>

#include "graze/geometry/geometry.h"
#include "graze/index/points.h"
#include "graze/query/distance.h"

namespace graze {

/// Whether a point of the world is inside of the body or on it. Flat things and shells hold their surface only, a cloud
/// its balls. True where rounding leaves it undecided. Throws Error for a point that is not finite.
bool contains(const Placed& body, const Vec3& point);

/// The point of a surface that is nearest to another point.
struct ClosestPoint {
  /// Metres from the surface, negative inside; +∞ if the body is empty or farther than the limit. See Distance for what
  /// is surface and for the tolerance.
  double distance = kInfinity;
  double tolerance = 0;
  Vec3 point = Vec3::Zero();    ///< of the body's surface, world
  Vec3 normal = Vec3::UnitX();  ///< unit, world: along it the distance grows
  Feature feature = 0;          ///< of the body

  /// Whether there is one within the limit.
  bool found() const { return distance < kInfinity; }
};
/// The point of the body's surface that is nearest to a point of the world. Throws Error for a point that is not
/// finite.
///
///     ClosestPoint c = closest_point(at(part), probe);
///     double signed_distance = c.distance;
ClosestPoint closest_point(const Placed& body, const Vec3& point, double limit = kInfinity);

/// Options of questions about many points.
struct PointsEachOptions {
  double limit = kInfinity;  ///< metres; farther ones answer +∞, sooner
  int threads = 0;           ///< 0: as many as the machine has
};
/// Answer i is that for points[i], on any number of threads with the bits of single questions. A point that is not
/// finite ("no return") is contained, since nobody can say that it is not, and has the distance NaN. Throws Error
/// unless there is room for one answer per point.
void contains_each(const Placed& body, const PointView& points, std::span<bool> inside,
                   const PointsEachOptions& options = {});
/// The same for signed distances from the surface.
void signed_distance_each(const Placed& body, const PointView& points, std::span<double> distances,
                          const PointsEachOptions& options = {});
/// The same for the nearest points of the surface.
void closest_point_each(const Placed& body, const PointView& points, std::span<ClosestPoint> closest,
                        const PointsEachOptions& options = {});

}  // namespace graze
