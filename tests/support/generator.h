// Random numbers, vectors and poses that are the same for the same seed everywhere.
#pragma once

#include <cmath>
#include <cstdint>

#include "graze/base/pose.h"

namespace graze_test {

/// The SplitMix64 sequence of a seed.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {
    state_ = bits();  // or neighbouring seeds would give one sequence, shifted
  }

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  /// From `low` up to, not including, `high`.
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11U) * 0x1p-53; }
  /// From `low` to `high`, both included.
  int integer(int low, int high) {
    return low + static_cast<int>(bits() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  /// 10^e with a uniform exponent.
  double magnitude(double low, double high) { return std::pow(10.0, uniform(low, high)); }

  graze::Vec3 in_cube(double half) {
    const double x = uniform(-half, half), y = uniform(-half, half);
    return {x, y, uniform(-half, half)};
  }
  /// Uniform on the unit sphere.
  graze::Vec3 direction() {
    for (;;) {
      const graze::Vec3 v = in_cube(1);
      if (v.norm() > 0.1 && v.norm() <= 1) return v.normalized();
    }
  }
  /// Any rotation, within `reach` of the origin.
  graze::Pose pose(double reach) {
    const graze::Vec3 position = in_cube(reach);
    for (;;) {
      const double w = uniform(-1, 1), x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
      const double length = w * w + x * x + y * y + z * z;
      if (length > 0.1 && length <= 1) return graze::Pose::from_wxyz(position, w, x, y, z);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace graze_test
