#include "graze/base/aabb.h"

namespace graze {

double gap(const Aabb& a, const Aabb& b) {
  if (a.empty() || b.empty()) return kInfinity;
  return (a.min - b.max).cwiseMax(b.min - a.max).cwiseMax(0.0).norm();
}

double separation(const Aabb& a, const Aabb& b) {
  if (a.empty() || b.empty()) return kInfinity;
  const Vec3 apart = (a.min - b.max).cwiseMax(b.min - a.max);
  const double largest = apart.maxCoeff();
  return largest > 0 ? apart.cwiseMax(0.0).norm() : largest;
}

double gap(const Aabb& box, const Vec3& p) {
  if (box.empty()) return kInfinity;
  return (box.min - p).cwiseMax(p - box.max).cwiseMax(0.0).norm();
}

Aabb transformed(const Aabb& box, const Mat3& rotation, const Vec3& translation) {
  if (box.empty()) return box;
  if (!box.bounded()) {
    // An unbounded side reaches everywhere unless the axes stay where they are.
    if (rotation != Mat3::Identity()) return Aabb::everything();
    return {box.min + translation, box.max + translation};
  }
  const Vec3 center = rotation * box.center() + translation;
  const Vec3 half = rotation.cwiseAbs() * box.half();
  const double rounding = 8 * kEpsilon * (center.cwiseAbs().maxCoeff() + box.center().cwiseAbs().sum() + half.sum());
  return Aabb::around(center, half).grown(rounding);
}

}  // namespace graze
