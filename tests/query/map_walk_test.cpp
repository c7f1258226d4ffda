// One body among the cells of large maps, against every leaf by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "graze/base/simd.h"
#include "graze/geometry/map_view.h"
#include "graze/geometry/occupancy_map_builder.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "graze/shape/box.h"
#include "query/cell_reach.h"
#include "support/generator.h"
#include "support/random_leaves.h"
#include "support/scale.h"

namespace graze {
namespace map_walk_test {

using graze_test::coarse_leaves;
using graze_test::Generator;
using graze_test::Leaves;
using graze_test::random_body;
using graze_test::random_leaves;
using graze_test::scaled;

TEST(MapWalk, FindsWhatEveryLeafByItselfSays) {
  int hits = 0, apart = 0;
  for (int seed = 0; seed < scaled(300) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    const Leaves leaves = random.integer(0, 2) == 0 ? coarse_leaves(random) : random_leaves(random);
    const double threshold = random.integer(0, 1) ? 0.5 : random.uniform(0.05, 0.95);
    const MapView view(leaves.map, UnknownSpace::free, threshold);
    Aabb counted;
    std::vector<Placed> boxes;
    for (const OccupancyCell& leaf : leaves.all) {
      if (leaf.log_odds < log_odds_of(threshold)) continue;
      const Aabb box = leaves.map.box(leaf);
      counted.extend(box);
      boxes.push_back(at(Box{.half = box.half()}, Pose::at(box.center())));
    }
    EXPECT_EQ(view.bounds().empty(), counted.empty());
    if (!counted.empty()) {
      EXPECT_EQ(view.bounds().min, counted.min);
      EXPECT_EQ(view.bounds().max, counted.max);
    }
    const double coordinates = leaves.map.bounds().empty() ? 0 : leaves.map.bounds().min.cwiseAbs().maxCoeff() + 1;
    const Vec3 center = leaves.map.bounds().empty() ? Vec3::Zero() : leaves.map.bounds().center();
    for (int i = 0; i < 8; ++i) {
      const Geometry body = random_body(random, leaves.resolution * random.magnitude(-0.5, 1.5));
      const Vec3 reach = leaves.map.bounds().empty() ? Vec3::Ones() : leaves.map.bounds().half();
      const Vec3 where = center + 1.3 * Vec3(random.uniform(-1, 1) * reach.x(), random.uniform(-1, 1) * reach.y(),
                                             random.uniform(-1, 1) * reach.z());
      Pose pose = random.pose(1);
      pose = Pose::from_matrix(where, random.integer(0, 2) == 0 ? Mat3::Identity() : Mat3(pose.rotation()));
      const Placed placed = at(body, pose);
      double truth = kInfinity, tolerance = 0;
      for (const Placed& box : boxes) {
        const Distance d = distance(placed, box, {.depth = false});
        if (d.value < truth) truth = d.value, tolerance = d.tolerance;
      }
      // A small cone far from a cell leaves open more than the cells do.
      const double unsure = 1e-9 * leaves.resolution + 1e-13 * coordinates + (truth > 0 ? tolerance : 0);
      const Distance all = distance(placed, at(view), {.depth = false}),
                     swapped = distance(at(view), placed, {.depth = false});
      EXPECT_EQ(all.value, swapped.value);
      if (boxes.empty()) {
        EXPECT_TRUE(all.beyond);
        EXPECT_FALSE(collide(placed, at(view)));
        continue;
      }
      EXPECT_NEAR(std::max(all.value, 0.0), std::max(truth, 0.0), unsure + all.tolerance);
      const double limit = random.uniform(0, 2) * std::max(truth, leaves.resolution);
      const Distance limited = distance(placed, at(view), {.limit = limit, .depth = false});
      if (truth > limit + unsure + all.tolerance) {
        EXPECT_TRUE(limited.beyond);
      }
      if (truth < limit - unsure - all.tolerance) {
        EXPECT_EQ(limited.value, all.value);
      }
      if (truth > unsure + all.tolerance) {
        ++apart;
        EXPECT_FALSE(collide(placed, at(view)));
        EXPECT_FALSE(collide(placed, at(view), {.margin = truth * 0.999 - unsure}));
        EXPECT_TRUE(collide(at(view), placed, {.margin = truth * 1.001 + unsure}));
      } else if (truth < -unsure || all.value < 0) {
        EXPECT_TRUE(collide(placed, at(view)));
      }
      if (truth <= 0) {
        ++hits;
        EXPECT_TRUE(collide(placed, at(view)));
        EXPECT_LE(all.value, 0);
      }
    }
  }
  EXPECT_GT(hits, scaled(20));
  EXPECT_GT(apart, scaled(200));
}

TEST(MapWalk, LooksAtBoxesAsEveryLeafByItselfSays) {
  int near = 0, apart = 0, sure = 0;
  for (const std::string_view target : simd_targets()) {
    const ForcedSimdTarget forced(target);
    SCOPED_TRACE(target);
    for (int seed = 0; seed < scaled(150) && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      Generator random(static_cast<std::uint64_t>(seed));
      const Leaves leaves = random.integer(0, 2) == 0 ? coarse_leaves(random) : random_leaves(random);
      const MapView view(leaves.map, UnknownSpace::free, 0.5);
      if (view.bounds().empty()) continue;
      const Vec3 reach = view.bounds().half();
      Pose pose = random.pose(random.integer(0, 1) ? 1 : 1e4);
      if (random.integer(0, 1)) pose = Pose::at(random.integer(0, 1) ? Vec3::Zero() : pose.translation());
      const CellReach cells(view, pose, 0);
      double min[3][kWide], max[3][kWide];
      double gaps[kWide];  // in the map's frame, around the boxes
      const double margin = random.integer(0, 1) ? 0 : leaves.resolution * random.uniform(0, 3);
      for (std::size_t i = 0; i < kWide; ++i) {
        const double size = leaves.resolution * random.magnitude(-1, 0.8);
        Vec3 at = view.bounds().center();
        for (int a = 0; a < 3; ++a) at[a] += random.uniform(-1.2, 1.2) * reach[a];
        if (random.integer(0, 1)) {
          const OccupancyCell& leaf =
              leaves.all[static_cast<std::size_t>(random.integer(0, int(leaves.all.size()) - 1))];
          at = leaves.map.box(leaf).center() + 2 * (size + leaves.resolution) * random.in_cube(1);
        }
        const Aabb box = Aabb::around(pose * at, size * Vec3(random.uniform(0, 1), random.uniform(0, 1), 1));
        for (int a = 0; a < 3; ++a) min[a][i] = box.min[a], max[a][i] = box.max[a];
        const Aabb own = transformed(box, pose.inverse());
        gaps[i] = kInfinity;
        for (const OccupancyCell& leaf : leaves.all) {
          if (leaf.log_odds < 0) continue;
          double axis = -kInfinity;
          const Aabb cell = leaves.map.box(leaf);
          for (int a = 0; a < 3; ++a) axis = std::max({axis, cell.min[a] - own.max[a], own.min[a] - cell.max[a]});
          gaps[i] = std::min(gaps[i], axis);
        }
      }
      const auto some = static_cast<unsigned>(random.integer(1, 255));
      const unsigned found = cells.near(min, max, margin, false, some),
                     around = cells.near(min, max, margin, true, some),
                     certain = cells.surely_near(min, max, margin, some);
      EXPECT_EQ(found & ~some, 0U);
      EXPECT_EQ(found & ~around, 0U);
      EXPECT_EQ(certain & ~found, 0U);
      const double unsure = 1e-12 * (view.bounds().min.cwiseAbs().sum() + view.bounds().max.cwiseAbs().sum() +
                                     pose.translation().cwiseAbs().sum());
      for (unsigned i = 0; i < kWide; ++i) {
        if ((some >> i & 1U) == 0) continue;
        const bool is = (found >> i & 1U) != 0;
        if (gaps[i] <= margin - unsure) {
          EXPECT_TRUE(is) << gaps[i] << " of " << margin;
          near += is ? 1 : 0;
        }
        double largest = 0;
        for (int a = 0; a < 3; ++a) largest = std::max(largest, max[a][i] - min[a][i]);
        if (gaps[i] > margin + unsure && largest < 15 * leaves.resolution) {
          EXPECT_FALSE(is) << gaps[i] << " of " << margin;
          ++apart;
        }
        sure += static_cast<int>(certain >> i & 1U);
      }
    }
  }
  EXPECT_GT(near, scaled(100));
  EXPECT_GT(apart, scaled(100));
  EXPECT_GT(sure, scaled(100));
}

TEST(MapWalk, LooksAtBoxesThatAreNoNumbersAsIfTheyWereNear) {
  OccupancyMapBuilder builder(0.1);
  builder.add({.key = {3, 4, 5}, .log_odds = 1});
  const MapView view(std::move(builder).finish(), UnknownSpace::free);
  const Pose pose;
  const CellReach cells(view, pose, 0);
  const double nan = std::nan("");
  double min[3][kWide], max[3][kWide];
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t i = 0; i < kWide; ++i) min[a][i] = 100, max[a][i] = 100.1;
    min[a][0] = nan, max[a][0] = nan;
    min[a][1] = -kInfinity, max[a][1] = kInfinity;
    min[a][2] = -kInfinity;
    min[a][3] = 1e300, max[a][3] = 1e301;
  }
  EXPECT_EQ(cells.near(min, max, 0, false, 0xFF) & 7U, 7U);
  EXPECT_EQ(cells.near(min, max, 0, false, 0xF0), 0U);
  EXPECT_EQ(cells.near(min, max, nan, false, 0xFF), 0xFFU);
  EXPECT_EQ(cells.near(min, max, kInfinity, false, 0xFF), 0xFFU);
}

}  // namespace map_walk_test
}  // namespace graze
