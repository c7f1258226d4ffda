// The second shape as the first one sees it.
#pragma once

#include "graze/base/aabb.h"
#include "graze/base/pose.h"

namespace graze {

/// Maps coordinates of b to coordinates of a: p_a = rotation * p_b + translation.
struct Relative {
  Mat3 rotation;
  Vec3 translation;

  // The difference of the translations is taken first: bodies far from the origin lose nothing.
  Relative(const Pose& a, const Pose& b)
      : rotation(a.rotation().transpose() * b.rotation()),
        translation(a.rotation().transpose() * (b.translation() - a.translation())) {
    // Bodies turned alike are exactly parallel.
    if (a.rotation() == b.rotation()) rotation.setIdentity();
  }

  Relative inverse() const {
    Relative r = *this;
    r.rotation = rotation.transpose();
    r.translation = -(r.rotation * translation);
    return r;
  }

  Vec3 to_a(const Vec3& point_of_b) const { return rotation * point_of_b + translation; }
  Vec3 to_b(const Vec3& point_of_a) const { return rotation.transpose() * (point_of_a - translation); }
  /// A box in a's frame around a box of b.
  Aabb box_to_a(const Aabb& box) const { return transformed(box, rotation, translation); }
};

}  // namespace graze
