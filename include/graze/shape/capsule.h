#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// All points within `radius` of the core segment from (0, 0, -half_length) to (0, 0, half_length).
struct Capsule {
  Size<"capsule radius"> radius;
  Size<"capsule half_length"> half_length;
};

inline Vec3 support(const Capsule& c, const Vec3& d) {
  return c.radius * unit(d) + Vec3(0, 0, std::copysign(c.half_length, d.z()));
}

}  // namespace graze
