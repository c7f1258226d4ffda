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
  double rounding;  // no computed separation of the two as they stand here is wrong by more than this
  double placing;   // and they stand within this of where the caller's numbers put them

  CorePair(const A& a_, const B& b_, const Relative& relative)
      : a(a_), b(b_), rotation(copied(relative.rotation)), offset(copied(relative.translation)) {
    if constexpr (!B::kCentered) put(offset, plus(turned(relative.rotation, b.center()), offset));
    if constexpr (!A::kCentered) put(offset, minus(offset, a.center()));
    // Sixteen roundings of every length that enters a separation.
    reach = a.reach() + b.reach() + size_of(offset);
    rounding = 16 * kEpsilon * reach;
    placing = relative.placing_error(B::kCentered ? 0 : size_of(b.center()));
  }

  /// The point b − a of the difference for a point of each, that of b in b's frame.
  GRAZE_INLINE Vec3 difference(const Vec3& on_a, const Vec3& on_b) const {
    return minus(plus(turned(rotation, on_b), offset), on_a);
  }
  /// The same for a direction of a's frame, as b sees it from the other side.
  GRAZE_INLINE Vec3 facing_b(const Vec3& direction) const { return times(-1, turned_back(rotation, direction)); }

  /// The point of b − a nearest along −direction, with the points it comes from (that of b in b's frame).
  GRAZE_INLINE void support(const Vec3& direction, Vec3& w, Vec3& on_a, Vec3& on_b) const {
    put(on_a, a.support(direction));
    put(on_b, b.support(facing_b(direction)));
    put(w, difference(on_a, on_b));
  }
};

}  // namespace graze
