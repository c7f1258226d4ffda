// Searching the tree of boxes.
#pragma once

#include "index/bvh_data.h"

namespace graze::bvh {

/// Calls visit(i) for the primitives of every leaf that overlaps `box`, until one gives false. What is not a number
/// overlaps everything.
template <class Visit>
void visit_overlapping(const Tree& tree, const Aabb& box, const Visit& visit) {
  if (tree.size == 0) return;
  // The bounds are rounded outwards by more than the differences below are wrong by.
  const Vec3 low = box.min - tree.origin, high = box.max - tree.origin;
  float min[3], max[3];
  for (int i = 0; i < 3; ++i) min[i] = static_cast<float>(low[i]), max[i] = static_cast<float>(high[i]);
  std::array<std::uint32_t, kMaxDepth*(kWidth - 1) + kWidth> stack;
  std::size_t open = 0;
  stack[open++] = 0;
  while (open > 0) {
    const Node& node = tree.nodes[stack[--open]];
    for (std::size_t k = kWidth; k-- > 0;) {
      if (node.child[k] == kNone) continue;
      bool apart = false;
      for (int i = 0; i < 3; ++i) apart = apart || node.min[i][k] > max[i] || node.max[i][k] < min[i];
      if (apart) continue;
      if ((node.child[k] & kLeafBit) == 0) {
        stack[open++] = node.child[k];
        continue;
      }
      const std::size_t leaf = node.child[k] & ~kLeafBit;
      for (std::size_t i = kWidth * leaf; i < kWidth * (leaf + 1) && tree.order[i] != kNone; ++i) {
        if (!visit(std::size_t{tree.order[i]})) return;
      }
    }
  }
}

}  // namespace graze::bvh
