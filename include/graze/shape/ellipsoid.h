#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// An ellipsoid about its origin with the given radii along x, y and z.
struct Ellipsoid {
  Sizes<"ellipsoid radii"> radii;
};

inline Vec3 support(const Ellipsoid& e, const Vec3& d) {
  const Vec3 stretched = e.radii->cwiseProduct(d);
  const double length = stretched.norm();
  if (!(length > 0)) return {e.radii.x(), 0, 0};
  return e.radii->cwiseProduct(stretched) / length;
}

}  // namespace graze
