#include "graze/clearance/depth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graze/motion/motion.h"
#include "support/scale.h"

namespace graze::clearance {
namespace depth_test {

Model box_model() { return Model(std::vector<Placed>{at(Box{.half = {5, 1.5, 1}})}); }

TEST(DirectionalClearance, IsMeasuredAlongTheAxesOfTheCrossSection) {
  const Model model = box_model();
  const Pose pose = Pose::from_rpy({100, 50, 3}, 0, 0, 0.7);
  const auto at_position = [&](const Vec3& position, double margin) {
    return directional_clearance(model, pose, pose * position, margin);
  };
  const DirectionalClearance right_of = at_position({2, -1.8, 0.2}, 0);
  EXPECT_NEAR(right_of.horizontal, 0.3, 1e-6);
  EXPECT_EQ(right_of.vertical, kInfinity);
  EXPECT_NEAR(at_position({2, -1.8, 0.2}, 0.1).horizontal, 0.2, 1e-6);
  const DirectionalClearance inside = at_position({0, 1.2, -0.9}, 0);
  EXPECT_NEAR(inside.horizontal, -0.3, 1e-6);
  EXPECT_NEAR(inside.vertical, -0.1, 1e-6);
  EXPECT_NEAR(at_position({0, 0, 0}, 0).horizontal, -1.5, 1e-6);
  EXPECT_EQ(directional_clearance(model, pose, Vec3::Constant(std::nan(""))).horizontal, -kInfinity);
}

TEST(DirectionalClearance, CountsTheInsideOfAnOpenWagonAsWagon) {
  std::vector<Vec3> walls;
  for (int i = -100; i <= 100; ++i) {
    for (int j = -20; j <= 20; ++j) {
      walls.emplace_back(0.05 * i, 1.5, 0.05 * j);
      walls.emplace_back(0.05 * i, -1.5, 0.05 * j);
    }
  }
  const Cloud cloud{PointView(std::span<const Vec3>(walls))};
  const Model model(cloud);
  EXPECT_NEAR(directional_clearance(model, Pose(), {0, 0.5, 0}, 0.05).horizontal, -1.05, 1e-6);
  EXPECT_EQ(model.distance({0, 0.5, 0}).value, 1);
}

TEST(ExitDepth, LeavesTheWholeSweptVolume) {
  const Model model = box_model();
  const std::vector<Pose> path{Pose::at({0, 0, 0}), Pose::at({100, 0, 0})};
  const SweptClearance swept(model, path, {.limit = 1});
  // Half a metre above the floor of a box that passes: down is the shortest exit from all that it sweeps.
  const ExitDepth d = exit_depth(swept, {50, 0.3, -0.5});
  EXPECT_TRUE(d.found);
  EXPECT_NEAR(d.depth, 0.5, 1e-3);
  EXPECT_NEAR((d.direction - Vec3(0, 0, -1)).norm(), 0, 1e-9);
  EXPECT_NEAR(d.at_least, 0.5, 1e-6);  // here the point is in the middle of the model at the deepest pose
  EXPECT_NEAR(exit_depth(swept, {50, 0.3, -0.5}, {.margin = 0.25}).depth, 0.75, 1e-3);
  EXPECT_EQ(exit_depth(swept, {50, 3, 0}).depth, 0);
  EXPECT_FALSE(exit_depth(swept, {50, 0, 0}, {.farthest = 0.1}).found);
  EXPECT_FALSE(exit_depth(swept, Vec3::Constant(std::nan(""))).found);
}

// A solid box of 12 triangles that makes almost half a turn from one pose to the next.
SweptClearance turning_box(double limit) {
  std::vector<Vec3> vertices;
  for (const double z : {0.0, 2.0}) {
    for (const auto& [x, y] : {std::pair{-2.0, -1.0}, {2.0, -1.0}, {2.0, 1.0}, {-2.0, 1.0}})
      vertices.emplace_back(x, y, z);
  }
  const std::vector<MeshTriangle> triangles = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                               {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
  const std::vector<Pose> path{Pose(), Pose::from_xyzw({1, 2, 0}, 0, 0, 0.9998, 0.0208)};
  return SweptClearance(Model(Mesh(vertices, triangles, {.solid = true})), path, {.limit = limit});
}

// This point once took 3.3 s; now it takes milliseconds.
TEST(ExitDepth, IsFoundWhereTheModelTurns) {
  const SweptClearance swept = turning_box(0.3);
  const Vec3 point(0.5, 0.3, 1);
  const ExitDepth d = exit_depth(swept, point, {.margin = 0.1});
  ASSERT_TRUE(d.found);
  EXPECT_NEAR(d.depth, 1.1, 1e-3);
  EXPECT_LE(d.at_least, d.depth);
}

TEST(ExitDepth, LeadsOutAndNoSampleIsOutSooner) {
  const SweptClearance swept = turning_box(0.3);
  std::mt19937_64 dice(7);
  const auto draw = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(dice); };
  for (int i = 0; i < graze_test::scaled(12); ++i) {
    const Vec3 point(draw(-2, 3), draw(-2, 3), draw(-0.2, 2.2));
    const double margin = i % 2 == 0 ? 0.1 : 0.3, step = ExitDepthOptions().resolution;
    const ExitDepth d = exit_depth(swept, point, {.margin = margin, .directions = 8});
    const PointClearance here = swept.at(point);
    if (here.clearance > margin) {
      EXPECT_EQ(d.depth, 0);
      continue;
    }
    ASSERT_TRUE(d.found);
    EXPECT_GT(swept.at(point + d.depth * d.direction).clearance, margin);
    EXPECT_LE(swept.at(point + (d.depth - step) * d.direction).clearance, margin);
    EXPECT_GE(d.depth, d.at_least - 1e-9);
    const Mat3 rotation = swept.pose_of(here).rotation();
    for (int k = 0; k < 8; ++k) {
      const Vec3 direction = rotation * Vec3(0, std::cos(M_PI / 4 * k), std::sin(M_PI / 4 * k));
      for (int n = 0; n < 10; ++n) {
        // Differences below the resolution are not distinguished.
        const double length = draw(0, d.depth - 2 * step);
        EXPECT_LE(swept.at(point + length * direction).clearance, margin + step) << i << " " << k << " " << length;
      }
    }
  }
}

// Solids that turn about the normals of their faces and about other axes, against dense samples of the motion: never
// above the sampled minimum, and below it by no more than the motion between two samples.
TEST(SweptClearance, OfTurningSolidsEqualsDenseSampling) {
  std::mt19937_64 dice(9);
  const auto draw = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(dice); };
  const Model model = turning_box(1).model();
  for (int i = 0; i < graze_test::scaled(60); ++i) {
    const Vec3 from(draw(-1, 1), draw(-1, 1), draw(-0.5, 0.5)), to = from + Vec3(draw(-1, 1), draw(-1, 1), 0);
    const double yaw = draw(-3, 3), tilt = i % 2 == 0 ? 0 : draw(-1, 1);
    const std::vector<Pose> path{Pose::from_rpy(from, 0, 0, 0), Pose::from_rpy(to, tilt, tilt / 2, yaw)};
    const SweptClearance swept(model, path, {.limit = 0.5});
    const Motion motion(path[0], path[1]);
    for (int n = 0; n < 5; ++n) {
      const Vec3 point(draw(-2, 2), draw(-2, 2), n == 0 ? 1 : draw(-0.2, 2.2));
      constexpr int kSamples = 4000;
      double sampled = kInfinity, largest = 0;
      Vec3 before = Vec3::Zero();
      for (int k = 0; k <= kSamples; ++k) {
        const Pose pose = motion.at(static_cast<double>(k) / kSamples);
        const Vec3 position = pose.rotation().transpose() * (point - pose.translation());
        sampled = std::min(sampled, model.distance(position).value);
        if (k > 0) largest = std::max(largest, (position - before).norm());
        before = position;
      }
      const double clearance = swept.at(point).clearance;
      if (sampled <= 0.5) {
        EXPECT_LE(clearance, sampled + kTolerance) << i << " " << n;
        EXPECT_GE(clearance, sampled - largest / 2 - kTolerance) << i << " " << n;
      } else if (clearance < kInfinity) {
        EXPECT_GE(clearance, sampled - largest / 2 - kTolerance) << i << " " << n;
      }
    }
  }
}

TEST(SweptClearance, AtMostIsWithinItsSlack) {
  const SweptClearance swept = turning_box(0.5);
  std::mt19937_64 dice(8);
  const auto draw = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(dice); };
  for (int i = 0; i < graze_test::scaled(150); ++i) {
    const Vec3 point(draw(-3, 4), draw(-3, 4), draw(-0.7, 2.7));
    const double exact = swept.at(point).clearance;
    for (const double slack : {0.0, 1e-4, 0.01, 0.2}) {
      const double upper = swept.at_most(point, slack);
      EXPECT_GE(upper, exact == kInfinity ? 0.5 : exact - kTolerance) << i << " " << slack;
      if (exact < kInfinity) {
        EXPECT_LE(upper, exact + slack + kTolerance) << i << " " << slack;
      }
    }
  }
  EXPECT_EQ(swept.at_most(Vec3::Constant(std::nan("")), 0.1), -kInfinity);
}

}  // namespace depth_test
}  // namespace graze::clearance
