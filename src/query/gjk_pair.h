// Two cores in one frame, and the support function of their difference.
#pragma once

#include "query/core.h"
#include "query/products.h"
#include "query/relative.h"

namespace graze {

/// Two cores with b placed in a's frame, both about their centres. Points of a are in a's centred frame.
template <class A, class B>
struct CorePair {
  const A& a;
  const B& b;
  Mat3 rotation;    // b to a
  Vec3 offset;      // from a's centre to b's, in a's frame
  double reach;     // every length that enters a separation
  double rounding;  // no computed separation is wrong by more than this

  CorePair(const A& a_, const B& b_, const Relative& relative)
      : a(a_), b(b_), rotation(relative.rotation), offset(relative.translation) {
    if constexpr (!B::kCentered) offset = plus(turned(relative.rotation, b.center()), offset);
    if constexpr (!A::kCentered) offset = minus(offset, a.center());
    // Sixteen roundings of every length that enters a separation. A far centre matters only where a rotation mixes
    // its coordinates: without one, the differences above are as good as exact.
    reach = a.reach() + b.reach() + size_of(offset);
    if (!relative.aligned) reach += size_of(b.center()) + size_of(relative.translation);
    rounding = 16 * kEpsilon * reach;
  }

  /// The point b − a of the difference for a point of each, that of b in b's frame.
  GRAZE_INLINE Vec3 difference(const Vec3& on_a, const Vec3& on_b) const {
    return minus(plus(turned(rotation, on_b), offset), on_a);
  }
  /// The same for a direction of a's frame, as b sees it from the other side.
  GRAZE_INLINE Vec3 facing_b(const Vec3& direction) const { return times(-1, turned_back(rotation, direction)); }

  /// The point of b − a nearest along −direction, with the points it comes from (that of b in b's frame).
  GRAZE_INLINE void support(const Vec3& direction, Vec3& w, Vec3& on_a, Vec3& on_b) const {
    on_a = a.support(direction);
    on_b = b.support(facing_b(direction));
    w = difference(on_a, on_b);
  }
};

}  // namespace graze
