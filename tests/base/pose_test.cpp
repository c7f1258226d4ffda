#include "graze/base/pose.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "support/generator.h"
#include "support/property.h"
#include "support/refusal.h"

namespace graze_test {
namespace pose_test {

using namespace graze;
using testing::Test;

constexpr double kPi = std::numbers::pi;

double off_orthonormal(const Mat3& r) {
  return std::max((r.transpose() * r - Mat3::Identity()).cwiseAbs().maxCoeff(), std::abs(r.determinant() - 1));
}

TEST(Pose, StartsAsTheIdentity) {
  const Vec3 p(1, 2, 3);
  EXPECT_EQ(Pose() * p, p);
  EXPECT_EQ(Pose(), Pose::at({0, 0, 0}));
  EXPECT_EQ(Pose(), Pose::from_wxyz({0, 0, 0}, 1, 0, 0, 0));
  EXPECT_EQ(Pose::at({1, 0, 0}) * p, Vec3(2, 2, 3));
}

TEST(Pose, QuaternionsTurnAboutTheirAxisByTheRightHand) {
  const double h = std::sqrt(0.5);
  EXPECT_LE((Pose::from_wxyz({0, 0, 0}, h, 0, 0, h) * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), 4 * kEpsilon);
  EXPECT_LE((Pose::from_wxyz({0, 0, 0}, h, h, 0, 0) * Vec3(0, 1, 0) - Vec3(0, 0, 1)).norm(), 4 * kEpsilon);
  EXPECT_LE((Pose::from_wxyz({0, 0, 0}, h, 0, h, 0) * Vec3(0, 0, 1) - Vec3(1, 0, 0)).norm(), 4 * kEpsilon);
}

TEST(Pose, QuaternionsOfAnyLengthAndSignGiveTheSameRotation) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Vec3 axis = random.direction();
    const double w = random.uniform(-1, 1), x = axis.x(), y = axis.y(), z = axis.z();
    const double length = random.magnitude(-290, 290) * (random.integer(0, 1) == 0 ? 1 : -1);
    const Pose a = Pose::from_wxyz({1, 2, 3}, w, x, y, z);
    const Pose b = Pose::from_wxyz({1, 2, 3}, length * w, length * x, length * y, length * z);
    RC_ASSERT((a.rotation() - b.rotation()).cwiseAbs().maxCoeff() <= 16 * kEpsilon);
    RC_ASSERT(off_orthonormal(b.rotation()) <= 16 * kEpsilon);
    RC_ASSERT(Pose::from_xyzw({1, 2, 3}, x, y, z, w) == a);
    const Eigen::Quaterniond same = Eigen::Quaterniond(w, x, y, z).normalized();
    RC_ASSERT((a.rotation() - same.toRotationMatrix()).cwiseAbs().maxCoeff() <= 16 * kEpsilon);
  });
}

TEST(Pose, RightAnglesAreExact) {
  // The 24 rotations of the cube have quaternions of zeros and equal numbers, here of the given length.
  int rotations = 0;
  for (int code = 0; code < 81; ++code) {
    const int w = code % 3 - 1, x = code / 3 % 3 - 1, y = code / 9 % 3 - 1, z = code / 27 - 1;
    const int squares = w * w + x * x + y * y + z * z;
    if (squares == 0 || squares == 3) continue;
    ++rotations;
    for (const double length : {1.0, 0.1, 1 / std::sqrt(squares), 1e100}) {
      const Mat3 r = Pose::from_wxyz({0, 0, 0}, length * w, length * x, length * y, length * z).rotation();
      EXPECT_EQ(r.cwiseAbs(), Mat3(r.array().round().abs())) << r;
      EXPECT_EQ(r.transpose() * r, Mat3::Identity()) << r;
    }
  }
  EXPECT_EQ(rotations, 48) << "each by two quaternions";
}

TEST(Pose, RpyFollowsUrdf) {
  // About the fixed axes: first x, then y, then z.
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const double roll = random.uniform(-7, 7), pitch = random.uniform(-7, 7), yaw = random.uniform(-7, 7);
    Mat3 rx, ry, rz;
    rx << 1, 0, 0, 0, std::cos(roll), -std::sin(roll), 0, std::sin(roll), std::cos(roll);
    ry << std::cos(pitch), 0, std::sin(pitch), 0, 1, 0, -std::sin(pitch), 0, std::cos(pitch);
    rz << std::cos(yaw), -std::sin(yaw), 0, std::sin(yaw), std::cos(yaw), 0, 0, 0, 1;
    const Pose pose = Pose::from_rpy({1, 2, 3}, roll, pitch, yaw);
    RC_ASSERT((pose.rotation() - rz * ry * rx).cwiseAbs().maxCoeff() <= 16 * kEpsilon);
    RC_ASSERT(pose.translation() == Vec3(1, 2, 3));
  });
  const Pose pose = Pose::from_rpy({0, 0, 0}, kPi / 2, 0, kPi / 2);
  EXPECT_LE((pose * Vec3(0, 1, 0) - Vec3(0, 0, 1)).norm(), 8 * kEpsilon);
  EXPECT_LE((pose * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), 8 * kEpsilon);
}

TEST(Pose, InverseUndoesIt) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const double far = random.magnitude(-3, 7), size = random.magnitude(-3, 3);
    const Pose pose = random.pose(far);
    const Vec3 p = random.in_cube(size);
    RC_ASSERT((pose.inverse() * (pose * p) - p).norm() <= 32 * kEpsilon * (far + size));
    RC_ASSERT((pose * (pose.inverse() * p) - p).norm() <= 32 * kEpsilon * (far + size));
    RC_ASSERT(((pose * pose.inverse()).rotation() - Mat3::Identity()).cwiseAbs().maxCoeff() <= 16 * kEpsilon);
    RC_ASSERT((pose * pose.inverse()).translation().norm() <= 32 * kEpsilon * far);
  });
}

TEST(Pose, CompositionAppliesTheInnerOneFirst) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Pose a = random.pose(10), b = random.pose(10), c = random.pose(10);
    const Vec3 p = random.in_cube(10);
    RC_ASSERT(((a * b) * p - a * (b * p)).norm() <= 512 * kEpsilon);
    RC_ASSERT((((a * b) * c) * p - (a * (b * c)) * p).norm() <= 1024 * kEpsilon);
    RC_ASSERT(((a * b).inverse() * p - (b.inverse() * a.inverse()) * p).norm() <= 1024 * kEpsilon);
  });
}

TEST(Pose, KeepsDistancesFarFromTheOrigin) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Pose pose = random.pose(4e6);
    const Vec3 p = random.in_cube(1), q = random.in_cube(1);
    RC_ASSERT(std::abs((pose * p - pose * q).norm() - (p - q).norm()) <= 8e6 * 4 * kEpsilon);
  });
}

TEST(Pose, MatricesComeBackAsTheyWere) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Pose pose = random.pose(10);
    const Pose back = Pose::from_matrix(pose.translation(), pose.rotation());
    RC_ASSERT((back.rotation() - pose.rotation()).cwiseAbs().maxCoeff() <= 16 * kEpsilon);
    RC_ASSERT(back.translation() == pose.translation());
    // Small errors are corrected.
    const Pose repaired = Pose::from_matrix({0, 0, 0}, pose.rotation() * (1 + 2e-10));
    RC_ASSERT(off_orthonormal(repaired.rotation()) <= 16 * kEpsilon);
  });
}

// The nearest rotation is the orthogonal factor: what is left is symmetric and stretches by almost nothing.
TEST(Pose, MatricesThatAreALittleOffBecomeTheNearestRotation) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Mat3 rotation = random.pose(1).rotation();
    Mat3 off;
    for (int i = 0; i < 9; ++i) off(i % 3, i / 3) = random.uniform(-1, 1);
    const double size = random.magnitude(-8, -4);
    const Mat3 near = rotation + size * off;
    const Mat3 found = Pose::from_matrix({1, 2, 3}, near).rotation(), stretch = found.transpose() * near;
    RC_ASSERT(off_orthonormal(found) <= 16 * kEpsilon);
    RC_ASSERT((stretch - stretch.transpose()).cwiseAbs().maxCoeff() <= 64 * kEpsilon);
    RC_ASSERT((found - rotation).cwiseAbs().maxCoeff() <= 4 * size);
  });
  const Mat3 turned = Pose::from_rpy({0, 0, 0}, 0.1, 0.2, 0.3).rotation();
  EXPECT_NE(refusal([&] { Pose::from_matrix({0, 0, 0}, 1.001 * turned); }), "");
  EXPECT_NE(refusal([&] { Pose::from_matrix({0, 0, 0}, -turned); }), "");
  Mat3 shear = turned;
  shear(0, 1) += 2e-3;
  EXPECT_NE(refusal([&] { Pose::from_matrix({0, 0, 0}, shear); }), "");
  EXPECT_NE(refusal([&] { Pose::from_matrix({0, 0, 0}, Mat3::Constant(NAN)); }), "");
}

TEST(Pose, GoesIntoWhatOthersHaveAndBack) {
  check_property(200, [](std::uint64_t seed) {
    Generator random(seed);
    const Pose pose = random.pose(10);
    const auto same = [&](const Pose& other, double within) {
      return other.translation().isApprox(pose.translation(), within) &&
             (other.rotation() - pose.rotation()).cwiseAbs().maxCoeff() <= within;
    };
    const Eigen::Isometry3d isometry(pose.matrix());
    RC_ASSERT(same(Pose::from_matrix(isometry), 16 * kEpsilon));
    RC_ASSERT(same(Pose::from_matrix(pose.matrix()), 16 * kEpsilon));
    RC_ASSERT(same(Pose::from_matrix(Eigen::Matrix4f(pose.matrix().cast<float>())), 1e-6));
    RC_ASSERT(same(Pose::from_matrix(Eigen::Affine3f(isometry.cast<float>())), 1e-6));
    const auto [w, x, y, z] = pose.wxyz();
    RC_ASSERT(w >= 0);
    RC_ASSERT(std::abs(w * w + x * x + y * y + z * z - 1) <= 8 * kEpsilon);
    RC_ASSERT(same(Pose::from_wxyz(pose.translation(), w, x, y, z), 16 * kEpsilon));
  });
  Mat4 projective = Mat4::Identity();
  projective(3, 0) = 1e-9;
  EXPECT_EQ(refusal([&] { Pose::from_matrix(projective); }),
            "pose matrix: its last row must be 0 0 0 1, got 1e-09 0 0 1");
}

TEST(Pose, MovedToKeepsTheRotation) {
  const Pose pose = Pose::from_rpy({1, 2, 3}, 0.1, 0.2, 0.3);
  const Pose moved = pose.moved_to({4, 5, 6});
  EXPECT_EQ(moved.rotation(), pose.rotation());
  EXPECT_EQ(moved.translation(), Vec3(4, 5, 6));
}

TEST(Pose, RefusesWhatIsNoPose) {
  const double nan = std::nan("");
  EXPECT_EQ(refusal([&] {
              Pose::at({1, nan, 3});
            }),
            "pose translation: must be finite and at most 1e50, got (1, nan, 3)");
  EXPECT_EQ(refusal([&] {
              Pose().moved_to({1, 2, -kInfinity});
            }),
            "pose translation: must be finite and at most 1e50, got (1, 2, -inf)");
  EXPECT_EQ(refusal([&] {
              Pose::from_wxyz({0, nan, 0}, 1, 0, 0, 0);
            }),
            "pose translation: must be finite and at most 1e50, got (0, nan, 0)");
  EXPECT_EQ(refusal([&] {
              Pose::from_wxyz({0, 0, 0}, 0, 0, 0, 0);
            }),
            "pose quaternion: must be finite and not zero, got w=0 x=0 y=0 z=0");
  EXPECT_EQ(refusal([&] {
              Pose::from_xyzw({0, 0, 0}, 1, 2, nan, 4);
            }),
            "pose quaternion: must be finite and not zero, got w=4 x=1 y=2 z=nan");
  EXPECT_EQ(refusal([&] {
              Pose::from_wxyz({0, 0, 0}, kInfinity, 2, 3, 4);
            }),
            "pose quaternion: must be finite and not zero, got w=inf x=2 y=3 z=4");
  EXPECT_EQ(refusal([&] {
              Pose::from_rpy({0, 0, 0}, 1, nan, 3);
            }),
            "pose rpy: must be finite, got roll=1 pitch=nan yaw=3");
}

TEST(Pose, RefusesMatricesThatAreNoRotation) {
  const auto says = [](const Mat3& m) { return refusal([&] { Pose::from_matrix({0, 0, 0}, m); }); };
  EXPECT_EQ(says(Mat3::Identity()), "");
  const Mat3 mirror = Vec3(1, 1, -1).asDiagonal();
  EXPECT_EQ(says(mirror).find("pose rotation matrix: must be orthonormal and right-handed"), 0u) << says(mirror);
  EXPECT_NE(says(mirror).find("determinant -1"), std::string::npos) << says(mirror);
  EXPECT_NE(says(Mat3::Identity() * 1.001), "");
  EXPECT_EQ(says(Mat3::Identity() * (1 + 4e-4)), "");
  EXPECT_NE(says(Mat3::Zero()), "");
  Mat3 sheared = Mat3::Identity();
  sheared(0, 1) = 9e-4;
  EXPECT_EQ(says(sheared), "");
  sheared(0, 1) = 1.1e-3;
  EXPECT_NE(says(sheared), "");
  EXPECT_NE(says(Mat3::Constant(std::nan(""))), "");
}

}  // namespace pose_test
}  // namespace graze_test
