// Clouds in every verb, against the same query of every single point.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/scale.h"

namespace graze_test {
namespace cloud_test {

using graze::Cloud;
using graze::Distance;
using graze::Placed;
using graze::Vec3;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;

enum class Spread { uniform, clustered, duplicate, collinear, far, tiny, holes };
constexpr Spread kSpreads[] = {Spread::uniform, Spread::clustered, Spread::duplicate, Spread::collinear,
                               Spread::far,     Spread::tiny,      Spread::holes};

Vec3 around(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

std::vector<Vec3> points_of(Spread spread, std::size_t count, Random& random) {
  std::vector<Vec3> points;
  const Vec3 base = spread == Spread::far ? Vec3(4.5e6, -3e5, 120) : Vec3(Vec3::Zero());
  const Vec3 middle = around(random, 1), along = around(random, 1);
  for (std::size_t i = 0; i < count; ++i) {
    switch (spread) {
      case Spread::clustered:
        points.push_back(middle + around(random, i % 3 == 0 ? 1 : 0.01));
        break;
      case Spread::duplicate:
        points.push_back(i % 4 == 0 ? around(random, 1) : middle);
        break;
      case Spread::collinear:
        points.push_back(random.uniform(-1, 1) * along);
        break;
      case Spread::tiny:
        points.push_back(around(random, 1e-6));
        break;
      case Spread::holes:
        points.push_back(i % 5 == 0 ? Vec3(0, std::numeric_limits<double>::quiet_NaN(), 1) : around(random, 1));
        break;
      default:
        points.push_back(base + around(random, 1));
    }
  }
  return points;
}

Cloud cloud_of(const std::vector<Vec3>& points, double radius, bool floats) {
  if (!floats) return Cloud(std::span(points), {.radius = radius});
  std::vector<Eigen::Vector3f> small;
  for (const Vec3& p : points) small.push_back(p.cast<float>());
  return Cloud(std::span<const Eigen::Vector3f>(small), {.radius = radius});
}

graze::Pose random_pose(Random& random, const Vec3& center, double size) {
  return graze::Pose::from_wxyz(center + around(random, size), random.uniform(-1, 1), random.uniform(-1, 1),
                                random.uniform(-1, 1), random.uniform(0.1, 1));
}

struct Scene {
  Cloud cloud;
  Placed placed, shape;
};

template <class Check>
void for_random_scenes(int count, std::uint64_t seed, const Check& check) {
  Random random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    for (const Kind kind : kKinds) {
      const Spread spread = kSpreads[static_cast<std::size_t>(i) % std::size(kSpreads)];
      std::size_t size = i % 11 == 0 ? static_cast<std::size_t>(i % 2) : 1 + static_cast<std::size_t>(i * 7 % 300);
      if (i % 37 == 5) size = 3000;  // a tree of four levels
      const double radius = i % 3 == 0 ? 0 : random.uniform(0, 0.1);
      const Cloud cloud = cloud_of(points_of(spread, size, random), radius, i % 2 == 0 && spread != Spread::far);
      const graze::Pose pose = i % 4 == 0 ? graze::Pose() : random_pose(random, Vec3::Zero(), 0.5);
      graze_oracle::Case c = make_case(kind, Kind::sphere, graze_oracle::Trouble::generic, random);
      Placed shape = placed_of(c.a);
      const Vec3 middle = cloud.bounds().empty() ? Vec3(Vec3::Zero()) : Vec3(pose * cloud.bounds().center());
      shape.pose = random_pose(random, middle, spread == Spread::tiny ? 0.5 : 1.5);
      SCOPED_TRACE(testing::Message() << graze_oracle::name_of(kind) << ", scene " << i << ", spread "
                                      << static_cast<int>(spread));
      check(Scene{cloud, at(cloud, pose), shape}, random);
      if (testing::Test::HasFailure()) return;
    }
  }
}

Placed point_of(const Scene& s, std::size_t i) {
  return at(graze::Sphere{.radius = s.cloud.radius()}, graze::Pose::at(s.placed.pose * s.cloud.point(i)));
}

// What a point may move by when poses are applied in another order.
double rounding_of(const Scene& s) {
  const double reach = s.cloud.bounds().empty() ? 0 : s.cloud.bounds().max.cwiseAbs().maxCoeff() + 10;
  return 64 * graze::kEpsilon * (reach + s.shape.pose.translation().norm() + s.placed.pose.translation().norm() + 1);
}

TEST(Clouds, AreAsFarAsTheirNearestPoint) {
  for_random_scenes(scaled(150), 1, [](const Scene& s, Random&) {
    Distance nearest;
    nearest.beyond = true;
    for (std::size_t i = 0; i < s.cloud.size(); ++i) {
      if (s.cloud.is_skipped(i)) continue;
      const Distance d = distance(point_of(s, i), s.shape);
      if (nearest.beyond || d.value < nearest.value) nearest = d;
    }
    const Distance d = distance(s.placed, s.shape), e = distance(s.shape, s.placed);
    ASSERT_EQ(d.beyond, nearest.beyond);
    ASSERT_EQ(d.value, e.value);
    if (d.beyond) return;
    const double rounding = rounding_of(s) + d.tolerance + nearest.tolerance;
    if (nearest.value > 0) {
      EXPECT_NEAR(d.value, nearest.value, rounding);
    }
    EXPECT_EQ(d.on_a, e.on_b);
    EXPECT_EQ(d.normal, -e.normal);
    EXPECT_EQ(d.a, e.b);
    EXPECT_NEAR((d.on_b - d.on_a - d.value * d.normal).norm(), 0, rounding);
    ASSERT_FALSE(s.cloud.is_skipped(d.a));
    // In an overlap all points have to leave: the last one to leave is reported.
    EXPECT_LE(d.value, nearest.value + rounding_of(s) + nearest.tolerance);
    if (nearest.value > 0) {
      EXPECT_NEAR(distance(point_of(s, d.a), s.shape).value, nearest.value, rounding);
    }
    // The points are on the ball, and on the shape unless it is unbounded and overlapped.
    EXPECT_NEAR((d.on_a - s.placed.pose * s.cloud.point(d.a)).norm(), s.cloud.radius(), rounding);
    if (d.value > 0) {
      EXPECT_NEAR(distance(at(graze::Sphere{.radius = 0}, graze::Pose::at(d.on_b)), s.shape).value, 0, rounding);
    }
    // Any limit: found if within it, otherwise beyond.
    EXPECT_EQ(distance(s.placed, s.shape, {.limit = d.value + rounding}).value, d.value);
    EXPECT_TRUE(distance(s.placed, s.shape, {.limit = d.value - 2 * rounding}).beyond);
  });
}

TEST(Clouds, CollideIfAnyPointDoes) {
  for_random_scenes(scaled(150), 2, [](const Scene& s, Random& random) {
    for (const double margin : {0.0, random.uniform(0, 0.5), -random.uniform(0, 0.02)}) {
      bool surely = false, perhaps = false;
      const double rounding = rounding_of(s);
      for (std::size_t i = 0; i < s.cloud.size(); ++i) {
        if (s.cloud.is_skipped(i)) continue;
        const Distance d = distance(point_of(s, i), s.shape);
        surely = surely || d.value + d.tolerance <= margin - rounding;
        perhaps = perhaps || d.value - d.tolerance <= margin + rounding;
      }
      const bool hit = collide(s.placed, s.shape, {.margin = margin});
      EXPECT_EQ(hit, collide(s.shape, s.placed, {.margin = margin}));
      EXPECT_TRUE(hit || !surely) << "missed at margin " << margin;
      if (margin >= 0) {
        EXPECT_TRUE(!hit || perhaps) << "false alarm at margin " << margin;
        continue;
      }
      // All points together may need more than the deepest one.
      const Distance d = distance(s.placed, s.shape);
      EXPECT_TRUE(!hit || (!d.beyond && d.value <= margin + rounding + 1e-9)) << "false alarm at margin " << margin;
    }
  });
}

// Bounds stay valid beyond the range of float32.
TEST(Clouds, AreFoundAtDistancesBeyondFloats) {
  const std::vector<Vec3> points{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
  const Placed cloud = at(Cloud(std::span(points)));
  for (const double far : {1e37, 1e39, 1e44, 1e49}) {
    for (const Placed& body : {at(graze::Sphere{.radius = 1}, graze::Pose::at({far, 0, 0})),
                               at(graze::Box{{1, 1, 1}}, graze::Pose::from_rpy({-far, far / 2, 0}, 1, 2, 3))}) {
      EXPECT_TRUE(collide(body, cloud, {.margin = 2 * far})) << far;
      EXPECT_FALSE(collide(body, cloud, {.margin = far / 2})) << far;
      EXPECT_FALSE(distance(body, cloud, {.limit = 2 * far}).beyond) << far;
    }
  }
}

// The depth of the deepest single point.
double deepest_point(const Scene& s) {
  double deepest = -graze::kInfinity;
  for (std::size_t i = 0; i < s.cloud.size(); ++i) {
    if (!s.cloud.is_skipped(i)) deepest = std::max(deepest, -distance(point_of(s, i), s.shape).value);
  }
  return deepest;
}

TEST(Clouds, ReportTheirDeepestContacts) {
  for_random_scenes(scaled(100), 3, [](const Scene& s, Random&) {
    const Distance d = distance(s.placed, s.shape);
    const auto contacts = graze::contacts(s.placed, s.shape, {.max = 8});
    const graze::Penetration p = penetration(s.placed, s.shape);
    const double rounding = rounding_of(s) + (d.beyond ? 0 : 2 * d.tolerance);
    EXPECT_EQ(contacts.empty(), d.beyond || d.value - d.tolerance > 0);
    EXPECT_EQ(p.overlapping, !contacts.empty());
    if (contacts.empty()) return;
    EXPECT_NEAR(contacts[0].depth, deepest_point(s), rounding + 1e-8 * contacts[0].depth);
    EXPECT_NEAR(p.depth, std::max(0.0, -d.value), rounding);
    for (const graze::Contact& c : contacts) {
      ASSERT_FALSE(s.cloud.is_skipped(c.a));
      EXPECT_NEAR(-distance(point_of(s, c.a), s.shape).value, c.depth, rounding + 1e-8 * std::abs(c.depth));
    }
  });
}

TEST(Clouds, ReportNearContactsWithinTheMargin) {
  for_random_scenes(scaled(50), 5, [](const Scene& s, Random& random) {
    const Distance d = distance(s.shape, s.placed);
    const double margin = random.uniform(0, 1);
    const auto contacts = graze::contacts(s.shape, s.placed, {.max = 16, .margin = margin});
    const double rounding = rounding_of(s) + (d.beyond ? 0 : 2 * d.tolerance);
    if (d.beyond || std::abs(d.value - margin) > rounding) {
      EXPECT_EQ(contacts.empty(), d.beyond || d.value > margin);
    }
    if (contacts.empty()) return;
    EXPECT_NEAR(contacts[0].depth, deepest_point(s), rounding + 1e-8 * std::abs(contacts[0].depth));
    for (const graze::Contact& c : contacts) {
      EXPECT_GE(c.depth, -margin - rounding);
      ASSERT_FALSE(s.cloud.is_skipped(c.b));
      EXPECT_NEAR(-distance(s.shape, point_of(s, c.b)).value, c.depth, rounding + 1e-8 * std::abs(c.depth));
    }
  });
}

TEST(Clouds, MeetEachOther) {
  Random random(4);
  for (int i = 0; i < scaled(300) && !HasFailure(); ++i) {
    const Spread spread_a = kSpreads[static_cast<std::size_t>(i) % std::size(kSpreads)];
    const Spread spread_b = i % 2 == 0 ? spread_a : Spread::uniform;
    const std::size_t size_a = static_cast<std::size_t>(i % 90), size_b = static_cast<std::size_t>(i * 13 % 170);
    const Cloud a = cloud_of(points_of(spread_a, size_a, random), i % 3 == 0 ? 0 : 0.02, false);
    const Cloud b = cloud_of(points_of(spread_b, size_b, random), i % 3 == 1 ? 0 : 0.03, i % 5 == 0);
    const Placed pa = at(a, i % 4 == 0 ? graze::Pose() : random_pose(random, Vec3::Zero(), 1));
    const Placed pb = at(b, i % 4 == 1 ? pa.pose : random_pose(random, Vec3::Zero(), 1));
    double nearest = graze::kInfinity;
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t m = 0; m < b.size(); ++m) {
        if (a.is_skipped(k) || b.is_skipped(m)) continue;
        const double value = (pa.pose * a.point(k) - pb.pose * b.point(m)).norm() - a.radius() - b.radius();
        nearest = std::min(nearest, value);
      }
    }
    const Distance d = distance(pa, pb), e = distance(pb, pa);
    ASSERT_EQ(d.beyond, nearest == graze::kInfinity);
    EXPECT_EQ(d.value, e.value);
    EXPECT_EQ(collide(pa, pb), collide(pb, pa));
    if (d.beyond) {
      EXPECT_FALSE(collide(pa, pb));
      continue;
    }
    EXPECT_NEAR(d.value, nearest,
                d.tolerance + 1e-15 * (pb.pose * b.bounds().center()).norm() + 1e-8 * (spread_a == Spread::far));
    EXPECT_TRUE(d.a == e.b && d.b == e.a);
    if (std::abs(nearest) > 1e-6) {
      EXPECT_EQ(collide(pa, pb), nearest < 0);
      EXPECT_EQ(contacts(pa, pb).empty(), nearest > 0);
    }
    for (const double factor : {0.9, 1.1}) {
      if (nearest > 1e-6) {
        EXPECT_EQ(collide(pa, pb, {.margin = factor * nearest}), factor > 1);
        EXPECT_EQ(contacts(pa, pb, {.margin = factor * nearest}).empty(), factor < 1);
      }
    }
    const double rounding = d.tolerance + 1e-8 * (spread_a == Spread::far) + 1e-13;
    EXPECT_NEAR((d.on_a - pa.pose * a.point(d.a)).norm(), a.radius(), rounding);
    EXPECT_NEAR((d.on_b - pb.pose * b.point(d.b)).norm(), b.radius(), rounding);
    for (const graze::Contact& c : contacts(pa, pb)) {
      const double value = (pa.pose * a.point(c.a) - pb.pose * b.point(c.b)).norm() - a.radius() - b.radius();
      EXPECT_NEAR(c.depth, -value, rounding);
    }
  }
}

TEST(Clouds, ReportTheLowestOfEquallyNearPoints) {
  Random random(6);
  for (int i = 0; i < scaled(60); ++i) {
    // A few positions, each with many points in random order.
    std::vector<Vec3> positions, points;
    for (int k = 0; k < 5; ++k) positions.push_back(around(random, 1));
    for (int k = 0; k < 40 + 10 * i; ++k) {
      const Vec3& position = positions[static_cast<std::size_t>(random.uniform(0, 5))];
      points.push_back(position);
    }
    const auto first_of = [&](std::size_t index) {
      return static_cast<std::size_t>(std::find(points.begin(), points.end(), points[index]) - points.begin());
    };
    const Placed cloud = at(cloud_of(points, 0.01, false)),
                 other = at(cloud.geometry, random_pose(random, {3, 0, 0}, 1));
    const Distance d = distance(cloud, at(graze::Box{.half = {1, 1, 1}}, random_pose(random, {3, 0, 0}, 1)));
    EXPECT_EQ(d.a, first_of(d.a));
    const Distance e = distance(cloud, other);
    EXPECT_EQ(e.a, first_of(e.a));
    EXPECT_EQ(e.b, first_of(e.b));
  }
}

TEST(Clouds, AreNeverFreeByRounding) {
  // The radius is the smallest double for which they touch in higher precision.
  Random random(7);
  for (int i = 0; i < scaled(3000); ++i) {
    const double scale = std::pow(10, random.uniform(-2, 4));
    const graze::Pose pose = random_pose(random, scale * around(random, 1), 1);
    const Vec3 p = scale * around(random, 1), q = around(random, 2);
    long double square = 0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      long double x = static_cast<long double>(pose.translation()[k]) - q[k];
      for (Eigen::Index m = 0; m < 3; ++m) x += static_cast<long double>(pose.rotation()(k, m)) * p[m];
      square += x * x;
    }
    const long double exact = std::sqrt(square);
    const double radius = std::nextafter(static_cast<double>(exact), graze::kInfinity);
    const Placed cloud = at(cloud_of({p}, 0, false), pose),
                 ball = at(graze::Sphere{.radius = radius}, graze::Pose::at(q));
    const Placed balls = at(cloud_of({Vec3(0, 0, 0)}, radius, false), graze::Pose::at(q));
    EXPECT_TRUE(collide(cloud, ball)) << scale;
    EXPECT_TRUE(collide(balls, cloud)) << scale;
    for (const Placed& other : {ball, balls}) {
      const Distance d = distance(cloud, other);
      EXPECT_NEAR(d.value, static_cast<double>(exact - radius), d.tolerance) << scale;
    }
  }
}

TEST(Clouds, WithoutPointsAreInfinitelyFar) {
  const Placed empty = at(Cloud());
  for (const Placed& other : {at(graze::Sphere{.radius = 1}), at(graze::HalfSpace({0, 0, 1}, 5)), empty}) {
    EXPECT_FALSE(collide(empty, other, {.margin = 1e9}));
    EXPECT_TRUE(distance(empty, other).beyond);
    EXPECT_TRUE(contacts(empty, other).empty());
    EXPECT_FALSE(penetration(other, empty).overlapping);
  }
}

TEST(Clouds, CollideUpToTheMargin) {
  // One point each: its box is as far as the point, so bounds that are too large show up.
  Random random(8);
  for (int i = 0; i < scaled(200); ++i) {
    const Placed one = at(cloud_of({around(random, 1)}, 0, i % 2 == 0)), far = at(cloud_of({Vec3(4, 0, 0)}, 0, false));
    for (const Placed& other : {far, at(graze::Box{.half = {1, 1, 1}}, graze::Pose::at({4, 0, 0}))}) {
      const double gap = distance(one, other).value;
      EXPECT_TRUE(collide(one, other, {.margin = gap * (1 + 1e-9)}));
      EXPECT_FALSE(collide(one, other, {.margin = gap * (1 - 1e-9)}));
      EXPECT_EQ(contacts(one, other, {.margin = gap * (1 + 1e-9)}).size(), 1u);
      EXPECT_TRUE(contacts(one, other, {.margin = gap * (1 - 1e-9)}).empty());
    }
  }
}

TEST(Clouds, TouchToTheLastBit) {
  const std::vector<Vec3> points = {{1, 0, 0}, {3, 0, 0}};
  const Placed cloud = at(Cloud(std::span(points), {.radius = 0.25}));
  EXPECT_TRUE(collide(cloud, at(graze::Sphere{.radius = 0.75})));
  EXPECT_TRUE(collide(cloud, at(graze::Box{.half = {0.75, 0.5, 0.5}})));
  EXPECT_FALSE(collide(cloud, at(graze::Sphere{.radius = 0.74999})));
  EXPECT_EQ(distance(cloud, at(graze::Sphere{.radius = 0.25})).value, 0.5);
  EXPECT_EQ(distance(cloud, at(graze::Sphere{.radius = 0.25}, graze::Pose::at({2, 0, 0}))).a, 0u)
      << "ties go to the lower index";
}

}  // namespace cloud_test
}  // namespace graze_test
