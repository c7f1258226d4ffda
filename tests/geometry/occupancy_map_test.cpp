#include "graze/geometry/occupancy_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "graze/geometry/occupancy_map_builder.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace occupancy_map_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

using Model = std::map<std::tuple<int, int, int>, float>;  // the cells, one by one

std::tuple<int, int, int> tuple_of(const CellKey& k) { return {k.x, k.y, k.z}; }

/// Leaves that do not overlap, at several scales and locations, and what they say about each cell.
struct Scene {
  double resolution = 0.1;
  std::vector<OccupancyCell> leaves;
  Model cells;
};

Scene random_scene(Generator& random) {
  Scene scene;
  scene.resolution = random.integer(0, 2) == 0 ? 0.25 : random.magnitude(-3, 1);
  const int spread = 1 << random.integer(1, 9);
  constexpr int kFar = std::numeric_limits<int>::max(), kLow = std::numeric_limits<int>::min();
  const int place = random.integer(0, 3);
  const int count = random.integer(1, 60);
  for (int i = 0; i < count; ++i) {
    const auto axis = [&] {
      const int k = random.integer(-spread, spread - 1);
      if (place == 0) return kFar - (k + spread);
      if (place == 1) return kLow + (k + spread);
      return place == 2 ? k : k + 1000000;
    };
    const int level = random.integer(0, 3);
    const auto aligned = [&](int k) { return static_cast<int>(static_cast<unsigned>(k) & (~0U << unsigned(level))); };
    const OccupancyCell leaf{
        {aligned(axis()), aligned(axis()), aligned(axis())}, level, static_cast<float>(random.integer(-3, 3))};
    Model cells;
    for (int c = 0; c < 1 << 3 * level; ++c) {
      const int m = (1 << level) - 1;
      cells[{leaf.key.x + (c & m), leaf.key.y + (c >> level & m), leaf.key.z + (c >> 2 * level & m)}] = leaf.log_odds;
    }
    if (std::any_of(cells.begin(), cells.end(), [&](const auto& c) { return scene.cells.count(c.first) > 0; }))
      continue;
    scene.cells.merge(cells);
    scene.leaves.push_back(leaf);
  }
  return scene;
}

OccupancyMap map_of(const Scene& scene) {
  OccupancyMapBuilder builder(scene.resolution);
  for (const OccupancyCell& leaf : scene.leaves) builder.add(leaf);
  return std::move(builder).finish();
}

Model cells_of(const OccupancyMap& map) {
  Model cells;
  map.visit_leaves([&](const OccupancyCell& leaf) {
    const int m = (1 << leaf.level) - 1;
    for (int c = 0; c < 1 << 3 * leaf.level; ++c) {
      const auto [at, fresh] = cells.insert(
          {{leaf.key.x + (c & m), leaf.key.y + (c >> leaf.level & m), leaf.key.z + (c >> 2 * leaf.level & m)},
           leaf.log_odds});
      EXPECT_TRUE(fresh) << "leaves overlap";
    }
  });
  return cells;
}

TEST(OccupancyMap, HoldsTheCellsThatItWasMadeOf) {
  for (int seed = 0; seed < scaled(300); ++seed) {
    Generator random(static_cast<std::uint64_t>(seed));
    const Scene scene = random_scene(random);
    const OccupancyMap map = map_of(scene);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_EQ(refusal([&] { map.validate(); }), "");
    ASSERT_EQ(cells_of(map), scene.cells);
    Aabb bounds;
    for (const OccupancyCell& leaf : scene.leaves) bounds.extend(map.box(leaf));
    EXPECT_EQ(map.bounds(), bounds);
    EXPECT_LE(map.leaves(), scene.leaves.size());
    for (const OccupancyCell& leaf : scene.leaves) {
      for (int i = 0; i < 20; ++i) {
        const auto near = [&](int k) {
          return static_cast<int>(static_cast<unsigned>(k) + static_cast<unsigned>(random.integer(-2, 9)));
        };
        const CellKey key{near(leaf.key.x), near(leaf.key.y), near(leaf.key.z)};
        const auto expected = scene.cells.find(tuple_of(key));
        const std::optional<float> got = map.log_odds(key);
        ASSERT_EQ(got.has_value(), expected != scene.cells.end());
        if (got) {
          ASSERT_EQ(*got, expected->second);
        }
        const Occupancy state = map.state(key, 0.5);
        ASSERT_EQ(state, !got ? Occupancy::unknown : *got >= 0 ? Occupancy::occupied : Occupancy::free);
        const Vec3 center = map.box(key).center();
        ASSERT_EQ(map.log_odds(center), got);
      }
    }
  }
}

// Walks the tree through `children` and checks what every node says of what is below it against the cells.
void check_node(const OccupancyMap& map, const OccupancyNode& node, const std::vector<OccupancyCell>& leaves) {
  std::vector<OccupancyCell> inside;
  double known = 0;
  float value = -std::numeric_limits<float>::infinity();
  const double side = std::pow(2.0, node.level());
  for (const OccupancyCell& leaf : leaves) {
    const auto in = [&](int k, int low) { return double(k) >= double(low) && double(k) < double(low) + side; };
    if (!in(leaf.key.x, node.key().x) || !in(leaf.key.y, node.key().y) || !in(leaf.key.z, node.key().z)) continue;
    inside.push_back(leaf);
    known += std::pow(8.0, leaf.level);
    value = std::max(value, leaf.log_odds);
  }
  ASSERT_EQ(node.has_known(), known > 0);
  ASSERT_EQ(node.has_unknown(), known < std::pow(8.0, node.level()));
  ASSERT_EQ(node.max_log_odds(), value);
  if (node.is_leaf()) {
    ASSERT_NE(node.has_known(), node.has_unknown());
    return;
  }
  std::array<OccupancyNode, 8> children, known_children;
  map.children(node, children);
  const int count = map.known_children(node, known_children);
  int counted = 0;
  for (const OccupancyNode& child : children) {
    ASSERT_EQ(child.level(), node.level() - 1);
    check_node(map, child, inside);
    counted += child.has_known() ? 1 : 0;
  }
  ASSERT_TRUE(count == counted || counted == 1);
  if (counted == 1 && count > 1) {
    ASSERT_LT(known_children[0].level(), node.level() - 1);
  }
}

TEST(OccupancyMap, NodesTellWhatIsBelowThem) {
  for (int seed = 0; seed < scaled(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 1000);
    const OccupancyMap map = map_of(random_scene(random));
    std::vector<OccupancyCell> leaves;
    map.visit_leaves([&](const OccupancyCell& leaf) { leaves.push_back(leaf); });
    check_node(map, map.root(), leaves);
    // Walking through known_children alone finds all leaves.
    std::size_t found = 0;
    std::vector<OccupancyNode> open{map.root()};
    while (!open.empty()) {
      const OccupancyNode node = open.back();
      open.pop_back();
      if (node.is_leaf()) {
        found += node.has_known() ? 1U : 0U;
        continue;
      }
      std::array<OccupancyNode, 8> next;
      const int count = map.known_children(node, next);
      open.insert(open.end(), next.begin(), next.begin() + count);
    }
    ASSERT_EQ(found, leaves.size());
  }
}

TEST(OccupancyMap, EveryPointIsInTheCellWhoseBoxSaysSo) {
  Generator random(7);
  for (int i = 0; i < scaled(20000); ++i) {
    const double resolution = random.integer(0, 3) == 0 ? 0.1 : random.magnitude(-3, 3);
    OccupancyMapBuilder builder(resolution);
    const OccupancyMap map = std::move(builder).finish();
    const double cell = std::floor(random.uniform(-1, 1) * std::pow(2.0, random.integer(0, 31)));
    double x = cell * resolution;
    for (int step = random.integer(0, 2); step > 0; --step) x = std::nextafter(x, random.integer(0, 1) ? 1e9 : -1e9);
    const auto key = map.key_of({x, 0, -x});
    if (!key) {
      EXPECT_TRUE(std::abs(x) >= 2147483647.0 * resolution) << x;
      continue;
    }
    const Aabb box = map.box(*key);
    ASSERT_LE(box.min.x(), x);
    ASSERT_LT(x, box.max.x());
    ASSERT_LE(box.min.z(), -x);
    ASSERT_LT(-x, box.max.z());
    if (x == cell * resolution) {
      ASSERT_EQ(key->x, static_cast<std::int32_t>(cell)) << "the upper cell";
    }
  }
}

TEST(OccupancyMap, WhatIsNoPointOrOutOfRangeIsUnknown) {
  OccupancyMapBuilder builder(0.1);
  builder.add({{2147483647, 2147483647, 2147483647}, 0, 1.0F});
  builder.add({{-2147483647 - 1, 0, 0}, 30, -1.0F});
  const OccupancyMap map = std::move(builder).finish();
  EXPECT_EQ(refusal([&] { map.validate(); }), "");
  const double top = 214748364.75;
  EXPECT_EQ(map.state(Vec3(top, top, top)), Occupancy::occupied);
  EXPECT_EQ(map.state(Vec3(top + 0.1, top, top)), Occupancy::unknown);
  EXPECT_EQ(map.state(Vec3(-214748364.7, 1, 1)), Occupancy::free);
  EXPECT_EQ(map.state(Vec3(-214748364.9, 1, 1)), Occupancy::unknown);
  for (const double bad : {std::nan(""), kInfinity, -kInfinity, 1e300, -1e300}) {
    EXPECT_EQ(map.state(Vec3(bad, 0, 0)), Occupancy::unknown);
    EXPECT_EQ(map.state(Vec3(0, 0, bad)), Occupancy::unknown);
    EXPECT_FALSE(map.find(Vec3(0, bad, 0)));
  }
}

TEST(OccupancyMap, AnEmptyMapKnowsNothing) {
  const OccupancyMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_TRUE(map.bounds().empty());
  EXPECT_TRUE(map.root().is_leaf());
  EXPECT_TRUE(map.root().may_be_occupied(0, true));
  EXPECT_FALSE(map.root().may_be_occupied(0, false));
  EXPECT_EQ(map.state(Vec3(0, 0, 0)), Occupancy::unknown);
  EXPECT_EQ(refusal([&] { map.validate(); }), "");
  EXPECT_FALSE(map.newest());
}

TEST(OccupancyMap, EightEqualLeavesBecomeOne) {
  OccupancyMapBuilder builder(1);
  for (int i = 0; i < 64; ++i) builder.add({{-4 + (i & 3), i >> 2 & 3, i >> 4}, 0, 0.5F});
  builder.add({{4, 0, 0}, 2, 0.5F});
  const OccupancyMap map = std::move(builder).finish();
  EXPECT_EQ(map.leaves(), 2U);
  EXPECT_EQ(map.find(CellKey{-1, 3, 3})->level, 2);
  EXPECT_EQ(map.find(CellKey{-1, 3, 3})->key, (CellKey{-4, 0, 0}));
}

TEST(OccupancyMap, ThresholdsCompareAsOctoMapDoes) {
  for (const double p : {0.05, 0.1192, 0.4, 0.5, 0.7, 0.9, 0.971}) {
    OccupancyMapBuilder builder(1);
    builder.add({{0, 0, 0}, 0, log_odds_of(p)});
    const OccupancyMap map = std::move(builder).finish();
    EXPECT_EQ(map.state(Vec3(0.5, 0.5, 0.5), p), Occupancy::occupied) << "reaching the threshold is enough";
    EXPECT_EQ(map.state(Vec3(0.5, 0.5, 0.5), p + 1e-6), Occupancy::free);
    EXPECT_NEAR(probability_of(log_odds_of(p)), p, 1e-7);
  }
}

TEST(OccupancyMap, StampsDifferWhereCellsDo) {
  const auto of = [](int x, float value, double resolution = 1) {
    OccupancyMapBuilder builder(resolution);
    builder.add({{x, 0, 0}, 0, value});
    return std::move(builder).finish().stamp();
  };
  EXPECT_EQ(of(1, 1), of(1, 1));
  EXPECT_NE(of(1, 1), of(2, 1));
  EXPECT_NE(of(1, 1), of(-1, 1));
  EXPECT_NE(of(1, 1), of(1, 2));
  EXPECT_NE(of(1, 1), of(1, 1, 2));
}

TEST(OccupancyMap, RefusesWhatIsNoMap) {
  for (const double bad : {0.0, -1.0, 1e-9, 1e9, std::nan(""), kInfinity}) {
    EXPECT_NE(refusal([&] { OccupancyMapBuilder{bad}; }), "") << bad;
  }
  const auto add = [](const std::vector<OccupancyCell>& leaves) {
    return refusal([&] {
      OccupancyMapBuilder builder(1);
      for (const OccupancyCell& leaf : leaves) builder.add(leaf);
      std::move(builder).finish();
    });
  };
  EXPECT_EQ(add({{{0, 0, 0}, 0, 1}}), "");
  EXPECT_NE(add({{{0, 0, 0}, 31, 1}}), "");
  EXPECT_NE(add({{{0, 0, 0}, -1, 1}}), "");
  EXPECT_NE(add({{{0, 1, 0}, 1, 1}}), "");
  EXPECT_NE(add({{{0, 0, 0}, 0, std::nanf("")}}), "");
  EXPECT_NE(add({{{0, 0, 0}, 0, 1}, {{0, 0, 0}, 0, 1}}), "");
  EXPECT_NE(add({{{1, 0, 1}, 0, 1}, {{0, 0, 0}, 1, 1}}), "");
  EXPECT_NE(add({{{-8, -8, -8}, 3, 1}, {{-1, -1, -1}, 0, 1}}), "");
  EXPECT_EQ(add({{{-8, -8, -8}, 3, 1}, {{0, -1, -1}, 0, 1}}), "");
}

}  // namespace occupancy_map_test
}  // namespace graze
