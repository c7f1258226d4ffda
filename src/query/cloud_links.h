// The tree of a cloud as the wide traversal sees it: everything is computed, a number holds a level (from the leaves,
// which are 0) and an index within it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "index/kd_tree_data.h"

namespace graze {

class CloudLinks {
 public:
  static constexpr std::size_t kMaxDepth = kd_tree::kMaxLevels + 1;

  template <class T>
  explicit CloudLinks(const kd_tree::Tree<T>& tree) : levels_(static_cast<std::uint32_t>(tree.levels)) {
    for (std::size_t level = 0; level < tree.levels; ++level) {
      first_[level] = tree.first[level];
      below_[level] = tree.children(level);
    }
  }

  std::uint32_t root() const { return levels_ << kIndexBits; }
  bool is_leaf(std::uint32_t at) const { return level(at) == 0; }
  std::uint32_t child(std::uint32_t at, std::size_t k) const {
    return (level(at) - 1) << kIndexBits | static_cast<std::uint32_t>(kd_tree::kFan * index(at) + k);
  }

  std::size_t index(std::uint32_t at) const { return at & ((1U << kIndexBits) - 1); }
  /// Where the tree keeps the boxes of the children.
  std::size_t node(std::uint32_t at) const { return first_[level(at) - 1] + index(at); }
  /// A bit per child that exists.
  unsigned filled(std::uint32_t at) const {
    const std::size_t count = below_[level(at) - 1] - kd_tree::kFan * index(at);
    return count >= kd_tree::kFan ? 0xFFU : (1U << count) - 1;
  }

 private:
  static constexpr std::uint32_t kIndexBits = 28;  // 2^32 points have 2^28 leaves
  static std::uint32_t level(std::uint32_t at) { return at >> kIndexBits; }

  std::uint32_t levels_;
  std::size_t first_[kd_tree::kMaxLevels] = {}, below_[kd_tree::kMaxLevels] = {};
};

}  // namespace graze
