// What maps from frames do beyond OctoMap.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/map/occupancy_mapper.h"
#include "graze/query/collide.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace mapper_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const float kHit = log_odds_of(0.7), kMiss = log_odds_of(0.4);

std::vector<Vec3> wall(double x, int rows = 20) {
  std::vector<Vec3> points;
  for (int i = 0; i < rows * rows; ++i)
    points.emplace_back(x, 0.1 * (i % rows) - 1 + 0.05, 0.1 * (i / rows) - 1 + 0.05);
  return points;
}

TEST(OccupancyMapper, ACellThatIsSeenEveryKthFrameChangesForAnyK) {
  for (int k = 1; k <= 40; ++k) {
    OccupancyMapper mapper({.resolution = 1, .clamp_min = 1e-9, .clamp_max = 1 - 1e-9});
    const std::vector<Vec3> a{{0.5, 0.5, 0.5}}, b{{10.5, 0.5, 0.5}};
    int seen = 0;
    for (int frame = 0; frame < 3 * k; ++frame) {
      const bool here = frame % k == 0;
      seen += here ? 1 : 0;
      mapper.insert({.points = here ? a : b, .origin = here ? Vec3(0.4, 0.5, 0.5) : Vec3(10.4, 0.5, 0.5)});
      float expected = 0;
      for (int i = 0; i < seen; ++i) expected += kHit;
      ASSERT_EQ(mapper.map().log_odds(CellKey{0, 0, 0}), expected) << "k " << k << ", frame " << frame;
    }
  }
}

TEST(OccupancyMapper, AHitBeatsAMissAndACellChangesOncePerFrame) {
  OccupancyMapper mapper({.resolution = 1});
  // Two points in one cell, and a ray through it.
  const std::vector<Vec3> points{{5.2, 0.5, 0.5}, {5.7, 0.5, 0.5}, {9.5, 0.5, 0.5}};
  const InsertReport report = mapper.insert({.points = points, .origin = Vec3(0.5, 0.5, 0.5)});
  EXPECT_EQ(report.hits, 3U);
  EXPECT_EQ(report.cells_hit, 2U);
  EXPECT_EQ(report.cells_missed, 8U);
  const OccupancyMap map = mapper.map();
  for (int x = -1; x < 11; ++x) {
    const std::optional<float> value = map.log_odds(CellKey{x, 0, 0});
    ASSERT_EQ(value.has_value(), x >= 0 && x <= 9) << x;
    EXPECT_EQ(value.value_or(0), x < 0 || x > 9 ? 0 : x == 5 || x == 9 ? kHit : kMiss) << x;
  }
}

TEST(OccupancyMapper, PointsWithoutReturnAreIgnoredOrClear) {
  const std::vector<Vec3> none{{kNan, 0, 0}, {0, kInfinity, 0}, {0, 0, 0}};
  const std::vector<Vec3> directions{{2, 0, 0}, {0, 5, 0}, {0, 0, 0.1}};
  OccupancyMapper mapper({.resolution = 0.1});
  SensorFrame frame{.points = none, .max_range = 2};
  EXPECT_EQ(mapper.insert(frame).no_return, 3U);
  EXPECT_TRUE(mapper.map().empty()) << "ignored";
  frame.no_return = NoReturn::clear;
  EXPECT_NE(refusal([&] { mapper.insert(frame); }), "") << "directions are missing";
  frame.directions = directions;
  EXPECT_EQ(mapper.insert(frame).no_return, 3U);
  const OccupancyMap map = mapper.map();
  for (const Vec3& p : {Vec3(1, 0.05, 0.05), Vec3(0.05, 1.85, 0.05), Vec3(0.05, 0.05, 1.0)}) {
    EXPECT_EQ(map.state(p), Occupancy::free);
  }
  EXPECT_EQ(map.state(Vec3(2.15, 0.05, 0.05)), Occupancy::unknown) << "beyond the range";
  frame.max_range = kInfinity;
  EXPECT_NE(refusal([&] { mapper.insert(frame); }), "") << "there is no range to clear to";
}

TEST(OccupancyMapper, ARemovedObjectVanishesBeforeOpenSpace) {
  OccupancyMapper mapper({.resolution = 0.1});
  const std::vector<Vec3> object = wall(1.55), directions = object;
  const std::vector<Vec3> gone(object.size(), Vec3(kNan, kNan, kNan));
  for (int i = 0; i < 3; ++i) mapper.insert({.points = object, .max_range = 4});
  EXPECT_EQ(mapper.map().state(object[45]), Occupancy::occupied);
  for (int i = 0; i < 12; ++i) {
    mapper.insert({.points = gone, .max_range = 4, .no_return = NoReturn::clear, .directions = directions});
  }
  for (const Vec3& p : object) EXPECT_NE(mapper.map().state(p), Occupancy::occupied);
}

TEST(OccupancyMapper, PointsOfTheSensorsOwnBodyAreFilteredAndCounted) {
  std::vector<Vec3> points = wall(1.55);
  const std::size_t own = 7;
  for (std::size_t i = 0; i < own; ++i) points.emplace_back(0.3, 0.01 * double(i), 0);
  points.emplace_back(0.3, 0, 0.56);  // 6 cm above the first body, within the padding of the second
  const std::vector<FilteredBody> filter{{at(Sphere{.radius = 0.5}), 0}, {at(Box{.half = {0.5, 0.5, 0.5}}), 0.1}};
  OccupancyMapper mapper({.resolution = 0.1});
  const InsertReport report = mapper.insert({.points = points, .filter = filter});
  ASSERT_EQ(report.filtered.size(), 2U);
  EXPECT_EQ(report.filtered[0], own);
  EXPECT_EQ(report.filtered[1], 1U);
  EXPECT_EQ(report.hits, points.size() - own - 1);
  EXPECT_NE(mapper.map().state(Vec3(0.3, 0, 0.56)), Occupancy::occupied);
  const std::vector<FilteredBody> bad{{at(Sphere{.radius = 0.5}), -1}};
  EXPECT_NE(refusal([&] { mapper.insert({.points = points, .filter = bad}); }), "");
}

TEST(OccupancyMapper, PosesMovePointsAndOrigin) {
  Generator random(3);
  for (int i = 0; i < scaled(20); ++i) {
    const Pose pose = random.pose(50);
    const std::vector<Vec3> points = wall(1.55, 6);
    std::vector<Vec3> world;
    for (const Vec3& p : points) world.push_back(pose * p);
    OccupancyMapper a({.resolution = 0.1}), b({.resolution = 0.1});
    a.insert({.points = points, .pose = pose, .origin = {0.1, 0, 0}, .max_range = 1.5});
    b.insert({.points = world, .origin = pose * Vec3(0.1, 0, 0), .max_range = 1.5});
    EXPECT_EQ(a.map().stamp(), b.map().stamp());
  }
}

TEST(OccupancyMapper, BadFramesAreRefusedAndChangeNothing) {
  OccupancyMapper mapper({.resolution = 0.1});
  const std::vector<Vec3> points = wall(1);
  const std::uint64_t stamp = mapper.map().stamp();
  for (const double bad : {0.0, -1.0, kNan}) {
    EXPECT_NE(refusal([&] { mapper.insert({.points = points, .max_range = bad}); }), "");
  }
  EXPECT_NE(refusal([&] { mapper.insert({.points = points, .origin = {kNan, 0, 0}}); }), "");
  EXPECT_NE(refusal([&] { mapper.insert({.points = points, .origin = {1e10, 0, 0}}); }), "");
  EXPECT_NE(refusal([&] { mapper.insert({.points = points, .time = kNan}); }), "");
  EXPECT_EQ(mapper.map().stamp(), stamp);
  const auto make = [](const OccupancyMapperOptions& options) { return refusal([&] { OccupancyMapper{options}; }); };
  EXPECT_NE(make({.resolution = 0}), "");
  EXPECT_NE(make({.hit = 1}), "");
  EXPECT_NE(make({.hit = 0.3}), "");
  EXPECT_NE(make({.miss = 0.6}), "");
  EXPECT_NE(make({.clamp_min = 0}), "");
  EXPECT_NE(make({.clamp_max = kNan}), "");
  EXPECT_NE(make({.window = 0}), "");
  EXPECT_NE(make({.window = 63}), "");
}

TEST(OccupancyMapper, RaysThatAreTooLongArePassedOver) {
  OccupancyMapper mapper({.resolution = 0.01});
  const std::vector<Vec3> points{{1e12, 0, 0}, {1e6, 0, 0}, {-1e300, 0, 0}, {3, 0, 0}};
  const InsertReport report = mapper.insert({.points = points});
  EXPECT_EQ(report.too_far, 3U);
  EXPECT_EQ(mapper.map().state(Vec3(3, 0, 0)), Occupancy::occupied);
  // Cut at the range they clear like all others.
  EXPECT_EQ(mapper.insert({.points = points, .max_range = 2}).cut, 4U);
  // At the last cell of all.
  OccupancyMapper coarse({.resolution = 1});
  const double last = 2147483647.5;
  const std::vector<Vec3> ends{{last, last, last}, {last, last, last - 20}};
  EXPECT_EQ(coarse.insert({.points = ends, .origin = {last - 9, last - 9, last - 9}}).too_far, 0U);
  EXPECT_EQ(coarse.map().state(ends[0]), Occupancy::occupied);
  EXPECT_EQ(refusal([&] { coarse.map().validate(); }), "");
}

TEST(OccupancyMapper, TheAverageIsThatOfTheLastFrames) {
  Generator random(17);
  for (const int window : {1, 2, 5, 30, 62}) {
    OccupancyMapper mapper({.resolution = 1, .model = SensorModel::running_average, .window = window});
    std::vector<int> seen;
    const std::vector<Vec3> hit{{1.5, 0.5, 0.5}}, miss{{2.5, 0.5, 0.5}};
    for (int frame = 0; frame < 150; ++frame) {
      seen.push_back(random.integer(0, 2) == 0 ? 1 : 0);
      mapper.insert({.points = seen.back() ? hit : miss, .origin = Vec3(0.5, 0.5, 0.5)});
      const int count = std::min<int>(window, static_cast<int>(seen.size()));
      int sum = 0;
      for (int i = 0; i < count; ++i) sum += seen[seen.size() - 1 - static_cast<std::size_t>(i)];
      const double mean = std::clamp(double(sum) / count, 0.001, 0.999);
      ASSERT_NEAR(probability_of(*mapper.map().log_odds(CellKey{1, 0, 0})), mean, 1e-6) << window << " " << frame;
      ASSERT_EQ(mapper.map().state(CellKey{1, 0, 0}), mean >= 0.5 ? Occupancy::occupied : Occupancy::free);
    }
  }
}

TEST(OccupancyMapper, WhatABodyTouchesIsCleared) {
  Generator random(23);
  for (int i = 0; i < scaled(20); ++i) {
    OccupancyMapper mapper({.resolution = 0.1});
    mapper.insert({.points = wall(1.55), .max_range = 4});
    const OccupancyMap before = mapper.map();
    const Placed body =
        at(Box{.half = {random.uniform(0, 1), random.uniform(0, 0.5), random.uniform(0, 1)}}, random.pose(1.5));
    const bool as_free = random.integer(0, 1) == 1;
    mapper.clear(body, as_free ? Cleared::free : Cleared::unknown);
    const OccupancyMap after = mapper.map();
    EXPECT_EQ(refusal([&] { after.validate(); }), "");
    for (int x = -10; x < 30; ++x) {
      for (int y = -25; y < 25; ++y) {
        for (int z = -25; z < 25; z += 3) {
          const CellKey key{x, y, z};
          const Aabb box = before.box(key);
          const bool touched = collide(body, at(Box{.half = box.half()}, Pose::at(box.center())));
          const auto expected =
              !touched ? before.log_odds(key) : (as_free ? std::optional(log_odds_of(0.1192)) : std::nullopt);
          ASSERT_EQ(after.log_odds(key), expected);
        }
      }
    }
  }
  OccupancyMapper mapper;
  EXPECT_NE(refusal([&] { mapper.clear(at(HalfSpace(Vec3(0, 0, 1), 0))); }), "");
}

TEST(OccupancyMapper, KeepsOnlyTheBoxAroundARobot) {
  OccupancyMapper mapper({.resolution = 0.1});
  mapper.insert({.points = wall(1.55), .max_range = 4});
  const OccupancyMap before = mapper.map();
  const Aabb box{Vec3(0.3, -0.42, -1), Vec3(1.2, 0.5, 0.33)};
  mapper.keep(box);
  const OccupancyMap after = mapper.map();
  before.visit_leaves([&](const OccupancyCell& leaf) {
    for (int c = 0; c < 1 << 3 * leaf.level; ++c) {
      const int m = (1 << leaf.level) - 1;
      const CellKey key{leaf.key.x + (c & m), leaf.key.y + (c >> leaf.level & m),
                        leaf.key.z + (c >> 2 * leaf.level & m)};
      const Vec3 center = (Vec3(key.x, key.y, key.z).array() + 0.5) * 0.1;
      ASSERT_EQ(after.log_odds(key), box.contains(center) ? before.log_odds(key) : std::nullopt);
    }
  });
  EXPECT_LT(after.leaves(), before.leaves());
}

TEST(OccupancyMapper, CellsFadeToUnknown) {
  OccupancyMapper mapper({.resolution = 0.1}), often({.resolution = 0.1});
  for (OccupancyMapper* m : {&mapper, &often}) m->insert({.points = wall(1.55), .max_range = 4});
  const OccupancyMap before = mapper.map();
  mapper.decay(3, 1.5);
  for (int i = 0; i < 30; ++i) often.decay(0.1, 1.5);
  for (const Vec3& p : wall(1.55)) {
    ASSERT_NEAR(*mapper.map().log_odds(p), *before.log_odds(p) / 4, 1e-6);
    ASSERT_NEAR(*often.map().log_odds(p), *before.log_odds(p) / 4, 1e-5);
  }
  mapper.decay(100, 1.5);
  EXPECT_TRUE(mapper.map().empty());
  EXPECT_NE(refusal([&] { mapper.decay(-1, 1); }), "");
  EXPECT_NE(refusal([&] { mapper.decay(1, 0); }), "");

  OccupancyMapper average({.resolution = 0.1, .model = SensorModel::running_average});
  for (int i = 0; i < 8; ++i) average.insert({.points = wall(1.55), .max_range = 4});
  for (int i = 0; i < 3; ++i) average.decay(1, 1);
  EXPECT_EQ(average.map().state(wall(1.55)[0]), Occupancy::occupied) << "one of eight frames is remembered";
  average.decay(0.5, 1);
  EXPECT_FALSE(average.map().empty());
  average.decay(0.5, 1);
  EXPECT_TRUE(average.map().empty());
}

TEST(OccupancyMapper, AgesAreThoseOfTheNewestFrame) {
  OccupancyMapper mapper({.resolution = 0.1});
  EXPECT_FALSE(mapper.map().newest());
  const std::vector<Vec3> front{{2, 0, 0}}, back{{-2, 0, 0}};
  mapper.insert({.points = front, .time = 10});
  mapper.insert({.points = back, .time = 20});
  mapper.insert({.points = front, .time = 15});
  const Aabb near_front{Vec3(1.9, -0.1, -0.1), Vec3(2.1, 0.1, 0.1)},
      near_back{Vec3(-2.1, -0.1, -0.1), Vec3(-1.9, 0, 0.1)};
  EXPECT_EQ(mapper.map().newest(), 20);
  EXPECT_EQ(mapper.map().newest(near_front), 15);
  EXPECT_EQ(mapper.map().newest(near_back), 20);
  EXPECT_FALSE(mapper.map().newest(Aabb{Vec3(50, 50, 50), Vec3(51, 51, 51)}));
  mapper.forget_before(17);
  EXPECT_EQ(mapper.map().state(front[0]), Occupancy::unknown);
  EXPECT_EQ(mapper.map().state(back[0]), Occupancy::occupied);
}

TEST(OccupancyMapper, GoesOnFromAMap) {
  OccupancyMapper whole({.resolution = 0.1}), first({.resolution = 0.1});
  const std::vector<Vec3> a = wall(1.55), b = wall(2.5);
  whole.insert({.points = a, .max_range = 4});
  whole.insert({.points = b, .max_range = 4});
  first.insert({.points = a, .max_range = 4});
  OccupancyMapper second(first.map(), {});
  second.insert({.points = b, .max_range = 4});
  EXPECT_EQ(second.map().stamp(), whole.map().stamp());
  EXPECT_NE(refusal([&] { OccupancyMapper(first.map(), {.model = SensorModel::running_average}); }), "");
}

TEST(OccupancyMapper, VersionsStayWhatTheyWere) {
  Generator random(31);
  OccupancyMapper mapper({.resolution = 0.1});
  std::vector<std::pair<OccupancyMap, std::uint64_t>> versions;
  for (int i = 0; i < 20; ++i) {
    std::vector<Vec3> points;
    for (int k = 0; k < 50; ++k) points.push_back(random.in_cube(20));
    mapper.insert({.points = points, .origin = random.in_cube(15), .max_range = 12, .rays = FrameRays::per_end_voxel});
    versions.emplace_back(mapper.map(), mapper.map().stamp());
    EXPECT_EQ(mapper.map().stamp(), versions.back().second) << "nothing changed in between";
  }
  for (const auto& [map, stamp] : versions) {
    EXPECT_EQ(refusal([&] { map.validate(); }), "");
    EXPECT_EQ(map.stamp(), stamp);
  }
}

}  // namespace mapper_test
}  // namespace graze
