#include "graze/map/revealed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "graze/geometry/occupancy_map_builder.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace revealed_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

using Key = std::array<int, 3>;
constexpr int kSide = 8;  // cells of a world from −8 to 7 on each axis
constexpr double kResolution = 0.1;

OccupancyMap random_world(Generator& random) {
  OccupancyMapBuilder builder(kResolution);
  for (int x = -kSide; x < kSide; ++x) {
    for (int y = -kSide; y < kSide; ++y) {
      for (int z = -kSide; z < kSide; ++z) {
        const int kind = random.integer(0, 9);
        if (kind < 5) continue;
        builder.add({{x, y, z}, 0, kind < 9 ? -1.0F : 2.0F});
      }
    }
  }
  return std::move(builder).finish();
}

/// Where a ray is in the closed box of a cell, shrunk or grown by a little; enter > leave if it is not.
std::pair<double, double> within(const Aabb& cell, const Vec3& from, const Vec3& direction, double grow) {
  double enter = 0, leave = kInfinity;
  for (int a = 0; a < 3; ++a) {
    const double low = cell.min[a] - grow, high = cell.max[a] + grow;
    if (direction[a] == 0) {
      if (from[a] < low || from[a] > high) return {1, 0};
      continue;
    }
    const double t0 = (low - from[a]) / direction[a], t1 = (high - from[a]) / direction[a];
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  }
  return {enter, leave};
}

/// All unknown cells that some ray passes before it meets what stops it; `grow`: by how much cells are larger than they
/// are for rays that pass, and smaller for what stops.
std::set<Key> seen_by_brute_force(const OccupancyMap& map, bool unknown_stops, const Pose& pose,
                                  const std::vector<Vec3>& rays, double range, double grow) {
  std::set<Key> seen;
  constexpr int kReach = 2 * kSide + 4;
  for (const Vec3& own : rays) {
    const Vec3 direction = (pose.rotation() * own).normalized(), from = pose.translation();
    double end = range;
    const auto each = [&](auto visit) {
      for (int x = -kReach; x < kReach; ++x) {
        for (int y = -kReach; y < kReach; ++y) {
          for (int z = -kReach; z < kReach; ++z) visit(CellKey{x, y, z}, map.state(CellKey{x, y, z}));
        }
      }
    };
    each([&](const CellKey& key, Occupancy state) {
      if (state != Occupancy::occupied && !(unknown_stops && state == Occupancy::unknown)) return;
      const auto [enter, leave] = within(map.box(key), from, direction, -grow);
      if (enter <= leave) end = std::min(end, enter);
    });
    each([&](const CellKey& key, Occupancy state) {
      if (state != Occupancy::unknown) return;
      const auto [enter, leave] = within(map.box(key), from, direction, grow);
      // The cell in which a ray is cut off is not seen, that at which it is stopped is.
      const bool last = end == range && leave >= range;
      const bool stops = unknown_stops && end < range && within(map.box(key), from, direction, -grow).first == end;
      if (enter <= leave && (stops || enter <= end + grow) && !(grow < 0 && last)) seen.insert({key.x, key.y, key.z});
    });
  }
  return seen;
}

TEST(RevealedSpace, IsWhatRaysPassCellByCell) {
  std::size_t certain = 0, possible = 0;
  for (int seed = 0; seed < scaled(6); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    const OccupancyMap map = random_world(random);
    const Pose pose = random.pose(0.5);
    std::vector<Vec3> rays;
    for (int i = random.integer(1, 12); i > 0; --i) rays.push_back(random.in_cube(1));
    const double range = random.uniform(0.3, 1.8);
    for (const bool stops : {false, true}) {
      const MapView walls(map, stops ? UnknownSpace::occupied : UnknownSpace::free);
      std::set<Key> got;
      const RevealedSpace space = visit_revealed(
          walls, {.pose = pose, .directions = rays, .max_range = range}, {}, [&](const CellKey& key, int level) {
            for (int c = 0; c < 1 << 3 * level; ++c) {
              const int m = (1 << level) - 1;
              const bool fresh =
                  got.insert({key.x + (c & m), key.y + (c >> level & m), key.z + (c >> 2 * level & m)}).second;
              EXPECT_TRUE(fresh) << "each cell once";
              EXPECT_EQ(map.state(CellKey{key.x, key.y, key.z}), Occupancy::unknown);
            }
          });
      EXPECT_EQ(space.cells, double(got.size()));
      EXPECT_NEAR(space.volume, double(got.size()) * std::pow(kResolution, 3), 1e-12);
      // Rays that pass an edge of cells within rounding may see the cell beyond it or not.
      const std::set<Key> least = seen_by_brute_force(map, stops, pose, rays, range, -1e-7),
                          most = seen_by_brute_force(map, stops, pose, rays, range, 1e-7);
      for (const Key& key : least) EXPECT_TRUE(got.contains(key)) << key[0] << " " << key[1] << " " << key[2];
      for (const Key& key : got) EXPECT_TRUE(most.contains(key)) << key[0] << " " << key[1] << " " << key[2];
      certain += least.size(), possible += most.size();
    }
  }
  EXPECT_GT(double(certain), 0.9 * double(possible)) << "hardly anything is left to rounding";
}

TEST(RevealedSpace, NoFrameRevealsMoreAndAWallHidesWhatIsBehind) {
  OccupancyMapBuilder builder(0.1);
  for (int y = -20; y < 20; ++y) {
    for (int z = -20; z < 20; ++z) builder.add({{10, y, z}, 0, 2.0F});
  }
  const OccupancyMap wall = std::move(builder).finish();
  const std::vector<Vec3> rays = camera_rays(40, 30, 30, 30, 19.5, 14.5);
  Mat3 forward, back;  // z along x, and against it
  forward << 0, 0, 1, -1, 0, 0, 0, -1, 0;
  back << 0, 0, -1, 1, 0, 0, 0, -1, 0;
  const auto seen = [&](const Mat3& axes, UnknownSpace unknown) {
    return revealed_space(
        MapView(wall, unknown),
        {.pose = Pose::from_matrix(Vec3(0.05, 0.05, 0.05), axes), .directions = rays, .max_range = 3});
  };
  const RevealedSpace to_wall = seen(forward, UnknownSpace::free), away = seen(back, UnknownSpace::free);
  EXPECT_EQ(to_wall.blocked, rays.size());
  EXPECT_EQ(away.blocked, 0U);
  EXPECT_GT(away.volume, 5 * to_wall.volume);
  const RevealedSpace frontier = seen(back, UnknownSpace::occupied);
  EXPECT_EQ(frontier.cells, 1) << "the sensor itself stands in an unknown cell";
}

TEST(RevealedSpace, RefusesWhatIsNoSensor) {
  const MapView nothing(OccupancyMap{}, UnknownSpace::free);
  const std::vector<Vec3> one{{1, 0, 0}}, bad{{0, 0, 0}, {std::nan(""), 0, 0}, {0, 0, 2}};
  const auto why = [&](SensorView sensor) { return refusal([&] { revealed_space(nothing, sensor); }); };
  EXPECT_EQ(why({.directions = one, .max_range = 1}), "");
  EXPECT_NE(why({.directions = one, .max_range = 0}), "");
  EXPECT_NE(why({.directions = one, .max_range = kInfinity}), "");
  EXPECT_NE(why({.directions = one, .max_range = std::nan("")}), "");
  EXPECT_NE(why({.pose = Pose::at({1e12, 0, 0}), .directions = one, .max_range = 1}), "");
  EXPECT_EQ(revealed_space(nothing, {.directions = bad, .max_range = 1}).passed_over, 2U);
  EXPECT_EQ(revealed_space(nothing, {.max_range = 1}).cells, 0);
  const std::vector<Vec3> many = camera_rays(100, 100, 50, 50, 49.5, 49.5);
  EXPECT_NE(refusal([&] { revealed_space(nothing, {.directions = many, .max_range = 500}, {.max_bytes = 1 << 20}); }),
            "");
  EXPECT_NE(refusal([] { camera_rays(0, 3, 1, 1, 0, 0); }), "");
  EXPECT_NE(refusal([] { camera_rays(3, 3, 0, 1, 0, 0); }), "");
}

}  // namespace revealed_test
}  // namespace graze
