// Bodies whose nearest points of a cloud are found in float32, against a query of every single point: the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "graze/graze.h"
#include "support/clouds.h"
#include "support/scale.h"

namespace graze_test {
namespace cloud_near_test {

using graze::Cloud;
using graze::Distance;
using graze::Geometry;
using graze::Placed;
using graze::Pose;
using graze::Vec3;

// A cloud, and each of its points as a cloud of one.
struct Subject {
  std::string name;
  Points points;
  double size;
  double radius;
  Cloud cloud;
  std::vector<Placed> ones;
};

Subject subject_of(const NamedCloud& named, double radius, const Pose& pose) {
  Subject s{named.name, named.points, named.size, radius, Cloud(floats(named.points), {.radius = radius}), {}};
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    s.ones.push_back(at(Cloud(floats(Points{s.points[i]}), {.radius = radius}), pose));
  }
  return s;
}

// The nearest point, ties to the lower index.
Distance nearest_by_itself(const Subject& s, const Placed& body) {
  Distance nearest;
  nearest.beyond = true;
  for (std::size_t i = 0; i < s.ones.size(); ++i) {
    const Distance d = distance(s.ones[i], body, {.depth = false});
    if (d.beyond || !(nearest.beyond || d.value < nearest.value)) continue;
    nearest = d;
    nearest.a = i;
  }
  return nearest;
}

bool touches_by_itself(const Subject& s, const Placed& body, double margin) {
  for (const Placed& one : s.ones) {
    if (collide(one, body, {.margin = margin})) return true;
  }
  return false;
}

std::vector<Geometry> bodies(double size, Generator& random) {
  double length[3];
  for (double& l : length) l = size * std::pow(10, random.uniform(-3, 0));
  return {graze::Sphere{.radius = length[0]},
          graze::Sphere{.radius = 0},
          graze::Capsule{length[0], length[1]},
          graze::Capsule{1e-3 * length[1], length[2]},
          graze::Box{Vec3(length[0], length[1], length[2])},
          graze::Box{Vec3(length[2], 1e-3 * length[1], length[0])}};
}

// Calls check(subject, body, cloud) for bodies near to points of all kinds of clouds, at rest and turned.
template <class Check>
void for_near_bodies(std::size_t count, int poses, std::uint64_t seed, const Check& check) {
  Generator random(seed);
  for (const NamedCloud& named : all_clouds(count)) {
    for (const bool turned : {false, true}) {
      const auto turn = [&](const Vec3& where) {
        return Pose::from_wxyz(where, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                               random.uniform(0.1, 1));
      };
      const Pose pose = turned ? turn(named.size * Vec3(0.3, -0.1, 0.7)) : Pose();
      const Subject subject = subject_of(named, turned ? 0.01 * named.size : 0, pose);
      const Placed cloud = at(subject.cloud, pose);
      for (int i = 0; i < poses && !testing::Test::HasFailure(); ++i) {
        for (const Geometry& body : bodies(named.size, random)) {
          Vec3 where = Vec3::Zero();
          if (!subject.points.empty()) {
            const auto k = static_cast<std::size_t>(random.integer(0, static_cast<int>(subject.points.size()) - 1));
            const Point& p = subject.points[k];
            if (!subject.cloud.is_skipped(k)) where = pose * Vec3(p[0], p[1], p[2]);
          }
          const double off = i % 3 == 0 ? 0 : named.size * std::pow(10, random.uniform(-4, 0.5));
          const Vec3 away(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
          const Placed placed = at(body, i % 4 == 1 ? Pose::at(where + off * away) : turn(where + off * away));
          SCOPED_TRACE(testing::Message()
                       << subject.name << ", " << name_of(body) << ", pose " << i << (turned ? ", turned" : ""));
          check(subject, placed, cloud);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(CloudNear, EqualsQueriesOfSinglePoints) {
  for_near_bodies(300, scaled(12), 1, [](const Subject& s, const Placed& body, const Placed& cloud) {
    const Distance nearest = nearest_by_itself(s, body);
    const Distance d = distance(cloud, body, {.depth = false}), e = distance(body, cloud, {.depth = false});
    ASSERT_EQ(d.beyond, nearest.beyond);
    if (d.beyond) return;
    EXPECT_EQ(d.value, e.value);
    EXPECT_EQ(d.on_a, e.on_b);
    EXPECT_EQ(d.normal, -e.normal);
    EXPECT_EQ(d.a, e.b);
    EXPECT_EQ(nearest.value <= 0, d.value <= 0);
    if (nearest.value <= 0) {
      // Any overlapping point may be reported, but the truth is within the tolerance.
      EXPECT_GE(d.value, nearest.value);
      EXPECT_LE(d.value - d.tolerance, nearest.value);
      EXPECT_EQ(d.value, distance(s.ones[d.a], body, {.depth = false}).value);
      return;
    }
    EXPECT_EQ(d.value, nearest.value);
    EXPECT_GE(d.tolerance, nearest.tolerance);
    EXPECT_EQ(d.a, nearest.a);
    EXPECT_EQ(d.on_a, nearest.on_a);
    EXPECT_EQ(d.on_b, nearest.on_b);
    EXPECT_EQ(d.normal, nearest.normal);
    // Requesting the depth changes nothing, since there is none.
    EXPECT_EQ(distance(cloud, body).value, d.value);
    EXPECT_EQ(distance(cloud, body).a, d.a);
  });
}

TEST(CloudNear, RespectsLimitsEqualToTheGap) {
  for_near_bodies(200, scaled(8), 2, [](const Subject& s, const Placed& body, const Placed& cloud) {
    const Distance nearest = nearest_by_itself(s, body);
    if (nearest.beyond || nearest.value <= 0) return;
    const double gap = nearest.value, doubt = nearest.tolerance;
    for (const double limit : {gap, gap + doubt, std::nextafter(gap, graze::kInfinity), 2 * gap}) {
      const Distance d = distance(cloud, body, {.limit = limit, .depth = false});
      EXPECT_FALSE(d.beyond);
      EXPECT_EQ(d.value, gap);
      EXPECT_EQ(d.a, nearest.a);
    }
    const double short_of = gap - 4 * doubt;
    EXPECT_TRUE(distance(cloud, body, {.limit = short_of, .depth = false}).beyond);
    EXPECT_TRUE(distance(cloud, body, {.limit = 0, .depth = false}).beyond || gap <= doubt);
  });
}

// Limits below 0 ask how deep an overlap is at least.
TEST(CloudNear, RespectsLimitsBelowAnyDepth) {
  int overlapping = 0;
  for_near_bodies(200, scaled(8), 4, [&](const Subject&, const Placed& body, const Placed& cloud) {
    const Distance d = distance(cloud, body, {.depth = false});
    if (d.beyond || d.value > 0) return;
    ++overlapping;
    const double deepest = d.value - d.tolerance;
    EXPECT_TRUE(distance(cloud, body, {.limit = 2 * deepest, .depth = false}).beyond || deepest == 0);
    EXPECT_FALSE(distance(cloud, body, {.limit = 0.5 * deepest, .depth = false}).beyond);
  });
  EXPECT_GT(overlapping, scaled(100));
}

TEST(CloudNear, CollidesWhereASinglePointDoes) {
  for_near_bodies(200, scaled(8), 3, [](const Subject& s, const Placed& body, const Placed& cloud) {
    const Distance nearest = nearest_by_itself(s, body);
    const double gap = nearest.beyond ? 0 : std::max(nearest.value, 0.0);
    for (const double margin : {0.0, gap, std::nextafter(gap, 0), gap * (1 - 1e-9), 0.5 * gap, 2 * gap}) {
      const bool hit = collide(cloud, body, {.margin = margin});
      EXPECT_EQ(hit, collide(body, cloud, {.margin = margin}));
      if (touches_by_itself(s, body, margin)) {
        // Single points have no cloud rounding: where they collide for certain, so must the cloud.
        EXPECT_TRUE(hit) << margin;
      } else {
        EXPECT_TRUE(!hit || (!nearest.beyond && gap - margin <= 64 * nearest.tolerance)) << margin;
      }
    }
  });
}

// More points than float32 can distinguish from the nearest, in several leaves.
TEST(CloudNear, ChoosesTheLowestOfManyEquallyFarPoints) {
  for (const double scale : {1e-9, 1.0, 1e6}) {
    Points points;
    for (int i = 0; i < 500; ++i) {
      const auto s = static_cast<float>(scale);
      const float x = i % 2 == 0 ? s : -s, y = i / 2 % 2 == 0 ? s : -s, z = i / 4 % 2 == 0 ? s : -s;
      points.push_back({x, y, z});
    }
    const Placed cloud = at(Cloud(floats(points)));
    for (const Geometry& body :
         {Geometry(graze::Sphere{0.5 * scale}), Geometry(graze::Capsule{0.1 * scale, 0.2 * scale}),
          Geometry(graze::Box{Vec3(0.5 * scale, 0.5 * scale, 0.5 * scale)})}) {
      const Distance d = distance(cloud, at(body), {.depth = false});
      EXPECT_GT(d.value, 0);
      EXPECT_EQ(d.a, 0U);
    }
  }
}

}  // namespace cloud_near_test
}  // namespace graze_test
