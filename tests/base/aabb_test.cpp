#include "graze/base/aabb.h"

#include <gtest/gtest.h>

#include "support/generator.h"
#include "support/property.h"
#include "support/scale.h"

namespace graze_test {
namespace aabb_test {

using namespace graze;

Aabb random_box(Generator& random, double size) {
  const Vec3 center = random.in_cube(2 * size);
  return Aabb::around(center, random.in_cube(size).cwiseAbs());
}

Vec3 corner(const Aabb& box, int i) {
  return {(i & 1) != 0 ? box.max.x() : box.min.x(), (i & 2) != 0 ? box.max.y() : box.min.y(),
          (i & 4) != 0 ? box.max.z() : box.min.z()};
}

TEST(Aabb, StartsEmptyAndGrowsAroundWhatItIsGiven) {
  Aabb box;
  EXPECT_TRUE(box.empty());
  EXPECT_FALSE(box.bounded());
  box.extend(Vec3(1, 2, 3));
  EXPECT_FALSE(box.empty());
  EXPECT_TRUE(box.contains({1, 2, 3}));
  box.extend(Aabb::around({0, 0, 0}, {1, 1, 1}));
  EXPECT_EQ(box, (Aabb{{-1, -1, -1}, {1, 2, 3}}));
  box.extend(Aabb());
  EXPECT_EQ(box, (Aabb{{-1, -1, -1}, {1, 2, 3}}));
  EXPECT_EQ(box.grown(0.5), (Aabb{{-1.5, -1.5, -1.5}, {1.5, 2.5, 3.5}}));
  EXPECT_EQ(box.center(), Vec3(0, 0.5, 1));
  EXPECT_EQ(box.half(), Vec3(1, 1.5, 2));
}

TEST(Aabb, IsEmptyWhenAnyAxisIsReversed) {
  for (int axis = 0; axis < 3; ++axis) {
    Aabb box{{0, 0, 0}, {1, 1, 1}};
    box.max[axis] = -1;
    EXPECT_TRUE(box.empty());
    box.max[axis] = std::nan("");
    EXPECT_TRUE(box.empty());
  }
}

TEST(Aabb, TouchingIsOverlapping) {
  const Aabb a{{0, 0, 0}, {1, 1, 1}};
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 step = Vec3::Unit(axis);
    const Aabb touching{a.min + step, a.max + step};
    EXPECT_TRUE(overlap(a, touching) && overlap(touching, a));
    EXPECT_EQ(gap(a, touching), 0);
    const Aabb apart{a.min + 1.25 * step, a.max + 1.25 * step};
    EXPECT_FALSE(overlap(a, apart) || overlap(apart, a));
    EXPECT_EQ(gap(a, apart), 0.25);
    EXPECT_EQ(gap(apart, a), 0.25);
  }
  EXPECT_TRUE(a.contains({1, 1, 1}) && a.contains({0, 0, 0}));
  EXPECT_FALSE(a.contains({1, 1, std::nextafter(1.0, 2.0)}));
}

TEST(Aabb, EmptyIsInfinitelyFarAndEverythingIsNear) {
  const Aabb a{{0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(gap(a, Aabb()), kInfinity);
  EXPECT_EQ(gap(Aabb(), a), kInfinity);
  EXPECT_EQ(gap(Aabb(), Vec3(0, 0, 0)), kInfinity);
  const Aabb reversed{{0, 0, 1}, {1, 1, 0}};
  EXPECT_EQ(gap(a, reversed), kInfinity);
  EXPECT_EQ(gap(reversed, Vec3(0, 0, 0)), kInfinity);
  EXPECT_EQ(gap(Aabb::everything(), a), 0);
  EXPECT_FALSE(overlap(a, Aabb()));
  EXPECT_TRUE(overlap(a, Aabb::everything()));
}

TEST(Aabb, GapIsTheDistanceOfTheNearestPoints) {
  check_property(500, [](std::uint64_t seed) {
    Generator random(seed);
    const Aabb a = random_box(random, 1), b = random_box(random, 1);
    // Projecting back and forth between two boxes ends in their nearest points.
    Vec3 p = a.center(), q = b.center();
    for (int i = 0; i < 8; ++i) {
      q = p.cwiseMax(b.min).cwiseMin(b.max);
      p = q.cwiseMax(a.min).cwiseMin(a.max);
    }
    RC_ASSERT(std::abs(gap(a, b) - (p - q).norm()) <= 8 * kEpsilon);
    RC_ASSERT(gap(a, b) == gap(b, a));
    RC_ASSERT((gap(a, b) == 0) == overlap(a, b));
    RC_ASSERT(std::abs(gap(a, q) - (p - q).norm()) <= 8 * kEpsilon);
  });
}

TEST(Aabb, TransformedEnclosesTheTurnedBoxAndIsTight) {
  for (int i = 0; i < scaled(2000); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    const Aabb box = random_box(random, random.magnitude(-6, 6));
    const Pose pose = random.pose(random.magnitude(-6, 6));
    const Aabb turned = transformed(box, pose);
    using Wide = Eigen::Matrix<long double, 3, 1>;
    Wide low = Wide::Constant(1e30L), high = Wide::Constant(-1e30L);
    for (int k = 0; k < 8; ++k) {
      const Wide p = pose.rotation().cast<long double>() * corner(box, k).cast<long double>() +
                     pose.translation().cast<long double>();
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const double size = box.max.cwiseAbs().cwiseMax(box.min.cwiseAbs()).sum() + pose.translation().cwiseAbs().sum();
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LE(static_cast<long double>(turned.min[axis]), low[axis]) << "seed " << i;
      EXPECT_GE(static_cast<long double>(turned.max[axis]), high[axis]) << "seed " << i;
      EXPECT_LE(static_cast<double>(low[axis]) - turned.min[axis], 64 * kEpsilon * size) << "seed " << i;
      EXPECT_LE(turned.max[axis] - static_cast<double>(high[axis]), 64 * kEpsilon * size) << "seed " << i;
    }
  }
}

TEST(Aabb, TransformedUnboundedBoxesStayUnbounded) {
  const Aabb floor{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, 0}};
  const Aabb raised = transformed(floor, Pose::at({1, 2, 3}));
  EXPECT_EQ(raised.max.z(), 3);
  EXPECT_EQ(raised.min.z(), -kInfinity);
  EXPECT_EQ(raised.max.x(), kInfinity);
  EXPECT_EQ(transformed(floor, Pose::from_rpy({0, 0, 0}, 0.1, 0, 0)), Aabb::everything());
  EXPECT_TRUE(transformed(Aabb(), Pose::at({1, 2, 3})).empty());
}

}  // namespace aabb_test
}  // namespace graze_test
