// The two halves of every search: a volume, which says where points are looked for (kd_tree_lanes.h), and a collector,
// which says what becomes of those that are found. kd_tree_search.cpp walks the tree with them.
#pragma once

#include <cstddef>
#include <span>

#include "graze/index/kd_tree.h"
#include "index/kd_tree_data.h"

namespace graze::kd_tree {

/// What is found, as it is found. `limit_sq` is the one number that shrinks: nothing whose squared distance is above it
/// is wanted any more.
struct Gather {
  double limit_sq = kInfinity;
  std::size_t total = 0;  // found so far

  // Either a visitor …
  bool (*visit)(void*, const Neighbor&) = nullptr;
  void* body = nullptr;
  bool stopped = false;
  // … or a buffer: in the order of arrival until it is full, then a heap with the farthest on top.
  Neighbor* buffer = nullptr;
  std::size_t capacity = 0, size = 0;
  bool shrinking = false;  // whether the limit is that of the heap, once it is full

  void take(std::size_t index, double distance_sq);
  /// Sorts the buffer.
  std::span<Neighbor> finish();
};

/// How many are found; stops when there are as many as are asked for.
struct Counting {
  std::size_t total = 0, enough;
};

template <class T>
void gather(const Tree<T>& tree, const SearchVolume& volume, bool to_axis, Gather& into);
template <class T>
void count(const Tree<T>& tree, const SearchVolume& volume, Counting& into);

}  // namespace graze::kd_tree
