// The cells of a map that changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "geometry/occupancy_data.h"
#include "graze/map/occupancy_mapper.h"

namespace graze::map {

/// One bit for each of the 8 × 8 × 8 cells of a brick, in the order of the curve: the eight of a cube are one byte.
using BrickBits = std::array<std::uint64_t, 8>;

inline constexpr BrickBits kAllBits{~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL};

/// The bits of x in every third place of nine: 0b210 → 0b2'001'000.
inline constexpr std::array<std::uint16_t, 8> kSpread{0, 1, 8, 9, 64, 65, 72, 73};

/// Which of the 512 cells of its brick a cell is.
inline unsigned cell_in_brick(std::int32_t x, std::int32_t y, std::int32_t z) {
  return static_cast<unsigned>(kSpread[static_cast<unsigned>(x) & 7U]) |
         static_cast<unsigned>(kSpread[static_cast<unsigned>(y) & 7U]) << 1U |
         static_cast<unsigned>(kSpread[static_cast<unsigned>(z) & 7U]) << 2U;
}
/// The other way round, from the first cell of the brick.
inline CellKey cell_of_brick(const CellKey& brick, unsigned cell) {
  const auto axis = [&](std::int32_t first, unsigned shift) {
    const unsigned bits = cell >> shift;
    return first + static_cast<std::int32_t>((bits & 1U) | (bits >> 2U & 2U) | (bits >> 4U & 4U));
  };
  return {axis(brick.x, 0), axis(brick.y, 1), axis(brick.z, 2)};
}

struct KeyHash {
  std::size_t operator()(const CellKey& key) const {
    std::uint64_t hash = detail::mixed(static_cast<std::uint32_t>(key.x), static_cast<std::uint32_t>(key.y));
    hash = detail::mixed(hash, static_cast<std::uint32_t>(key.z));
    return static_cast<std::size_t>(hash ^ hash >> 32U);
  }
};

/// Numbers of the log-odds model as cells have them.
struct LogOddsModel {
  float hit = 0, miss = 0, low = 0, high = 0;
};

/// The values of a cube of 4 × 4 × 4 cells, a word of a brick; only those of known cells count, the others are 0.
struct CubeValues {
  alignas(64) std::array<float, 64> of{};
};

/// 512 cells, a word of 64 after the other. Where all known cells of a word are equal, they have one value together.
struct Brick {
  static constexpr std::uint32_t kOneValue = 0xFFFFFFFF;

  BrickBits known{};
  std::array<float, 8> value{};         // of the known cells of each word that has one
  std::array<std::uint32_t, 8> cube{};  // where the values of each word are, or kOneValue
};

/// Things of one kind with numbers, in blocks that stay where they are.
template <class T>
class Pool {
 public:
  T& operator[](std::uint32_t i) { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](std::uint32_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  /// The number of one that is in no use. What it holds is left from before.
  std::uint32_t take() {
    if (free_.empty()) {
      const auto first = static_cast<std::uint32_t>(blocks_.size() * kBlock);
      free_.reserve(first + kBlock);  // so that give() needs no memory
      blocks_.push_back(std::make_unique<T[]>(kBlock));
      for (std::uint32_t i = kBlock; i > 0; --i) free_.push_back(first + i - 1);
    }
    const std::uint32_t i = free_.back();
    free_.pop_back();
    return i;
  }
  void give(std::uint32_t i) { free_.push_back(i); }
  std::size_t memory_bytes() const {
    return blocks_.size() * (kBlock * sizeof(T) + sizeof(blocks_[0])) + free_.capacity() * sizeof(free_[0]);
  }

 private:
  static constexpr std::uint32_t kBlock = 32;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::vector<std::uint32_t> free_;
};

/// The last observations of each cell (running_average): below the highest bit that is set, one bit each, the newest
/// lowest; 0 or 1: none.
using BrickHistory = std::array<std::uint64_t, 512>;

/// Bricks in chunks, and what happens to them. A brick whose cells are all known and equal has no memory of its own.
class CellStore {
 public:
  explicit CellStore(const OccupancyMapperOptions& options);

  /// Misses and hits of one brick, disjoint; `brick` is the key of its first cell.
  void observe(const CellKey& brick, const BrickBits& misses, const BrickBits& hits, double time);
  /// Sets cells to one value, or forgets them.
  void set(const CellKey& brick, const BrickBits& cells, std::optional<float> log_odds);
  /// Sets a leaf of a map.
  void add_leaf(const OccupancyCell& leaf);
  /// Takes over when the frames of a map changed what.
  void add_times(const detail::OccupancyData& map);
  /// Calls `visit(brick key, known bits)` of all bricks that have something known, in the order of the curve.
  template <class Visit>
  void visit_bricks(Visit&& visit) const;
  void decay(double seconds, double half_life);
  void forget_before(double time);
  /// Gives back the memory of chunks in which nothing is known any more, with the times of their frames.
  void drop_empty();

  OccupancyMap map() const;
  std::size_t memory_bytes() const;
  double resolution() const { return options_.resolution; }

 private:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF, kUniform = 0xFFFFFFFE;
  struct Slot {
    std::uint32_t brick = kUnknown;
    float value = 0;  // of a uniform one
    double time = -kInfinity;
  };
  struct Chunk {
    CellKey key;
    std::array<Slot, 512> slots;
    // The version for readers, made again where something changed.
    mutable bool changed = true, times_changed = true;
    mutable detail::OctreeSlot slot;
    mutable std::shared_ptr<const detail::OctreeChunk> encoded;
    mutable std::shared_ptr<const detail::ChunkTimes> times;
  };

  Chunk& chunk_at(const CellKey& brick);
  Slot& slot_at(const CellKey& brick, Chunk*& chunk);
  static unsigned slot_index(const CellKey& brick);
  Brick& expand(Slot& slot);
  void fold(Slot& slot);
  void release(Slot& slot);
  CubeValues& spread(Brick& brick, std::size_t word);
  void unite(Brick& brick, std::size_t word);
  bool observe_word(Brick& brick, std::size_t word, std::uint64_t misses, std::uint64_t hits);
  void set_word(Brick& brick, std::size_t word, std::uint64_t cells, std::optional<float> log_odds);
  void decay_word(Brick& brick, std::size_t word, float factor);
  void encode(const Chunk& chunk) const;
  detail::OctreeSlot encode(const Brick& brick, std::vector<detail::OctreeNode>& nodes) const;
  const std::vector<const Chunk*>& sorted() const;
  bool averages() const { return options_.model == SensorModel::running_average; }
  void average(Slot& slot, const BrickBits& misses, const BrickBits& hits);
  float mean_log_odds(std::uint64_t history) const;

  OccupancyMapperOptions options_;
  LogOddsModel model_;
  std::unordered_map<CellKey, std::unique_ptr<Chunk>, KeyHash> chunks_;
  Chunk* last_chunk_ = nullptr;
  mutable std::vector<const Chunk*> sorted_;
  Pool<Brick> bricks_;
  Pool<CubeValues> cubes_;
  std::vector<std::unique_ptr<BrickHistory>> histories_;  // of the same numbers as bricks
  std::vector<float> mean_table_;                         // of k hits in n frames
  double aged_ = 0;                                       // seconds since the last whole half-life
  std::optional<double> newest_;
};

template <class Visit>
void CellStore::visit_bricks(Visit&& visit) const {
  for (const Chunk* chunk : sorted()) {
    for (unsigned i = 0; i < chunk->slots.size(); ++i) {
      const Slot& slot = chunk->slots[i];
      if (slot.brick == kUnknown) continue;
      CellKey brick = cell_of_brick({}, i);
      brick = {chunk->key.x + 8 * brick.x, chunk->key.y + 8 * brick.y, chunk->key.z + 8 * brick.z};
      visit(brick, slot.brick == kUniform ? kAllBits : bricks_[slot.brick].known);
    }
  }
}

/// What a miss and a hit make of a value. As in OctoMap, what is at a clamp, or beyond it, stays there.
inline float missed(float value, const LogOddsModel& model) {
  return value > model.low ? std::min(std::max(value + model.miss, model.low), model.high) : value;
}
inline float hit(float value, const LogOddsModel& model) {
  return value < model.high ? std::min(std::max(value + model.hit, model.low), model.high) : value;
}
/// What observations did to the cells of a cube.
struct CubeChange {
  bool changed = false;    ///< some value is another one
  bool one_value = false;  ///< those of all known cells are equal
};
/// The same for cells of a cube, in lanes; `known`: with those that are observed.
CubeChange observe_cube(CubeValues& values, std::uint64_t misses, std::uint64_t hits, std::uint64_t known,
                        const LogOddsModel& model);
/// How many bits are set.
std::size_t count_of(const BrickBits& bits);

}  // namespace graze::map
