// Where a line enters a box.
#pragma once

#include "graze/base/aabb.h"
#include "query/ray_shape.h"

namespace graze {

/// Where the line, from `begin` to `end`, enters the box grown by `slack` on all sides: rounded down, less the slack;
/// infinite if it does not.
inline double slab_entry(const Aabb& box, const Line& line, double begin, double end, double slack) {
  double near = begin, far = end;
  const Vec3 &o = line.origin, &d = line.direction;
  for (int i = 0; i < 3; ++i) {
    const double low = box.min[i] - slack, high = box.max[i] + slack;
    if (d[i] == 0) {
      if (o[i] < low || o[i] > high) return kInfinity;
      continue;
    }
    const double a = (low - o[i]) / d[i], b = (high - o[i]) / d[i];
    near = std::max(near, std::min(a, b)), far = std::min(far, std::max(a, b));
  }
  const double error = 8 * kEpsilon * (std::abs(near) + std::abs(far));
  return near > far + error ? kInfinity : near - error - slack;
}

}  // namespace graze
