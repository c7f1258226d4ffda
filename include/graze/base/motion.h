// How a body moves between two poses.
#pragma once

#include "graze/base/pose.h"

namespace graze {

/// From one pose to another over t in [0, 1]: the translation is linear, the rotation runs along the shorter arc at
/// constant speed about the body's origin.
///
///     Motion swing{Pose::at({0, 0, 0}), Pose::from_rpy({1, 0, 0}, 0, 0, 0.5)};
///     Pose half_way = swing.at(0.5);
class Motion {
 public:
  Motion(const Pose& from, const Pose& to);

  const Pose& from() const { return from_; }
  const Pose& to() const { return to_; }
  /// The pose at time t, clamped to [0, 1]; at(0) and at(1) are the given poses to the bit.
  Pose at(double t) const;

  /// Metres that the body's origin moves in all.
  double travel() const { return (to_.translation() - from_.translation()).norm(); }
  /// Radians that the body turns in all, in [0, pi].
  double turn() const { return turn_; }
  /// The unit axis of the turn in world coordinates.
  const Vec3& axis() const { return axis_; }
  /// No point of the body within `radius` of its origin moves farther than this over the whole motion.
  double reach(double radius) const { return travel() + turn_ * radius; }

 private:
  Pose from_, to_;
  Vec3 axis_ = Vec3::UnitZ();
  double turn_ = 0;
};

}  // namespace graze
