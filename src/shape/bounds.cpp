#include <algorithm>

#include "graze/shape/shape.h"

namespace graze {
namespace {

// More than the roundings of any of the short sums below, relative to the sum of the magnitudes of their terms.
constexpr double kRounding = 8 * kEpsilon;

Aabb widened(const Aabb& box, const Vec3& magnitude) {
  return {box.min - kRounding * magnitude, box.max + kRounding * magnitude};
}

// A shape that is symmetric about its origin and reaches `half` along each world axis.
Aabb symmetric(const Pose& pose, const Vec3& half) {
  return widened(Aabb::around(pose.translation(), half), pose.translation().cwiseAbs() + half);
}

// How far a unit disc in the xy plane of the body reaches along each world axis.
Vec3 reach_of_disc(const Pose& pose) { return pose.rotation().leftCols<2>().rowwise().norm(); }

Aabb bounds_of(const Sphere& s, const Pose& pose) { return symmetric(pose, Vec3::Constant(s.radius)); }

Aabb bounds_of(const Capsule& c, const Pose& pose) {
  const Vec3 core = c.half_length * pose.rotation().col(2).cwiseAbs();
  return symmetric(pose, core.array() + double{c.radius});
}

Aabb bounds_of(const Box& b, const Pose& pose) { return symmetric(pose, pose.rotation().cwiseAbs() * b.half.value()); }

Aabb bounds_of(const Cylinder& c, const Pose& pose) {
  return symmetric(pose, c.half_length * pose.rotation().col(2).cwiseAbs() + c.radius * reach_of_disc(pose));
}

Aabb bounds_of(const Cone& c, const Pose& pose) {
  const Vec3 axis = c.half_length * pose.rotation().col(2);
  const Vec3 rim = c.radius * reach_of_disc(pose);
  Aabb box = Aabb::around(pose.translation() - axis, rim);
  box.extend(Vec3(pose.translation() + axis));
  return widened(box, pose.translation().cwiseAbs() + axis.cwiseAbs() + rim);
}

Aabb bounds_of(const Ellipsoid& e, const Pose& pose) {
  return symmetric(pose, (pose.rotation() * e.radii.value().asDiagonal()).rowwise().norm());
}

Aabb bounds_of(const Triangle& t, const Pose& pose) {
  Aabb box;
  Vec3 magnitude = Vec3::Zero();
  for (const Vec3& v : t.vertices()) {
    box.extend(pose * v);
    magnitude = magnitude.cwiseMax(pose.rotation().cwiseAbs() * v.cwiseAbs());
  }
  return widened(box, magnitude + pose.translation().cwiseAbs());
}

Aabb bounds_of(const Convex& c, const Pose& pose) {
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 direction = pose.rotation().row(axis);
    box.min[axis] = (pose * support(c, -direction))[axis];
    box.max[axis] = (pose * support(c, direction))[axis];
  }
  const Vec3 farthest = c.center().cwiseAbs().array() + c.radius();
  return widened(box, pose.rotation().cwiseAbs() * farthest + pose.translation().cwiseAbs());
}

// The world axis along which the normal points, or -1. Only products that are zero to the bit count: the slightest
// tilt makes a plane reach everywhere.
int axis_of(const Vec3& normal, const Pose& pose) {
  int found = -1;
  for (int axis = 0; axis < 3; ++axis) {
    if (pose.rotation().row(axis).transpose().cwiseProduct(normal).isZero(0)) continue;
    if (found >= 0) return -1;
    found = axis;
  }
  return found;
}

Aabb bounds_of_plane(const Vec3& normal, double offset, const Pose& pose, bool solid) {
  Aabb box = Aabb::everything();
  const int axis = axis_of(normal, pose);
  if (axis < 0) return box;
  const bool up = pose.rotation().row(axis).dot(normal) > 0;
  const double place = pose.translation()[axis] + (up ? offset : -offset);
  const double rounding = kRounding * (std::abs(pose.translation()[axis]) + std::abs(offset));
  if (up || !solid) box.max[axis] = place + rounding;
  if (!up || !solid) box.min[axis] = place - rounding;
  return box;
}

Aabb bounds_of(const HalfSpace& h, const Pose& pose) { return bounds_of_plane(h.normal(), h.offset(), pose, true); }

Aabb bounds_of(const Plane& p, const Pose& pose) { return bounds_of_plane(p.normal(), p.offset(), pose, false); }

}  // namespace

Aabb bounds(const Shape& shape, const Pose& pose) {
  return std::visit([&](const auto& s) { return bounds_of(s, pose); }, shape);
}

}  // namespace graze
