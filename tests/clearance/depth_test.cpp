#include "graze/clearance/depth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace graze {
namespace {

ClearanceModel box_model() { return ClearanceModel(std::vector<Placed>{at(Box{.half = {5, 1.5, 1}})}); }

TEST(DirectionalClearance, IsMeasuredAlongTheAxesOfTheCrossSection) {
  const ClearanceModel model = box_model();
  const Pose pose = Pose::from_rpy({100, 50, 3}, 0, 0, 0.7);
  const auto at_place = [&](const Vec3& place, double margin) {
    return directional_clearance(model, pose, pose * place, margin);
  };
  const DirectionalClearance right_of = at_place({2, -1.8, 0.2}, 0);
  EXPECT_NEAR(right_of.horizontal, 0.3, 1e-6);
  EXPECT_EQ(right_of.vertical, kInfinity);
  EXPECT_NEAR(at_place({2, -1.8, 0.2}, 0.1).horizontal, 0.2, 1e-6);
  const DirectionalClearance inside = at_place({0, 1.2, -0.9}, 0);
  EXPECT_NEAR(inside.horizontal, -0.3, 1e-6);
  EXPECT_NEAR(inside.vertical, -0.1, 1e-6);
  EXPECT_NEAR(at_place({0, 0, 0}, 0).horizontal, -1.5, 1e-6);
  EXPECT_EQ(directional_clearance(model, pose, Vec3::Constant(std::nan(""))).horizontal, -kInfinity);
}

TEST(DirectionalClearance, CountsTheHollowOfAnOpenWagonAsWagon) {
  std::vector<Vec3> walls;
  for (int i = -100; i <= 100; ++i) {
    for (int j = -20; j <= 20; ++j) {
      walls.emplace_back(0.05 * i, 1.5, 0.05 * j);
      walls.emplace_back(0.05 * i, -1.5, 0.05 * j);
    }
  }
  const Cloud cloud{PointView(std::span<const Vec3>(walls))};
  const ClearanceModel model(cloud);
  EXPECT_NEAR(directional_clearance(model, Pose(), {0, 0.5, 0}, 0.05).horizontal, -1.05, 1e-6);
  EXPECT_EQ(model.distance({0, 0.5, 0}).value, 1);
}

TEST(ExitDepth, LeavesTheSweptVolumeNotOnlyOnePose) {
  const ClearanceModel model = box_model();
  const std::vector<Pose> path{Pose::at({0, 0, 0}), Pose::at({100, 0, 0})};
  const SweptClearance swept(model, path, {.limit = 1});
  // Half a metre above the floor of a box that passes: down is the shortest way out of all that it sweeps.
  const ExitDepth d = exit_depth(swept, {50, 0.3, -0.5});
  EXPECT_TRUE(d.found);
  EXPECT_NEAR(d.depth, 0.5, 1e-3);
  EXPECT_NEAR((d.direction - Vec3(0, 0, -1)).norm(), 0, 1e-9);
  EXPECT_NEAR(d.at_least, 0.5, 1e-6);  // here the deepest pose is one in whose middle the point is
  EXPECT_NEAR(exit_depth(swept, {50, 0.3, -0.5}, {.margin = 0.25}).depth, 0.75, 1e-3);
  EXPECT_EQ(exit_depth(swept, {50, 3, 0}).depth, 0);
  EXPECT_FALSE(exit_depth(swept, {50, 0, 0}, {.farthest = 0.1}).found);
  EXPECT_FALSE(exit_depth(swept, Vec3::Constant(std::nan(""))).found);
}

}  // namespace
}  // namespace graze
