#pragma once

#include "graze/shape/checked.h"

namespace graze {

/// A solid cone along z: a base disc of `radius` at -half_length, the apex at half_length.
struct Cone {
  Size<"cone radius"> radius;
  Size<"cone half_length"> half_length;
};

inline Vec3 support(const Cone& c, const Vec3& d) {
  const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
  // The apex wins where it lies farther along d than the best point of the base rim.
  if (2 * c.half_length * d.z() > c.radius * across) return {0, 0, c.half_length};
  const double scale = across > 0 ? c.radius / across : 0;
  return {scale * d.x(), scale * d.y(), -c.half_length};
}

}  // namespace graze
