// The same questions without a tree: every primitive is asked. The oracle of every index.
#pragma once

#include <vector>

#include "graze/query/hierarchy.h"

namespace graze {

namespace detail {

// Calls visit(primitive) for every primitive of `h`, in the order in which the tree stores them.
template <Hierarchy H, class Visit>
void for_each_primitive(const H& h, const Visit& visit) {
  if (h.empty()) return;
  std::vector<typename H::Node> open{h.root()};
  while (!open.empty()) {
    const auto node = open.back();
    open.pop_back();
    if (h.is_leaf(node)) {
      for (std::size_t i = h.first(node), end = h.last(node); i < end; ++i) visit(i);
    } else {
      for (std::size_t i = h.children(node); i-- > 0;) open.push_back(h.child(node, i));
    }
  }
}

}  // namespace detail

/// Asks `query` about every primitive of `h`, ignoring bounds and limits.
template <Hierarchy H, Query<H> Q>
void brute_force(const H& h, Q& query) {
  detail::for_each_primitive(h, [&](std::size_t i) { query.leaf(h, i); });
}

/// Asks `query` about every pair of primitives of `a` and `b`.
template <Hierarchy A, Hierarchy B, PairQuery<A, B> Q>
void brute_force(const A& a, const B& b, Q& query) {
  detail::for_each_primitive(
      a, [&](std::size_t i) { detail::for_each_primitive(b, [&](std::size_t j) { query.leaf(a, i, b, j); }); });
}

}  // namespace graze
