#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// A box about its origin, its edges along the axes.
struct Box {
  Sizes<"box half extents"> half;
};

inline Vec3 support(const Box& b, const Vec3& d) {
  return {std::copysign(b.half.x(), d.x()), std::copysign(b.half.y(), d.y()), std::copysign(b.half.z(), d.z())};
}

}  // namespace graze
