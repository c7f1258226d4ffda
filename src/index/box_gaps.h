// How far the children of a node are from a point or a box, eight at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "index/bvh_data.h"

namespace graze::bvh {

/// Squares of more would be beyond float32: infinite, and farther than any limit.
inline constexpr float kLargestGap = 1e18F;  // m

/// A box about the tree's origin in float32, rounded outwards.
struct FloatBox {
  float low[3], high[3];

  FloatBox() = default;
  FloatBox(const Tree& tree, const Vec3& point) : FloatBox(point - tree.origin, point - tree.origin, 0) {}
  /// Corners about the tree's origin, grown by so many metres.
  FloatBox(const Vec3& lowest, const Vec3& highest, double grown) {
    for (int i = 0; i < 3; ++i) {
      const double more = grown + std::max(std::abs(lowest[i]), std::abs(highest[i])) * 2e-7;
      low[i] = -rounded_up(more - lowest[i]);
      high[i] = rounded_up(highest[i] + more);
    }
  }

 private:
  // Rounding itself is covered by what the box was grown by.
  static float rounded_up(double x) {
    constexpr double kMax = std::numeric_limits<float>::max();
    return x > kMax ? std::numeric_limits<float>::infinity() : static_cast<float>(std::max(x, -kMax));
  }
};

/// At most the true gap, 0 where they overlap, and finite.
inline void gaps_of(const Node& node, const FloatBox& box, float (&gaps)[kWidth]) {
  for (std::size_t k = 0; k < kWidth; ++k) {
    float sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const float below = node.min[i][k] - box.high[i], above = box.low[i] - node.max[i][k];
      float off = below > above ? below : above;
      off = off > 0 ? off : 0;  // what is not a number is no gap
      off = off < kLargestGap ? off : kLargestGap;
      sum += off * off;
    }
    gaps[k] = sum;
  }
  // Squares and sums of float32 are wrong by less than this factor, subtractions by what the box was grown.
  for (std::size_t k = 0; k < kWidth; ++k) gaps[k] = std::sqrt(gaps[k]) * (1 - 1e-6F);
}

}  // namespace graze::bvh
