// Signed distance of a point from a shape, in closed form (the ellipsoid by a guarded root). A sphere against a shape
// is this minus the sphere's radius.
#pragma once

#include "graze/shape/shape.h"
#include "query/products.h"

namespace graze {

struct PointDistance {
  double value;  ///< negative inside
  Vec3 normal;   ///< unit, from the shape to the point: the direction in which the value grows
};

/// The same of a body about z: across the axis and along it, at a point `radial` off the axis and at `axial` along it.
struct PlanarDistance {
  double value, radial, axial;
};

GRAZE_INLINE PlanarDistance planar_distance(const Cylinder& shape, double radial, double axial) {
  const double out = radial - shape.radius, over = std::abs(axial) - shape.half_length;
  const double up = std::copysign(1.0, axial);
  if (out > 0 && over > 0) {
    const double distance = std::sqrt(out * out + over * over);
    return {distance, out / distance, up * over / distance};
  }
  const double outward = out > over ? 1 : 0;
  return {std::max(out, over), outward, (1 - outward) * up};
}

GRAZE_INLINE PlanarDistance planar_distance(const Cone& shape, double radial, double axial) {
  // A disc or a segment.
  if (shape.radius == 0 || shape.half_length == 0)
    return planar_distance(Cylinder{.radius = double{shape.radius}, .half_length = double{shape.half_length}}, radial,
                           axial);
  const double r = shape.radius, height = 2 * shape.half_length;
  const double slant = std::sqrt(r * r + height * height);
  // From the apex, along the slope and off it; below the base.
  const double down = shape.half_length - axial;
  const double along_slope = (radial * r + down * height) / slant;
  const double off = (radial * height - down * r) / slant;
  const double below = down - height;
  if (off <= 0 && below <= 0) {
    if (off > below) return {off, height / slant, r / slant};
    return {below, 0, -1};
  }
  if (below > 0 && radial <= r) return {below, 0, -1};
  if (off > 0 && along_slope >= 0 && along_slope <= slant) return {off, height / slant, r / slant};
  // The apex or the rim is nearest.
  const bool apex = along_slope < 0;
  const double dr = apex ? radial : radial - r, dz = apex ? -down : -below;
  const double distance = std::sqrt(dr * dr + dz * dz);
  return {distance, dr / distance, dz / distance};
}

PointDistance point_distance(const Capsule& shape, const Vec3& p);
PointDistance point_distance(const Box& shape, const Vec3& p);
PointDistance point_distance(const Triangle& shape, const Vec3& p);
PointDistance point_distance(const Cylinder& shape, const Vec3& p);
PointDistance point_distance(const Cone& shape, const Vec3& p);
PointDistance point_distance(const Ellipsoid& shape, const Vec3& p);

}  // namespace graze
