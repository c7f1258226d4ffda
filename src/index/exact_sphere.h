// Whether a point touches a sphere, decided for the caller's numbers without rounding.
#pragma once

#include <array>

namespace graze {

/// |point - center| <= radius + point_radius as real numbers. Everything finite, radii not negative, lengths at most
/// 1e50. Where a square underflows (lengths below 1e-150) the answer may be true for a gap that small.
bool touches(const std::array<float, 3>& point, const double* center, double radius, double point_radius);

/// The squared distance rounded as (x² + y²) + z² in double: what nearest points are ranked by.
inline double squared_distance(const std::array<float, 3>& point, const double* center) {
  const double x = point[0] - center[0], y = point[1] - center[1], z = point[2] - center[2];
  return (x * x + y * y) + z * z;
}

}  // namespace graze
