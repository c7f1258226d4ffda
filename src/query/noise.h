// Random numbers for the estimates of probabilities: the same for the same seed everywhere.
#pragma once

#include <cmath>
#include <cstdint>

#include "graze/base/elementary.h"
#include "graze/base/vec.h"

namespace graze {

/// A SplitMix64 sequence and what is made of it.
class NoiseSource {
 public:
  explicit NoiseSource(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 0x2545F4914F6CDD1DU) {}

  /// Above 0, up to 1.
  double uniform() { return (static_cast<double>(bits() >> 11U) + 1) * 0x1p-53; }
  double normal() {
    if (spare_) return spare_ = false, next_;
    // Points of the unit disc (Marsaglia): no sines.
    for (;;) {
      const double x = 2 * uniform() - 1, y = 2 * uniform() - 1, square = x * x + y * y;
      if (!(square > 0 && square < 1)) continue;
      const double scale = std::sqrt(-2 * elementary::log(square) / square);
      next_ = scale * y, spare_ = true;
      return scale * x;
    }
  }
  Vec3 normals() {
    const double x = normal(), y = normal();
    return {x, y, normal()};
  }
  /// A standard normal, given that it is at least `from`.
  double normal_above(double from) {
    constexpr double kTail = 0.5;
    if (from < kTail) {
      for (;;) {
        if (const double z = normal(); z >= from) return z;
      }
    }
    // Rejection from the exponential distribution that fits the tail best (Robert 1995).
    const double rate = (from + std::sqrt(from * from + 4)) / 2;
    for (;;) {
      const double z = from - elementary::log(uniform()) / rate, off = z - rate;
      if (uniform() <= elementary::exp(-off * off / 2)) return z;
    }
  }

 private:
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
  double next_ = 0;
  bool spare_ = false;
};

}  // namespace graze
