// What is best when: the measurements of docs/broad-phases.md.
#include "index/broad_structure.h"

namespace graze::broad {

template <int N>
BroadPhaseKind choice(const Store<N>&, std::span<const BoxId> ids, BroadPhaseUse use) {
  constexpr std::size_t kListForQueries = 128, kListForPairs = 48;
  if (use == BroadPhaseUse::pairs) return ids.size() <= kListForPairs ? BroadPhaseKind::list : BroadPhaseKind::row_grid;
  return ids.size() <= kListForQueries ? BroadPhaseKind::list : BroadPhaseKind::aabb_tree;
}
template BroadPhaseKind choice<2>(const Store<2>&, std::span<const BoxId>, BroadPhaseUse);
template BroadPhaseKind choice<3>(const Store<3>&, std::span<const BoxId>, BroadPhaseUse);

}  // namespace graze::broad
