// Signed distance of a point from a shape, in closed form (the ellipsoid by a guarded root). A sphere against a shape
// is this minus the sphere's radius.
#pragma once

#include "graze/shape/shape.h"

namespace graze {

struct PointDistance {
  double value;  ///< negative inside
  Vec3 normal;   ///< unit, from the shape to the point: the way in which the value grows
};

PointDistance point_distance(const Capsule& shape, const Vec3& p);
PointDistance point_distance(const Box& shape, const Vec3& p);
PointDistance point_distance(const Triangle& shape, const Vec3& p);
PointDistance point_distance(const Cylinder& shape, const Vec3& p);
PointDistance point_distance(const Cone& shape, const Vec3& p);
PointDistance point_distance(const Ellipsoid& shape, const Vec3& p);

}  // namespace graze
