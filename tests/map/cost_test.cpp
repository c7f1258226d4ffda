#include "graze/map/occupancy_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "graze/geometry/occupancy_map_builder.h"
#include "graze/query/collide.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace cost_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

OccupancyMap random_map(Generator& random, double resolution) {
  OccupancyMapBuilder builder(resolution);
  for (int x = -2; x < 2; ++x) {
    for (int y = -2; y < 2; ++y) {
      for (int z = -2; z < 2; ++z) {
        const auto value = [&] { return log_odds_of(random.integer(1, 9) / 10.0); };
        const int kind = random.integer(0, 2);
        if (kind == 1) builder.add({{4 * x, 4 * y, 4 * z}, 2, value()});
        for (int i = 0; kind == 2 && i < 64; ++i) {
          if (random.integer(0, 1)) builder.add({{4 * x + i % 4, 4 * y + i / 4 % 4, 4 * z + i / 16}, 0, value()});
        }
      }
    }
  }
  return std::move(builder).finish();
}

Placed random_body(Generator& random) {
  const Pose pose = random.pose(0.8);
  switch (random.integer(0, 3)) {
    case 0:
      return at(Sphere{.radius = random.uniform(0, 0.6)}, pose);
    case 1:
      return at(Capsule{.radius = random.uniform(0, 0.2), .half_length = random.uniform(0, 0.8)}, pose);
    case 2:
      return at(Triangle(random.in_cube(1), random.in_cube(1), random.in_cube(1)), pose);
    default:
      return at(Box{.half = {random.uniform(0, 0.5), random.uniform(0, 0.5), random.uniform(0, 0.5)}}, pose);
  }
}

TEST(OccupancyCost, IsThatOfEveryCellByItself) {
  for (int seed = 0; seed < scaled(150); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    const OccupancyMap map = random_map(random, 0.1);
    const Placed body = random_body(random);
    OccupancyCostOptions options{.min_probability = random.integer(0, 2) * 0.3};
    if (random.integer(0, 1)) options.unknown_probability = random.uniform(0, 1);
    const Aabb around = bounds(body.geometry, body.pose);
    std::vector<CostBox> expected;
    double cost = 0;
    for (int x = -25; x < 25; ++x) {
      for (int y = -25; y < 25; ++y) {
        for (int z = -25; z < 25; ++z) {
          const Aabb cell = map.box(CellKey{x, y, z});
          if (!overlap(cell, around)) continue;
          const std::optional<float> value = map.log_odds(CellKey{x, y, z});
          if (!value && !options.unknown_probability) continue;
          const double p = value ? probability_of(*value) : *options.unknown_probability;
          if (p < options.min_probability) continue;
          if (!collide(at(Box{.half = cell.half()}, Pose::at(cell.center())), body)) continue;
          expected.push_back({{x, y, z}, {cell.min.cwiseMax(around.min), cell.max.cwiseMin(around.max)}, p, value});
          cost += p * expected.back().volume();
        }
      }
    }
    std::sort(expected.begin(), expected.end(), [](const CostBox& a, const CostBox& b) {
      return std::make_tuple(-a.probability, a.key.x, a.key.y, a.key.z) <
             std::make_tuple(-b.probability, b.key.x, b.key.y, b.key.z);
    });
    std::vector<CostBox> buffer(static_cast<std::size_t>(random.integer(0, 20)));
    const OccupancyCost got = occupancy_cost(map, body, buffer, options);
    EXPECT_TRUE(got.complete);
    ASSERT_EQ(got.cells, expected.size());
    EXPECT_NEAR(got.cost, cost, 1e-12);
    ASSERT_EQ(got.boxes.size(), std::min(buffer.size(), expected.size()));
    for (std::size_t i = 0; i < got.boxes.size(); ++i) {
      ASSERT_EQ(got.boxes[i].key, expected[i].key);
      ASSERT_EQ(got.boxes[i].box, expected[i].box);
      ASSERT_EQ(got.boxes[i].probability, expected[i].probability);
    }
  }
}

TEST(OccupancyCost, RefusesWhatHasNoVolumeOrNoProbability) {
  const OccupancyMap map;
  std::vector<CostBox> none;
  EXPECT_NE(refusal([&] { occupancy_cost(map, at(HalfSpace(Vec3(0, 0, 1), 0)), none); }), "");
  const Placed ball = at(Sphere{.radius = 1});
  EXPECT_NE(refusal([&] { occupancy_cost(map, ball, none, {.min_probability = -1}); }), "");
  EXPECT_NE(refusal([&] { occupancy_cost(map, ball, none, {.min_probability = std::nan("")}); }), "");
  EXPECT_NE(refusal([&] { occupancy_cost(map, ball, none, {.unknown_probability = 2}); }), "");
  EXPECT_EQ(occupancy_cost(map, ball, none).cost, 0);
  const OccupancyCost cut = occupancy_cost(map, ball, none, {.unknown_probability = 0.5, .max_cells = 100});
  EXPECT_FALSE(cut.complete);
}

}  // namespace cost_test
}  // namespace graze
