// What Newton's method finds.
#pragma once

#include "graze/base/vec.h"

namespace graze {

/// A direction along which the separation of two shapes is locally the largest.
struct Refined {
  bool found = false;
  Vec3 n = Vec3::UnitX();  ///< unit, from a to b
  double value = 0;        ///< the separation along n
  Vec3 on_a = Vec3::Zero(),
       on_b = Vec3::Zero();  ///< points of a and of b (b's in b's frame) with on_b − on_a = value · n
};

}  // namespace graze
