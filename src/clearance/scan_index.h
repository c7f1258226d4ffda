// A block of scan points as a tree of balls: along a space-filling curve, 32 to a leaf, eight to a node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clearance/field.h"
#include "graze/base/vec.h"
#include "index/buffer.h"

namespace graze::clearance {

struct ScanNode {
  Vec3 center;
  double radius;  ///< no point of it lies farther from the centre
};

class ScanIndex {
 public:
  static constexpr std::size_t kFan = 8;

  /// Points that are not finite are left out. Memory while it is built: 16 bytes per point, afterwards about 5.
  ScanIndex(std::span<const Vec3> points, int threads);

  std::size_t size() const { return order_.size(); }  ///< finite points
  std::size_t skipped() const { return skipped_; }
  std::span<const std::uint32_t> order() const { return {order_.data(), order_.size()}; }

  std::size_t levels() const { return levels_.size(); }  ///< 0: leaves
  std::span<const ScanNode> level(std::size_t i) const { return levels_[i]; }
  /// Children of node i of a level: nodes of the level below, or places in order().
  std::size_t first(std::size_t level, std::size_t i) const { return i * (level == 0 ? kLeaf : kFan); }
  std::size_t last(std::size_t level, std::size_t i) const {
    const std::size_t end = level == 0 ? order_.size() : levels_[level - 1].size();
    return std::min(end, (i + 1) * (level == 0 ? kLeaf : kFan));
  }

 private:
  Buffer<std::uint32_t> order_;
  std::vector<std::vector<ScanNode>> levels_;
  std::size_t skipped_ = 0;
};

}  // namespace graze::clearance
