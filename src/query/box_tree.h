// Boxes, eight to a node, as a hierarchy: the tree of a Bvh, a mesh or a moving mesh.
#pragma once

#include "graze/query/traverse.h"
#include "index/bvh_data.h"

namespace graze {

class BoxTree {
 public:
  /// A child of a node; the root has no parent.
  struct Node {
    std::uint32_t parent, lane;
  };
  static constexpr std::size_t kMaxDepth = bvh::kMaxDepth + 1, kMaxChildren = bvh::kWidth;

  explicit BoxTree(const bvh::Tree& tree) : tree_(tree) {}

  bool empty() const { return tree_.size == 0; }
  Node root() const { return {bvh::kNone, 0}; }
  Aabb bounds(Node node) const {
    return tree_.to_double(node.parent == bvh::kNone ? tree_.root : nodes(node.parent).box(node.lane));
  }
  bool is_leaf(Node node) const { return node.parent != bvh::kNone && (target(node) & bvh::kLeafBit) != 0; }
  std::size_t children(Node node) const { return nodes(inner(node)).children(); }
  Node child(Node node, std::size_t i) const { return {inner(node), static_cast<std::uint32_t>(i)}; }
  /// Primitives are slots of the leaves.
  std::size_t first(Node leaf) const { return bvh::kWidth * (target(leaf) & ~bvh::kLeafBit); }
  std::size_t last(Node leaf) const { return first(leaf) + tree_.leaf_size(target(leaf) & ~bvh::kLeafBit); }
  /// The caller's index of a slot.
  std::size_t feature(std::size_t slot) const { return tree_.order[slot]; }

 private:
  const bvh::Node& nodes(std::uint32_t i) const { return tree_.nodes[i]; }
  std::uint32_t target(Node node) const { return nodes(node.parent).child[node.lane]; }
  std::uint32_t inner(Node node) const { return node.parent == bvh::kNone ? 0 : target(node); }

  const bvh::Tree& tree_;
};

}  // namespace graze
