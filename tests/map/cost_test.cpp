#include "graze/map/occupancy_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "graze/geometry/occupancy_map_builder.h"
#include "graze/query/collide.h"
#include "graze/query/sweep.h"
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

/// Whether a box has more than a face in common with a cell; where it is flat, faces are of the upper cell.
bool in_common(const Aabb& cell, const Aabb& box) {
  for (int a = 0; a < 3; ++a) {
    constexpr double kNothing = 1e-10;  // bounds are rounded outwards
    const double middle = (box.min[a] + box.max[a]) / 2;
    if (box.max[a] - box.min[a] < kNothing) {
      if (middle < cell.min[a] || middle >= cell.max[a]) return false;
    } else if (box.max[a] - kNothing <= cell.min[a] || box.min[a] + kNothing >= cell.max[a]) {
      return false;
    }
  }
  return true;
}

/// Calls visit(key, box, probability, log-odds) for all cells that count.
template <class Visit>
void each_cell(const OccupancyMap& map, const OccupancyCostOptions& options, int reach, Visit visit) {
  for (int x = -reach; x < reach; ++x) {
    for (int y = -reach; y < reach; ++y) {
      for (int z = -reach; z < reach; ++z) {
        const CellKey key{x, y, z};
        const std::optional<float> value = map.log_odds(key);
        if (!value && !options.unknown_probability) continue;
        const double p = value ? probability_of(*value) : *options.unknown_probability;
        if (value ? *value >= log_odds_of(options.min_probability) : p >= options.min_probability)
          visit(key, map.box(key), p, value);
      }
    }
  }
}

Placed cell_of(const Aabb& box) { return at(Box{.half = box.half()}, Pose::at(box.center())); }

bool same_box(const Aabb& a, const Aabb& b) { return a.min == b.min && a.max == b.max; }

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
          if (!in_common(cell, around)) continue;
          const std::optional<float> value = map.log_odds(CellKey{x, y, z});
          if (!value && !options.unknown_probability) continue;
          const double p = value ? probability_of(*value) : *options.unknown_probability;
          if (value ? *value < log_odds_of(options.min_probability) : p < options.min_probability) continue;
          if (!collide(cell_of(cell), body)) continue;
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

// Bodies whose faces lie on those of cells, and points: what only touches from outside is not listed.
TEST(OccupancyCost, WhatOnlyTouchesACellHasNoBoxInIt) {
  OccupancyMapBuilder builder(0.125);
  for (int x = -4; x < 4; ++x) {
    for (int y = -4; y < 4; ++y) {
      for (int z = -4; z < 4; ++z) builder.add({{x, y, z}, 0, static_cast<float>(x + 0.1 * y)});
    }
  }
  const OccupancyMap map = std::move(builder).finish();
  std::vector<CostBox> buffer(100);
  const auto cells = [&](const Placed& body) { return occupancy_cost(map, body, buffer).cells; };
  EXPECT_EQ(cells(at(Box{.half = {0.125, 0.125, 0.125}})), 8U) << "two cells along each axis, not four";
  EXPECT_EQ(cells(at(Box{.half = {0.0625, 0.0625, 0.0625}}, Pose::at({0.0625, 0.0625, 0.0625}))), 1U);
  EXPECT_EQ(cells(at(Sphere{.radius = 0}, Pose::at({0, 0, 0}))), 1U) << "a point is in one cell";
  EXPECT_EQ(cells(at(Sphere{.radius = 0}, Pose::at({0.5, 0, 0}))), 0U) << "in the upper one, which is not known";
  EXPECT_EQ(cells(at(Box{.half = {0.125, 0.125, 0}}, Pose::at({0, 0, 0.25}))), 4U) << "a flat one";
  EXPECT_EQ(cells(at(Sphere{.radius = 0.125}, Pose::at({0.625, 0.0625, 0.0625}))), 0U) << "from outside";
  for (const CostBox& box : occupancy_cost(map, at(Box{.half = {0.125, 0.125, 0.125}}), buffer).boxes) {
    EXPECT_GT(box.volume(), 0);
  }
}

TEST(OccupancyCost, OfAPathCountsEveryCellOnce) {
  for (int seed = 0; seed < scaled(12); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 100);
    const OccupancyMap map = random_map(random, 0.1);
    const Placed body = random_body(random);
    OccupancyCostOptions options{.min_probability = random.integer(0, 2) * 0.3};
    if (random.integer(0, 1)) options.unknown_probability = random.uniform(0, 1);
    std::vector<Pose> poses;
    const Vec3 along = random.in_cube(0.15);
    for (int i = random.integer(0, 6); i >= 0; --i) poses.push_back(Pose::at(i * along) * body.pose);
    struct Met {
      Aabb box;
      double time = 0, probability = 0;
    };
    std::vector<std::pair<CellKey, Met>> expected;
    double cost = 0;
    each_cell(map, options, 30, [&](const CellKey& key, const Aabb& cell, double p, std::optional<float>) {
      Met met;
      met.time = -1;
      met.probability = p;
      for (std::size_t i = 0; i < poses.size(); ++i) {
        const Aabb around = bounds(body.geometry, poses[i]);
        if (!in_common(cell, around) || !collide(cell_of(cell), at(body.geometry, poses[i]))) continue;
        if (met.time < 0) met.time = double(i);
        met.box.extend(Aabb{cell.min.cwiseMax(around.min), cell.max.cwiseMin(around.max)});
      }
      if (met.time < 0) return;
      expected.emplace_back(key, met);
      cost += p * (met.box.max - met.box.min).prod();
    });
    std::vector<CostBox> buffer(expected.size() + 3);
    const OccupancyCost got = occupancy_cost(map, BodyPath{.geometry = body.geometry, .poses = poses}, buffer, options);
    ASSERT_EQ(got.cells, expected.size());
    EXPECT_NEAR(got.cost, cost, 1e-12);
    for (const CostBox& box : got.boxes) {
      const auto found =
          std::find_if(expected.begin(), expected.end(), [&](const auto& e) { return e.first == box.key; });
      ASSERT_NE(found, expected.end());
      EXPECT_TRUE(same_box(found->second.box, box.box));
      EXPECT_EQ(found->second.time, box.time);
      EXPECT_EQ(found->second.probability, box.probability);
    }
    // One pose is the body that stands there.
    const std::span<const Pose> first(poses.data(), 1);
    const OccupancyCost one = occupancy_cost(map, BodyPath{.geometry = body.geometry, .poses = first}, buffer, options);
    std::vector<CostBox> other(buffer.size());
    const OccupancyCost still = occupancy_cost(map, at(body.geometry, poses[0]), other, options);
    EXPECT_EQ(one.cost, still.cost);
    EXPECT_EQ(one.cells, still.cells);
  }
}

TEST(OccupancyCost, OfAMotionHasEveryCellThatSamplesMeet) {
  for (int seed = 0; seed < scaled(8); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 200);
    const OccupancyMap map = random_map(random, 0.1);
    const Placed body = random_body(random);
    const bool straight = random.integer(0, 2) == 0;
    const Pose to = straight ? Pose::at(random.in_cube(0.5)) * body.pose : random.pose(0.5);
    const Moving moving = at(body.geometry, Motion(body.pose, to));
    OccupancyCostOptions options;
    if (random.integer(0, 1)) options.unknown_probability = 0.5;
    std::vector<CostBox> buffer(100000);
    const OccupancyCost got = occupancy_cost(map, moving, buffer, options);
    ASSERT_LE(got.cells, buffer.size());
    std::size_t sampled = 0;
    Aabb all, around;
    for (const CostBox& box : got.boxes) all.extend(box.box);
    for (int i = 0; i <= 400; ++i) around.extend(bounds(body.geometry, moving.motion.at(i / 400.0)));
    each_cell(map, options, 30, [&](const CellKey& key, const Aabb& cell, double, std::optional<float>) {
      if (!overlap(cell, around)) return;
      const auto found =
          std::find_if(got.boxes.begin(), got.boxes.end(), [&](const CostBox& b) { return b.key == key; });
      Aabb seen;
      double first = 2;
      for (int i = 0; i <= 20; ++i) {
        const Pose pose = moving.motion.at(i / 20.0);
        const Aabb there = bounds(body.geometry, pose);
        if (!in_common(cell, there) || !collide(cell_of(cell), at(body.geometry, pose))) continue;
        seen.extend(Aabb{cell.min.cwiseMax(there.min), cell.max.cwiseMin(there.max)});
        first = std::min(first, i / 20.0);
      }
      if (found != got.boxes.end()) {
        EXPECT_TRUE(sweep_hits(moving, cell_of(cell)));
        EXPECT_LE(found->time, first);
      }
      if (first > 1) return;
      ++sampled;
      ASSERT_NE(found, got.boxes.end()) << "a sample meets the cell";
      EXPECT_TRUE((found->box.min.array() <= seen.min.array() + 1e-12).all() &&
                  (found->box.max.array() >= seen.max.array() - 1e-12).all());
    });
    EXPECT_LE(sampled, got.cells);
    // The box of all pieces is hardly larger than that of dense samples.
    EXPECT_TRUE(all.empty() || (all.min.array() >= around.min.array() - 0.01).all());
    EXPECT_TRUE(all.empty() || (all.max.array() <= around.max.array() + 0.01).all());
  }
}

TEST(OccupancyCost, ACostOfOnesOwnOrdersTheBoxes) {
  Generator random(7);
  const OccupancyMap map = random_map(random, 0.1);
  const Placed body = at(Box{.half = {0.3, 0.3, 0.3}}, random.pose(0.2));
  std::vector<CostBox> all(10000), few(5);
  const auto of_volume = [](const CostBox& box) { return box.log_odds ? box.volume() : std::nan(""); };
  const OccupancyCost whole = occupancy_cost(map, body, all, {}, of_volume);
  const OccupancyCost part = occupancy_cost(map, body, few, {}, of_volume);
  double sum = 0;
  for (std::size_t i = 0; i < whole.boxes.size(); ++i) {
    sum += whole.boxes[i].volume();
    EXPECT_EQ(whole.boxes[i].cost, whole.boxes[i].volume());
    EXPECT_GE(whole.boxes[i > 0 ? i - 1 : 0].cost, whole.boxes[i].cost);
  }
  EXPECT_NEAR(whole.cost, sum, 1e-12);
  ASSERT_EQ(part.boxes.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(part.boxes[i].key, whole.boxes[i].key);
  const OccupancyCost unknown = occupancy_cost(map, body, few, {.unknown_probability = 0.5}, of_volume);
  EXPECT_EQ(unknown.cost, kInfinity) << "what is not a number is infinite";
  EXPECT_FALSE(unknown.boxes[0].log_odds) << "and comes first";
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
  const std::vector<Pose> poses(2);
  EXPECT_NE(refusal([&] { occupancy_cost(map, BodyPath{HalfSpace(Vec3(0, 0, 1), 0), poses}, none); }), "");
  EXPECT_NE(refusal([&] { occupancy_cost(map, at(HalfSpace(Vec3(0, 0, 1), 0), Motion({}, {})), none); }), "");
  EXPECT_EQ(occupancy_cost(map, BodyPath{Sphere{.radius = 1}, {}}, none, {.unknown_probability = 1}).cells, 0U);
}

// A probability that a cell has by one hit counts where it is asked for, as a threshold does.
TEST(OccupancyCost, CellsExactlyAtTheMinimumCount) {
  for (const double p : {0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95}) {
    OccupancyMapBuilder builder(1);
    builder.add({.key = {0, 0, 0}, .log_odds = log_odds_of(p)});
    const OccupancyMap map = std::move(builder).finish();
    std::vector<CostBox> buffer(1);
    const Placed ball = at(Sphere{0.5}, Pose::at({0.5, 0.5, 0.5}));
    EXPECT_EQ(occupancy_cost(map, ball, buffer, {.min_probability = p}).cells, 1U) << p;
    EXPECT_EQ(map.state(CellKey{0, 0, 0}, p), Occupancy::occupied) << p;
  }
}

}  // namespace cost_test
}  // namespace graze
