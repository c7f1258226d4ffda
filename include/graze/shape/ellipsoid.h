#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// An ellipsoid about its origin with the given radii along x, y and z, none of them 0: the surface of a flat
/// one has no normal inside of its rim. A Cylinder of half_length 0 is a disc, a Capsule of radius 0 a segment.
struct Ellipsoid {
  checked::Sizes<"ellipsoid radii"> radii;
};

/// The point of the ellipsoid farthest along `d`.
inline Vec3 support(const Ellipsoid& e, const Vec3& d) {
  const double x = e.radii.x() * d.x(), y = e.radii.y() * d.y(), z = e.radii.z() * d.z();
  const double length = std::sqrt(x * x + y * y + z * z);
  if (!(length > 0)) return {e.radii.x(), 0, 0};
  const double scale = 1 / length;
  return {e.radii.x() * x * scale, e.radii.y() * y * scale, e.radii.z() * z * scale};
}

}  // namespace graze
