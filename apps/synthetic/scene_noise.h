// Random numbers that are the same on every machine, for synthetic scenes.
#pragma once

#include <cstdint>

namespace graze::synthetic {

/// Numbers that depend on a seed and a stream only (SplitMix64). Streams are independent, so that every part of a scene
/// has its own and parts can be made in any order.
class SceneNoise {
 public:
  SceneNoise(std::uint64_t seed, std::uint64_t stream) : state_(mixed(mixed(seed) + kGolden * stream)) {}

  /// As if `count` numbers had been taken.
  void skip(std::uint64_t count) { state_ += kGolden * count; }

  std::uint64_t bits() { return mixed(state_ += kGolden); }
  /// In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  /// Nearly normal, of standard deviation 1 and never beyond 3.5: the sum of four even numbers of 16 bits. Unlike
  /// logarithms and cosines it is the same with every mathematical library.
  double normal() {
    const std::uint64_t b = bits();
    const std::uint64_t sum = (b & 0xFFFF) + (b >> 16 & 0xFFFF) + (b >> 32 & 0xFFFF) + (b >> 48);
    constexpr double kScale = 1.7320508075688772 / 65536;
    return (static_cast<double>(sum) - 2 * 65535.0) * kScale;
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }

  std::uint64_t state_;
};

}  // namespace graze::synthetic
