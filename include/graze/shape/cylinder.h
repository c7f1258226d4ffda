#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// A solid cylinder along z, from -half_length to half_length. With half_length 0 it is a disc, with radius 0 a
/// segment.
struct Cylinder {
  /// Metres.
  checked::Size<"cylinder radius", checked::Sign::not_negative> radius;
  checked::Size<"cylinder half_length", checked::Sign::not_negative> half_length;
};

/// A point of the cylinder farthest along `d`.
inline Vec3 support(const Cylinder& c, const Vec3& d) {
  const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double scale = across > 0 ? c.radius / across : 0;
  return {scale * d.x(), scale * d.y(), std::copysign(c.half_length, d.z())};
}

}  // namespace graze
