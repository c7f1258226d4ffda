// The point of a part that reaches farthest along a direction, in the frame of what it is a part of.
#pragma once

#include "query/facet.h"

namespace graze {

template <Bounded S>
Vec3 farthest(const S& s, const Vec3& n) {
  const auto c = core(s);
  return along(plus(c.center(), c.support(n)), rounding_radius(s), n);
}
inline Vec3 farthest(const Facet& f, const Vec3& n) { return farthest(f.triangle, n); }
inline Vec3 farthest(const Ball& b, const Vec3& n) { return along(b.center, b.sphere.radius, n); }

}  // namespace graze
