// What a Bvh is made of: nodes of eight boxes, leaves of up to eight primitives.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/access.h"
#include "graze/base/aabb.h"
#include "graze/index/bvh.h"
#include "index/buffer.h"

namespace graze::bvh {

inline constexpr std::size_t kWidth = 8;  ///< children of a node, and primitives of a leaf
inline constexpr std::uint32_t kNone = 0xFFFFFFFF, kLeafBit = 0x80000000;
/// As many levels the builder divides by cost; below, it halves by count, so that no input makes a deep tree.
inline constexpr std::size_t kCostLevels = 14;
/// No node lies deeper: 2^31 primitives have 11 levels when they are halved.
inline constexpr std::size_t kMaxDepth = kCostLevels + 11;

/// A box as the builder and refits see it; the fourth numbers are not used.
struct alignas(16) Box {
  float min[4] = {kFar, kFar, kFar, 0}, max[4] = {-kFar, -kFar, -kFar, 0};
  static constexpr float kFar = 3e38F;

  void extend(const Box& other) {
    for (int i = 0; i < 3; ++i) min[i] = std::min(min[i], other.min[i]), max[i] = std::max(max[i], other.max[i]);
  }
  float half_area() const {
    const float x = max[0] - min[0], y = max[1] - min[1], z = max[2] - min[2];
    return x * y + y * z + z * x;
  }
};

/// The boxes of up to eight children, by axis. A lane without a child has an empty box and the child kNone; lanes with
/// children come first. A child with kLeafBit is a leaf, the others are nodes that come later.
struct alignas(32) Node {
  float min[3][kWidth], max[3][kWidth];
  std::uint32_t child[kWidth];

  void clear() {
    for (std::size_t k = 0; k < kWidth; ++k) set(k, {}, kNone);
  }
  void set(std::size_t k, const Box& box, std::uint32_t to) {
    for (std::size_t i = 0; i < 3; ++i) min[i][k] = box.min[i], max[i][k] = box.max[i];
    child[k] = to;
  }
  Box box(std::size_t k) const {
    Box b;
    for (std::size_t i = 0; i < 3; ++i) b.min[i] = min[i][k], b.max[i] = max[i][k];
    return b;
  }
  std::size_t children() const {
    std::size_t n = 0;
    while (n < kWidth && child[n] != kNone) ++n;
    return n;
  }
};
static_assert(sizeof(Node) == 7 * 32);

/// Coordinates are float32 about `origin`. All boxes are grown by `rounding`, which is more than anything was rounded.
struct Tree {
  Buffer<Node> nodes;           ///< the root first, children after their parents
  Buffer<std::uint32_t> order;  ///< kWidth slots per leaf: the primitives, then kNone
  std::size_t leaves = 0, size = 0;
  Vec3 origin = Vec3::Zero();
  float rounding = 0;
  Box root;                            ///< around all
  double cost = 0, cost_at_build = 0;  ///< see Bvh::cost

  std::size_t leaf_size(std::size_t leaf) const {
    std::size_t n = 0;
    while (n < kWidth && order[kWidth * leaf + n] != kNone) ++n;
    return n;
  }
  Aabb to_double(const Box& b) const {
    return {origin + Vec3(double{b.min[0]}, double{b.min[1]}, double{b.min[2]}),
            origin + Vec3(double{b.max[0]}, double{b.max[1]}, double{b.max[2]})};
  }
  std::size_t memory_bytes() const { return nodes.bytes() + order.bytes(); }
  Tree copy() const;
};

/// How far float32 about an origin may be from the truth, for coordinates up to `extent` in size, with room to spare.
inline float rounding_for(double extent) { return static_cast<float>(extent * 0x1p-22) + 1e-37F; }

/// Builds nodes and order over boxes about the tree's origin, which must not be empty; tree.rounding is set by the
/// caller. The same tree for any number of threads.
void build(Tree& tree, std::span<const Box> boxes, int threads);

/// New boxes for the leaves: those of the nodes follow. `scratch` is memory for one box per node.
void refit(Tree& tree, std::span<const Box> leaf_boxes, Buffer<Box>& scratch);

/// Checks every invariant for the exact boxes of the primitives: empty if all hold, else what does not.
std::string validate(const Tree& tree, std::span<const Aabb> boxes);

}  // namespace graze::bvh

namespace graze {

inline const bvh::Tree& tree_of(const Bvh& bvh) { return detail::Access::tree(bvh); }

}  // namespace graze
