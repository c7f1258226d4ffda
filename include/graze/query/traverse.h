// The one traversal: near first, with a stack of fixed size, for every question.
#pragma once

#include <array>
#include <cassert>
#include <utility>

#include "graze/query/hierarchy.h"

namespace graze {
namespace detail {

// A stack whose newest entries are kept nearest on top. Its size is known when compiled: no input can overrun it.
template <class Entry, std::size_t kSize>
class NearStack {
 public:
  bool empty() const { return size_ == 0; }
  Entry pop() { return entries_[--size_]; }

  // Entries pushed after mark() are sorted among themselves: farthest lowest, of equal ones the later pushed lower.
  void mark() { mark_ = size_; }
  void push(const Entry& entry) {
    assert(size_ < kSize);
    std::size_t i = size_++;
    for (; i > mark_ && !(entries_[i - 1].bound > entry.bound); --i) entries_[i] = entries_[i - 1];
    entries_[i] = entry;
  }

 private:
  std::size_t size_ = 0, mark_ = 0;
  std::array<Entry, kSize> entries_;
};

}  // namespace detail

/// Asks `query` about `h`: visits what is nearest first and skips what lies beyond the limit. The order of visits
/// depends on the input alone. No allocation, no recursion. A bound that is not a number is never skipped.
template <Hierarchy H, Query<H> Q>
void traverse(const H& h, Q& query) {
  if (h.empty()) return;
  struct Entry {
    typename H::Node node;
    double bound;
  };
  detail::NearStack<Entry, H::kMaxDepth*(H::kMaxChildren - 1) + H::kMaxChildren + 1> stack;
  stack.push({h.root(), query.bound(h.bounds(h.root()))});
  while (!stack.empty()) {
    const Entry top = stack.pop();
    if (top.bound > query.limit()) continue;
    if (h.is_leaf(top.node)) {
      for (std::size_t i = h.first(top.node), end = h.last(top.node); i < end; ++i) query.leaf(h, i);
      continue;
    }
    stack.mark();
    for (std::size_t i = 0, n = h.children(top.node); i < n; ++i) {
      const auto child = h.child(top.node, i);
      const double bound = query.bound(h.bounds(child));
      if (!(bound > query.limit())) stack.push({child, bound});
    }
  }
}

/// The same about two hierarchies. Of a pair of nodes the one with the larger bound is opened first.
template <Hierarchy A, Hierarchy B, PairQuery<A, B> Q>
void traverse(const A& a, const B& b, Q& query) {
  if (a.empty() || b.empty()) return;
  const auto leaves = [&](typename A::Node node_a, typename B::Node node_b) {
    for (std::size_t i = a.first(node_a), end_a = a.last(node_a); i < end_a; ++i) {
      for (std::size_t j = b.first(node_b), end_b = b.last(node_b); j < end_b; ++j) query.leaf(a, i, b, j);
    }
  };
  if constexpr (A::kMaxDepth == 0 && B::kMaxDepth == 0) {
    leaves(a.root(), b.root());  // two single leaves: there is nothing to choose
    return;
  }
  struct Entry {
    typename A::Node a;
    typename B::Node b;
    double bound;
  };
  constexpr std::size_t kSize = A::kMaxDepth * (A::kMaxChildren - 1) + B::kMaxDepth * (B::kMaxChildren - 1) +
                                A::kMaxChildren + B::kMaxChildren + 1;
  detail::NearStack<Entry, kSize> stack;
  stack.push({a.root(), b.root(), query.bound(a.bounds(a.root()), b.bounds(b.root()))});
  while (!stack.empty()) {
    const Entry top = stack.pop();
    if (top.bound > query.limit()) continue;
    const bool leaf_a = a.is_leaf(top.a), leaf_b = b.is_leaf(top.b);
    if (leaf_a && leaf_b) {
      leaves(top.a, top.b);
      continue;
    }
    const auto& bound_a = a.bounds(top.a);
    const auto& bound_b = b.bounds(top.b);
    stack.mark();
    const auto offer = [&](const typename A::Node& node_a, const typename B::Node& node_b, double bound) {
      if (!(bound > query.limit())) stack.push({node_a, node_b, bound});
    };
    if (leaf_b || (!leaf_a && size_sq(bound_a) >= size_sq(bound_b))) {
      for (std::size_t i = 0, n = a.children(top.a); i < n; ++i) {
        const auto child = a.child(top.a, i);
        offer(child, top.b, query.bound(a.bounds(child), bound_b));
      }
    } else {
      for (std::size_t i = 0, n = b.children(top.b); i < n; ++i) {
        const auto child = b.child(top.b, i);
        offer(top.a, child, query.bound(bound_a, b.bounds(child)));
      }
    }
  }
}

}  // namespace graze
