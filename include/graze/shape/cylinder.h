#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// A solid cylinder along z, from -half_length to half_length.
struct Cylinder {
  Size<"cylinder radius"> radius;
  Size<"cylinder half_length"> half_length;
};

inline Vec3 support(const Cylinder& c, const Vec3& d) {
  const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double scale = across > 0 ? c.radius / across : 0;
  return {scale * d.x(), scale * d.y(), std::copysign(c.half_length, d.z())};
}

}  // namespace graze
