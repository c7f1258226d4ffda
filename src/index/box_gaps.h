// How far the children of a node are from a point or a box, eight at a time.
#pragma once

#include <cmath>

#include "index/bvh_data.h"

namespace graze::bvh {

/// A box about the tree's origin in float32, rounded outwards.
struct FloatBox {
  float low[3], high[3];

  FloatBox() = default;
  FloatBox(const Tree& tree, const Vec3& point) : FloatBox(point - tree.origin, point - tree.origin, 0) {}
  /// Corners about the tree's origin, grown by so many metres.
  FloatBox(const Vec3& least, const Vec3& most, double grown) {
    for (int i = 0; i < 3; ++i) {
      const double more = grown + std::max(std::abs(least[i]), std::abs(most[i])) * 2e-7;
      low[i] = static_cast<float>(least[i] - more);
      high[i] = static_cast<float>(most[i] + more);
    }
  }
};

/// At most the true gap, 0 where they overlap.
inline void gaps_of(const Node& node, const FloatBox& box, float (&gaps)[kWidth]) {
  for (std::size_t k = 0; k < kWidth; ++k) {
    float sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const float below = node.min[i][k] - box.high[i], above = box.low[i] - node.max[i][k];
      float off = below > above ? below : above;
      off = off > 0 ? off : 0;
      sum += off * off;
    }
    gaps[k] = sum;
  }
  // Squares and sums of float32 are wrong by less than this factor, subtractions by what the box was grown.
  for (std::size_t k = 0; k < kWidth; ++k) gaps[k] = std::sqrt(gaps[k]) * (1 - 1e-6F);
}

}  // namespace graze::bvh
