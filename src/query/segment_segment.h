// Distance of two segments.
#pragma once

#include "query/products.h"

namespace graze {

/// The points at `on_a` along a's axis and `on_b` along b's, and b's less a's.
struct SegmentGap {
  double on_a, on_b;
  Vec3 off;
};

/// The same for axes so parallel that the lines' own nearest points are no better known than the ends.
SegmentGap gap_of_parallels(const Vec3& axis_a, double half_a, const Vec3& axis_b, double half_b, const Vec3& offset);

/// The nearest points of two segments about their middles, along unit axes, b's middle at `offset` from a's.
GRAZE_INLINE SegmentGap segment_gap(const Vec3& axis_a, double half_a, const Vec3& axis_b, double half_b,
                                    const Vec3& offset) {
  constexpr double kWellDefined = 0.01;
  const double sine_sq = norm_sq(cross(axis_a, axis_b));
  if (!(sine_sq > kWellDefined)) return gap_of_parallels(axis_a, half_a, axis_b, half_b, offset);
  const double cosine = dot(axis_a, axis_b), along_a = dot(axis_a, offset), along_b = dot(axis_b, offset);
  // The lines' nearest point of a, moved into its segment, leads to b's nearest point and that to a's.
  const double first = clamped((along_a - cosine * along_b) / sine_sq, half_a);
  const double t = clamped(first * cosine - along_b, half_b), s = clamped(along_a + t * cosine, half_a);
  return {s, t, along(along(offset, t, axis_b), -s, axis_a)};
}

/// A unit direction from a to b, and the separation of the two segments along it: no more than their distance.
struct SegmentDirection {
  Vec3 normal;
  double separation;
};

/// Segments this near to each other, in squares and relative to their lengths, cross or touch: what is left of the gap
/// is rounding, and no direction.
inline constexpr double kCrossing = 1e-6;

/// The best direction to be had for such a gap.
SegmentDirection direction_of_crossing(const SegmentGap& gap, const Vec3& axis_a, double half_a, const Vec3& axis_b,
                                       double half_b, const Vec3& offset);

}  // namespace graze
