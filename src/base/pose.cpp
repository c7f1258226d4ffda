#include "graze/base/pose.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "graze/base/error.h"

namespace graze {
namespace {

// How far a matrix handed in as a rotation may be from orthonormal: loose enough for six printed digits twice over.
constexpr double kOrthonormalTolerance = 1e-9;

const Vec3& checked(const Vec3& translation) {
  if (!(translation.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= kLargestLength)) {
    throw Error("pose translation", fmt::format("must be finite and at most 1e50, got ({}, {}, {})", translation.x(),
                                                translation.y(), translation.z()));
  }
  return translation;
}

// The rotation matrix of a quaternion of any length near 1. Dividing once by the squared length, not by the length
// first, makes all rotations by right angles exact.
Mat3 matrix_of(double w, double x, double y, double z) {
  const double s = 2 / (w * w + x * x + y * y + z * z);
  Mat3 r;
  r << 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),   //
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y);
  return r;
}

}  // namespace

Pose Pose::at(const Vec3& translation) { return Pose(Mat3::Identity(), checked(translation)); }

Pose Pose::from_wxyz(const Vec3& translation, double w, double x, double y, double z) {
  const double largest = std::max(std::max(std::abs(w), std::abs(x)), std::max(std::abs(y), std::abs(z)));
  if (!std::isfinite(w) || !std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z) || !(largest > 0)) {
    throw Error("pose quaternion", fmt::format("must be finite and not zero, got w={} x={} y={} z={}", w, x, y, z));
  }
  return Pose(matrix_of(w / largest, x / largest, y / largest, z / largest), checked(translation));
}

Pose Pose::from_xyzw(const Vec3& translation, double x, double y, double z, double w) {
  return from_wxyz(translation, w, x, y, z);
}

Pose Pose::from_rpy(const Vec3& translation, double roll, double pitch, double yaw) {
  if (!std::isfinite(roll) || !std::isfinite(pitch) || !std::isfinite(yaw)) {
    throw Error("pose rpy", fmt::format("must be finite, got roll={} pitch={} yaw={}", roll, pitch, yaw));
  }
  const Eigen::Quaterniond q = Eigen::AngleAxisd(yaw, Vec3::UnitZ()) * Eigen::AngleAxisd(pitch, Vec3::UnitY()) *
                               Eigen::AngleAxisd(roll, Vec3::UnitX());
  return from_wxyz(translation, q.w(), q.x(), q.y(), q.z());
}

Pose Pose::from_matrix(const Vec3& translation, const Mat3& rotation) {
  const double off = (rotation.transpose() * rotation - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(off <= kOrthonormalTolerance) || !(rotation.determinant() > 0)) {
    throw Error("pose rotation matrix",
                fmt::format("must be orthonormal and right-handed; it is off by {} with determinant {}", off,
                            rotation.determinant()));
  }
  if (rotation == Mat3::Identity()) return at(translation);
  const Eigen::Quaterniond q(rotation);
  return from_wxyz(translation, q.w(), q.x(), q.y(), q.z());
}

Pose Pose::moved_to(const Vec3& translation) const { return Pose(rotation_, checked(translation)); }

Pose Pose::operator*(const Pose& inner) const { return Pose(rotation_ * inner.rotation_, *this * inner.translation_); }

Pose Pose::inverse() const { return Pose(rotation_.transpose(), -(rotation_.transpose() * translation_)); }

}  // namespace graze
