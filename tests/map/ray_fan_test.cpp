// Rays that start late, because others passed their first cells: against the same frame with all rays from the sensor.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "graze/map/occupancy_mapper.h"
#include "map/frame_grid.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze {
namespace ray_fan_test {

using graze_test::Generator;
using graze_test::scaled;

/// What a sensor sees: rays in a cone or all around, up to walls, a floor and balls, some of them without return.
struct Scene {
  double resolution = 0.125;
  Vec3 origin = Vec3::Zero();
  double range = kInfinity;
  std::vector<Vec3> points;
};

Scene random_scene(Generator& random) {
  Scene scene;
  if (random.integer(0, 2) == 0) scene.resolution = random.magnitude(-1.5, 0);
  const double cell = scene.resolution;
  const Vec3 away = random.integer(0, 4) == 0 ? Vec3(1 << 20, -(1 << 19), 1 << 18) * cell : Vec3(0, 0, 0);
  const int kind = random.integer(0, 4);  // of where the sensor stands in its cell
  for (int a = 0; a < 3; ++a) {
    const double in_cell = kind == 0 ? 0 : kind == 1 ? 0.5 : kind == 2 ? 1e-9 : random.uniform(0, 1);
    scene.origin[a] = away[a] + cell * (random.integer(-20, 20) + in_cell);
  }
  const double size = cell * random.uniform(30, 220);
  Vec3 walls;  // how far they are
  for (double& wall : walls) wall = size * random.uniform(0.3, 1);
  const Vec3 ball = scene.origin + size * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  const double radius = size * random.uniform(0, 0.4);
  const bool around = random.integer(0, 3) == 0;
  const Pose pose = random.integer(0, 2) == 0 ? Pose() : random.pose(0);
  const int columns = random.integer(30, 300), rows = random.integer(30, 300);
  const double wide = random.uniform(0.1, 0.9), high = random.uniform(0.1, 0.9);
  const bool holes = random.integer(0, 2) == 0;
  for (int i = 0; i < columns * rows; ++i) {
    const double u = 2.0 * (i % columns) / columns - 1, v = 2.0 * (i / columns) / rows - 1;
    if (holes && (i / 7) % 5 == 0) continue;
    Vec3 along(1, wide * u, high * v);
    if (around) along = Vec3(std::cos(M_PI * u) * std::cos(v), std::sin(M_PI * u) * std::cos(v), std::sin(v));
    along = (pose.rotation() * along).normalized();
    double t = kInfinity;
    for (int a = 0; a < 3; ++a) t = std::min(t, walls[a] / std::abs(along[a]));
    const double nearest = along.dot(ball - scene.origin);
    const double aside_sq = (ball - scene.origin).squaredNorm() - nearest * nearest;
    if (nearest > 0 && aside_sq < radius * radius) t = std::min(t, nearest - std::sqrt(radius * radius - aside_sq));
    scene.points.emplace_back(scene.origin + std::max(t, 0.0) * along);
  }
  if (random.integer(0, 1) == 0) scene.range = size * random.uniform(0.1, 1.2);
  return scene;
}

/// The map of a frame and what was reported. A point at `mark` is added to it.
auto insert(const Scene& scene, const Vec3& mark) {
  std::vector<Vec3> points = scene.points;
  points.push_back(mark);
  OccupancyMapper mapper({.resolution = scene.resolution});
  const InsertReport report = mapper.insert({.points = points,
                                             .origin = scene.origin,
                                             .max_range = scene.range,
                                             .rays = FrameRays::per_end_voxel,
                                             .zero_is_no_return = false});
  return std::tuple(mapper.map().stamp(), report.hits, report.cut, report.cells_hit, report.cells_missed);
}

TEST(RayFan, MarksTheCellsOfRaysThatAllStartAtTheSensor) {
  for (int seed = 0; seed < scaled(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 4000);
    Scene scene = random_scene(random);
    // A ray to a point too far for a grid with all points, as far as it is cut with the rest: rays do not wait then.
    if (scene.range == kInfinity) scene.range = 300 * scene.resolution;
    const Vec3 cell = ((scene.origin / scene.resolution).array().floor() + 0.5) * scene.resolution;
    scene.origin.tail<2>() = cell.tail<2>();
    const auto mark = [&](double cells) -> Vec3 { return cell + Vec3(cells * scene.resolution, 0, 0); };
    EXPECT_EQ(insert(scene, mark(400)), insert(scene, mark(1 << 20)));
  }
}

TEST(RayFan, MarksTheCellsOfSingleRays) {
  for (int seed = 0; seed < scaled(20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 5000);
    const Scene scene = random_scene(random);
    OccupancyMapper together({.resolution = scene.resolution});
    together.insert({.points = scene.points,
                     .origin = scene.origin,
                     .max_range = scene.range,
                     .rays = FrameRays::per_end_voxel,
                     .zero_is_no_return = false});
    const OccupancyMap map = together.map();
    // Frames of a few points each: what one of them misses, all of them miss.
    OccupancyMapper apart({.resolution = scene.resolution});
    for (std::size_t first = 0; first < scene.points.size(); first += 30) {
      const std::size_t count = std::min<std::size_t>(30, scene.points.size() - first);
      apart.insert({.points = std::span(scene.points).subspan(first, count),
                    .origin = scene.origin,
                    .max_range = scene.range,
                    .rays = FrameRays::per_end_voxel,
                    .zero_is_no_return = false});
    }
    const OccupancyMap expected = apart.map();
    std::size_t ours = 0, theirs = 0;
    map.visit_leaves([&](const OccupancyCell& leaf) {
      const int m = (1 << leaf.level) - 1;
      for (int c = 0; c < 1 << 3 * leaf.level; ++c) {
        const CellKey key{leaf.key.x + (c & m), leaf.key.y + (c >> leaf.level & m),
                          leaf.key.z + (c >> 2 * leaf.level & m)};
        ASSERT_TRUE(expected.log_odds(key)) << key.x << " " << key.y << " " << key.z;
      }
      ours += std::size_t{1} << 3 * leaf.level;
    });
    expected.visit_leaves([&](const OccupancyCell& leaf) { theirs += std::size_t{1} << 3 * leaf.level; });
    EXPECT_EQ(ours, theirs);
  }
}

TEST(RayFan, SeesEveryCellOfABoxThatIsNotMarked) {
  map::FrameGrid grid;
  const std::array<std::int64_t, 3> first{-40, 16, 1000}, last{30, 60, 1100};
  ASSERT_TRUE(grid.cover(first, last));
  Generator random(77);
  const auto number = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const auto key = [&](std::size_t a, std::int64_t k) { return static_cast<std::int32_t>(grid.first_cell(a) + k); };
    return grid.number({key(0, x), key(1, y), key(2, z)});
  };
  const auto set = [&](std::uint64_t n, bool missed) {
    const std::uint64_t bit = std::uint64_t{1} << (n & 63U);
    grid.misses()[n >> 6U] = missed ? grid.misses()[n >> 6U] | bit : grid.misses()[n >> 6U] & ~bit;
  };
  for (int x = 0; x < 64; ++x) {
    for (int y = 0; y < 40; ++y) {
      for (int z = 0; z < 100; ++z) set(number(x, y, z), true);
    }
  }
  for (int i = 0; i < scaled(3000); ++i) {
    std::array<std::int64_t, 3> low{}, high{}, hole{};
    const std::array<int, 3> size{64, 40, 100};
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = random.integer(0, size[a] - 1);
      high[a] = std::min<std::int64_t>(size[a] - 1, low[a] + random.integer(0, 17));
      hole[a] = std::clamp<std::int64_t>(low[a] + random.integer(-1, 18), 0, size[a] - 1);
    }
    EXPECT_TRUE(grid.all_missed(low, high));
    bool inside = true;
    for (std::size_t a = 0; a < 3; ++a) inside = inside && low[a] <= hole[a] && hole[a] <= high[a];
    set(number(hole[0], hole[1], hole[2]), false);
    EXPECT_EQ(grid.all_missed(low, high), !inside);
    set(number(hole[0], hole[1], hole[2]), true);
  }
}

}  // namespace ray_fan_test
}  // namespace graze
