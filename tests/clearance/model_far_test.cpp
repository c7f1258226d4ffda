// Models and points so far from each other that squares leave the range of float32.
#include <gtest/gtest.h>

#include <vector>

#include "graze/clearance/model.h"

namespace graze_test {
namespace model_far_test {

using graze::Vec3;
using graze::clearance::Model;

// Enough points for a tree of several levels.
graze::Cloud cloud_at(double x) {
  std::vector<Vec3> points;
  for (int i = 0; i < 300; ++i) points.emplace_back(x, i % 20, i / 20);
  return graze::Cloud(std::span<const Vec3>(points));
}

TEST(ClearanceModelFar, IsFoundWithinALimitHoweverFar) {
  const Model model(cloud_at(0));
  for (const double far : {1e17, 1e18, 1.8e19, 1e20, 1e30, 3e38, 1e40, 1e45}) {
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_NEAR(model.distance({sign * far, 0, 0}, 2 * far).value, far, 1e-12 * far) << far;
      EXPECT_NEAR(model.distance({0, 0, sign * far}, 2 * far).value, far, 1e-12 * far) << far;
      EXPECT_EQ(model.distance({sign * far, 0, 0}, far / 2).value, graze::kInfinity) << far;
    }
  }
}

TEST(ClearanceModelFar, IsFoundWhereItsPartsAreFarFromEachOther) {
  std::vector<Vec3> points;
  for (int i = 0; i < 40; ++i) points.emplace_back(i * 1e20, 0, 0);
  const Model model{graze::Cloud(std::span<const Vec3>(points))};
  for (int i = 0; i < 40; ++i) {
    const graze::clearance::ModelDistance d = model.distance({i * 1e20 + 3e19, 0, 0}, 1e20);
    EXPECT_NEAR(d.value, 3e19, 1e8) << i;
    EXPECT_EQ(d.element, static_cast<std::uint32_t>(i));
  }
}

}  // namespace model_far_test
}  // namespace graze_test
