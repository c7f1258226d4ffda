#include "graze/base/motion.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "support/generator.h"
#include "support/property.h"

namespace graze_test {
namespace {

using namespace graze;

constexpr double kPi = std::numbers::pi;

// Radians between two rotations; accurate for small and large ones.
double angle_between(const Mat3& a, const Mat3& b) {
  const Mat3 r = a * b.transpose();
  const Vec3 twice_sine(r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1));
  return std::atan2(twice_sine.norm(), r.trace() - 1);
}

TEST(Motion, BeginsAndEndsAtTheGivenPosesToTheBit) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Pose from = random.pose(1e6), to = random.pose(1e6);
    const Motion motion(from, to);
    RC_ASSERT(motion.at(0) == from);
    RC_ASSERT(motion.at(1) == to);
    RC_ASSERT(motion.from() == from);
    RC_ASSERT(motion.to() == to);
  });
}

TEST(Motion, ClampsTime) {
  const Motion motion(Pose(), Pose::from_rpy({1, 2, 3}, 0.1, 0.2, 0.3));
  EXPECT_EQ(motion.at(-1), motion.from());
  EXPECT_EQ(motion.at(2), motion.to());
  EXPECT_EQ(motion.at(kInfinity), motion.to());
  EXPECT_EQ(motion.at(std::nan("")), motion.from());
}

TEST(Motion, RunsAtConstantSpeed) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Motion motion(random.pose(10), random.pose(10));
    const double t = random.uniform(0, 1), u = random.uniform(0, 1);
    const Pose a = motion.at(t), b = motion.at(u);
    RC_ASSERT(std::abs((a.translation() - b.translation()).norm() - std::abs(t - u) * motion.travel()) <= 1e-13);
    RC_ASSERT(std::abs(angle_between(a.rotation(), b.rotation()) - std::abs(t - u) * motion.turn()) <= 1e-13);
  });
}

TEST(Motion, TurnsAboutItsAxis) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Vec3 axis = random.direction();
    const double turn = random.uniform(1e-3, kPi - 1e-3), t = random.uniform(0, 1);
    const auto turned = [&](double angle) {
      const Vec3 v = std::sin(angle / 2) * axis;
      return Pose::from_wxyz({0, 0, 0}, std::cos(angle / 2), v.x(), v.y(), v.z());
    };
    const Pose from = random.pose(0);
    const Motion motion(from, turned(turn) * from);
    RC_ASSERT(std::abs(motion.turn() - turn) <= 1e-13);
    RC_ASSERT((motion.axis() - axis).norm() <= 1e-12);
    RC_ASSERT((motion.at(t).rotation() - (turned(t * turn) * from).rotation()).cwiseAbs().maxCoeff() <= 1e-13);
  });
}

TEST(Motion, TakesTheShorterArc) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Motion motion(random.pose(1), random.pose(1));
    RC_ASSERT(motion.turn() >= 0);
    RC_ASSERT(motion.turn() <= kPi);
    RC_ASSERT(std::abs(motion.turn() - angle_between(motion.from().rotation(), motion.to().rotation())) <= 1e-13);
    RC_ASSERT(std::abs(motion.axis().norm() - 1) <= 4 * kEpsilon);
  });
  // 350 degrees one way are 10 degrees the other way.
  const Motion back(Pose(), Pose::from_rpy({0, 0, 0}, 0, 0, 350 * kPi / 180));
  EXPECT_NEAR(back.turn(), 10 * kPi / 180, 1e-14);
  EXPECT_LE((back.axis() - Vec3(0, 0, -1)).norm(), 1e-14);
  EXPECT_NEAR((back.at(0.5) * Vec3(1, 0, 0)).y(), -std::sin(5 * kPi / 180), 1e-14);
}

TEST(Motion, HalfTurnsEndWhereTheyShould) {
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 v = Vec3::Unit(axis);
    const Motion motion(Pose(), Pose::from_wxyz({0, 0, 0}, 0, v.x(), v.y(), v.z()));
    EXPECT_NEAR(motion.turn(), kPi, 4 * kEpsilon);
    EXPECT_NEAR(angle_between(motion.at(0.5).rotation(), Mat3::Identity()), kPi / 2, 1e-14);
    EXPECT_NEAR(angle_between(motion.at(0.25).rotation(), motion.to().rotation()), 0.75 * kPi, 1e-14);
  }
}

TEST(Motion, KeepsSmallTurns) {
  for (const double turn : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const Motion motion(Pose(), Pose::from_rpy({0, 0, 0}, 0, turn, 0));
    EXPECT_NEAR(motion.turn(), turn, 1e-14 * turn);
    EXPECT_NEAR((motion.at(0.5) * Vec3(1, 0, 0)).z(), -std::sin(turn / 2), 1e-14 * turn);
  }
  const Motion none(Pose::from_rpy({1, 2, 3}, 0.1, 0.2, 0.3), Pose::from_rpy({1, 2, 3}, 0.1, 0.2, 0.3));
  EXPECT_LE(none.turn(), 4 * kEpsilon);
  EXPECT_LE((none.at(0.5).rotation() - none.from().rotation()).cwiseAbs().maxCoeff(), 8 * kEpsilon);
  EXPECT_EQ(none.at(0.5).translation(), Vec3(1, 2, 3));
}

TEST(Motion, ReachBoundsEveryPointsPath) {
  check_property(300, [](std::uint64_t seed) {
    Generator random(seed);
    const Motion motion(random.pose(3), random.pose(3));
    const Vec3 p = random.in_cube(2);
    double path = 0;
    for (int i = 0; i < 64; ++i) path += (motion.at((i + 1) / 64.0) * p - motion.at(i / 64.0) * p).norm();
    RC_ASSERT(path <= motion.reach(p.norm()) * (1 + 1e-12));
    RC_ASSERT(motion.reach(0) == motion.travel());
  });
}

}  // namespace
}  // namespace graze_test
