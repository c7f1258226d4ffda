#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// A box about its origin, its edges along the axes. With half extents of 0 it is a rectangle, a segment or a point.
struct Box {
  /// Metres along x, y and z.
  checked::Sizes<"box half extents", checked::Sign::not_negative> half;
};

/// A corner farthest along `d`.
inline Vec3 support(const Box& b, const Vec3& d) {
  return {std::copysign(b.half.x(), d.x()), std::copysign(b.half.y(), d.y()), std::copysign(b.half.z(), d.z())};
}

}  // namespace graze
