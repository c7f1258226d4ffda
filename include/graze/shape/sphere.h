#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// A ball about its origin. Radius 0 is a point.
struct Sphere {
  /// Metres; 0 is a point.
  checked::Size<"sphere radius", checked::Sign::not_negative> radius;
};

/// The point farthest along `direction` (any length; the zero vector gives some point of the surface).
inline Vec3 support(const Sphere& s, const Vec3& direction) { return s.radius * unit_vector(direction); }

}  // namespace graze
