// The boxes of a scene as a hierarchy: a node of the map has what is before it, its own object and what is behind it.
#pragma once

#include "graze/query/traverse.h"
#include "scene/data.h"

namespace graze::scene {

class SceneTree {
 public:
  enum class Part : std::uint8_t { all, own, before, behind };
  /// Part of a node of the map; all of it is the root of the tree.
  struct Node {
    const Boxes::Node* node;
    Part part;
    bool operator==(const Node&) const = default;
  };
  static constexpr std::size_t kMaxDepth = Boxes::kMaxDepth, kMaxChildren = 3;

  explicit SceneTree(const Data& data) : boxes_(data.boxes) {}

  bool empty() const { return boxes_.empty(); }
  Node root() const { return {boxes_.root(), Part::all}; }
  Aabb bounds(Node n) const {
    switch (n.part) {
      case Part::own:
        return n.node->own.box;
      case Part::before:
        return n.node->before.box;
      case Part::behind:
        return n.node->behind.box;
      case Part::all:
        break;
    }
    return n.node->sum().box;
  }
  bool is_leaf(Node n) const {
    const Boxes::Node& node = below(n);
    return n.part == Part::own || (!node.left && !node.right);
  }
  std::size_t children(Node n) const {
    const Boxes::Node& node = below(n);
    return 1 + (node.left ? 1 : 0) + (node.right ? 1 : 0);
  }
  Node child(Node n, std::size_t i) const {
    const Boxes::Node& node = below(n);
    return {&node, i == 0 ? Part::own : i == 1 && node.left ? Part::before : Part::behind};
  }
  /// A leaf has one primitive, whose number is where the object is in memory.
  std::size_t first(Node n) const { return reinterpret_cast<std::size_t>(below(n).value.get()); }
  std::size_t last(Node n) const { return first(n) + 1; }
  static const Object& object(std::size_t primitive) { return *reinterpret_cast<const Object*>(primitive); }

 private:
  static const Boxes::Node& below(Node n) {
    if (n.part == Part::before) return *n.node->left;
    return n.part == Part::behind ? *n.node->right : *n.node;
  }

  const Boxes& boxes_;
};

/// All pairs of different objects of one tree, each once, for the traversal.
template <class Q>
class SelfWalk {
 public:
  struct Place {
    SceneTree::Node a, b;
  };
  using Bound = double;

  SelfWalk(const SceneTree& tree, Q& query) : tree_(tree), query_(query) {}

  bool is_leaf(const Place& p) const { return p.a != p.b && tree_.is_leaf(p.a) && tree_.is_leaf(p.b); }
  Place child(const Place&, std::size_t k) const { return opened_[k]; }
  void open(const Place& p, Children<double>& children) {
    std::size_t count = 0;
    const auto add = [&](SceneTree::Node a, SceneTree::Node b) {
      if (a == b && tree_.is_leaf(a)) return;
      const double bound = a == b ? -kInfinity : query_.bound(tree_.bounds(a), tree_.bounds(b));
      children.bound[count] = bound;
      opened_[count] = {a, b};
      if (!beyond(bound)) children.near |= 1U << count;
      ++count;
    };
    if (p.a == p.b) {
      const std::size_t n = tree_.is_leaf(p.a) ? 0 : tree_.children(p.a);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) add(tree_.child(p.a, i), tree_.child(p.a, j));
      }
    } else if (tree_.is_leaf(p.b) ||
               (!tree_.is_leaf(p.a) && size_sq(tree_.bounds(p.a)) >= size_sq(tree_.bounds(p.b)))) {
      for (std::size_t i = 0, n = tree_.children(p.a); i < n; ++i) add(tree_.child(p.a, i), p.b);
    } else {
      for (std::size_t i = 0, n = tree_.children(p.b); i < n; ++i) add(p.a, tree_.child(p.b, i));
    }
  }
  void leaf(const Place& p) { query_.leaf(tree_, tree_.first(p.a), tree_, tree_.first(p.b)); }
  bool beyond(double bound) const { return bound > query_.limit(); }

 private:
  const SceneTree& tree_;
  Q& query_;
  Place opened_[kWide];
};

template <class Q>
void traverse_self(const SceneTree& tree, Q& query) {
  if (tree.empty()) return;
  using Walk = SelfWalk<Q>;
  Walk walk(tree, query);
  NearStack<typename Walk::Place, double, 2 * SceneTree::kMaxDepth> open({-kInfinity, {tree.root(), tree.root()}});
  near_first(walk, open);
}

}  // namespace graze::scene
