// Configurations from the tests of libccd and Bullet, with their true answers.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "graze/graze.h"

namespace graze {
namespace peer_cases_test {

constexpr double kPi = std::numbers::pi;

Pose turned(const Vec3& at, const Vec3& axis, double angle) {
  const Vec3 v = std::sin(angle / 2) * axis.normalized();
  return Pose::from_wxyz(at, std::cos(angle / 2), v.x(), v.y(), v.z());
}

Box box(double x, double y, double z) { return Box{.half = {x / 2, y / 2, z / 2}}; }
Cylinder cylinder(double radius, double height) { return Cylinder{.radius = radius, .half_length = height / 2}; }

// Slides `a` in a hundred steps along an axis, from −5 to 5 times `scale`: it must meet `b` at the origin where it is
// within `reach` and nowhere else. Where rounding decides, touching is a collision.
void slide(const Placed& a, const Placed& b, int axis, double scale, double reach) {
  for (int i = 0; i < 100; ++i) {
    Vec3 to = a.pose.translation();
    to[axis] = scale * (i - 50) / 10.0;
    const double gap = std::abs(to[axis]) - reach;
    const bool hit = collide({a.geometry, Pose::from_matrix(to, a.pose.rotation())}, b);
    if (std::abs(gap) > 1e-9 * scale) {
      EXPECT_EQ(hit, gap < 0) << "axis " << axis << ", step " << i;
    } else if (gap <= 0) {
      EXPECT_TRUE(hit) << "axis " << axis << ", step " << i;
    }
  }
}

// The translation that penetration() gives separates: touching after it, apart after a little more, and half the
// depth does not.
void expect_exit(const Placed& a, const Placed& b) {
  const Penetration p = penetration(a, b);
  ASSERT_TRUE(p.overlapping);
  const auto moved = [&](double by) {
    Placed out = b;
    out.pose = Pose::from_matrix(b.pose.translation() + by * p.direction, b.pose.rotation());
    return out;
  };
  EXPECT_NEAR(distance(a, moved(p.depth)).value, 0, 1e-6);
  EXPECT_FALSE(collide(a, moved(p.depth + p.tolerance + 1e-6)));
  EXPECT_TRUE(collide(a, moved(p.depth / 2)));
  EXPECT_NEAR((p.on_a - p.on_b - p.depth * p.direction).norm(), 0, 1e-9);
}

TEST(PeerCases, BoxesSlideThroughEachOtherAlongEveryAxis) {
  for (int axis = 0; axis < 3; ++axis) {
    slide(at(box(1, 2, 1)), at(box(2, 1, 2)), axis, 1, 1.5);
    slide(at(box(0.1, 0.2, 0.1)), at(box(0.2, 0.1, 0.2)), axis, 0.1, 0.15);
  }
  slide(at(box(1, 2, 1), Pose::at({0, -0.1, 0})), at(box(2, 1, 2)), 0, 1, 1.5);
  slide(at(box(1, 2, 1), turned({0, 0.5, 0}, {0, 1, 0}, kPi / 4)), at(box(2, 1, 2)), 0, 1, 1 + std::sqrt(0.5));
}

TEST(PeerCases, ABoxThatTurnsBesideAnotherMissesItOnlyWhereTheyAreAligned) {
  for (int i = 0; i < 30; ++i) {
    const Pose pose = turned({-1.01, 0, 0}, {0, 1, 0}, i * kPi / 20);
    EXPECT_EQ(collide(at(box(1, 1, 1), pose), at(box(1, 1, 1))), i % 10 != 0) << i;
  }
}

TEST(PeerCases, BoxesSeparateByTheShortestTranslation) {
  const Placed slab = at(box(0.5, 1, 1.5));
  Penetration p = penetration(at(box(1, 1, 1), Pose::at({-0.5, 0.5, 0.2})), slab);
  EXPECT_NEAR((p.depth * p.direction - Vec3(0.25, 0, 0)).norm(), 0, 1e-12);
  p = penetration(at(box(1, 1, 1), Pose::at({-0.3, 0.5, 1})), slab);
  EXPECT_NEAR((p.depth * p.direction - Vec3(0, 0, -0.25)).norm(), 0, 1e-12);
  p = penetration(at(box(1, 1, 1), turned({0, 0, 0}, {0, 0, 1}, kPi / 4)), at(box(1, 1, 1)));
  EXPECT_NEAR(p.depth, 1, 1e-12);
  EXPECT_NEAR(std::abs(p.direction.z()), 1, 1e-12);
}

TEST(PeerCases, BoxesFindAnExit) {
  const Box cube = box(1, 1, 1);
  const Vec3 z(0, 0, 1);
  expect_exit(at(cube), at(box(0.5, 1, 1.5), Pose::at({0.1, 0, 0})));
  expect_exit(at(cube, turned({0.1, 0, 0.1}, z, kPi / 4)), at(cube));
  expect_exit(at(cube, turned({-0.5, 0, 0}, z, kPi / 4)), at(cube));
  expect_exit(at(cube, turned({-0.5, 0.5, 0}, z, kPi / 4)), at(cube));
  expect_exit(at(cube, turned({-0.5, 0.1, 0.4}, {0, 1, 1}, kPi / 4)), at(cube));
}

TEST(PeerCases, BoxesAndCylindersMeetAndFindAnExit) {
  const Cylinder c = cylinder(0.4, 0.7);
  const Placed slab = at(box(0.5, 1, 1.5));
  const std::vector<Pose> poses = {Pose::at({0.1, 0, 0}),
                                   Pose::at({0.6, 0, 0}),
                                   Pose::at({0.6, 0.6, 0}),
                                   Pose::at({0.6, 0.6, 0.5}),
                                   turned({0.6, 0.6, 0.5}, {0, 1, 0}, kPi / 3),
                                   turned({0.6, 0, 0.5}, {0.67, 1.1, 0.12}, kPi / 4)};
  for (const Pose& pose : poses) {
    EXPECT_TRUE(collide(slab, at(c, pose)));
    expect_exit(slab, at(c, pose));
  }
  const Placed turned_c = at(c, turned({0.6, 0, 0.5}, {-0.1, 2.2, -1}, kPi / 5));
  for (const Vec3& to : {Vec3(0.6, 0, 0.5), Vec3(0.9, 0.8, 0.5)}) {
    const Placed turned_slab = at(box(0.5, 1, 1.5), turned(to, {1, 1, 0}, -kPi / 4));
    EXPECT_TRUE(collide(turned_slab, turned_c));
    expect_exit(turned_slab, turned_c);
  }
}

TEST(PeerCases, CylindersSlideThroughEachOtherAndFindAnExit) {
  const Cylinder small = cylinder(0.35, 0.5), large = cylinder(0.5, 1);
  slide(at(small), at(large), 0, 1, 0.85);
  slide(at(small), at(large), 1, 1, 0.85);
  slide(at(small), at(large), 2, 1, 0.75);
  const Placed beside = at(small, Pose::at({0.3, 0.1, 0.1}));
  expect_exit(at(small), at(large, Pose::at({0, 0, 0.3})));
  expect_exit(beside, at(large, Pose::at({0, 0, 0.3})));
  expect_exit(beside, at(large, turned({0, 0, 0}, {0, 1, 1}, kPi / 4)));
  expect_exit(beside, at(large, turned({-0.2, 0.7, 0.2}, {0, 1, 1}, kPi / 4)));
  expect_exit(beside, at(large, turned({0.6, -0.7, 0.2}, {0.567, 1.2, 1}, kPi / 4)));
  expect_exit(beside, at(large, turned({0.6, -0.7, 0.2}, {-4.567, 1.2, 0}, kPi / 3)));
}

TEST(PeerCases, SpheresOnALineAreAsFarApartAsArithmeticSays) {
  EXPECT_EQ(distance(at(Sphere{.radius = 0}), at(Sphere{.radius = 0})).value, 0);
  for (int a = -5; a < 5; ++a) {
    for (int b = -5; b < 5; ++b) {
      for (int radius = 1; radius < 5; ++radius) {
        for (int tenths = 1; tenths < 5; ++tenths) {
          const Distance d = distance(at(Sphere{.radius = double(radius)}, Pose::at({0, double(a), 0})),
                                      at(Sphere{.radius = tenths / 10.0}, Pose::at({0, double(b), 0})));
          EXPECT_NEAR(d.value, std::abs(a - b) - radius - tenths / 10.0, 1e-14);
          EXPECT_NEAR((d.on_b - d.on_a - d.value * d.normal).norm(), 0, 1e-14);
        }
      }
    }
  }
}

}  // namespace peer_cases_test
}  // namespace graze
