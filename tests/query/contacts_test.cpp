// The patch in which faces and edges meet: how many points, and where.
#include "graze/query/contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <vector>

#include "oracle/cases.h"
#include "query/judge.h"
#include "support/scale.h"

namespace graze_test {
namespace contacts_test {

using graze::at;
using graze::Box;
using graze::Contact;
using graze::Contacts;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

constexpr double kClose = 1e-9;

// Whether each of `corners` is the point of some contact.
testing::AssertionResult cover(const Contacts& list, const std::vector<Vec3>& corners) {
  for (const Vec3& corner : corners) {
    const bool found =
        std::any_of(list.begin(), list.end(), [&](const Contact& c) { return (c.point - corner).norm() < kClose; });
    if (found) continue;
    auto failure = testing::AssertionFailure() << "no contact at (" << corner.transpose() << ") but at";
    for (const Contact& c : list) failure << " (" << c.point.transpose() << ")";
    return failure;
  }
  return testing::AssertionSuccess();
}

std::vector<Vec3> square(double half, double z) {
  return {{half, half, z}, {-half, half, z}, {half, -half, z}, {-half, -half, z}};
}

std::vector<Vec3> corners_of(const Vec3& h) {
  std::vector<Vec3> list;
  for (int i = 0; i < 8; ++i) {
    list.emplace_back(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z());
  }
  return list;
}

graze::Shape box_as(bool hull, const Vec3& half) {
  if (!hull) return Box{.half = half};
  return graze::Convex::hull_of(corners_of(half));
}

TEST(Contacts, ABoxOnABoxHasTheFourCornersOfTheSmallerFace) {
  for (const bool hull_a : {false, true}) {
    for (const bool hull_b : {false, true}) {
      for (const double depth : {0.0, 1e-6, 0.1}) {
        const Contacts list = contacts(at(box_as(hull_a, {1, 1, 1})),
                                       at(box_as(hull_b, {0.5, 0.5, 0.5}), Pose::at({0.125, -0.25, 1.5 - depth})));
        ASSERT_GE(list.size(), 4u) << "hulls " << hull_a << hull_b << " depth " << depth;
        std::vector<Vec3> expected = square(0.5, 1 - depth / 2);
        for (Vec3& p : expected) p += Vec3(0.125, -0.25, 0);
        EXPECT_TRUE(cover(list, expected)) << "hulls " << hull_a << hull_b << " depth " << depth;
        for (const Contact& c : list) {
          EXPECT_NEAR(c.depth, depth, 1e-12);
          EXPECT_NEAR((c.normal - Vec3::UnitZ()).norm(), 0, 1e-9);
        }
      }
    }
  }
}

TEST(Contacts, OverlappingFacesMeetInTheirCommonRectangle) {
  const Contacts list = contacts(at(Box{.half = {1, 1, 1}}), at(Box{.half = {1, 1, 1}}, Pose::at({1, 0.5, 1.875})));
  ASSERT_GE(list.size(), 4u);
  EXPECT_TRUE(cover(list, {{0, -0.5, 0.9375}, {1, -0.5, 0.9375}, {0, 1, 0.9375}, {1, 1, 0.9375}}));
}

TEST(Contacts, ATurnedBoxOnABoxMeetsInAnOctagon) {
  const double half = 1;
  const Contacts list =
      contacts(at(Box{.half = {half, half, half}}),
               at(Box{.half = {half, half, half}}, Pose::from_rpy({0, 0, 1.875}, 0, 0, std::numbers::pi / 4)));
  ASSERT_EQ(list.size(), 8u);
  const double cut = std::numbers::sqrt2 - 1;
  std::vector<Vec3> expected;
  for (const double sx : {-1.0, 1.0}) {
    for (const double sy : {-1.0, 1.0}) {
      expected.emplace_back(sx, sy * cut, 0.9375);
      expected.emplace_back(sx * cut, sy, 0.9375);
    }
  }
  EXPECT_TRUE(cover(list, expected));
}

TEST(Contacts, ABoxOnAFloorStandsOnItsFourCorners) {
  for (const bool hull : {false, true}) {
    for (const double depth : {0.0, 0.0625}) {
      const Placed box = at(box_as(hull, {1, 2, 0.5}), Pose::at({3, 4, 0.5 - depth}));
      for (const graze::Shape& floor :
           {graze::Shape(graze::HalfSpace({0, 0, 1}, 0)), graze::Shape(graze::Plane({0, 0, 2}, 0))}) {
        const Contacts list = contacts(at(floor), box);
        ASSERT_GE(list.size(), 4u) << hull << " " << depth;
        std::vector<Vec3> expected;
        for (const double sx : {-1.0, 1.0}) {
          for (const double sy : {-2.0, 2.0}) expected.emplace_back(3 + sx, 4 + sy, -depth / 2);
        }
        EXPECT_TRUE(cover(list, expected)) << hull << " " << depth;
        EXPECT_NEAR((list[0].normal - Vec3::UnitZ()).norm(), 0, 1e-12);
      }
    }
  }
}

TEST(Contacts, ACylinderStandsOnItsRim) {
  const Placed can = at(graze::Cylinder{.radius = 0.5, .half_length = 1}, Pose::at({1, 2, 1 - 0.125}));
  for (const graze::Shape& floor : {graze::Shape(graze::HalfSpace({0, 0, 1}, 0)), graze::Shape(Box{.half = {5, 5, 1}}),
                                    graze::Shape(graze::Cylinder{.radius = 6, .half_length = 1})}) {
    const bool flat = std::holds_alternative<graze::HalfSpace>(floor);
    const Contacts list = contacts(at(floor, Pose::at({0, 0, flat ? 0.0 : -1.0})), can);
    ASSERT_GE(list.size(), 3u) << name_of(floor);
    Vec3 middle = Vec3::Zero();
    for (const Contact& c : list) {
      EXPECT_NEAR(c.depth, 0.125, 1e-9) << name_of(floor);
      EXPECT_NEAR(c.point.z(), -0.0625, 1e-9) << name_of(floor);
      EXPECT_NEAR((c.point - Vec3(1, 2, c.point.z())).norm(), 0.5, 1e-9) << name_of(floor);
      middle += c.point / static_cast<double>(list.size());
    }
    // Spread around the rim, not all on one side: the can does not tip.
    EXPECT_LT((middle - Vec3(1, 2, middle.z())).norm(), 0.25) << name_of(floor);
  }
}

TEST(Contacts, ALyingCylinderOrCapsuleTouchesAlongALine) {
  for (const graze::Shape& roll : {graze::Shape(graze::Cylinder{.radius = 0.5, .half_length = 1}),
                                   graze::Shape(graze::Capsule{.radius = 0.5, .half_length = 1})}) {
    for (const graze::Shape& floor :
         {graze::Shape(graze::HalfSpace({0, 0, 1}, 0)), graze::Shape(Box{.half = {5, 5, 1}})}) {
      const bool flat = std::holds_alternative<graze::HalfSpace>(floor);
      const Placed lying = at(roll, Pose::from_wxyz({0, 0, 0.5 - 0.0625}, 1, 0, 1, 0));  // its axis along x
      const Contacts list = contacts(at(floor, Pose::at({0, 0, flat ? 0.0 : -1.0})), lying);
      ASSERT_EQ(list.size(), 2u) << name_of(roll) << " on " << name_of(floor);
      EXPECT_TRUE(cover(list, {{1, 0, -0.03125}, {-1, 0, -0.03125}})) << name_of(roll) << " on " << name_of(floor);
    }
  }
}

TEST(Contacts, AnEdgeOnAFaceTouchesAtItsTwoEnds) {
  // A cube standing on one edge, which runs along x.
  const double lift = std::numbers::sqrt2;
  for (const bool hull : {false, true}) {
    const Placed tilted =
        at(box_as(hull, {1, 1, 1}), Pose::from_rpy({0, 0, lift - 0.0625}, std::numbers::pi / 4, 0, 0));
    for (const bool floor_hull : {false, true}) {
      const Contacts list = contacts(at(box_as(floor_hull, {3, 3, 1}), Pose::at({0, 0, -1})), tilted);
      ASSERT_EQ(list.size(), 2u) << hull << floor_hull;
      EXPECT_TRUE(cover(list, {{1, 0, -0.03125}, {-1, 0, -0.03125}})) << hull << floor_hull;
    }
  }
}

TEST(Contacts, CrossingEdgesAndCornersTouchAtOnePoint) {
  // Two cubes edge to edge, the edges at right angles; and a corner on a face.
  const double lift = std::numbers::sqrt2;
  const Placed below = at(Box{.half = {1, 1, 1}}, Pose::from_rpy({0, 0, -lift}, std::numbers::pi / 4, 0, 0));
  const Placed above = at(Box{.half = {1, 1, 1}}, Pose::from_rpy({0, 0, lift - 0.0625}, 0, std::numbers::pi / 4, 0));
  const Contacts list = contacts(below, above);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR((list[0].point - Vec3(0, 0, -0.03125)).norm(), 0, 1e-9);
  EXPECT_NEAR(list[0].depth, 0.0625, 1e-12);
  const Contacts ball = contacts(at(Box{.half = {1, 1, 1}}), at(graze::Sphere{.radius = 0.5}, Pose::at({0, 0, 1.25})));
  ASSERT_EQ(ball.size(), 1u);
  EXPECT_NEAR(ball[0].depth, 0.25, 1e-14);
}

TEST(Contacts, TrianglesInOnePlaneMeetInTheirCommonPolygon) {
  const graze::Triangle big({-2, -2, 0}, {4, -2, 0}, {-2, 4, 0}), small({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  const Contacts list = contacts(at(big), at(small));
  ASSERT_GE(list.size(), 3u);
  EXPECT_TRUE(cover(list, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  for (const Contact& c : list) EXPECT_NEAR(c.depth, 0, 1e-12);
}

// Boxes have their own code to cut the patch; hulls use the general one.
TEST(Contacts, OfBoxesAreThoseOfTheirHulls) {
  Random random(11);
  int compared = 0, patches = 0;
  const int count = scaled(3000);
  for (int i = 0; i < count; ++i) {
    const auto half = [&] { return Vec3(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1)); };
    const Vec3 half_a = half(), half_b = half();
    // Rotated arbitrarily, about one axis, or hardly at all, which makes edges nearly parallel.
    const double turn = std::array{3.0, 0.0, 1e-2, 1e-6}[static_cast<std::size_t>(i % 4)];
    const auto angle = [&] { return random.uniform(-turn, turn); };
    const double roll = angle(), pitch = angle(), yaw = i % 4 == 1 ? random.uniform(-3, 3) : angle();
    const Vec3 position(random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2));
    const Pose pose_a = Pose::from_rpy({1, 2, 3}, random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3));
    const Pose pose_b = pose_a * Pose::from_rpy(position, roll, pitch, yaw);
    const graze::ContactOptions options{.max = 16, .margin = i % 3 == 0 ? 0.1 : 0.0};
    const Contacts list = contacts(at(box_as(false, half_a), pose_a), at(box_as(false, half_b), pose_b), options);
    const Contacts hulls = contacts(at(box_as(true, half_a), pose_a), at(box_as(true, half_b), pose_b), options);
    ASSERT_EQ(list.empty(), hulls.empty()) << i;
    if (list.empty()) continue;
    EXPECT_NEAR(list[0].depth, hulls[0].depth, kClose) << i;
    // Where two axes are about equally good, either may be chosen.
    if ((list[0].normal - hulls[0].normal).norm() > 1e-7) continue;
    ++compared, patches += list.size() > 1;
    const auto matches = [](const Contact& c, const Contacts& others) {
      return std::any_of(others.begin(), others.end(), [&](const Contact& o) {
        return (c.point - o.point).norm() < 1e-5 && std::abs(c.depth - o.depth) < 1e-6;
      });
    };
    for (const Contact& c : list) EXPECT_TRUE(matches(c, hulls)) << i << " (" << c.point.transpose() << ")";
    for (const Contact& c : hulls) EXPECT_TRUE(matches(c, list)) << i << " (" << c.point.transpose() << ")";
  }
  EXPECT_GE(compared, count / 3);
  EXPECT_GE(patches, count / 5);
}

TEST(Contacts, KeepTheDeepestAndTheWidestOfALargePatch) {
  std::vector<Vec3> disc;
  for (int i = 0; i < 24; ++i) {
    const double angle = i * std::numbers::pi / 12;
    for (const double z : {0.0, 1.0}) disc.emplace_back(std::cos(angle), std::sin(angle), z);
  }
  const graze::Placed puck = at(graze::Convex::hull_of(disc), Pose::from_rpy({0, 0, -0.0625}, 0.001, 0, 0));
  for (const std::size_t max : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{8}}) {
    const Contacts list = contacts(at(graze::HalfSpace({0, 0, 1}, 0)), puck, {.max = max});
    ASSERT_EQ(list.size(), max);
    const double value = distance(at(graze::HalfSpace({0, 0, 1}, 0)), puck).value;
    EXPECT_NEAR(list[0].depth, -value, 1e-12);
    if (max < 4) continue;
    double widest = 0;
    for (const Contact& p : list) {
      for (const Contact& q : list) widest = std::max(widest, (p.point - q.point).norm());
    }
    EXPECT_GT(widest, 1.9) << "of " << max;
  }
}

TEST(Contacts, FillNoMoreThanTheBufferOrTheLimit) {
  const Placed a = at(Box{.half = {1, 1, 1}}), b = at(Box{.half = {1, 1, 1}}, Pose::at({0, 0, 1.9}));
  std::vector<Contact> buffer(16);
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{16}}) {
    const auto filled = contacts(a, b, std::span<Contact>(buffer).first(room));
    EXPECT_LE(filled.size(), room);
    EXPECT_EQ(filled.empty(), room == 0);
    EXPECT_TRUE(filled.empty() || filled.data() == buffer.data());
  }
  EXPECT_LE(contacts(a, b, {.max = 0}).size(), 0u);
  EXPECT_LE(contacts(a, b, {.max = 1000}).size(), Contacts::kCapacity);
}

TEST(Contacts, OfPairsApartAppearWithinTheMarginOnly) {
  const Placed a = at(Box{.half = {1, 1, 1}}), b = at(Box{.half = {1, 1, 1}}, Pose::at({0, 0, 2.125}));
  EXPECT_TRUE(contacts(a, b).empty());
  EXPECT_TRUE(contacts(a, b, {.margin = 0.1}).empty());
  const Contacts list = contacts(a, b, {.margin = 0.2});
  ASSERT_GE(list.size(), 4u);
  for (const Contact& c : list) EXPECT_NEAR(c.depth, -0.125, 1e-12);
  EXPECT_TRUE(cover(list, square(1, 1.0625)));
}

}  // namespace contacts_test
}  // namespace graze_test
