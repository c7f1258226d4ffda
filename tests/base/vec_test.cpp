#include "graze/base/vec.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "graze/base/error.h"
#include "graze/base/interval.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace vec_test {

using namespace graze;

TEST(Unit, HasLengthOneForEveryLengthThatADoubleCanHave) {
  for (int i = 0; i < scaled(2000); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    const Vec3 direction = random.direction();
    const Vec3 v = direction * random.magnitude(-300, 300);
    EXPECT_NEAR(unit_vector(v).norm(), 1, 4 * kEpsilon) << "seed " << i;
    EXPECT_LE((unit_vector(v) - direction).norm(), 8 * kEpsilon) << "seed " << i;
  }
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(unit_vector(Vec3(0, smallest, 0)), Vec3::UnitY());
  EXPECT_EQ(unit_vector(Vec3(0, 0, -std::numeric_limits<double>::max())), Vec3(0, 0, -1));
}

TEST(Unit, GivesTheXAxisForTheZeroVector) {
  EXPECT_EQ(unit_vector(Vec3::Zero()), Vec3::UnitX());
  EXPECT_EQ(unit_vector(Vec3(-0.0, -0.0, -0.0)), Vec3::UnitX());
}

TEST(AnyOrthogonal, IsUnitAndOrthogonal) {
  for (int i = 0; i < scaled(2000); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    const Vec3 n = random.direction();
    EXPECT_NEAR(any_orthogonal(n).norm(), 1, 4 * kEpsilon) << "seed " << i;
    EXPECT_NEAR(any_orthogonal(n).dot(n), 0, 4 * kEpsilon) << "seed " << i;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 n = Vec3::Unit(axis);
    EXPECT_EQ(any_orthogonal(n).dot(n), 0);
    EXPECT_EQ(any_orthogonal(n).norm(), 1);
  }
}

TEST(Vec, IsFiniteSeesEachCoordinate) {
  EXPECT_TRUE(is_finite(Vec3(1, -2, 1e308)));
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    EXPECT_FALSE(is_finite(Vec3(bad, 0, 0)));
    EXPECT_FALSE(is_finite(Vec3(0, bad, 0)));
    EXPECT_FALSE(is_finite(Vec3(0, 0, bad)));
  }
}

TEST(Interval, IsClosedAndEmptyWhenReversed) {
  const Interval i{1, 3};
  EXPECT_TRUE(i.contains(1));
  EXPECT_TRUE(i.contains(3));
  EXPECT_FALSE(i.contains(std::nextafter(3.0, 4.0)));
  EXPECT_EQ(i.length(), 2);
  EXPECT_FALSE((Interval{2, 2}).empty());
  EXPECT_TRUE((Interval{3, 1}).empty());
  EXPECT_TRUE((Interval{std::nan(""), 1}).empty());
}

TEST(Interval, HullAndIntersection) {
  EXPECT_EQ(hull(Interval{1, 3}, Interval{2, 5}), (Interval{1, 5}));
  EXPECT_EQ(intersection(Interval{1, 3}, Interval{2, 5}), (Interval{2, 3}));
  EXPECT_TRUE(intersection(Interval{1, 2}, Interval{3, 5}).empty());
  EXPECT_EQ(intersection(Interval{1, 3}, Interval{3, 5}), (Interval{3, 3}));
}

TEST(Error, SaysWhereAndWhy) {
  const Error plain("sphere radius", "must be positive, got -1");
  EXPECT_STREQ(plain.what(), "sphere radius: must be positive, got -1");
  EXPECT_EQ(plain.where(), "sphere radius");
  const Error line("scan.ply", 12, "vertex count 9e18 exceeds the file");
  EXPECT_STREQ(line.what(), "scan.ply:12: vertex count 9e18 exceeds the file");
}

}  // namespace vec_test
}  // namespace graze_test
