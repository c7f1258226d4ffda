// Where a body stands: a rotation and a translation.
#pragma once

#include <array>
#include <concepts>

#include "graze/base/vec.h"

namespace graze {

/// A 4 × 4 matrix of doubles.
using Mat4 = Eigen::Matrix4d;

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
  /// A rotation matrix. One that is a little off, such as float32 are, is taken for the nearest rotation; throws Error
  /// if it is off by more than 1e-3, or left-handed.
  static Pose from_matrix(const Vec3& translation, const Mat3& rotation);
  /// Of 4 × 4 numbers, the last row of which is 0 0 0 1; in double or float, also as an Eigen::Isometry3d and the like.
  static Pose from_matrix(const Mat4& matrix);
  template <class Matrix>
  requires(!std::same_as<Matrix, Mat4>) static Pose from_matrix(const Matrix& matrix) {
    if constexpr (requires { matrix.matrix().template cast<double>(); }) {
      return from_matrix(Mat4(matrix.matrix().template cast<double>()));
    } else {
      return from_matrix(Mat4(matrix));
    }
  }

  const Mat3& rotation() const { return rotation_; }
  const Vec3& translation() const { return translation_; }
  /// Both as 4 × 4 numbers: Eigen::Isometry3d(pose.matrix()).
  Mat4 matrix() const;
  /// The rotation as a unit quaternion, real part first and not negative.
  std::array<double, 4> wxyz() const;

  /// The same rotation at another position; throws Error unless finite.
  Pose moved_to(const Vec3& translation) const;

  /// Body coordinates `p` in the world.
  Vec3 operator*(const Vec3& p) const { return rotation_ * p + translation_; }
  /// What is placed at `inner` in the body's frame, in the world.
  Pose operator*(const Pose& inner) const;
  /// The placement that undoes this one.
  Pose inverse() const;

  bool operator==(const Pose&) const = default;

 private:
  Pose(const Mat3& rotation, const Vec3& translation) : rotation_(rotation), translation_(translation) {}

  Mat3 rotation_ = Mat3::Identity();
  Vec3 translation_ = Vec3::Zero();
};

}  // namespace graze
