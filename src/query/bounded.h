// A mesh under bounds of any kind as a hierarchy, and the questions of two of them.
#pragma once

#include <utility>

#include "graze/geometry/bounded_mesh.h"
#include "graze/index/separation.h"
#include "graze/query/traverse.h"
#include "query/facet.h"

namespace graze {

template <class Bound>
class BoundedTree {
 public:
  using Tree = BoundsTree<Bound>;
  using Node = typename Tree::Node;
  static constexpr std::size_t kMaxDepth = Tree::kMaxDepth, kMaxChildren = Tree::kMaxChildren;

  explicit BoundedTree(const BoundedMesh<Bound>& mesh) : mesh_(mesh), tree_(mesh.tree()) {}

  bool empty() const { return tree_.empty(); }
  Node root() const { return tree_.root(); }
  const Bound& bounds(Node node) const { return tree_.bounds(node); }
  bool is_leaf(Node node) const { return tree_.is_leaf(node); }
  std::size_t children(Node node) const { return tree_.children(node); }
  Node child(Node node, std::size_t i) const { return tree_.child(node, i); }
  std::size_t first(Node node) const { return tree_.first(node); }
  std::size_t last(Node node) const { return tree_.last(node); }

  Facet primitive(std::size_t slot) const { return {mesh_.triangle(feature(slot))}; }
  std::size_t feature(std::size_t slot) const { return tree_.order()[slot]; }

 private:
  const BoundedMesh<Bound>& mesh_;
  const Tree& tree_;
};

/// A question about boxes, asked about bounds of another kind.
template <class Question, class Bound>
class BoundedQuery : public Question {
 public:
  template <class... Rest>
  explicit BoundedQuery(const Relative& relative, Rest&&... rest)
      : Question(relative, std::forward<Rest>(rest)...), between_(relative.rotation, relative.translation) {}

  double bound(const Bound& a, const Bound& b) const { return between_(a, b, this->limit()); }

 private:
  Separation<Bound> between_;
};

}  // namespace graze
