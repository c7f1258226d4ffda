#include "graze/scene/planar_path.h"

#include <fmt/format.h>

#include "graze/base/error.h"
#include "scene/planar_check.h"
#include "scene/planar_entry.h"

namespace graze::planar {

Path Path::line(const Vec2& from, const Vec2& to) {
  Path path;
  path.from_ = checked_point("from", from);
  path.displacement_ = checked_point("to", to) - from;
  path.length_ = norm(path.displacement_);
  return path;
}

Path Path::arc(const Vec2& center, const Vec2& from, double angle) {
  Path path;
  path.is_arc_ = true;
  path.center_ = checked_point("center", center);
  path.from_ = checked_point("from", from);
  if (!(std::abs(angle) <= kLargestLength))
    throw Error("angle", fmt::format("must be finite and at most 1e50, got {}", angle));
  path.angle_ = angle;
  path.displacement_ = from - center;
  path.radius_ = norm(path.displacement_);
  path.length_ = path.radius_ * std::abs(angle);
  return path;
}

Vec2 Path::at(double fraction) const {
  if (!is_arc_) return fraction == 1 ? Vec2(from_ + displacement_) : Vec2(from_ + fraction * displacement_);
  if (fraction == 0) return from_;
  const elementary::SinCos turn = elementary::sin_cos(fraction * angle_);
  return {center_.x() + (turn.cos * displacement_.x() - turn.sin * displacement_.y()),
          center_.y() + (turn.sin * displacement_.x() + turn.cos * displacement_.y())};
}

Aabb2 Path::bounds(double begin, double end) const {
  const double rounding = 16 * kEpsilon * (norm1(from_) + norm1(center_) + norm1(displacement_));
  const double width = std::abs(angle_) * (end - begin);
  if (is_arc_ && !(width < 2)) return Aabb2::around(center_, Vec2::Constant(radius_ + rounding));
  const Vec2 a = at(begin), b = at(end);
  const Aabb2 ends{a.cwiseMin(b), a.cwiseMax(b)};
  // The arc leaves its chord by no more than ρ (1 − cos(w / 2)) ≤ ρ w² / 8.
  return ends.grown(rounding + (is_arc_ ? radius_ * (width * width / 8 + kEpsilon * std::abs(angle_)) : 0));
}

}  // namespace graze::planar
