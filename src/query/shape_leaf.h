// A convex shape as a hierarchy: one leaf with one primitive, itself.
#pragma once

#include "graze/query/hierarchy.h"
#include "graze/shape/shape.h"

namespace graze {

template <ShapeKind S>
class ShapeLeaf {
 public:
  struct Node {};
  static constexpr std::size_t kMaxDepth = 0, kMaxChildren = 1;

  explicit ShapeLeaf(const S& shape) : shape_(shape) {}

  bool empty() const { return false; }
  Node root() const { return {}; }
  Aabb bounds(Node) const { return graze::bounds(shape_); }
  bool is_leaf(Node) const { return true; }
  std::size_t children(Node) const { return 0; }
  Node child(Node, std::size_t) const { return {}; }
  std::size_t first(Node) const { return 0; }
  std::size_t last(Node) const { return 1; }

  const S& primitive(std::size_t) const { return shape_; }

 private:
  const S& shape_;
};

/// How the engine sees a geometry.
template <ShapeKind S>
ShapeLeaf<S> hierarchy_of(const S& shape) {
  return ShapeLeaf<S>(shape);
}

}  // namespace graze
