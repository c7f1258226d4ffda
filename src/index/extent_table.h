// Few boxes as sets of bits: which may overlap a box, by two looks into a table per axis.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/aabb2.h"
#include "index/bit_words.h"

namespace graze {

/// Extent masks (motion planning thesis, 3.2.1), looked up by cell instead of searched: for every cell of an axis the
/// set of boxes that have started by then, and of those that have ended before. Cells only keep the order of
/// coordinates, so that rounding loses no box: what is found is all that overlap, and some that are in the same cells.
template <int N>
class ExtentTable {
 public:
  using Box = AabbOf<N>;
  /// Along each axis.
  static constexpr std::uint16_t kCells = 256;

  /// Boxes by number; empty ones are never found.
  void build(std::span<const Box> boxes) {
    const std::size_t words = (boxes.size() + 63) / 64;
    words_ = 0;  // unless there is memory, there is no table
    bits_.assign(2 * N * kCells * words, 0);
    firsts_.assign(64 * words, first_cells(Box()));
    words_ = words;
    Box all;
    for (const Box& box : boxes) {
      if (!box.empty() && box.min.allFinite() && box.max.allFinite()) all.extend(box);
    }
    for (int k = 0; k < N; ++k) {
      const double scale = all.empty() ? 0 : kCells / (all.max[k] - all.min[k]);
      origin_[k] = all.empty() ? 0 : all.min[k];
      scale_[k] = std::isfinite(scale) ? scale : 0;
    }
    for (std::size_t id = 0; id < capacity(); ++id) {
      firsts_[id] = first_cells(id < boxes.size() ? boxes[id] : Box());
      for (std::size_t table = 0; table < 2 * N; ++table) {
        if (firsts_[id][table] < kCells) word(table, firsts_[id][table], id) |= bit_of(id);
      }
    }
    for (std::size_t table = 0; table < 2 * N; ++table) {
      const std::size_t begin = table * kCells * words, end = begin + kCells * words;
      for (std::size_t i = begin + words; i < end; ++i) bits_[i] |= bits_[i - words];
    }
  }
  /// Changes the box of a number below capacity().
  void set(std::size_t id, const Box& box) {
    const Firsts was = std::exchange(firsts_[id], first_cells(box)), is = firsts_[id];
    for (std::size_t table = 0; table < 2 * N; ++table) {
      for (std::size_t c = std::min(was[table], is[table]); c < std::max(was[table], is[table]); ++c)
        word(table, c, id) ^= bit_of(id);
    }
  }
  std::size_t capacity() const { return 64 * words_; }
  std::size_t memory_bytes() const {
    return bits_.capacity() * sizeof(std::uint64_t) + firsts_.capacity() * sizeof(Firsts);
  }

  /// Which boxes may overlap a box, word by word. What is not a number may overlap everything.
  class Look {
   public:
    Look(const ExtentTable& table, const Box& box) : words_(table.words_) {
      for (int k = 0; k < N; ++k) {
        const std::size_t of_axis = 2 * static_cast<std::size_t>(k);
        started_[k] = table.set_at(of_axis, table.cell_of_end(k, box.max[k]));
        ended_[k] = table.set_at(of_axis + 1, table.cell_of_start(k, box.min[k]));
      }
    }
    std::size_t words() const { return words_; }
    std::uint64_t operator[](std::size_t w) const {
      std::uint64_t all = ~std::uint64_t{0};
      for (int k = 0; k < N; ++k) all &= started_[k][w] & ~ended_[k][w];
      return all;
    }

   private:
    const std::uint64_t *started_[N], *ended_[N];
    std::size_t words_;
  };
  /// Calls near(number) for every box that may overlap, until it returns true: that is the answer.
  template <class Near>
  bool any(const Box& box, const Near& near) const {
    const Look look(*this, box);
    for (std::size_t w = 0; w < words_; ++w) {
      if (!see_bits(look[w], 64 * w, [&](std::size_t number) { return !near(number); })) return true;
    }
    return false;
  }

 private:
  // By table the first cell whose sets have a box; kCells where none has. One that is empty has ended everywhere.
  using Firsts = std::array<std::uint16_t, 2 * N>;

  static std::uint64_t bit_of(std::size_t id) { return std::uint64_t{1} << (id % 64); }
  Firsts first_cells(const Box& box) const {
    Firsts firsts;
    for (int k = 0; k < N; ++k) {
      const std::size_t table = 2 * static_cast<std::size_t>(k);
      const bool none = box.empty();
      firsts[table] = none ? kCells : static_cast<std::uint16_t>(cell_of_start(k, box.min[k]));
      firsts[table + 1] = none ? std::uint16_t{0} : static_cast<std::uint16_t>(cell_of_end(k, box.max[k]) + 1);
    }
    return firsts;
  }
  double place(int k, double x) const { return (x - origin_[k]) * scale_[k]; }
  // What is not a number starts in the first cell and ends in the last.
  std::size_t cell_of_start(int k, double x) const {
    const double at = std::max(0.0, place(k, x));
    return static_cast<std::size_t>(static_cast<std::int32_t>(std::min(at, kCells - 1.0)));
  }
  std::size_t cell_of_end(int k, double x) const {
    const double at = std::min(kCells - 1.0, place(k, x));
    return static_cast<std::size_t>(static_cast<std::int32_t>(std::max(at, 0.0)));
  }
  const std::uint64_t* set_at(std::size_t table, std::size_t at) const {
    return bits_.data() + (table * kCells + at) * words_;
  }
  std::uint64_t& word(std::size_t table, std::size_t at, std::size_t id) {
    return bits_[(table * kCells + at) * words_ + id / 64];
  }

  std::size_t words_ = 0;
  double origin_[N] = {}, scale_[N] = {};
  std::vector<std::uint64_t> bits_;  // started and ended along x, then along y …: words by cell
  std::vector<Firsts> firsts_;       // by box
};

}  // namespace graze
