// The nearest point of clouds of float32, found in lanes of float32, against a loop in double: the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "graze/base/simd.h"
#include "graze/geometry/cloud_search.h"
#include "support/clouds.h"
#include "support/scale.h"

namespace graze_test {
namespace cloud_nearest_test {

using graze::Cloud;
using graze::kInfinity;
using graze::Neighbor;
using graze::Vec3;

// By the rule of region::Ball.
Neighbor loop_nearest(const Points& points, const Vec3& p, double limit) {
  Neighbor best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i][0]) || !std::isfinite(points[i][1]) || !std::isfinite(points[i][2])) continue;
    const Vec3 d = Vec3(points[i][0], points[i][1], points[i][2]) - p;
    const double squared = (d.x() * d.x() + d.y() * d.y()) + d.z() * d.z();
    if (squared <= limit * limit) best = std::min(best, Neighbor{i, std::sqrt(squared)});
  }
  return best;
}

// At a point, near one at any scale, midway between two, where no float32 exists, and far from all.
Vec3 random_position(const NamedCloud& named, Generator& random) {
  const auto any = [&] {
    if (named.points.empty()) return Vec3(0, 0, 0);
    const Point& p =
        named.points[static_cast<std::size_t>(random.integer(0, static_cast<int>(named.points.size()) - 1))];
    return std::isfinite(p[0] + p[1] + p[2]) ? Vec3(p[0], p[1], p[2]) : Vec3(0, 0, 0);
  };
  const Vec3 away(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  switch (random.integer(0, 4)) {
    case 0:
      return any();
    case 1:
      return 0.5 * (any() + any());
    case 2:
      return any() + named.size * 1e-9 * away;
    case 3:
      return any() + named.size * std::pow(10, random.uniform(-6, 1)) * away;
    default:
      return std::pow(10, random.uniform(-30, 40)) * away;
  }
}

TEST(CloudNearest, EqualsALoopOnAllKindsOfClouds) {
  Generator random(21);
  for (const std::size_t count : {std::size_t{17}, std::size_t{300}, std::size_t{3000}}) {
    std::vector<NamedCloud> all = all_clouds(count);
    for (NamedCloud& named : adversarial_clouds(count)) all.push_back(std::move(named));
    for (const NamedCloud& named : all) {
      const Cloud cloud(floats(named.points), {.radius = 0.5});  // which does not matter
      for (int i = 0; i < scaled(60); ++i) {
        SCOPED_TRACE(testing::Message() << named.name << " of " << count << ", query " << i);
        const Vec3 p = random_position(named, random);
        const Neighbor nearest = loop_nearest(named.points, p, kInfinity);
        ASSERT_EQ(cloud.nearest(p), nearest);
        std::array<Neighbor, 1> one;
        ASSERT_EQ(cloud.nearest(p, one).size(), nearest.found() ? 1U : 0U);
        if (!nearest.found()) continue;
        ASSERT_EQ(one[0], nearest);
        const double d = nearest.distance;
        for (const double limit : {d, std::nextafter(d, 0), std::nextafter(d, kInfinity), 0.5 * d, 2 * d, 0.0}) {
          // Where squares leave the range of doubles, the distance itself decides.
          const Neighbor within = loop_nearest(named.points, p, limit);
          ASSERT_EQ(cloud.nearest(p, limit), within.distance <= limit ? within : Neighbor()) << limit;
          if (limit > graze::kLargestLength) continue;
          ASSERT_EQ(cloud.search(graze::region::Ball(p, limit)).nearest(), within) << limit;
        }
      }
    }
  }
}

// More points than float32 can distinguish from the nearest, in several leaves.
TEST(CloudNearest, ChoosesTheLowestOfManyEquallyFarPoints) {
  for (const double scale : {1e-9, 1.0, 1e6}) {
    Points points;
    for (int i = 0; i < 1000; ++i) {
      const auto s = static_cast<float>(scale);
      points.push_back({i % 2 == 0 ? s : -s, i / 2 % 2 == 0 ? s : -s, i / 4 % 2 == 0 ? s : -s});
    }
    const Cloud cloud{floats(points)};
    EXPECT_EQ(cloud.nearest(Vec3::Zero()).index, 0U);
    const double nudge = 1e-12 * scale;  // less than float32 notices
    EXPECT_EQ(cloud.nearest(Vec3(-nudge, 0, 0)).index, 1U);
    EXPECT_EQ(cloud.nearest(Vec3(-nudge, -nudge, -nudge)).index, 7U);
  }
}

TEST(CloudNearest, IsTheSameOnEveryInstructionSet) {
  Generator random(22);
  const NamedCloud named{"surface", surface_samples(table_and_shelf(true), 20000, 4), 4};
  const Cloud cloud{floats(named.points)};
  for (int i = 0; i < scaled(200); ++i) {
    const Vec3 p = random_position(named, random);
    const Neighbor expected = cloud.nearest(p);
    for (const auto target : graze::simd_targets()) {
      const graze::ForcedSimdTarget forced(target);
      ASSERT_EQ(cloud.nearest(p), expected) << target;
    }
  }
}

TEST(CloudSearchEach, FindsForEveryVolumeWhatOneSearchFinds) {
  Generator random(23);
  for (const NamedCloud& named : all_clouds(3000)) {
    const Cloud cloud{floats(named.points)};
    std::vector<graze::region::Ball> balls;
    for (int i = 0; i < 500; ++i)
      balls.emplace_back(random_position(named, random).cwiseMin(1e6).cwiseMax(-1e6), named.size * 0.1);
    std::vector<std::size_t> counts(balls.size());
    for (const int threads : {1, 4}) {
      std::fill(counts.begin(), counts.end(), 0);
      graze::search_each(cloud, std::span<const graze::region::Ball>(balls),
                         [&](std::size_t i, const graze::PointSearch& search) { counts[i] += search.count(); }, {},
                         {.threads = threads, .grain = 8});
      for (std::size_t i = 0; i < balls.size(); ++i) ASSERT_EQ(counts[i], cloud.search(balls[i]).count()) << named.name;
    }
  }
}

}  // namespace cloud_nearest_test
}  // namespace graze_test
