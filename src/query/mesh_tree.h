// A mesh as a hierarchy: its tree, with the triangles as facets.
#pragma once

#include "geometry/mesh_data.h"
#include "graze/query/traverse.h"
#include "query/facet.h"

namespace graze {

class MeshTree {
 public:
  /// A child of a node; the root has no parent.
  struct Node {
    std::uint32_t parent, lane;
  };
  static constexpr std::size_t kMaxDepth = bvh::kMaxDepth + 1, kMaxChildren = bvh::kWidth;

  explicit MeshTree(const Mesh& mesh) : data_(mesh.data()) {}

  bool empty() const { return data_.triangles.empty(); }
  Node root() const { return {bvh::kNone, 0}; }
  Aabb bounds(Node node) const {
    return data_.tree.to_double(node.parent == bvh::kNone ? data_.tree.root : nodes(node.parent).box(node.lane));
  }
  bool is_leaf(Node node) const { return node.parent != bvh::kNone && (target(node) & bvh::kLeafBit) != 0; }
  std::size_t children(Node node) const { return nodes(inner(node)).children(); }
  Node child(Node node, std::size_t i) const { return {inner(node), static_cast<std::uint32_t>(i)}; }
  /// Primitives are slots of the leaves.
  std::size_t first(Node leaf) const { return bvh::kWidth * (target(leaf) & ~bvh::kLeafBit); }
  std::size_t last(Node leaf) const { return first(leaf) + data_.tree.leaf_size(target(leaf) & ~bvh::kLeafBit); }

  Facet primitive(std::size_t slot) const { return facet(feature(slot)); }
  std::size_t feature(std::size_t slot) const { return data_.tree.order[slot]; }
  Facet facet(std::size_t triangle) const {
    return {Triangle(data_.corner(triangle, 0), data_.corner(triangle, 1), data_.corner(triangle, 2)), data_.solid,
            data_.facing};
  }
  const mesh::Data& data() const { return data_; }

 private:
  const bvh::Node& nodes(std::uint32_t i) const { return data_.tree.nodes[i]; }
  std::uint32_t target(Node node) const { return nodes(node.parent).child[node.lane]; }
  std::uint32_t inner(Node node) const { return node.parent == bvh::kNone ? 0 : target(node); }

  const mesh::Data& data_;
};

/// The triangles themselves, by the caller's indices, for those who know which ones they want.
class MeshParts {
 public:
  explicit MeshParts(const MeshTree& tree) : tree_(tree) {}
  Facet primitive(std::size_t triangle) const { return tree_.facet(triangle); }

 private:
  const MeshTree& tree_;
};

inline MeshTree hierarchy_of(const Mesh& mesh) { return MeshTree(mesh); }

}  // namespace graze
