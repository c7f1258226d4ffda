#include "query/segment_segment.h"

namespace graze {

SegmentGap gap_of_parallels(const Vec3& axis_a, double half_a, const Vec3& axis_b, double half_b, const Vec3& offset) {
  const double cosine = dot(axis_a, axis_b), along_a = dot(axis_a, offset), along_b = dot(axis_b, offset);
  const double sine_sq = norm_sq(cross(axis_a, axis_b));
  double best_sq = kInfinity;
  SegmentGap best{0, 0, Vec3::Zero()};
  const auto consider = [&](double s, double t) {
    const Vec3 off = along(along(offset, t, axis_b), -s, axis_a);
    const double off_sq = norm_sq(off);
    if (off_sq < best_sq) best_sq = off_sq, best.on_a = s, best.on_b = t, put(best.off, off);
  };
  const auto on_a = [&](double t) { return clamped(along_a + t * cosine, half_a); };
  const auto on_b = [&](double s) { return clamped(s * cosine - along_b, half_b); };
  const double s = sine_sq > 0 ? (along_a - cosine * along_b) / sine_sq : kInfinity;
  const double t = s * cosine - along_b;
  if (std::abs(s) <= half_a && std::abs(t) <= half_b) {
    consider(s, on_b(s));
    consider(on_a(t), t);
  }
  consider(-half_a, on_b(-half_a));
  consider(half_a, on_b(half_a));
  consider(on_a(-half_b), -half_b);
  consider(on_a(half_b), half_b);
  return best;
}

SegmentDirection direction_of_crossing(const SegmentGap& gap, const Vec3& axis_a, double half_a, const Vec3& axis_b,
                                       double half_b, const Vec3& offset) {
  SegmentDirection best{Vec3::UnitX(), -kInfinity};
  const auto consider = [&](const Vec3& direction) {
    if (!(size_of(direction) > 0)) return;
    const Vec3 some = unit_vector(direction), n = times(dot(some, offset) < 0 ? -1 : 1, some);
    const double separation = dot(n, offset) - half_a * std::abs(dot(n, axis_a)) - half_b * std::abs(dot(n, axis_b));
    if (separation > best.separation) put(best.normal, n), best.separation = separation;
  };
  // Twice: the first time leaves its rounding.
  const auto across = [](const Vec3& v, const Vec3& axis) {
    const Vec3 once = along(v, -dot(v, axis), axis);
    return along(once, -dot(once, axis), axis);
  };
  consider(gap.off);
  consider(across(gap.off, axis_a));
  consider(across(gap.off, axis_b));
  consider(cross(axis_a, axis_b));
  consider(any_orthogonal(axis_a));
  return best;
}

}  // namespace graze
