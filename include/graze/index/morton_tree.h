// A broad phase that is ready at once and gets better where it is asked.
#pragma once

#include "graze/index/broad_phase.h"

namespace graze {

/// A BroadPhase of kind morton_tree: boxes in the order of a space-filling curve, by radix sort, eight to a node. It is
/// exact from the start; improve() divides parts of it anew as an AABB tree is divided, which queries there repay
/// (paper on sensor data, IV-A). Queries stay const: when to improve is the writer's choice.
///
///     MortonTree<3> tree(boxes);                  // every sensor frame
///     …                                           // queries
///     tree.improve(1000, region_of_the_queries);  // between them, as time allows
template <int N>
class MortonTree : public BroadPhase<N> {
 public:
  /// A box of N coordinates.
  using Box = AabbOf<N>;
  /// As after assign(boxes).
  explicit MortonTree(std::span<const Box> boxes = {}) : BroadPhase<N>(boxes, {.kind = BroadPhaseKind::morton_tree}) {}

  /// Divides anew what overlaps `region` and was not yet, in parts of at most `budget` boxes in all; about 0.5 µs per
  /// box. Gives the number of boxes divided: 0 where nothing is left to improve within the budget.
  std::size_t improve(std::size_t budget, const Box& region);
  /// Anywhere.
  std::size_t improve(std::size_t budget);
};

extern template class MortonTree<2>;
extern template class MortonTree<3>;

}  // namespace graze
