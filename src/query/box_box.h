// Two boxes by their fifteen separating axes.
#pragma once

#include "query/epa.h"
#include "query/gjk.h"

namespace graze {

using BoxPair = CorePair<BoxCore, BoxCore>;

/// The largest separation along any of the fifteen axes: positive proves the boxes apart; otherwise minus it is the
/// exact depth. `toward` is the axis, unit, from a to b. Stops at the first axis that separates by more than `enough`.
struct BoxSeparation {
  double value = -kInfinity;
  Vec3 toward = Vec3::UnitX();
};
BoxSeparation separate(const BoxPair& pair, double enough);

}  // namespace graze
