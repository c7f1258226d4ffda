#include "index/kd_tree_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "graze/index/near_first.h"
#include "index/kd_tree_lanes.h"

namespace graze::kd_tree {
namespace {

// Bits from `first` on of children or points of which there are `all`.
unsigned existing(unsigned bits, std::size_t first, std::size_t all) {
  return all - first < 8 * sizeof bits ? bits & ((1U << (all - first)) - 1) : bits;
}

template <class T>
void prefetch(const Tree<T>& tree, std::size_t first, unsigned bits) {
  for (; bits != 0; bits &= bits - 1) {
    __builtin_prefetch(&tree.leaves[first + static_cast<unsigned>(std::countr_zero(bits))]);
  }
}

template <class T>
void scan(const Leaf<T>& leaf, const Kernels& kernels, const Query& query, Gather& into) {
  alignas(64) double squared[kLeaf];
  unsigned bits = kernels.find(query, leaf.at, into.limit_sq, squared);
  const auto found = static_cast<std::size_t>(std::popcount(bits));
  const bool roomy = into.visit == nullptr && !into.shrinking && into.size + found < into.capacity;
  if (roomy) into.total += found;
  for (; bits != 0; bits &= bits - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
    if (roomy) {
      into.buffer[into.size++] = {leaf.index[lane], std::sqrt(squared[lane])};
    } else if (squared[lane] <= into.limit_sq) {
      into.take(leaf.index[lane], squared[lane]);
    }
  }
}

// Places of the tree as the traversal sees them: nodes, those above leaves being the traversal's leaves.
struct Place {
  std::uint32_t node, level;
};

template <class T>
class TreeWalk {
 public:
  using Place = kd_tree::Place;
  using Bound = double;  // squared

  TreeWalk(const Tree<T>& tree, const Kernels& kernels, const Query& query)
      : tree_(tree), kernels_(kernels), query_(query) {}

  Place root() const { return {0, static_cast<std::uint32_t>(tree_.levels - 1)}; }
  bool is_leaf(const Place& place) const { return place.level == 0; }
  Place child(const Place& place, std::size_t k) const {
    return {static_cast<std::uint32_t>(first(place) + k), place.level - 1};
  }

 protected:
  static std::size_t first(const Place& place) { return std::size_t{place.node} * kFan; }
  const Node<T>& node(const Place& place) const { return tree_.nodes[tree_.first[place.level] + place.node]; }
  unsigned existing_children(unsigned bits, const Place& place) const {
    return existing(bits, first(place), tree_.children(place.level));
  }

  const Tree<T>& tree_;
  const Kernels& kernels_;
  const Query& query_;
};

template <class T>
class GatherWalk : public TreeWalk<T> {
 public:
  GatherWalk(const Tree<T>& tree, const Kernels& kernels, const Query& query, Gather& into)
      : TreeWalk<T>(tree, kernels, query), into_(into) {}

  bool beyond(double min_sq) const { return min_sq > into_.limit_sq; }
  void open(const Place& place, Children<double>& children) const {
    const unsigned bits = this->kernels_.reach(this->query_, &this->node(place), into_.limit_sq, children.bound);
    children.near = this->existing_children(bits, place);
  }
  void leaf(const Place& place) {
    Children<double> leaves;
    open(place, leaves);
    const std::size_t first = this->first(place);
    prefetch(this->tree_, first, leaves.near);
    if (!into_.shrinking) {
      for (unsigned left = leaves.near; left != 0; left &= left - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(left));
        if (!beyond(leaves.bound[k])) scan(this->tree_.leaves[first + k], this->kernels_, this->query_, into_);
      }
      return;
    }
    std::size_t order[kFan];
    std::size_t left =
        sorted_children(leaves.near, leaves.order, [&](std::size_t at, std::size_t k) { order[at] = k; });
    while (left-- > 0 && !beyond(leaves.bound[order[left]]))
      scan(this->tree_.leaves[first + order[left]], this->kernels_, this->query_, into_);
  }

 private:
  Gather& into_;
};

template <class T>
void gather_with(const Tree<T>& tree, const Kernels& kernels, const Query& query, Gather& into) {
  GatherWalk<T> walk(tree, kernels, query, into);
  if (into.shrinking) {
    NearStack<Place, double, kMaxLevels> open({0, walk.root()});
    near_first(walk, open);
  } else {
    PlainStack<Place, double, kMaxLevels> open({0, walk.root()});
    near_first(walk, open);
  }
}

// What lies inside as a whole is counted without looking at its points.
template <class T>
class CountWalk : public TreeWalk<T> {
 public:
  CountWalk(const Tree<T>& tree, const Kernels& kernels, const Query& query, Counting& into)
      : TreeWalk<T>(tree, kernels, query), into_(into) {}

  bool beyond(double) const { return into_.total >= into_.enough; }
  void open(const Place& place, Children<double>& children) const {
    const Meeting meeting = this->kernels_.meet(this->query_, &this->node(place));
    const unsigned some = this->existing_children(meeting.some, place);
    const std::size_t width = kLeaf << 3U * place.level;  // points of a full child
    for (unsigned all = some & meeting.all; all != 0; all &= all - 1) {
      const std::size_t begin = (this->first(place) + static_cast<unsigned>(std::countr_zero(all))) * width;
      into_.total += std::min(width, this->tree_.size - begin);
    }
    children.near = some & ~meeting.all;
    for (double& bound : children.bound) bound = 0;
  }
  void leaf(const Place& place) {
    Children<double> leaves;
    open(place, leaves);
    const std::size_t first = this->first(place);
    prefetch(this->tree_, first, leaves.near);
    for (unsigned left = leaves.near; left != 0 && !beyond(0); left &= left - 1) {
      alignas(64) double squared[kLeaf];
      const auto& leaf = this->tree_.leaves[first + static_cast<std::size_t>(std::countr_zero(left))];
      into_.total +=
          static_cast<unsigned>(std::popcount(this->kernels_.find(this->query_, leaf.at, kInfinity, squared)));
    }
  }

 private:
  Counting& into_;
};

template <class T>
void count_with(const Tree<T>& tree, const Kernels& kernels, const Query& query, Counting& into) {
  CountWalk<T> walk(tree, kernels, query, into);
  PlainStack<Place, double, kMaxLevels> open({0, walk.root()});
  near_first(walk, open);
  into.total = std::min(into.total, into.enough);
}

// Calls walk(kernels, query).
template <class T, class Walk>
void prepare(const Tree<T>& tree, const SearchVolume& volume, bool to_axis, const Walk& walk) {
  if (tree.size == 0) return;
  const Kernels kernels = kernels_of(volume, to_axis);
  std::visit(
      [&](const auto& region) {
        const auto in = prepared(region, tree.largest);
        const FromPoint center(center_of(volume));
        const void* measure = &center;
        if constexpr (requires { in.axis.slack; }) {
          if (to_axis) measure = &in.axis;
        }
        walk(kernels, Query{&in, measure, std::is_same_v<T, float>});
      },
      volume);
}

}  // namespace

template <class T>
void gather(const Tree<T>& tree, const SearchVolume& volume, bool to_axis, Gather& into) {
  prepare(tree, volume, to_axis,
          [&](const Kernels& kernels, const Query& query) { gather_with(tree, kernels, query, into); });
}

template <class T>
void count(const Tree<T>& tree, const SearchVolume& volume, Counting& into) {
  prepare(tree, volume, false,
          [&](const Kernels& kernels, const Query& query) { count_with(tree, kernels, query, into); });
}

template void gather(const Tree<float>&, const SearchVolume&, bool, Gather&);
template void gather(const Tree<double>&, const SearchVolume&, bool, Gather&);
template void count(const Tree<float>&, const SearchVolume&, Counting&);
template void count(const Tree<double>&, const SearchVolume&, Counting&);

}  // namespace graze::kd_tree
