// Clouds for the tests of probabilities.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "graze/geometry/cloud.h"
#include "support/generator.h"

namespace graze_test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline graze::Cloud cloud_of(const std::vector<graze::Vec3>& points, double radius = 0) {
  return graze::Cloud(std::span(points), {.radius = radius});
}

/// The normal distribution.
inline double phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

enum class Spread { uniform, clustered, duplicate, collinear, far, holes };

inline std::vector<graze::Vec3> points_of(Spread spread, int count, Generator& random) {
  std::vector<graze::Vec3> points;
  const graze::Vec3 middle = random.in_cube(1), along = random.in_cube(1);
  for (int i = 0; i < count; ++i) {
    switch (spread) {
      case Spread::clustered:
        points.push_back(middle + random.in_cube(i % 3 == 0 ? 1 : 0.01));
        break;
      case Spread::duplicate:
        points.push_back(i % 4 == 0 ? random.in_cube(1) : middle);
        break;
      case Spread::collinear:
        points.push_back(random.uniform(-1, 1) * along);
        break;
      case Spread::far:
        points.push_back(graze::Vec3(4.5e6, -3e5, 120) + random.in_cube(1));
        break;
      case Spread::holes:
        points.push_back(i % 5 == 0 ? graze::Vec3(0, kNaN, 1) : random.in_cube(1));
        break;
      default:
        points.push_back(random.in_cube(1));
    }
  }
  return points;
}

}  // namespace graze_test
