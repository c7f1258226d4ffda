// What squared distances in float prove about real ones, and which queries can be answered at all.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/base/vec.h"

namespace graze {

/// A ball as a query asks about it: everything finite and valid.
struct SphereCheck {
  double center[3];
  double radius, point_radius;
};

/// Whether the numbers of a query can be computed with; all others count as collisions.
inline bool valid_sphere(double x, double y, double z, double radius) {
  return std::abs(x) <= kLargestLength && std::abs(y) <= kLargestLength && std::abs(z) <= kLargestLength &&
         radius >= 0 && radius <= kLargestLength;
}

/// A squared distance of a float point from the centre rounded to float, added up in float: at most `inside` means
/// within reach, above `outside` means out of reach, in between the doubles decide.
struct Thresholds {
  float inside, outside;
};

/// For a reach that is from `inner` to `outer`: within the one, out of the other.
inline Thresholds thresholds(const double* center, double inner, double outer) {
  // The centre is rounded to float (2^-24 of its coordinates), the difference and its square by some more of 2^-24, and
  // squares below the normal range by 2^-149.
  constexpr double kRelative = 1e-6, kUnderflow = 1e-43, kMaxFloat = std::numeric_limits<float>::max();
  const double largest = std::max({std::abs(center[0]), std::abs(center[1]), std::abs(center[2])});
  const double shift = 2 * 0x1p-24 * largest + 0x1p-140;
  const double out = (outer + shift) * (outer + shift) * (1 + kRelative) + kUnderflow;
  const double in = std::max(inner - shift, 0.0);
  const double inside = std::min(in * in * (1 - kRelative) - kUnderflow, kMaxFloat);
  return {static_cast<float>(inside) * (1 - 0x1p-22F),
          out > kMaxFloat ? std::numeric_limits<float>::infinity() : static_cast<float>(out) * (1 + 0x1p-22F)};
}

inline Thresholds thresholds(const double* center, double reach) { return thresholds(center, reach, reach); }

/// Rounded to float; what float does not reach becomes its largest number, which is out of reach too or within it.
inline float to_float(double value) {
  constexpr double kMaxFloat = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMaxFloat, kMaxFloat));
}

}  // namespace graze
