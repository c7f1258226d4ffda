// The traversal: one loop for every tree, every pair of trees and every question, up to eight children at a time.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace graze {

/// Children of a node, at most.
inline constexpr std::size_t kWide = 8;

/// What a walk reports about the children of a place that it opens.
template <class Bound>
struct Children {
  alignas(64) Bound bound[kWide];  ///< nothing in a child has a number below this; of all whose bits are set
  alignas(64) Bound other[kWide];  ///< room for another order than that of the bounds
  const Bound* order = bound;      ///< the smallest is visited first
  unsigned near = 0;               ///< a bit for each that is of interest
  unsigned apart = 0;              ///< a bit for each other one, if the list of the walk wants to know
};

/// A place in a tree, or in two trees at once, that is still to be visited.
template <class Place, class Bound>
struct Pending {
  Bound bound;  ///< nothing there has a number below this
  Place place;  ///< a node, or one of each
};
/// What is pending in a walk.
template <class W>
using PendingOf = Pending<typename W::Place, typename W::Bound>;

/// A question asked of trees. Every question is one shrinking number: a child has a bound that nothing in it
/// falls below, places with a bound `beyond` the limit are skipped, and `leaf` may lower the limit.
template <class W>
concept WideWalk = requires(W& walk, const typename W::Place& place, Children<typename W::Bound>& children,
                            typename W::Bound bound, std::size_t k) {
  { walk.is_leaf(place) } -> std::same_as<bool>;
  walk.open(place, children);
  { walk.child(place, k) } -> std::same_as<typename W::Place>;  // of the place that was opened last
  walk.leaf(place);
  { walk.beyond(bound) } -> std::same_as<bool>;  // a bound that is not a number is not
};

/// What is still to be visited, and in which order: the policy of a walk.
template <class O, class W>
concept OpenList = WideWalk<W> &&
    requires(O& open, W& walk, PendingOf<W>& pending, Children<typename W::Bound>& children) {
  { open.take(pending) } -> std::same_as<bool>;  // false: nothing is left
  open.leave(pending);                           // it turned out to be beyond the limit
  open.put(walk, pending.place, children);       // the children of the place
};

/// Visits what the list holds. No allocation, no recursion; the order of visits depends on the input alone.
template <WideWalk W, OpenList<W> O>
void near_first(W& walk, O& open) {
  PendingOf<W> top;
  while (open.take(top)) {
    if (walk.beyond(top.bound)) {
      open.leave(top);
    } else if (walk.is_leaf(top.place)) {
      walk.leaf(top.place);
    } else {
      Children<typename W::Bound> children;
      walk.open(top.place, children);
      open.put(walk, top.place, children);
    }
  }
}

/// Calls put(place, k) for every child k with a bit set, places counted from the last in order; of equal ones the first
/// comes last. Gives how many there are. Counts for each how many come before: nobody can foresee the outcome of
/// comparisons, so that nothing may branch on them.
template <class Number, class Put>
std::size_t sorted_children(unsigned near, const Number* order, const Put& put) {
  std::uint32_t child[kWide], place[kWide];
  Number number[kWide];
  std::size_t count = 0;
  for (; near != 0; near &= near - 1) {
    const auto k = static_cast<std::uint32_t>(std::countr_zero(near));
    const Number own = order[k];
    std::uint32_t after = 0;  // of those that come first
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t before = own < number[i] ? 1 : 0;
      place[i] += 1 - before;
      after += before;
    }
    child[count] = k, number[count] = own, place[count] = after;
    ++count;
  }
  for (std::size_t i = 0; i < count; ++i) put(place[i], child[i]);
  return count;
}

/// A list, depth first: of the children the nearest, and what is below it, before the next. `kDepth` and `kChildren`
/// are promises of who made the tree, of two trees the sum and the larger; no input can overrun the stack. The list
/// starts with the place that it is made of; more can be `push`ed.
template <class Place, class Bound, std::size_t kDepth, std::size_t kChildren = kWide>
class NearStack {
 public:
  static_assert(kChildren <= kWide);

  NearStack() = default;
  /// NearStack begins with `first`.
  explicit NearStack(const Pending<Place, Bound>& first) { push(first); }

  bool empty() const { return size_ == 0; }
  /// See OpenList.
  bool take(Pending<Place, Bound>& top) {
    if (size_ == 0) return false;
    top = entries_[--size_];
    return true;
  }
  /// See OpenList: it is forgotten.
  void leave(const Pending<Place, Bound>&) const {}
  /// See OpenList.
  template <class W>
  void put(const W& walk, const Place& parent, const Children<Bound>& children) {
    put(walk, parent, children, children.near);
  }
  /// Only those children that `some` has bits for.
  template <class W>
  void put(const W& walk, const Place& parent, const Children<Bound>& children, unsigned some) {
    size_ += sorted_children(some, children.order, [&](std::size_t place, std::size_t k) {
      entries_[size_ + place] = {children.bound[k], walk.child(parent, k)};
    });
  }
  /// Another place, to be taken next.
  void push(const Pending<Place, Bound>& pending) { entries_[size_++] = pending; }

 private:
  std::size_t size_ = 0;
  Pending<Place, Bound> entries_[kDepth * (kChildren - 1) + kChildren + 1];
};

/// The same for questions that look at everything anyway: children in the order in which the tree holds them.
template <class Place, class Bound, std::size_t kDepth, std::size_t kChildren = kWide>
class PlainStack : public NearStack<Place, Bound, kDepth, kChildren> {
 public:
  /// As a NearStack begins.
  using NearStack<Place, Bound, kDepth, kChildren>::NearStack;
  /// See OpenList.
  template <class W>
  void put(const W& walk, const Place& parent, const Children<Bound>& children) {
    for (unsigned left = children.near; left != 0;) {
      const auto k = static_cast<std::size_t>(std::bit_width(left)) - 1;
      left &= ~(1U << k);
      this->push({children.bound[k], walk.child(parent, k)});
    }
  }
};

}  // namespace graze
