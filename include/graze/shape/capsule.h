#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// All points within `radius` of the core segment from (0, 0, -half_length) to (0, 0, half_length). With
/// half_length 0 it is a ball, with radius 0 a segment.
struct Capsule {
  checked::Size<"capsule radius", checked::Sign::not_negative> radius;
  checked::Size<"capsule half_length", checked::Sign::not_negative> half_length;
};

/// A point of the capsule farthest along `d`.
inline Vec3 support(const Capsule& c, const Vec3& d) {
  return c.radius * unit_vector(d) + Vec3(0, 0, std::copysign(c.half_length, d.z()));
}

}  // namespace graze
