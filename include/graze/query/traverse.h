// Questions about one or two hierarchies, a bound at a time, for the traversal: see graze/index/near_first.h.
#pragma once

#include <algorithm>

#include "graze/index/near_first.h"
#include "graze/query/hierarchy.h"

namespace graze {
namespace detail {

template <Hierarchy H, Query<H> Q>
class OneWalk {
 public:
  using Place = typename H::Node;
  using Bound = double;

  OneWalk(const H& h, Q& query) : h_(h), query_(query) {}

  bool is_leaf(const Place& place) const { return h_.is_leaf(place); }
  Place child(const Place& place, std::size_t k) const { return h_.child(place, k); }
  void open(const Place& place, Children<double>& children) {
    for (std::size_t k = 0, n = h_.children(place); k < n; ++k) {
      const double bound = query_.bound(h_.bounds(h_.child(place, k)));
      children.bound[k] = bound;
      (beyond(bound) ? children.apart : children.near) |= 1U << k;
    }
  }
  void leaf(const Place& place) {
    for (std::size_t i = h_.first(place), end = h_.last(place); i < end; ++i) query_.leaf(h_, i);
  }
  bool beyond(double bound) const { return bound > query_.limit(); }

 private:
  const H& h_;
  Q& query_;
};

// Of a pair of nodes the one with the larger bound is opened first.
template <Hierarchy A, Hierarchy B, PairQuery<A, B> Q>
class TwoWalk {
 public:
  struct Place {
    typename A::Node a;
    typename B::Node b;
  };
  using Bound = double;

  TwoWalk(const A& a, const B& b, Q& query) : a_(a), b_(b), query_(query) {}

  bool is_leaf(const Place& place) const { return a_.is_leaf(place.a) && b_.is_leaf(place.b); }
  Place child(const Place& place, std::size_t k) const {
    return opened_a_ ? Place{a_.child(place.a, k), place.b} : Place{place.a, b_.child(place.b, k)};
  }
  void open(const Place& place, Children<double>& children) {
    const auto& bound_a = a_.bounds(place.a);
    const auto& bound_b = b_.bounds(place.b);
    opened_a_ = b_.is_leaf(place.b) || (!a_.is_leaf(place.a) && size_sq(bound_a) >= size_sq(bound_b));
    const auto add = [&](std::size_t k, double bound) {
      children.bound[k] = bound;
      (beyond(bound) ? children.apart : children.near) |= 1U << k;
    };
    if (opened_a_) {
      for (std::size_t k = 0, n = a_.children(place.a); k < n; ++k)
        add(k, query_.bound(a_.bounds(a_.child(place.a, k)), bound_b));
    } else {
      for (std::size_t k = 0, n = b_.children(place.b); k < n; ++k)
        add(k, query_.bound(bound_a, b_.bounds(b_.child(place.b, k))));
    }
  }
  void leaf(const Place& place) {
    for (std::size_t i = a_.first(place.a), end_a = a_.last(place.a); i < end_a; ++i) {
      for (std::size_t j = b_.first(place.b), end_b = b_.last(place.b); j < end_b; ++j) query_.leaf(a_, i, b_, j);
    }
  }
  bool beyond(double bound) const { return bound > query_.limit(); }

 private:
  const A& a_;
  const B& b_;
  Q& query_;
  bool opened_a_ = false;
};

}  // namespace detail

/// Asks `query` about `h`: visits what is nearest first and skips what lies beyond the limit. The order of visits
/// depends on the input alone. No allocation, no recursion. A bound that is not a number is never skipped.
template <Hierarchy H, Query<H> Q>
void traverse(const H& h, Q& query) {
  if (h.empty()) return;
  using Walk = detail::OneWalk<H, Q>;
  Walk walk(h, query);
  NearStack<typename Walk::Place, double, H::kMaxDepth, H::kMaxChildren> open(
      {query.bound(h.bounds(h.root())), h.root()});
  near_first(walk, open);
}

/// The same about two hierarchies.
template <Hierarchy A, Hierarchy B, PairQuery<A, B> Q>
void traverse(const A& a, const B& b, Q& query) {
  if (a.empty() || b.empty()) return;
  using Walk = detail::TwoWalk<A, B, Q>;
  Walk walk(a, b, query);
  if constexpr (A::kMaxDepth == 0 && B::kMaxDepth == 0) {
    walk.leaf({a.root(), b.root()});  // two single leaves: there is nothing to choose
  } else {
    NearStack<typename Walk::Place, double, A::kMaxDepth + B::kMaxDepth, std::max(A::kMaxChildren, B::kMaxChildren)>
        open({query.bound(a.bounds(a.root()), b.bounds(b.root())), {a.root(), b.root()}});
    near_first(walk, open);
  }
}

}  // namespace graze
