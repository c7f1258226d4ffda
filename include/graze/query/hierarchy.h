// What a geometry shows to the engine, and what a question shows to the traversal.
#pragma once

#include <concepts>
#include <cstddef>

#include "graze/index/bounds.h"

namespace graze {

/// A tree of nodes with bounds over primitives. A convex shape is one leaf; meshes, clouds and maps show their index.
/// Bounds are boxes or of another kind that the question understands (graze/index/bounds.h); size_sq() of a bound says
/// which of two is the larger one.
///
/// `kMaxDepth` is a promise of the builder: no node lies deeper below the root, whatever the input, so that the
/// traversal's stack has a fixed size. `kMaxChildren` likewise.
template <class H>
concept Hierarchy = requires(const H& h, typename H::Node node, std::size_t i) {
  { H::kMaxDepth } -> std::convertible_to<std::size_t>;
  { H::kMaxChildren } -> std::convertible_to<std::size_t>;
  { h.empty() } -> std::same_as<bool>;
  { h.root() } -> std::same_as<typename H::Node>;              // of a hierarchy that is not empty
  { size_sq(h.bounds(node)) } -> std::convertible_to<double>;  // encloses all below, in the hierarchy's frame
  { h.is_leaf(node) } -> std::same_as<bool>;
  { h.children(node) } -> std::convertible_to<std::size_t>;  // how many; of inner nodes
  { h.child(node, i) } -> std::same_as<typename H::Node>;    // i < children(node)
  { h.first(node) } -> std::convertible_to<std::size_t>;     // of leaves: primitives first … last − 1
  { h.last(node) } -> std::convertible_to<std::size_t>;
};

/// A question about one hierarchy. Every question is one shrinking number: `bound` never exceeds the number of anything
/// inside the bound, nothing with a number above `limit` is of interest, and `leaf` may lower the limit.
template <class Q, class H>
concept Query = Hierarchy<H> && requires(Q& q, const H& h, typename H::Node node, std::size_t primitive) {
  { q.bound(h.bounds(node)) } -> std::convertible_to<double>;
  { q.limit() } -> std::convertible_to<double>;
  q.leaf(h, primitive);
};

/// A question about two hierarchies: the same with a bound, and a primitive, of each.
template <class Q, class A, class B>
concept PairQuery = Hierarchy<A> && Hierarchy<B> &&
    requires(Q& q, const A& a, const B& b, typename A::Node node_a, typename B::Node node_b, std::size_t primitive) {
  { q.bound(a.bounds(node_a), b.bounds(node_b)) } -> std::convertible_to<double>;
  { q.limit() } -> std::convertible_to<double>;
  q.leaf(a, primitive, b, primitive);
};

}  // namespace graze
