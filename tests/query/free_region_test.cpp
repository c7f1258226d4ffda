// The shortest translation beyond a set of planes, against all corners of the planes.
#include "query/free_region.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <optional>
#include <vector>

#include "oracle/cases.h"
#include "support/scale.h"

namespace graze_test {
namespace free_region_test {

using graze::FreePlane;
using graze::FreeRegion;
using graze::Vec3;
using graze_oracle::Random;

// The point of the planes that is nearest to the origin, if they have one.
std::optional<Vec3> corner_of(const std::vector<FreePlane>& planes) {
  const auto rows = static_cast<Eigen::Index>(planes.size());
  Eigen::MatrixXd normals(rows, 3);
  Eigen::VectorXd levels(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    normals.row(i) = planes[static_cast<std::size_t>(i)].normal.transpose();
    levels[i] = planes[static_cast<std::size_t>(i)].level;
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> products(normals * normals.transpose());
  if (products.rank() < rows) return std::nullopt;
  return Vec3(normals.transpose() * products.solve(levels));
}

// How far beyond the worst plane.
double violation(const std::vector<FreePlane>& planes, const Vec3& x) {
  double worst = -graze::kInfinity;
  for (const FreePlane& p : planes) worst = std::max(worst, p.level - p.normal.dot(x));
  return worst;
}

// The length of the shortest point that violates nothing by more than the slack: it lies on three planes at most.
double shortest(const std::vector<FreePlane>& planes, double slack) {
  double best = graze::kInfinity;
  const auto offer = [&](const std::vector<FreePlane>& some) {
    const std::optional<Vec3> x = some.empty() ? Vec3(Vec3::Zero()) : corner_of(some);
    if (x && violation(planes, *x) <= slack) best = std::min(best, x->norm());
  };
  offer({});
  for (std::size_t i = 0; i < planes.size(); ++i) {
    offer({planes[i]});
    for (std::size_t j = 0; j < i; ++j) {
      offer({planes[i], planes[j]});
      for (std::size_t k = 0; k < j; ++k) offer({planes[i], planes[j], planes[k]});
    }
  }
  return best;
}

std::vector<FreePlane> planes_of(const FreeRegion& region) {
  std::vector<FreePlane> planes;
  region.any([&](const FreePlane& p) { return planes.push_back(p), false; });
  return planes;
}

TEST(FreeRegion, HasTheNearestOfAllCornersOrNone) {
  Random random(1);
  int none = 0, some = 0;
  for (int i = 0, n = std::max(scaled(1000), 200); i < n && !HasFailure(); ++i) {
    FreeRegion region;
    const bool lattice = i % 2 == 0;
    for (int k = 0, count = 1 + i % 11; k < count; ++k) {
      const auto number = [&] { return lattice ? random.integer(-1, 1) : random.uniform(-1, 1); };
      const Vec3 normal(number(), number(), number());
      // Mostly to one side: otherwise hardly anything is behind all planes.
      if (!(normal.norm() > 0) || (i % 3 > 0 && normal.sum() < 0)) continue;
      const double level = lattice ? random.integer(-2, 4) : random.uniform(-0.5, 2);
      region.add({normal.normalized(), level}, Vec3::Zero());
    }
    const std::vector<FreePlane> planes = planes_of(region);
    const double expected = shortest(planes, 1e-9);
    // Rounding may decide whether the region is empty; such cases are skipped.
    std::vector<FreePlane> nearer = planes, farther = planes;
    for (FreePlane& p : nearer) p.level -= 1e-5;
    for (FreePlane& p : farther) p.level += 1e-5;
    if (std::isfinite(shortest(nearer, 1e-9)) != std::isfinite(shortest(farther, 1e-9))) continue;
    Vec3 x;
    const bool found = region.nearest(x);
    EXPECT_EQ(found, std::isfinite(expected)) << "round " << i << ", " << planes.size() << " planes, " << expected;
    ++(found ? some : none);
    if (!found) continue;
    EXPECT_NEAR(x.norm(), expected, 1e-9 * (1 + expected)) << "round " << i << ", " << planes.size() << " planes";
    EXPECT_LE(violation(planes, x), 1e-9 * (1 + expected));
  }
  EXPECT_GT(none, 10);
  EXPECT_GT(some, 100);
}

TEST(FreeRegion, KeepsTheFartherOfPlanesWithEqualNormals) {
  FreeRegion region;
  EXPECT_TRUE(region.add({Vec3::UnitX(), 1}, Vec3::Zero()));
  EXPECT_FALSE(region.add({Vec3::UnitX(), 0.5}, Vec3::Zero()));
  EXPECT_FALSE(region.add({Vec3::UnitX(), 1}, Vec3::Zero()));
  EXPECT_EQ(planes_of(region)[0].level, 1);
  EXPECT_TRUE(region.add({Vec3::UnitX(), 2}, Vec3::Zero()));
  EXPECT_TRUE(region.add({-Vec3::UnitX(), -9}, Vec3::Zero()));
  ASSERT_EQ(region.size(), 2);
  EXPECT_EQ(planes_of(region)[0].level, 2);
  Vec3 x;
  ASSERT_TRUE(region.nearest(x));
  EXPECT_EQ(x, Vec3(2, 0, 0));
  region.clear();
  ASSERT_TRUE(region.nearest(x));
  EXPECT_EQ(x, Vec3(0, 0, 0));
}

TEST(FreeRegion, DropsThePlaneWithTheMostRoomWhenItIsFull) {
  FreeRegion region;
  const auto normal_at = [](int i) { return Vec3(std::cos(0.1 * i), std::sin(0.1 * i), 0); };
  for (int i = 0; i < FreeRegion::kCapacity; ++i) {
    EXPECT_EQ(region.size(), i);
    ASSERT_TRUE(region.add({normal_at(i), i == 17 ? -5.0 : -1.0}, Vec3::Zero()));
  }
  ASSERT_TRUE(region.add({Vec3::UnitZ(), 1}, Vec3::Zero()));
  EXPECT_EQ(region.size(), FreeRegion::kCapacity);
  EXPECT_FALSE(region.any([](const FreePlane& p) { return p.level == -5; }));
  EXPECT_TRUE(region.any([](const FreePlane& p) { return p.level == 1; }));
  // Around another point, a different plane has the most room.
  ASSERT_TRUE(region.add({-Vec3::UnitZ(), -7}, 10 * normal_at(3)));
  EXPECT_FALSE(region.any([&](const FreePlane& p) { return p.normal == normal_at(3); }));
}

TEST(FreeRegion, PushesThePlanesThatAPointLiesOn) {
  FreeRegion region;
  region.add({Vec3::UnitX(), 1}, Vec3::Zero());
  region.add({Vec3::UnitY(), 1}, Vec3::Zero());
  region.push(Vec3(1, 2, 0), 0.25);
  EXPECT_EQ(planes_of(region)[0].level, 1.25);
  EXPECT_EQ(planes_of(region)[1].level, 1);
  region.push(Vec3(2, 1.5, 0), 0.5);
  EXPECT_EQ(planes_of(region)[0].level, 1.25);
  EXPECT_EQ(planes_of(region)[1].level, 1.5);
}

}  // namespace free_region_test
}  // namespace graze_test
