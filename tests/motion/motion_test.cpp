#include "graze/motion/motion.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "graze/base/error.h"
#include "support/generator.h"
#include "support/property.h"

namespace graze_test {
namespace motion_test {

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
  // 350 degrees in one direction are 10 degrees in the other.
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

// The length of the path of a point by chords, which never exceed it.
double length_of_path(const auto& motion, const Vec3& p, double start, double end) {
  constexpr int kChords = 64;
  double path = 0;
  const auto at = [&](int i) -> Vec3 { return motion.at(start + (end - start) * i / kChords) * p; };
  for (int i = 0; i < kChords; ++i) path += (at(i + 1) - at(i)).norm();
  return path;
}

template <RigidMotion M>
void expect_reach_bounds_paths(const M& motion, Generator& random) {
  const Vec3 p = random.in_cube(2);
  const double a = random.uniform(0, 1), b = random.uniform(0, 1), start = std::min(a, b), end = std::max(a, b);
  RC_ASSERT(length_of_path(motion, p, start, end) <= motion.reach(p.norm(), start, end) * (1 + 1e-9) + 1e-12);
}

TEST(Motion, GoesRoundForWholeTurns) {
  check_property(300, [](std::uint64_t seed) {
    Generator random(seed);
    const Pose from = random.pose(3), to = random.pose(3);
    const int turns = static_cast<int>(random.uniform(-4, 4));
    const Motion plain(from, to), motion(from, to, turns);
    RC_ASSERT(motion.at(0) == from);
    RC_ASSERT(motion.at(1) == to);
    RC_ASSERT(std::abs(motion.turn() - std::abs(plain.turn() + 2 * kPi * turns)) <= 1e-12);
    // Just before the end it is where it should be, after all turns.
    const double t = 1 - 1e-9;
    RC_ASSERT((motion.at(t).rotation() - to.rotation()).cwiseAbs().maxCoeff() <= 1e-9 * (motion.turn() + 1));
    // Equal steps turn by equal angles.
    const double step = motion.turn() < 3 ? 0.5 : 1 / motion.turn();
    RC_ASSERT(std::abs(angle_between(motion.at(step).rotation(), from.rotation()) - step * motion.turn()) <= 1e-12);
    expect_reach_bounds_paths(motion, random);
  });
  EXPECT_THROW(Motion(Pose(), Pose::at({1, 0, 0}), 1), Error);
  EXPECT_NO_THROW(Motion(Pose(), Pose::at({1, 0, 0}), 0));
}

TEST(Motion, TurnsAboutANamedAxis) {
  const Motion spin = Motion::turning(Pose::at({1, 2, 3}), {0, 0, 4}, {0, 0, 2}, -6 * kPi);
  EXPECT_LE((spin.to() * Vec3(1, 0, 0) - Vec3(2, 2, 7)).norm(), 1e-14);
  EXPECT_LE((spin.at(1.0 / 12) * Vec3(1, 0, 0) - Vec3(1, 1, 3 + 1.0 / 3)).norm(), 1e-14);
  EXPECT_NEAR(spin.turn(), 6 * kPi, 1e-14);
  EXPECT_EQ(spin.axis(), Vec3(0, 0, -1));
  EXPECT_THROW(Motion::turning(Pose(), {0, 0, 0}, {0, 0, 0}, 1), Error);
  EXPECT_THROW(Motion::turning(Pose(), {0, 0, 0}, {0, kInfinity, 0}, 1), Error);
  EXPECT_THROW(Motion::turning(Pose(), {0, 0, 0}, {0, 0, 1}, std::nan("")), Error);
  EXPECT_THROW(Motion::turning(Pose(), {std::nan(""), 0, 0}, {0, 0, 1}, 1), Error);
}

TEST(Screw, KeepsItsLineAndAdvancesAlongIt) {
  check_property(300, [](std::uint64_t seed) {
    Generator random(seed);
    const Pose from = random.pose(3);
    const Vec3 point = random.in_cube(3), axis = random.direction();
    const double angle = random.uniform(-10, 10), advance = random.uniform(-2, 2), t = random.uniform(0, 1);
    const Screw screw(from, point, axis, angle, advance);
    RC_ASSERT(screw.at(0) == from);
    // A point of the body that lies on the line stays on it.
    const Vec3 on_line = from.inverse() * Vec3(point + random.uniform(-1, 1) * axis);
    const Vec3 moved = screw.at(t) * on_line - from * on_line;
    RC_ASSERT((moved - t * advance * axis).norm() <= 1e-13);
    expect_reach_bounds_paths(screw, random);
  });
}

TEST(Screw, LeadsFromAnyPoseToAnyOther) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const double size = random.uniform(0, 1) < 0.5 ? 3 : 1e4;
    const Pose from = random.pose(size),
               to = random.uniform(0, 1) < 0.5 ? random.pose(size) : from.moved_to(random.in_cube(size));
    const Screw screw = Screw::between(from, to);
    RC_ASSERT(screw.at(0) == from);
    RC_ASSERT(screw.at(1) == to);
    const Pose before = screw.at(1 - 1e-9);
    const double slack = 1e-9 * (screw.reach(1) + 1) + 1e-12 * size;
    RC_ASSERT((before.translation() - to.translation()).norm() <= slack);
    RC_ASSERT((before.rotation() - to.rotation()).norm() <= 1e-8);
    expect_reach_bounds_paths(screw, random);
  });
  const Screw straight = Screw::between(Pose(), Pose::at({0, 3, 0}));
  EXPECT_EQ(straight.angle(), 0);
  EXPECT_LE((straight.at(0.5).translation() - Vec3(0, 1.5, 0)).norm(), 1e-15);
  EXPECT_EQ(Screw::between(Pose(), Pose()).at(0.5), Pose());
}

TEST(PosePath, PassesThroughItsPosesAtTheirTimes) {
  check_property(200, [](std::uint64_t seed) {
    Generator random(seed);
    std::vector<Pose> poses;
    std::vector<double> times{0};
    const int count = 2 + static_cast<int>(random.uniform(0, 6));
    for (int i = 0; i < count; ++i) poses.push_back(random.pose(3));
    for (int i = 1; i < count; ++i) times.push_back(times.back() + random.uniform(0.01, 1));
    for (double& t : times) t /= times.back();
    const PosePath path(poses, times), even(poses);
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      RC_ASSERT((path.at(times[k]).translation() - poses[k].translation()).norm() <= 1e-12);
      RC_ASSERT((even.at(i / (count - 1.0)).rotation() - poses[k].rotation()).norm() <= 1e-12);
    }
    RC_ASSERT(path.at(0) == poses.front());
    RC_ASSERT(path.at(1) == poses.back());
    expect_reach_bounds_paths(path, random);
    expect_reach_bounds_paths(even, random);
  });
}

TEST(PosePath, OfOnePoseStaysThere) {
  const std::vector<Pose> one{Pose::at({1, 2, 3})};
  EXPECT_EQ(PosePath(one).at(0.5), one[0]);
  EXPECT_EQ(PosePath(one).reach(5), 0);
}

TEST(PosePath, RefusesTimesThatDoNotAscend) {
  const std::vector<Pose> three(3);
  for (const std::vector<double>& times : std::vector<std::vector<double>>{{0, 0.5},
                                                                           {0, 1, 0.5},
                                                                           {0, 0.5, 0.9},
                                                                           {0.1, 0.5, 1},
                                                                           {0, 0, 1},
                                                                           {0, std::nan(""), 1},
                                                                           {0, 0.5, std::nan("")}})
    EXPECT_THROW(PosePath(three, times), Error);
  EXPECT_THROW(PosePath(std::span<const Pose>()), Error);
}

// Neither way is shorter, and rounding may not choose: to the left about the axis that points up.
TEST(Motion, TurnsHalfWayRoundOneWayOnly) {
  Generator random(1);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 axis = i % 3 == 0 ? Vec3(0, 0, 1) : i % 3 == 1 ? Vec3(0.6, 0.8, 0) : random.direction();
    const double off = i % 4 == 0 ? 0 : random.uniform(-1e-6, 1e-6);
    const Pose from = i % 5 == 0 ? Pose() : random.pose(1);
    const Pose turn = Pose::from_wxyz(Vec3::Zero(), std::cos((kPi + off) / 2), std::sin((kPi + off) / 2) * axis.x(),
                                      std::sin((kPi + off) / 2) * axis.y(), std::sin((kPi + off) / 2) * axis.z());
    const Pose to = (turn * from.moved_to(Vec3::Zero())).moved_to(from.translation());
    const Vec3 up = axis.z() < -1e-6 || (std::abs(axis.z()) <= 1e-6 && axis.y() < 0) ? Vec3(-axis) : axis;
    const Motion motion(from, to);
    EXPECT_GT(motion.axis().dot(up), 0.999999) << i;
    EXPECT_NEAR(motion.turn(), kPi, 2e-6);
    EXPECT_LT((motion.at(0.9999).rotation() - to.rotation()).norm(), 1e-3);
  }
}

TEST(Motion, DoesNotTurnBetweenEqualRotations) {
  Generator random(1);
  for (int i = 0; i < 1000; ++i) {
    const Pose from = random.pose(10);
    EXPECT_EQ(Motion(from, from.moved_to(Vec3(1, 2, 3))).turn(), 0);
    EXPECT_THROW(Motion(from, from.moved_to(Vec3(1, 2, 3)), 1), Error);
    // Its axis would be lost in rounding.
    const Pose nearly = Pose::from_rpy(Vec3::Zero(), 0, 0, 1e-9) * from;
    EXPECT_THROW(Motion(from, nearly, 2), Error);
    EXPECT_NO_THROW(Motion(from, Pose::from_rpy(Vec3::Zero(), 0, 0, 1e-6) * from, 2));
  }
}

}  // namespace motion_test
}  // namespace graze_test
