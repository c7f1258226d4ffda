// Where a body stands: a rotation and a translation.
#pragma once

#include "graze/base/vec.h"

namespace graze {

/// A rigid placement: body coordinates p stand at `rotation * p + translation` in the world.
/// Rotations enter through named constructors, which normalise and refuse what is no rotation.
class Pose {
 public:
  /// The identity.
  Pose() = default;

  /// A pure translation; throws Error unless finite.
  static Pose at(const Vec3& translation);
  /// Rotation from a quaternion, real part first; any non-zero finite length, normalised here.
  static Pose from_wxyz(const Vec3& translation, double w, double x, double y, double z);
  /// The same with the real part last (ROS, TUM).
  static Pose from_xyzw(const Vec3& translation, double x, double y, double z, double w);
  /// Roll, pitch, yaw in radians about the fixed x, y, z axes in that order (URDF).
  static Pose from_rpy(const Vec3& translation, double roll, double pitch, double yaw);
  /// A rotation matrix; throws Error if it is not orthonormal and right-handed to within 1e-9.
  static Pose from_matrix(const Vec3& translation, const Mat3& rotation);

  const Mat3& rotation() const { return rotation_; }
  const Vec3& translation() const { return translation_; }

  /// The same rotation at another place; throws Error unless finite.
  Pose moved_to(const Vec3& translation) const;

  Vec3 operator*(const Vec3& p) const { return rotation_ * p + translation_; }
  Pose operator*(const Pose& inner) const;
  Pose inverse() const;

  bool operator==(const Pose&) const = default;

 private:
  Pose(const Mat3& rotation, const Vec3& translation) : rotation_(rotation), translation_(translation) {}

  Mat3 rotation_ = Mat3::Identity();
  Vec3 translation_ = Vec3::Zero();
};

}  // namespace graze
