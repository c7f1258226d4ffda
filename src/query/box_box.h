// Two boxes by their fifteen separating axes.
#pragma once

#include "query/gjk.h"

namespace graze {

using BoxCorePair = CorePair<BoxCore, BoxCore>;

/// The largest separation along any of the fifteen axes: positive proves the boxes apart; otherwise minus it is the
/// exact depth. `toward` is the axis, unit, from a to b. Stops at the first axis that separates by more than `enough`.
struct BoxSeparation {
  double value = -kInfinity;
  Vec3 toward = Vec3::UnitX();
};
BoxSeparation separate(const Box& a, const Box& b, const Mat3& rotation, const Vec3& offset, double enough);
inline BoxSeparation separate(const BoxCorePair& pair, double enough) {
  return separate(pair.a.box, pair.b.box, pair.rotation, pair.offset, enough);
}

/// Those of BoxCorePair, without making one.
inline double box_rounding(const Box& a, const Box& b, const Relative& relative) {
  return 16 * kEpsilon * (core(a).reach() + core(b).reach() + size_of(relative.translation));
}

/// Of overlapping boxes: the point of a, in its frame, that lies deepest in b along the axis.
Vec3 deepest_point(const Box& a, const Box& b, const Relative& relative, const BoxSeparation& separation);

}  // namespace graze
