// The boxes of a scene as a hierarchy of eight children to a node.
#pragma once

#include "graze/query/traverse.h"
#include "scene/data.h"

namespace graze::scene {

class SceneTree {
 public:
  /// A child of a node of the tree; kAll is the root itself.
  struct Node {
    const BoxTree::Node* node;
    std::uint32_t slot;
    bool operator==(const Node&) const = default;
  };
  static constexpr std::uint32_t kAll = BoxTree::kChildren;
  static constexpr std::size_t kMaxDepth = BoxTree::kMaxDepth, kMaxChildren = BoxTree::kChildren;

  explicit SceneTree(const Data& data) : boxes_(data.boxes) {}

  bool empty() const { return boxes_.empty(); }
  Node root() const { return {boxes_.root(), kAll}; }
  Aabb bounds(Node n) const { return n.slot == kAll ? n.node->bounds() : n.node->box[n.slot]; }
  bool is_leaf(Node n) const { return n.slot != kAll && n.node->leaf; }
  std::size_t children(Node n) const { return below(n).count; }
  Node child(Node n, std::size_t i) const { return {&below(n), static_cast<std::uint32_t>(i)}; }
  /// A leaf has one primitive, whose number is where the object is in memory.
  std::size_t first(Node n) const { return reinterpret_cast<std::size_t>(n.node->object[n.slot].get()); }
  std::size_t last(Node n) const { return first(n) + 1; }
  static const Object& object(std::size_t primitive) { return *reinterpret_cast<const Object*>(primitive); }
  /// The node whose children are those of n.
  const BoxTree::Node& opened(Node n) const { return below(n); }

 private:
  static const BoxTree::Node& below(Node n) { return n.slot == kAll ? *n.node : *n.node->child[n.slot]; }

  const BoxTree& boxes_;
};

/// Objects whose boxes are near that of a body, eight boxes at a time; in the order of the tree, since any of them ends
/// the search, or none. Q: box(), limit(), leaf(tree, primitive), done(), and near(node, bits): the children that are
/// worth a closer look.
template <class Q>
class NearWalk {
 public:
  using Place = SceneTree::Node;
  using Bound = double;

  NearWalk(const SceneTree& tree, Q& query) : tree_(tree), query_(query) {}

  bool is_leaf(Place p) const { return tree_.is_leaf(p); }
  Place child(Place p, std::size_t k) const { return tree_.child(p, k); }
  void open(Place p, Children<double>& children) const {
    const BoxTree::Node& node = tree_.opened(p);
    const unsigned near = near_boxes(node.box, query_.box(), query_.limit(), children.bound) & ((1U << node.count) - 1);
    children.near = query_.near(node, near);
  }
  void leaf(Place p) { query_.leaf(tree_, tree_.first(p)); }
  // Boxes that meet have no bound that a limit could exclude.
  bool beyond(double bound) const { return query_.done() || bound > query_.limit(); }

 private:
  const SceneTree& tree_;
  Q& query_;
};

template <class Q>
void visit_near(const SceneTree& tree, Q& query) {
  if (tree.empty()) return;
  NearWalk<Q> walk(tree, query);
  PlainStack<SceneTree::Node, double, SceneTree::kMaxDepth> open({-kInfinity, tree.root()});
  near_first(walk, open);
}

/// All pairs of different objects of one tree, each once, for the traversal.
template <class Q>
class SelfWalk {
 public:
  /// Objects of `a` with those of `b`. Or, where they are the same, the pairs among the children of a node from `from`
  /// on: those of the first with each other, those of the first with the others (`with_others`), those of the others.
  struct Place {
    SceneTree::Node a, b;
    std::uint32_t from = 0;
    bool with_others = false;
  };
  using Bound = double;
  /// Of self pairs one per child and level, each with two others besides the next; of two nodes as of two trees.
  static constexpr std::size_t kSelf = SceneTree::kMaxDepth * (kWide + 1) * 2;
  static constexpr std::size_t kDepth = kSelf / (kWide - 1) + 2 * SceneTree::kMaxDepth + 2;

  SelfWalk(const SceneTree& tree, Q& query) : tree_(tree), query_(query) {}

  bool is_leaf(const Place& p) const { return p.a != p.b && tree_.is_leaf(p.a) && tree_.is_leaf(p.b); }
  Place child(const Place&, std::size_t k) const { return opened_[k]; }
  void open(const Place& p, Children<double>& children) {
    std::size_t count = 0;
    const auto add = [&](const Place& place, double bound) {
      children.bound[count] = bound;
      opened_[count] = place;
      if (!beyond(bound)) children.near |= 1U << count;
      ++count;
    };
    const auto add_pair = [&](SceneTree::Node a, SceneTree::Node b) {
      add({a, b}, query_.bound(tree_.bounds(a), tree_.bounds(b)));
    };
    if (p.a == p.b) {
      const auto n = static_cast<std::uint32_t>(tree_.children(p.a));
      const SceneTree::Node first = tree_.child(p.a, p.from);
      if (p.with_others) {
        for (std::uint32_t j = p.from + 1; j < n; ++j) add_pair(first, tree_.child(p.a, j));
        return;
      }
      if (!tree_.is_leaf(first)) add({first, first}, -kInfinity);
      if (p.from + 1 < n) add({p.a, p.a, p.from, true}, -kInfinity);
      if (p.from + 2 < n || (p.from + 1 < n && !tree_.is_leaf(first))) add({p.a, p.a, p.from + 1}, -kInfinity);
    } else if (tree_.is_leaf(p.b) ||
               (!tree_.is_leaf(p.a) && size_sq(tree_.bounds(p.a)) >= size_sq(tree_.bounds(p.b)))) {
      for (std::size_t i = 0, n = tree_.children(p.a); i < n; ++i) add_pair(tree_.child(p.a, i), p.b);
    } else {
      for (std::size_t i = 0, n = tree_.children(p.b); i < n; ++i) add_pair(p.a, tree_.child(p.b, i));
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
  NearStack<typename Walk::Place, double, Walk::kDepth> open({-kInfinity, {tree.root(), tree.root()}});
  near_first(walk, open);
}

}  // namespace graze::scene
