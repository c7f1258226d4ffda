// What a KdTree is made of. Everything is implicit: node i of a level has the children 8 i … 8 i + 7 of the level
// below, the lowest level has the leaves as children, and leaf i holds the points 16 i … 16 i + 15 in the order of the
// tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/access.h"
#include "graze/base/aabb.h"
#include "graze/index/kd_tree.h"
#include "index/buffer.h"

namespace graze::kd_tree {

inline constexpr std::size_t kLeaf = 16;  // points per leaf
inline constexpr std::size_t kFan = 8;    // children per node
inline constexpr std::size_t kMaxPoints = 0xFFFFFFFE;
inline constexpr std::uint32_t kNoPoint = 0xFFFFFFFF;
inline constexpr std::size_t kMaxLevels = 10;  // 8^10 leaves are more than 2^32 points fill

/// Points side by side. Behind the last point of the tree: NaN, which lies in no volume, and kNoPoint.
template <class T>
struct alignas(64) Leaf {
  T at[3][kLeaf];
  std::uint32_t index[kLeaf];
};

/// The exact bounds of the children; those of children that do not exist are empty.
template <class T>
struct alignas(64) Node {
  T min[3][kFan], max[3][kFan];
};

template <class T>
struct Tree {
  std::size_t size = 0;                         // points
  std::size_t levels = 0;                       // of nodes; 0 without points
  std::array<std::size_t, kMaxLevels> first{};  // of each level in `nodes`, the lowest level being 0
  std::array<std::size_t, kMaxLevels> count{};  // nodes of each level
  Buffer<Node<T>> nodes;
  Buffer<Leaf<T>> leaves;
  Aabb bounds;
  double largest = 0;  // absolute value of any coordinate

  std::size_t children(std::size_t level) const { return level == 0 ? leaves.size() : count[level - 1]; }
};

/// A point that is being sorted into the tree: as large as two or four machine words, moved as one.
template <class T>
struct Record;
template <>
struct alignas(16) Record<float> {
  float at[3];
  std::uint32_t index;
};
template <>
struct alignas(16) Record<double> {
  double at[3];
  std::uint64_t index;
};

/// Builds the tree of these points; the records and the scratch memory, of the same size, are shuffled.
template <class T>
void build_tree(Tree<T>& tree, Buffer<Record<T>>& records, int threads);

extern template void build_tree(Tree<float>&, Buffer<Record<float>>&, int);
extern template void build_tree(Tree<double>&, Buffer<Record<double>>&, int);

}  // namespace graze::kd_tree

namespace graze {

/// At most one of the two is not null: the type of the caller's coordinates.
inline const kd_tree::Tree<float>* floats_of(const KdTree& tree) { return detail::Access::floats(tree); }
inline const kd_tree::Tree<double>* doubles_of(const KdTree& tree) { return detail::Access::doubles(tree); }

}  // namespace graze
