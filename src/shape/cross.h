#pragma once

#include <cmath>

#include "graze/base/vec.h"

namespace graze {

/// a·b - c·d to within two units in its last place, however much cancels (Kahan).
inline double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d;
  const double rounding = std::fma(-c, d, cd);
  return std::fma(a, b, -cd) + rounding;
}

/// The cross product with all its digits, also of vectors that are nearly parallel: several times slower than Eigen's.
inline Vec3 accurate_cross(const Vec3& a, const Vec3& b) {
  return {difference_of_products(a.y(), b.z(), a.z(), b.y()), difference_of_products(a.z(), b.x(), a.x(), b.z()),
          difference_of_products(a.x(), b.y(), a.y(), b.x())};
}

}  // namespace graze
