// The cells of the writer against a model that has one value per cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "map/cell_store.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace cell_store_test {

using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;
using map::BrickBits;
using map::CellStore;

using Key = std::tuple<int, int, int>;

bool has(const BrickBits& bits, unsigned i) { return (bits[i >> 6U] >> (i & 63U) & 1U) != 0; }

/// What one cell after the other becomes.
struct Model {
  OccupancyMapperOptions options;
  std::map<Key, float> cells;

  template <class Change>
  void each(const CellKey& brick, const BrickBits& which, Change&& change) {
    for (unsigned i = 0; i < 512; ++i) {
      if (!has(which, i)) continue;
      const CellKey cell = map::cell_of_brick(brick, i);
      change(Key{cell.x, cell.y, cell.z});
    }
  }
  void observe(const CellKey& brick, const BrickBits& which, bool hit) {
    const float low = log_odds_of(options.clamp_min), high = log_odds_of(options.clamp_max);
    const float by = log_odds_of(hit ? options.hit : options.miss);
    each(brick, which, [&](const Key& key) {
      const auto found = cells.find(key);
      const float old = found == cells.end() ? 0 : found->second;
      const bool stays = hit ? old >= high : old <= low;
      cells[key] = stays ? old : std::clamp(old + by, low, high);
    });
  }
};

/// All, none, or some cells: whole words and bytes, as frames have them, or at random.
BrickBits random_bits(Generator& random) {
  BrickBits bits{};
  const int kind = random.integer(0, 6);
  for (std::uint64_t& word : bits) {
    if (kind == 0) word = ~0ULL;
    if (kind == 1) word = random.integer(0, 1) != 0 ? ~0ULL : 0;
    if (kind == 2) word = random.bits();
    if (kind == 3) word = random.bits() & random.bits() & random.bits();
    if (kind == 4) word = random.bits() | random.bits() | random.bits();
    if (kind == 5) word = random.integer(0, 3) == 0 ? 0xFFULL << 8 * random.integer(0, 7) : 0;
    if (kind == 6) word = random.integer(0, 7) == 0 ? 1ULL << random.integer(0, 63) : 0;
  }
  return bits;
}

void expect_equal(const CellStore& store, const Model& model) {
  const OccupancyMap map = store.map();
  ASSERT_EQ(refusal([&] { map.validate(); }), "");
  std::map<Key, float> ours;
  map.visit_leaves([&](const OccupancyCell& leaf) {
    const int side = 1 << leaf.level;
    for (int c = 0; c < side * side * side; ++c) {
      ours[{leaf.key.x + c % side, leaf.key.y + c / side % side, leaf.key.z + c / side / side}] = leaf.log_odds;
    }
  });
  EXPECT_TRUE(ours == model.cells) << ours.size() << " and " << model.cells.size() << " cells";
  std::size_t known = 0;
  store.visit_bricks([&](const CellKey&, const BrickBits& bits) { known += map::count_of(bits); });
  EXPECT_EQ(known, model.cells.size());
}

TEST(CellStore, EveryCellIsWhatItWouldBeByItself) {
  for (int seed = 0; seed < scaled(150); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    Model model;
    if (random.integer(0, 2) == 0) {  // clamps that are soon reached, and a hit and a miss that cancel each other
      model.options.hit = 0.6, model.options.miss = 0.4;
      model.options.clamp_min = 0.3, model.options.clamp_max = 0.7;
    }
    CellStore store(model.options);
    for (int step = random.integer(1, 12); step > 0; --step) {
      const CellKey brick{8 * random.integer(-1, 0), 8 * random.integer(7, 8), 0};
      BrickBits bits = random_bits(random), others = random_bits(random);
      for (std::size_t w = 0; w < 8; ++w) others[w] &= ~bits[w];
      const int kind = random.integer(0, 9);
      if (kind < 6) {
        if (kind == 0) std::swap(bits, others);
        if (kind > 3) others = {};
        store.observe(brick, bits, others, step);
        model.observe(brick, bits, false);
        model.observe(brick, others, true);
      } else if (kind == 6) {
        const float value = random.integer(0, 1) != 0 ? log_odds_of(0.25) : log_odds_of(model.options.miss);
        store.set(brick, bits, value);
        model.each(brick, bits, [&](const Key& key) { model.cells[key] = value; });
      } else if (kind == 7) {
        store.set(brick, bits, std::nullopt);
        model.each(brick, bits, [&](const Key& key) { model.cells.erase(key); });
      } else {
        const double seconds = random.integer(0, 3) == 0 ? 5 : 1;
        store.decay(seconds, 1);
        const auto factor = static_cast<float>(std::exp2(-seconds));
        for (auto& [key, value] : model.cells) value *= factor;
        std::erase_if(model.cells, [](const auto& cell) { return std::abs(cell.second) < 0.04F; });
      }
      expect_equal(store, model);
    }
    if (HasFailure()) break;
  }
}

TEST(CellStore, WhatIsForgottenTakesNoMoreMemory) {
  // Bricks with values of all kinds come and go; what they took is used again.
  Generator random(3);
  CellStore store(OccupancyMapperOptions{});
  std::size_t bytes = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) {
      const CellKey brick{8 * i, 0, 0};
      BrickBits hits{};
      for (std::uint64_t& word : hits) word = 1ULL << random.integer(0, 63);
      BrickBits misses = hits;
      for (std::uint64_t& word : misses) word = ~word;
      store.observe(brick, misses, hits, 0);
    }
    if (round == 0) bytes = store.memory_bytes();
    EXPECT_EQ(store.memory_bytes(), bytes);
    for (int i = 0; i < 100; ++i) {
      const CellKey brick{8 * i, 0, 0};
      if (i % 3 == 0) store.set(brick, map::kAllBits, std::nullopt);
      if (i % 3 == 1) store.set(brick, map::kAllBits, 0.5F);
    }
    store.forget_before(1);
    EXPECT_EQ(store.map().leaves(), 0U);
  }
}

}  // namespace cell_store_test
}  // namespace graze
