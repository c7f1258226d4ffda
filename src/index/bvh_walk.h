// Questions about the primitives under a tree of boxes.
#pragma once

#include "graze/index/near_first.h"
#include "index/bvh_data.h"

namespace graze::bvh {

/// The bound of a child that holds nothing of interest, whatever the limit. Questions that have no number, only a yes
/// or no, give 0 otherwise.
inline constexpr float kApart = Box::kFar;

/// One shrinking number, as everywhere. A limit of −∞ ends the walk.
template <class Q>
concept BoxQuery = requires(Q& query, const Node& node, float (&bounds)[kWidth], std::size_t leaf) {
  // Lanes without a child are not looked at; of loops over all eight the compiler makes SIMD.
  query.open(node, bounds);
  { query.limit() } -> std::convertible_to<double>;
  query.leaf(leaf);  // of which the primitives are in the slots kWidth · leaf and following of Tree::order
};

template <BoxQuery Q>
class BoxWalk {
 public:
  using Place = std::uint32_t;  // a node or, with kLeafBit, a leaf
  using Bound = float;

  BoxWalk(const Tree& tree, Q& query) : nodes_(tree.nodes.data()), query_(query) {}

  bool is_leaf(Place place) const { return (place & kLeafBit) != 0; }
  Place child(Place place, std::size_t k) const { return nodes_[place].child[k]; }
  void open(Place place, Children<float>& children) {
    static_assert(kWidth == kWide);
    const Node& node = nodes_[place];
    query_.open(node, children.bound);
    for (std::size_t k = 0; k < kWide; ++k) {
      const float bound = children.bound[k];
      children.near |= (node.child[k] == kNone || bound >= kApart || beyond(bound) ? 0U : 1U) << k;
    }
  }
  void leaf(Place place) { query_.leaf(std::size_t{place & ~kLeafBit}); }
  bool beyond(float bound) const { return double{bound} > query_.limit(); }

 private:
  const Node* nodes_;
  Q& query_;
};

template <BoxQuery Q>
void near_first(const Tree& tree, Q& query) {
  if (tree.size == 0) return;
  BoxWalk<Q> walk(tree, query);
  NearStack<std::uint32_t, float, kMaxDepth> open({-Box::kFar, 0});
  graze::near_first(walk, open);
}

/// Calls visit(i) for the primitives of every leaf that overlaps `box`, until one gives false. What is not a number
/// overlaps everything.
template <class Visit>
void visit_overlapping(const Tree& tree, const Aabb& box, const Visit& visit) {
  struct Overlapping {
    const Tree& tree;
    const Visit& visit;
    float min[3] = {}, max[3] = {};
    bool ended = false;

    void open(const Node& node, float (&bounds)[kWidth]) const {
      for (std::size_t k = 0; k < kWidth; ++k) {
        bool apart = false;
        for (int i = 0; i < 3; ++i) apart |= node.min[i][k] > max[i] || node.max[i][k] < min[i];
        bounds[k] = apart ? kApart : 0;
      }
    }
    double limit() const { return ended ? -kInfinity : 0; }
    void leaf(std::size_t leaf) {
      for (std::size_t i = kWidth * leaf; i < kWidth * (leaf + 1) && tree.order[i] != kNone && !ended; ++i) {
        ended = !visit(std::size_t{tree.order[i]});
      }
    }
  } query{tree, visit};
  // The bounds are rounded outwards by more than the differences below are wrong by.
  const Vec3 low = box.min - tree.origin, high = box.max - tree.origin;
  for (int i = 0; i < 3; ++i) {
    query.min[i] = static_cast<float>(low[i]), query.max[i] = static_cast<float>(high[i]);
  }
  near_first(tree, query);
}

}  // namespace graze::bvh
