// What Newton's method finds.
#pragma once

#include "query/products.h"

namespace graze {

/// A direction along which the separation of two shapes is locally the largest.
struct Refined {
  bool found = false;
  Vec3 n = Vec3::UnitX();  ///< unit, from a to b
  double value = 0;        ///< the separation along n
  Vec3 on_a = Vec3::Zero(),
       on_b = Vec3::Zero();  ///< points of a and of b (b's in b's frame) with on_b − on_a = value · n

  GRAZE_INLINE void set(const Vec3& direction, double separation, const Vec3& point_a, const Vec3& point_b) {
    found = true, value = separation;
    put(n, direction), put(on_a, point_a), put(on_b, point_b);
  }
};

}  // namespace graze
