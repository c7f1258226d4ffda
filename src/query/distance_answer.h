// From what the kernels measured to what the caller gets.
#pragma once

#include "graze/query/distance.h"
#include "query/pair_result.h"
#include "query/products.h"

namespace graze {

/// How a pair was asked for: the caller's order was the other one; metres by which the poses are uncertain.
struct AskedAs {
  bool swapped;
  double uncertainty;
};

/// Writes what is known of the pair: the normal from the first to the second and the point of the first, in the world.
/// Each member is written once: swapping what was just written costs more than all the rest.
GRAZE_INLINE void write_answer(const PairDistance& best, const Vec3& normal, const Vec3& on_first, const AskedAs& asked,
                               Distance& d) {
  d.value = best.value;
  d.tolerance = best.tolerance + asked.uncertainty;
  put(d.normal, times(asked.swapped ? -1 : 1, normal));
  const double ahead = std::isfinite(best.value) ? best.value : 0;
  put(asked.swapped ? d.on_b : d.on_a, on_first);
  put(asked.swapped ? d.on_a : d.on_b, along(on_first, ahead, normal));
}

}  // namespace graze
