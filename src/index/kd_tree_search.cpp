#include "index/kd_tree_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "index/kd_tree_lanes.h"

namespace graze::kd_tree {
namespace {

constexpr std::size_t kStack = kMaxLevels * (kFan - 1) + kFan;

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

// Children, those with the lowest bounds first if that matters: a list so short that inserting is the fastest way.
unsigned list(unsigned bits, const double* bounds, bool near_first, unsigned* order) {
  unsigned count = 0;
  for (; bits != 0; bits &= bits - 1) {
    const auto child = static_cast<unsigned>(std::countr_zero(bits));
    unsigned at = count++;
    for (; near_first && at > 0 && bounds[child] < bounds[order[at - 1]]; --at) order[at] = order[at - 1];
    order[at] = child;
  }
  return count;
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

template <class T>
void gather_with(const Tree<T>& tree, const Kernels& kernels, const Query& query, Gather& into) {
  struct Open {
    double least_sq;
    std::uint32_t node, level;
  };
  Open stack[kStack];
  std::size_t height = 0;
  stack[height++] = {0, 0, static_cast<std::uint32_t>(tree.levels - 1)};
  while (height > 0) {
    const Open open = stack[--height];
    if (open.least_sq > into.limit_sq) continue;
    alignas(64) double bounds[kFan];
    const std::size_t first = std::size_t{open.node} * kFan;
    const unsigned bits =
        existing(kernels.reach(query, &tree.nodes[tree.first[open.level] + open.node], into.limit_sq, bounds), first,
                 tree.children(open.level));
    unsigned order[kFan];
    if (open.level == 0) {
      prefetch(tree, first, bits);
      const unsigned count = list(bits, bounds, into.shrinking, order);
      for (unsigned i = 0; i < count && bounds[order[i]] <= into.limit_sq; ++i) {
        scan(tree.leaves[first + order[i]], kernels, query, into);
      }
    } else {
      for (unsigned i = list(bits, bounds, into.shrinking, order); i-- > 0;) {
        stack[height++] = {bounds[order[i]], static_cast<std::uint32_t>(first + order[i]), open.level - 1};
      }
    }
  }
}

template <class T>
void count_with(const Tree<T>& tree, const Kernels& kernels, const Query& query, Counting& into) {
  struct Open {
    std::uint32_t node, level;
  };
  Open stack[kStack];
  std::size_t height = 0;
  stack[height++] = {0, static_cast<std::uint32_t>(tree.levels - 1)};
  while (height > 0 && into.total < into.enough) {
    const Open open = stack[--height];
    const Meeting meeting = kernels.meet(query, &tree.nodes[tree.first[open.level] + open.node]);
    const std::size_t first = std::size_t{open.node} * kFan;
    const unsigned some = existing(meeting.some, first, tree.children(open.level));
    const std::size_t width = kLeaf << 3U * open.level;  // points of a full child
    for (unsigned all = some & meeting.all; all != 0; all &= all - 1) {
      const std::size_t begin = (first + static_cast<unsigned>(std::countr_zero(all))) * width;
      into.total += std::min(width, tree.size - begin);
    }
    unsigned bits = some & ~meeting.all;
    if (open.level == 0) prefetch(tree, first, bits);
    for (; bits != 0 && into.total < into.enough; bits &= bits - 1) {
      const std::size_t child = first + static_cast<unsigned>(std::countr_zero(bits));
      if (open.level == 0) {
        alignas(64) double squared[kLeaf];
        into.total +=
            static_cast<unsigned>(std::popcount(kernels.find(query, tree.leaves[child].at, kInfinity, squared)));
      } else {
        stack[height++] = {static_cast<std::uint32_t>(child), open.level - 1};
      }
    }
  }
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
