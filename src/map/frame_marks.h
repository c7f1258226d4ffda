// Which cells a frame hits and misses.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "map/cell_store.h"

namespace graze::map {

/// A table from cells to small numbers, counted from 0 in the order of their insertion.
class KeyTable {
 public:
  KeyTable() { clear(); }
  /// Makes room for as many keys as there were, so that frames alike do not let it grow again.
  void clear() {
    slots_.assign(std::max(kFirstSize, std::bit_ceil(2 * keys_.size() + 1)), kFree);
    keys_.clear();
  }
  /// The number of a key, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const CellKey& key) {
    if (2 * keys_.size() >= slots_.size()) grow();
    std::size_t at = KeyHash()(key) & (slots_.size() - 1);
    for (; slots_[at] != kFree; at = (at + 1) & (slots_.size() - 1)) {
      if (keys_[slots_[at]] == key) return {slots_[at], false};
    }
    slots_[at] = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    return {slots_[at], true};
  }
  /// The number of a key, or kNone.
  std::uint32_t find(const CellKey& key) const {
    std::size_t at = KeyHash()(key) & (slots_.size() - 1);
    for (; slots_[at] != kNone; at = (at + 1) & (slots_.size() - 1)) {
      if (keys_[slots_[at]] == key) return slots_[at];
    }
    return kNone;
  }
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  const std::vector<CellKey>& keys() const { return keys_; }
  std::size_t memory_bytes() const {
    return slots_.capacity() * sizeof(slots_[0]) + keys_.capacity() * sizeof(keys_[0]);
  }

 private:
  static constexpr std::uint32_t kFree = kNone;
  static constexpr std::size_t kFirstSize = 1024;

  void grow() {
    slots_.assign(2 * slots_.size(), kFree);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) {
      std::size_t at = KeyHash()(keys_[i]) & (slots_.size() - 1);
      while (slots_[at] != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i;
    }
  }

  std::vector<std::uint32_t> slots_;  // a power of two
  std::vector<CellKey> keys_;
};

/// Bits of the cells of one frame, in bricks. Rays set them as often as they like; values change once, afterwards.
class FrameMarks {
 public:
  struct Marks {
    BrickBits misses{}, hits{};
  };

  void clear() {
    table_.clear();
    marks_.clear();
  }
  /// The number of the brick whose first cell is `brick`.
  std::uint32_t brick(const CellKey& brick) {
    const auto [index, fresh] = table_.insert(brick);
    if (fresh) marks_.emplace_back();
    return index;
  }
  /// The same, or KeyTable::kNone if nothing is marked in it.
  std::uint32_t find(const CellKey& brick) const { return table_.find(brick); }
  Marks& operator[](std::uint32_t index) { return marks_[index]; }
  /// Marks a hit; whether it is the first of its cell.
  bool hit(const CellKey& cell) {
    const unsigned i = cell_in_brick(cell.x, cell.y, cell.z);
    std::uint64_t& word = marks_[brick(detail::corner_of(cell, detail::kBrickLevel))].hits[i >> 6U];
    const std::uint64_t bit = std::uint64_t{1} << (i & 63U);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

  const std::vector<CellKey>& bricks() const { return table_.keys(); }
  std::size_t memory_bytes() const { return table_.memory_bytes() + marks_.capacity() * sizeof(Marks); }

 private:
  KeyTable table_;
  std::vector<Marks> marks_;
};

}  // namespace graze::map
