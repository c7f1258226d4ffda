// Several sensors, cells of a millimetre, points on the faces of cells, and robots that move on and on.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/map/occupancy_mapper.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace sensors_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

const float kHit = log_odds_of(0.7), kMiss = log_odds_of(0.4);

TEST(Sensors, ALidarACameraAndAGripperShareOneMap) {
  OccupancyMapper mapper({.resolution = 0.1});
  const std::vector<Vec3> wall{{2.05, 0.05, 0.05}}, beyond{{3.05, 0.05, 0.05}};
  const std::vector<float> depths(9, 2.05F);
  Mat3 axes;
  axes << 0, 0, 1, -1, 0, 0, 0, -1, 0;
  const DepthImage image{.depths = depths,
                         .width = 3,
                         .height = 3,
                         .fx = 300,
                         .fy = 300,
                         .cx = 1,
                         .cy = 1,
                         .pose = Pose::from_matrix(Vec3(0, 0.05, 0.05), axes),
                         .time = 7};
  const CellKey target{20, 0, 0}, passed{10, 0, 0};
  mapper.insert({.points = wall, .origin = {0.05, 0.05, 0.05}, .time = 5});
  EXPECT_EQ(mapper.map().log_odds(target), kHit);
  mapper.insert(image);
  EXPECT_EQ(mapper.map().log_odds(target), kHit + kHit) << "each sensor observes the cell once";
  EXPECT_EQ(mapper.map().log_odds(passed), kMiss + kMiss);
  // A sensor that is late: its frame counts, but does not make the cell older.
  mapper.insert({.points = beyond, .origin = {1.55, 0.05, 0.05}, .time = 6});
  EXPECT_EQ(mapper.map().log_odds(target), kHit + kHit + kMiss);
  EXPECT_EQ(mapper.map().newest(), 7);
  EXPECT_EQ(mapper.map().newest(Aabb::around(Vec3(2.05, 0.05, 0.05), Vec3::Constant(0.01))), 7);
}

TEST(Sensors, TheOrderOfSensorsDoesNotMatterBetweenTheClamps) {
  for (int seed = 0; seed < scaled(20); ++seed) {
    Generator random(static_cast<std::uint64_t>(seed));
    const auto points = [&] {
      std::vector<Vec3> all;
      for (int i = 0; i < 40; ++i) all.push_back(random.in_cube(2));
      return all;
    };
    const std::vector<Vec3> a = points(), b = points();
    const Vec3 from_a = random.in_cube(1), from_b = random.in_cube(1);
    const OccupancyMapperOptions options{.resolution = 0.1, .hit = 0.75, .miss = 0.25};
    OccupancyMapper first(options), second(options);
    first.insert({.points = a, .origin = from_a});
    first.insert({.points = b, .origin = from_b});
    second.insert({.points = b, .origin = from_b});
    second.insert({.points = a, .origin = from_a});
    EXPECT_EQ(first.map().stamp(), second.map().stamp());
  }
}

TEST(Sensors, APointOnAFaceIsInTheUpperCell) {
  for (const double resolution : {0.001, 0.05, 0.1, 0.3, 1.0 / 3, 0.0625, 7.7}) {
    OccupancyMapper mapper({.resolution = resolution});
    std::vector<Vec3> points;
    std::vector<CellKey> cells;
    Generator random(3);
    for (int i = 0; i < 60; ++i) {
      const int reach = i % 2 == 0 ? 50 : 400000;
      const CellKey cell{random.integer(-reach, reach), random.integer(-reach, reach), random.integer(-reach, reach)};
      // i × resolution, as the boxes of cells are rounded: an edge or a corner of eight cells.
      points.emplace_back(cell.x * resolution, cell.y * resolution, cell.z * resolution);
      cells.push_back(cell);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::span<const Vec3> one(&points[i], 1);
      mapper.insert({.points = one, .origin = points[i], .zero_is_no_return = false});
      const OccupancyMap map = mapper.map();
      EXPECT_EQ(map.key_of(points[i]), cells[i]);
      EXPECT_EQ(map.log_odds(cells[i]), kHit) << resolution;
      EXPECT_TRUE(map.box(cells[i]).contains(points[i]));
    }
  }
}

// Cells near the origin are compared with OctoMap's in insert_test; its keys end at 32 m, where these begin.
TEST(Sensors, CellsOfAMillimetreKilometresAway) {
  Generator random(5);
  const double resolution = 0.001;
  const Vec3 shift(12'000, -9'000, 4'000);
  for (int round = 0; round < scaled(5); ++round) {
    std::vector<Vec3> points, far;
    for (int i = 0; i < 50; ++i) {
      points.emplace_back(random.in_cube(0.15));
      far.emplace_back(points.back() + shift);
    }
    OccupancyMapper mapper({.resolution = resolution}), moved({.resolution = resolution});
    mapper.insert({.points = points, .origin = points[0], .zero_is_no_return = false});
    moved.insert({.points = far, .origin = far[0], .zero_is_no_return = false});
    const OccupancyMap map = mapper.map(), away = moved.map();
    EXPECT_EQ(refusal([&] { away.validate(); }), "");
    std::size_t kept = 0, all = 0;
    map.visit_leaves([&](const OccupancyCell& leaf) {
      if (leaf.level > 0) return;
      ++all;
      const CellKey there{leaf.key.x + 12'000'000, leaf.key.y - 9'000'000, leaf.key.z + 4'000'000};
      kept += away.log_odds(there) == leaf.log_odds ? 1 : 0;
    });
    EXPECT_GT(all, 1000U);
    EXPECT_GE(double(kept), 0.999 * double(all)) << "but for the rounding of the points";
  }
}

TEST(Sensors, ARobotOnTheMoveTakesNoMoreMemoryTheFartherItGets) {
  OccupancyMapper mapper({.resolution = 0.1});
  std::size_t early = 0, late = 0;
  for (int step = 0; step < 120; ++step) {
    const Vec3 place(5.0 * step, 0, 0);
    std::vector<Vec3> points;
    for (int i = 0; i < 40; ++i) {
      const double angle = 2 * M_PI * i / 40;
      points.emplace_back(place + Vec3(3 * std::cos(angle), 3 * std::sin(angle), 0.1 * (i % 7)));
    }
    mapper.insert({.points = points, .origin = place, .time = double(step), .max_range = 4});
    mapper.keep(Aabb::around(place, Vec3::Constant(6)));
    const std::size_t bytes = mapper.memory_bytes() + mapper.map().memory_bytes();
    if (step < 20) early = std::max(early, bytes);
    late = bytes;
  }
  EXPECT_LE(double(late), 1.1 * double(early));
  const OccupancyMap map = mapper.map();
  EXPECT_EQ(refusal([&] { map.validate(); }), "");
  EXPECT_EQ(map.newest(), 119);
  EXPECT_FALSE(map.newest(Aabb::around(Vec3::Zero(), Vec3::Constant(3))));
  EXPECT_TRUE(map.bounds().min.x() > 5.0 * 119 - 6.2);
  // Faded and forgotten space is given back as well.
  mapper.decay(1000, 1);
  EXPECT_TRUE(mapper.map().empty());
  EXPECT_LT(mapper.map().memory_bytes(), 2000U);
}

}  // namespace sensors_test
}  // namespace graze
