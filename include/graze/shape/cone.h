#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// A solid cone along z: a base disc of `radius` at -half_length, the apex at half_length. With
/// half_length 0 it is a disc, with radius 0 a segment.
struct Cone {
  checked::Size<"cone radius", checked::Sign::not_negative> radius;
  checked::Size<"cone half_length", checked::Sign::not_negative> half_length;
};

/// A point of the cone farthest along `d`.
inline Vec3 support(const Cone& c, const Vec3& d) {
  const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
  // The apex wins where it lies farther along d than the best point of the base rim.
  if (2 * c.half_length * d.z() > c.radius * across) return {0, 0, c.half_length};
  const double scale = across > 0 ? c.radius / across : 0;
  return {scale * d.x(), scale * d.y(), -c.half_length};
}

}  // namespace graze
