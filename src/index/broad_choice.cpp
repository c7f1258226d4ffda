// The kinds of structures, and which is best when: the measurements of docs/broad-phases.md.
#include "index/broad_structure.h"
#include "index/extent_table.h"

namespace graze {

const char* name_of(BroadPhaseKind kind) {
  switch (kind) {
    case BroadPhaseKind::automatic:
      return "automatic";
    case BroadPhaseKind::list:
      return "list";
    case BroadPhaseKind::scalar_list:
      return "scalar_list";
    case BroadPhaseKind::sweep_and_prune:
      return "sweep_and_prune";
    case BroadPhaseKind::spatial_hash:
      return "spatial_hash";
    case BroadPhaseKind::row_grid:
      return "row_grid";
    case BroadPhaseKind::aabb_tree:
      return "aabb_tree";
    case BroadPhaseKind::morton_tree:
      return "morton_tree";
    case BroadPhaseKind::extent_masks:
      return "extent_masks";
  }
  return "unknown";
}

namespace broad {

template <int N>
StructureOf<N> make(BroadPhaseKind kind, const Store<N>& store) {
  switch (kind) {
    case BroadPhaseKind::scalar_list:
      return make_list<N>(store, true);
    case BroadPhaseKind::sweep_and_prune:
      return make_sweep_and_prune<N>(store);
    case BroadPhaseKind::spatial_hash:
      return make_spatial_hash<N>(store);
    case BroadPhaseKind::row_grid:
      return make_row_grid<N>(store);
    case BroadPhaseKind::aabb_tree:
      return make_aabb_tree<N>(store);
    case BroadPhaseKind::morton_tree:
      return make_morton_tree<N>(store);
    case BroadPhaseKind::extent_masks:
      return make_extent_masks<N>(store);
    case BroadPhaseKind::automatic:
    case BroadPhaseKind::list:
      break;
  }
  return make_list<N>(store, false);
}

// Whether few boxes are smaller than the cells of a table over all of them: else many would be in the same cells.
template <int N>
bool fit_for_masks(const Store<N>& store, std::span<const BoxId> ids) {
  AabbOf<N> all;
  for (const BoxId id : ids) all.extend(store.boxes[id]);
  const VecOf<N> cell = (all.max - all.min) / ExtentTable<N>::kCells;
  std::size_t small = 0;
  for (const BoxId id : ids)
    small += ((store.boxes[id].max - store.boxes[id].min).array() < cell.array()).any() ? 1 : 0;
  return 8 * small <= ids.size();
}

template <int N>
BroadPhaseKind choice(const Store<N>& store, std::span<const BoxId> ids, BroadPhaseUse use) {
  constexpr std::size_t kList = 32, kMasks = 512, kListForQueries = 256, kListForPairs = 200;
  if (use == BroadPhaseUse::pairs) return ids.size() <= kListForPairs ? BroadPhaseKind::list : BroadPhaseKind::row_grid;
  if (ids.size() > kList && ids.size() <= kMasks && fit_for_masks(store, ids)) return BroadPhaseKind::extent_masks;
  return ids.size() <= kListForQueries ? BroadPhaseKind::list : BroadPhaseKind::aabb_tree;
}
template BroadPhaseKind choice<2>(const Store<2>&, std::span<const BoxId>, BroadPhaseUse);
template BroadPhaseKind choice<3>(const Store<3>&, std::span<const BoxId>, BroadPhaseUse);

template StructureOf<2> make<2>(BroadPhaseKind, const Store<2>&);
template StructureOf<3> make<3>(BroadPhaseKind, const Store<3>&);

}  // namespace broad
}  // namespace graze
