#include "graze/base/pose.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "base/rpy.h"
#include "graze/base/error.h"

namespace graze {
namespace {

// How far a matrix handed in as a rotation may be from orthonormal: float32 that went through a few products are, and
// three printed digits.
constexpr double kOrthonormalTolerance = 1e-3;

double off_orthonormal(const Mat3& m) { return (m.transpose() * m - Mat3::Identity()).cwiseAbs().maxCoeff(); }

// The nearest rotation, from one that is near: each step squares how far it is off.
Mat3 nearest_rotation(Mat3 m) {
  for (int step = 0; step < 4 && off_orthonormal(m) > 8 * kEpsilon; ++step) {
    const Mat3 inverse = m.inverse();
    m = 0.5 * (m + inverse.transpose());
  }
  return m;
}

// Number by number: poses are checked where they were just computed, and vectors that were just written number by
// number cannot be read at once in larger pieces.
const Vec3& checked(const Vec3& translation) {
  const auto fits = [](double x) { return std::abs(x) <= kLargestLength; };
  if (!(fits(translation.x()) && fits(translation.y()) && fits(translation.z()))) {
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
  const Wxyz q = quaternion_of_rpy(roll, pitch, yaw);
  return from_wxyz(translation, q.w, q.x, q.y, q.z);
}

Pose Pose::from_matrix(const Vec3& translation, const Mat3& rotation) {
  const double off = off_orthonormal(rotation);
  if (!(off <= kOrthonormalTolerance) || !(rotation.determinant() > 0)) {
    throw Error("pose rotation matrix",
                fmt::format("must be orthonormal and right-handed; it is off by {} with determinant {}", off,
                            rotation.determinant()));
  }
  if (rotation == Mat3::Identity()) return at(translation);
  // What is off by little more than rounding is put right by the quaternion itself.
  constexpr double kRounded = 1e-9;
  const Eigen::Quaterniond q(off <= kRounded ? rotation : nearest_rotation(rotation));
  return from_wxyz(translation, q.w(), q.x(), q.y(), q.z());
}

Pose Pose::from_matrix(const Mat4& matrix) {
  if (matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1)) {
    throw Error("pose matrix", fmt::format("its last row must be 0 0 0 1, got {} {} {} {}", matrix(3, 0), matrix(3, 1),
                                           matrix(3, 2), matrix(3, 3)));
  }
  return from_matrix(matrix.topRightCorner<3, 1>(), matrix.topLeftCorner<3, 3>());
}

Mat4 Pose::matrix() const {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = rotation_;
  m.topRightCorner<3, 1>() = translation_;
  return m;
}

std::array<double, 4> Pose::wxyz() const {
  const Eigen::Quaterniond q(rotation_);
  const double sign = q.w() < 0 ? -1 : 1, scale = sign / q.norm();
  return {scale * q.w(), scale * q.x(), scale * q.y(), scale * q.z()};
}

Pose Pose::moved_to(const Vec3& translation) const { return Pose(rotation_, checked(translation)); }

Pose Pose::operator*(const Pose& inner) const { return Pose(rotation_ * inner.rotation_, *this * inner.translation_); }

Pose Pose::inverse() const { return Pose(rotation_.transpose(), -(rotation_.transpose() * translation_)); }

}  // namespace graze
