// Boxes that overlap, eight at a time.
#include <bit>

#include "index/wide_tree.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/wide_tree_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Eight = hn::CappedTag<float, kWide>;
using Mask = hn::Mask<Eight>;

struct Lanes {
  unsigned near, sure;
};

GRAZE_LANE_FUNCTION unsigned bits_of(Mask mask, std::size_t first) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Eight(), mask, bytes);
  return static_cast<unsigned>(bytes[0]) << first;
}

// Lanes that are not apart from the box, as bits.
template <int N>
GRAZE_LANE_FUNCTION unsigned near_lanes(const TreeNode<N>& node, const FloatBox<N>& box) {
  const Eight d;
  unsigned apart = 0;
  for (std::size_t at = 0; at < kWide; at += hn::Lanes(d)) {
    Mask far = hn::Or(hn::Gt(hn::Load(d, node.lo[0] + at), hn::Set(d, box.hi[0])),
                      hn::Lt(hn::Load(d, node.hi[0] + at), hn::Set(d, box.lo[0])));
    for (int k = 1; k < N; ++k) {
      far = hn::Or(far, hn::Gt(hn::Load(d, node.lo[k] + at), hn::Set(d, box.hi[k])));
      far = hn::Or(far, hn::Lt(hn::Load(d, node.hi[k] + at), hn::Set(d, box.lo[k])));
    }
    apart |= bits_of(far, at);
  }
  return ~apart;
}
// Those that surely overlap.
template <int N>
GRAZE_LANE_FUNCTION unsigned sure_lanes(const TreeNode<N>& node, const FloatBox<N>& box) {
  const Eight d;
  unsigned sure = 0;
  for (std::size_t at = 0; at < kWide; at += hn::Lanes(d)) {
    Mask over = hn::And(hn::Lt(hn::Load(d, node.lo[0] + at), hn::Set(d, box.hi[0])),
                        hn::Gt(hn::Load(d, node.hi[0] + at), hn::Set(d, box.lo[0])));
    for (int k = 1; k < N; ++k) {
      over = hn::And(over, hn::Lt(hn::Load(d, node.lo[k] + at), hn::Set(d, box.hi[k])));
      over = hn::And(over, hn::Gt(hn::Load(d, node.hi[k] + at), hn::Set(d, box.lo[k])));
    }
    sure |= bits_of(over, at);
  }
  return sure;
}

// Leaves that overlap a box, in the order of the tree, until one gives false.
template <int N, class Leaf>
class OverlapWalk {
 public:
  using Place = std::uint32_t;
  using Bound = float;

  OverlapWalk(const WideTree<N>& tree, const FloatBox<N>& box, const Leaf& at_leaf)
      : tree_(tree), box_(box), leaf_(at_leaf) {}

  bool ended() const { return ended_; }
  bool is_leaf(Place place) const { return (place & kLeafBit) != 0; }
  Place child(Place place, std::size_t k) const { return tree_.node(place).child[k]; }
  bool beyond(float) const { return ended_; }
  void open(Place place, Children<float>& children) const {
    children.near = near_lanes<N>(tree_.node(place), box_) & tree_.lanes(place);
    for (std::size_t k = 0; k < kWide; ++k) children.bound[k] = 0;
  }
  void leaf(Place place) { ended_ = !leaf_(place); }

 private:
  const WideTree<N>& tree_;
  FloatBox<N> box_;
  const Leaf& leaf_;
  bool ended_ = false;
};

// False if a leaf has ended it.
template <int N, class Leaf>
bool visit_leaves(const WideTree<N>& tree, const FloatBox<N>& box, const Leaf& leaf) {
  if (tree.root() == kNoNode) return true;
  OverlapWalk<N, Leaf> walk(tree, box, leaf);
  PlainStack<std::uint32_t, float, kTreeDepth> open({0, tree.root()});
  near_first(walk, open);
  return !walk.ended();
}

template <int N>
bool visit_of(const WideTree<N>& tree, const Store<N>& store, const AabbOf<N>& box, const IdSink& sink) {
  const FloatBox<N> floats = store.floats(box);
  return visit_leaves<N>(tree, floats, [&](std::uint32_t place) {
    const TreeNode<N>& node = tree.node(place);
    unsigned near = near_lanes<N>(node, floats) & tree.lanes(place);
    if (near == 0) return true;
    const unsigned sure = sure_lanes<N>(node, floats);
    for (; near != 0; near &= near - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(near));
      const BoxId id = node.child[lane];
      if ((sure >> lane & 1U) == 0 && apart<N>(store.boxes[id], box)) continue;
      if (!sink(id)) return false;
    }
    return true;
  });
}

// Each leaf is looked up with the box around it; of two leaves the first one is.
template <int N>
bool pairs_of(const WideTree<N>& tree, const Store<N>& store, PairSink& sink) {
  for (std::uint32_t n = 0; n < tree.node_limit(); ++n) {
    if (!tree.is_leaf_in_use(n)) continue;
    const TreeNode<N>& own = tree.node(n);
    FloatBox<N> around = own.box(0);
    unsigned own_lanes = tree.lanes(n);
    for (std::size_t lane = 1; (own_lanes >> lane & 1U) != 0; ++lane) around.extend(own.box(lane));
    const bool go_on = visit_leaves<N>(tree, around, [&](std::uint32_t place) {
      const std::uint32_t other = place & ~kLeafBit;
      if (other < n) return true;
      const TreeNode<N>& node = tree.node(place);
      for (std::size_t lane = 0; (own_lanes >> lane & 1U) != 0; ++lane) {
        const FloatBox<N> box = own.box(lane);
        unsigned near = near_lanes<N>(node, box) & tree.lanes(place);
        if (other == n) near &= ~0U << lane << 1U;
        if (near == 0) continue;
        const unsigned sure = sure_lanes<N>(node, box);
        const BoxId id = own.child[lane];
        for (; near != 0; near &= near - 1) {
          const auto at = static_cast<unsigned>(std::countr_zero(near));
          const BoxId with = node.child[at];
          if ((sure >> at & 1U) == 0 && apart<N>(store.boxes[id], store.boxes[with])) continue;
          if (!sink.add(id, with)) return false;
        }
      }
      return true;
    });
    if (!go_on) return false;
  }
  return true;
}

bool visit2(const WideTree<2>& tree, const Store<2>& store, const Aabb2& box, const IdSink& sink) {
  return visit_of<2>(tree, store, box, sink);
}
bool visit3(const WideTree<3>& tree, const Store<3>& store, const Aabb& box, const IdSink& sink) {
  return visit_of<3>(tree, store, box, sink);
}
bool pairs2(const WideTree<2>& tree, const Store<2>& store, PairSink& sink) { return pairs_of<2>(tree, store, sink); }
bool pairs3(const WideTree<3>& tree, const Store<3>& store, PairSink& sink) { return pairs_of<3>(tree, store, sink); }

}  // namespace HWY_NAMESPACE
}  // namespace graze::broad
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad {

HWY_EXPORT(visit2);
HWY_EXPORT(visit3);
HWY_EXPORT(pairs2);
HWY_EXPORT(pairs3);

bool visit_tree(const WideTree<2>& tree, const Store<2>& store, const Aabb2& box, const IdSink& sink) {
  return HWY_DYNAMIC_DISPATCH(visit2)(tree, store, box, sink);
}
bool visit_tree(const WideTree<3>& tree, const Store<3>& store, const Aabb& box, const IdSink& sink) {
  return HWY_DYNAMIC_DISPATCH(visit3)(tree, store, box, sink);
}
bool tree_pairs(const WideTree<2>& tree, const Store<2>& store, PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(pairs2)(tree, store, sink);
}
bool tree_pairs(const WideTree<3>& tree, const Store<3>& store, PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(pairs3)(tree, store, sink);
}

}  // namespace graze::broad
#endif
