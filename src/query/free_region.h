// Half-spaces of translations, and the shortest translation in all of them.
#pragma once

#include <array>

#include "query/products.h"

namespace graze {

/// Translations with normal · t >= level keep one pair of parts apart.
struct FreePlane {
  Vec3 normal;  ///< unit
  double level;
};

/// The intersection of a few half-spaces. No allocation.
class FreeRegion {
 public:
  static constexpr int kCapacity = 48;

  void clear() { count_ = 0; }
  int size() const { return count_; }
  /// Of planes with the same normal the farther one stays. Returns whether the region became smaller. When full, the
  /// plane that leaves the most room around `x` is replaced.
  bool add(const FreePlane& plane, const Vec3& x);
  template <class Test>
  bool any(const Test& test) const {
    for (int i = 0; i < count_; ++i) {
      if (test(plane(i))) return true;
    }
    return false;
  }
  /// Moves the planes that x lies on outwards.
  void push(const Vec3& x, double by);
  /// The point nearest to the origin; false if there is none.
  bool nearest(Vec3& x) const;

 private:
  const FreePlane& plane(int i) const { return planes_[static_cast<std::size_t>(i)]; }
  double room(int i, const Vec3& x) const { return dot(plane(i).normal, x) - plane(i).level; }

  int count_ = 0;
  std::array<FreePlane, kCapacity> planes_{};
};

}  // namespace graze
