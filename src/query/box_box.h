// Two boxes by their fifteen separating axes.
#pragma once

#include "query/gjk.h"

namespace graze {

using BoxPair = CorePair<BoxCore, BoxCore>;

/// The largest separation along any of the fifteen axes: positive proves the boxes apart; otherwise minus it is the
/// exact depth. `toward` is the axis, unit, from a to b. Stops at the first axis that separates by more than `enough`.
struct BoxSeparation {
  double value = -kInfinity;
  Vec3 toward = Vec3::UnitX();
};
BoxSeparation separate(const Box& a, const Box& b, const Mat3& rotation, const Vec3& offset, double enough);
inline BoxSeparation separate(const BoxPair& pair, double enough) {
  return separate(pair.a.box, pair.b.box, pair.rotation, pair.offset, enough);
}

/// No separation of two boxes is wrong by more than this: that of BoxPair, without making one.
inline double box_rounding(const Box& a, const Box& b, const Relative& relative) {
  double reach = core(a).reach() + core(b).reach() + size_of(relative.translation);
  if (relative.rotation(0, 0) != 1 || relative.rotation(1, 1) != 1 || relative.rotation != Mat3::Identity())
    reach += size_of(relative.translation);
  return 16 * kEpsilon * reach;
}

/// Of overlapping boxes: the point of a, in its frame, that lies deepest in b along the axis.
Vec3 deepest_point(const Box& a, const Box& b, const Relative& relative, const BoxSeparation& separation);

}  // namespace graze
