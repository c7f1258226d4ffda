#include "graze/scene/spatial_path.h"

#include <fmt/format.h>

#include <cmath>

#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "scene/certified_steps.h"

namespace graze::spatial {
namespace {

Vec3 checked_vector(const char* field, const Vec3& v) {
  if (!is_finite(v) || !(v.cwiseAbs().maxCoeff() <= kLargestLength))
    throw Error(field,
                fmt::format("coordinates must be finite and at most 1e50, got ({}, {}, {})", v.x(), v.y(), v.z()));
  return v + Vec3::Zero();
}
double length_of(const Vec3& v) { return std::sqrt(scene::inner(v, v)); }

}  // namespace

Path::Path(std::shared_ptr<const Shape> shape) : kind_(Kind::curve), shape_(std::move(shape)) {
  from_ = checked_vector("curve", shape_->at(0));
  length_ = shape_->length();
  if (!(length_ >= 0 && length_ <= kLargestLength))
    throw Error("curve", fmt::format("must have a length from 0 to 1e50, got {}", length_));
}

Path Path::line(const Vec3& from, const Vec3& to) {
  Path path;
  path.from_ = checked_vector("from", from);
  path.to_ = checked_vector("to", to);
  path.displacement_ = to - from;
  path.length_ = length_of(path.displacement_);
  return path;
}

Path Path::arc(const Vec3& center, const Vec3& from, const Vec3& axis, double angle) {
  Path path;
  path.kind_ = Kind::arc;
  path.center_ = checked_vector("center", center);
  path.from_ = checked_vector("from", from);
  checked_vector("axis", axis);
  const double largest = axis.cwiseAbs().maxCoeff();
  if (!(largest > 0)) throw Error("axis", "must have a length");
  path.axis_ = axis / largest;
  path.axis_ /= length_of(path.axis_);
  if (!(std::abs(angle) <= kLargestLength))
    throw Error("angle", fmt::format("must be finite and at most 1e50, got {}", angle));
  path.angle_ = angle;
  const Vec3 spoke = from - center;
  path.along_ = spoke - scene::inner(spoke, path.axis_) * path.axis_;
  path.across_ = path.axis_.cross(path.along_);
  path.radius_ = length_of(path.along_);
  path.length_ = path.radius_ * std::abs(angle);
  return path;
}

Vec3 Path::at(double fraction) const {
  switch (kind_) {
    case Kind::line:
      return fraction == 1 ? to_ : Vec3(from_ + fraction * displacement_);
    case Kind::arc: {
      if (fraction == 0) return from_;
      const elementary::SinCos turn = elementary::sin_cos(fraction * angle_);
      return from_ + ((turn.cos - 1) * along_ + turn.sin * across_);
    }
    case Kind::curve:
      break;
  }
  return shape_->at(fraction);
}

Aabb Path::bounds(double begin, double end) const {
  const Vec3 a = at(begin), b = at(end);
  const double size = from_.cwiseAbs().sum() + center_.cwiseAbs().sum() + length_ + 2 * radius_;
  // No point between is farther from one of the ends than half of the length.
  const double beside = kind_ == Kind::line ? 0 : length_ * (end - begin) / 2;
  Aabb box = Aabb{a.cwiseMin(b), a.cwiseMax(b)}.grown((beside + 16 * kEpsilon * size) * (1 + 8 * kEpsilon));
  // Nor does an arc leave its circle.
  const double reach = radius_ + 16 * kEpsilon * size;
  if (kind_ == Kind::arc && beside > reach) {
    const Vec3 middle = from_ - along_;
    box = Aabb::around(middle, Vec3::Constant(reach));
  }
  return box;
}

}  // namespace graze::spatial
