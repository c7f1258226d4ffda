// Nearest boxes and boxes along a path: walks that are bounded in double.
#include <bit>

#include "index/wide_tree.h"

namespace graze::broad {
namespace {

/// A walk whose question is `bound(box)` for boxes about the origin, `beyond(bound)` and `see(id)`.
template <int N, class Of, class Beyond, class See>
class TreeWalk {
 public:
  using Place = std::uint32_t;
  using Bound = double;

  TreeWalk(const WideTree<N>& tree, double slack, const Of& bound, const Beyond& past, const See& see)
      : tree_(tree), slack_(slack), bound_(bound), beyond_(past), see_(see) {}

  bool is_leaf(Place place) const { return (place & kLeafBit) != 0; }
  Place child(Place place, std::size_t k) const { return tree_.node(place).child[k]; }
  bool beyond(double bound) const { return beyond_(bound); }
  void open(Place place, Children<double>& children) const { children.near = lanes(place, children.bound); }
  void leaf(Place place) const {
    double bounds[kWide];
    for (unsigned near = lanes(place, bounds); near != 0; near &= near - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(near));
      if (!beyond_(bounds[lane])) see_(tree_.node(place).child[lane]);
    }
  }

 private:
  unsigned lanes(Place place, double (&bounds)[kWide]) const {
    const TreeNode<N>& node = tree_.node(place);
    unsigned near = 0;
    for (unsigned left = tree_.lanes(place); left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      AabbOf<N> box;
      for (int k = 0; k < N; ++k) {
        box.min[k] = double{node.lo[k][lane]} - slack_, box.max[k] = double{node.hi[k][lane]} + slack_;
      }
      bounds[lane] = bound_(box);
      near |= (beyond_(bounds[lane]) ? 0U : 1U) << lane;
    }
    return near;
  }

  const WideTree<N>& tree_;
  double slack_;
  const Of& bound_;
  const Beyond& beyond_;
  const See& see_;
};

template <int N, class Of, class Beyond, class See>
void walk_tree(const WideTree<N>& tree, double slack, const Of& bound, const Beyond& beyond, const See& see) {
  if (tree.root() == kNoNode) return;
  TreeWalk<N, Of, Beyond, See> walk(tree, slack, bound, beyond, see);
  NearStack<std::uint32_t, double, kTreeDepth> open({-kInfinity, tree.root()});
  near_first(walk, open);
}

template <int N>
AabbOf<N> about(const AabbOf<N>& box, const VecOf<N>& origin) {
  return {box.min - origin, box.max - origin};
}

}  // namespace

template <int N>
void WideTree<N>::nearest(const Box& box, NearestBox& best) const {
  const Box from = about<N>(box, store_.origin);
  walk_tree<N>(
      *this, slack(box), [&](const Box& other) { return distance<N>(from, other) * (1 - 16 * kEpsilon); },
      [&](double bound) { return bound > best.distance; }, [&](BoxId id) { this->take(id, box, best); });
}

template <int N>
void WideTree<N>::first_hit(const MovingBox<N>& moving, BoxHit& best) const {
  const MovingBox<N> from{about<N>(moving.box, store_.origin), moving.direction, moving.limit};
  walk_tree<N>(
      *this, slack(moving.box), [&](const Box& other) { return from.entry(other); },
      [&](double bound) { return bound > best.time || bound == kInfinity; },
      [&](BoxId id) { this->take(id, moving, best); });
}

template <int N>
bool WideTree<N>::visit_swept(const MovingBox<N>& moving, const HitSink& sink) const {
  const MovingBox<N> from{about<N>(moving.box, store_.origin), moving.direction, moving.limit};
  bool ended = false;
  walk_tree<N>(
      *this, slack(moving.box), [&](const Box& other) { return from.entry(other); },
      [&](double bound) { return ended || bound == kInfinity; },
      [&](BoxId id) {
        const double time = moving.entry(store_.boxes[id]);
        if (time < kInfinity) ended = !sink({id, time});
      });
  return !ended;
}

template <int N>
bool WideTree<N>::visit(const Box& box, const IdSink& sink) const {
  return visit_tree(*this, store_, box, sink);
}
template <int N>
bool WideTree<N>::pairs(PairSink& sink) const {
  return tree_pairs(*this, store_, sink);
}

template class WideTree<2>;
template class WideTree<3>;

}  // namespace graze::broad
