#include "query/segment_segment.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "query/products.h"

namespace graze {

SegmentDistance segment_distance(double half_a, const Vec3& axis_b, double half_b, const Vec3& center_b) {
  const double cosine = axis_b.z(), along_a = center_b.z(), along_b = dot(axis_b, center_b);
  double best_sq = kInfinity;
  Vec3 best = Vec3::Zero();
  double best_s = 0;
  // Points at s on a and t on b.
  const auto consider = [&](double s, double t) {
    Vec3 off = along(center_b, t, axis_b);
    off.z() -= s;
    const double off_sq = norm_sq(off);
    if (off_sq < best_sq) best_sq = off_sq, best = off, best_s = s;
  };
  const auto on_a = [&](double t) { return std::clamp(along_a + t * cosine, -half_a, half_a); };
  const auto on_b = [&](double s) { return std::clamp(s * cosine - along_b, -half_b, half_b); };

  const double sine_sq = axis_b.x() * axis_b.x() + axis_b.y() * axis_b.y();
  const double s = sine_sq > 0 ? (along_a - cosine * along_b) / sine_sq : kInfinity;
  constexpr double kWellDefined = 0.01;
  if (sine_sq > kWellDefined) {
    // The lines' nearest point of a, moved into its segment, leads to b's nearest point and that to a's.
    const double t = on_b(std::clamp(s, -half_a, half_a));
    consider(on_a(t), t);
  } else {
    // Nearly parallel: the lines' own nearest points, if inside, are no better known than the ends.
    const double t = s * cosine - along_b;
    if (std::abs(s) <= half_a && std::abs(t) <= half_b) {
      consider(s, on_b(s));
      consider(on_a(t), t);
    }
    consider(-half_a, on_b(-half_a));
    consider(half_a, on_b(half_a));
    consider(on_a(-half_b), -half_b);
    consider(on_a(half_b), half_b);
  }
  const double value = std::sqrt(best_sq);
  SegmentDistance r{value, {0, 0, best_s}, best};
  if (value > 0) {
    r.normal = times(1 / value, best);
  } else {
    r.normal = sine_sq > 0 ? unit(Vec3(-axis_b.y(), axis_b.x(), 0)) : Vec3(Vec3::UnitX());
  }
  return r;
}

}  // namespace graze
