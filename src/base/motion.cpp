#include "graze/base/motion.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace graze {

Motion::Motion(const Pose& from, const Pose& to) : from_(from), to_(to) {
  const Eigen::Quaterniond relative(Mat3(to.rotation() * from.rotation().transpose()));
  const double sine = relative.vec().norm();  // of half the angle; atan2 keeps small turns accurate
  turn_ = 2 * std::atan2(sine, std::abs(relative.w()));
  if (sine > 0) axis_ = relative.vec() * ((relative.w() < 0 ? -1.0 : 1.0) / sine);
}

Pose Motion::at(double t) const {
  if (!(t > 0)) return from_;
  if (t >= 1) return to_;
  const Vec3 place = from_.translation() + t * (to_.translation() - from_.translation());
  const double half = t * turn_ / 2;
  const Vec3 v = std::sin(half) * axis_;
  const Pose turned = Pose::from_wxyz(Vec3::Zero(), std::cos(half), v.x(), v.y(), v.z());
  return (turned * from_.moved_to(Vec3::Zero())).moved_to(place);
}

}  // namespace graze
