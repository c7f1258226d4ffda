// One body among the cells of large maps, against every leaf by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "graze/geometry/map_view.h"
#include "graze/geometry/occupancy_map_builder.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "graze/shape/box.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze {
namespace map_walk_test {

using graze_test::Generator;
using graze_test::scaled;

struct Leaves {
  double resolution = 0;
  std::vector<OccupancyCell> all;
  OccupancyMap map;
};

/// Cells and cubes of all levels, in all octants or far from the origin, some of them free.
Leaves random_leaves(Generator& random) {
  Leaves leaves;
  leaves.resolution = random.integer(0, 1) ? 0.05 : random.magnitude(-2, 0);
  const std::int32_t far = random.integer(0, 2) == 0 ? 1 << random.integer(10, 26) : 0;
  const int extent = 1 << random.integer(2, 8);
  OccupancyMapBuilder builder(leaves.resolution);
  std::set<std::array<std::int32_t, 3>> taken;  // corners of cubes of 8 cells
  for (int i = random.integer(1, 120); i > 0; --i) {
    OccupancyCell leaf;
    leaf.level = random.integer(0, 3);
    const auto axis = [&] {
      const std::int32_t k = random.integer(-extent, extent - 1) + far;
      return k & ~((1 << leaf.level) - 1);
    };
    leaf.key = {axis(), axis(), axis()};
    if (!taken.insert({leaf.key.x >> 3, leaf.key.y >> 3, leaf.key.z >> 3}).second) continue;
    leaf.log_odds = static_cast<float>(random.uniform(-2, 3));
    leaves.all.push_back(leaf);
    builder.add(leaf);
  }
  leaves.map = std::move(builder).finish();
  return leaves;
}

Geometry random_body(Generator& random, double size) {
  const double a = size * random.uniform(0.2, 1), b = size * random.uniform(0.2, 1), c = size * random.uniform(0.2, 1);
  switch (random.integer(0, 5)) {
    case 0:
      return Sphere{.radius = a};
    case 1:
      return Box{.half = {a, b, c}};
    case 2:
      return Cylinder{.radius = a, .half_length = b};
    case 3:
      return Capsule{.radius = a, .half_length = b};
    case 4:
      return Cone{.radius = a, .half_length = b};
    default:
      break;
  }
  const std::vector<Vec3> corners{{a, 0, 0}, {-a, b, 0}, {-a, -b, 0}, {0, 0, c}};
  const std::vector<MeshTriangle> triangles{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  return Mesh(corners, triangles);
}

TEST(MapWalk, FindsWhatEveryLeafByItselfSays) {
  int hits = 0, apart = 0;
  for (int seed = 0; seed < scaled(300) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    const Leaves leaves = random_leaves(random);
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
      double truth = kInfinity;
      for (const Placed& box : boxes) truth = std::min(truth, distance(placed, box, {.depth = false}).value);
      const double unsure = 1e-9 * leaves.resolution + 1e-13 * coordinates;
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

}  // namespace map_walk_test
}  // namespace graze
