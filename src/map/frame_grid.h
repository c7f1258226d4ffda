// The marks of a frame in one block of memory, where its box is small enough.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "map/cell_store.h"
#include "map/ray_march.h"

namespace graze::map {

/// The rays to cells of one brick.
struct RayTile {
  std::uint64_t brick = 0;  ///< number of its first cell
  bool few = false;         ///< too few to look ahead
  double crossed = 0;       ///< up to this part of their lengths the rays pass marked cells only
};

/// Two bits per cell of a box whose sides are powers of two: missed, and hit. The number of a cell has nine bits for
/// its place in a brick and the rest for the brick; the bits of each axis are a mask, and steps are sums under that
/// mask.
class FrameGrid {
 public:
  static constexpr int kMaxBits = 29;  // 64 MiB of misses, and as much of hits and of ends

  /// Makes room for the cells from `low` to `high`; false if they are too many. All marks are clear, and no ends noted.
  bool cover(const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high) {
    if (marked_) clear();  // of a frame that failed
    std::array<unsigned, 3> bits{};
    unsigned sum = 9;
    for (std::size_t a = 0; a < 3; ++a) {
      first_[a] = low[a] >> 3;
      bits[a] = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>((high[a] >> 3) - first_[a])));
      if ((sum += bits[a]) > static_cast<unsigned>(kMaxBits)) return false;
    }
    shift_ = {9, 9 + bits[0], 9 + bits[0] + bits[1]};
    for (unsigned a = 0; a < 3; ++a) masks[a] = 0b001001001ULL << a | ((1ULL << bits[a]) - 1) << shift_[a];
    end_ = 1ULL << sum;
    const std::size_t words = end_ >> 6U;
    if (words > words_) {
      words_ = 0;
      misses_ = cleared(words);
      hits_ = cleared(words);
      ends_ = cleared(words);
      touched_ = cleared((words >> 9U) + 2);
      ended_ = cleared((words >> 9U) + 2);
      words_ = words;
    }
    return true;
  }

  std::uint64_t number(const CellKey& cell) const {
    const std::array<std::int32_t, 3> key{cell.x, cell.y, cell.z};
    std::uint64_t n = cell_in_brick(cell.x, cell.y, cell.z);
    for (std::size_t a = 0; a < 3; ++a) {
      n |= static_cast<std::uint64_t>((std::int64_t{key[a]} >> 3) - first_[a]) << shift_[a];
    }
    return n;
  }
  /// The first cell of the brick of a number.
  CellKey key_of(std::uint64_t n) const {
    std::array<std::int32_t, 3> key{};
    for (std::size_t a = 0; a < 3; ++a) {
      key[a] = static_cast<std::int32_t>(8 * (first_[a] + static_cast<std::int64_t>((n & masks[a]) >> shift_[a])));
    }
    return {key[0], key[1], key[2]};
  }
  /// Marks a hit; whether it is the first of its cell.
  bool hit(const CellKey& cell) { return hit(number(cell)); }
  bool hit(std::uint64_t n) {
    const std::uint64_t bit = 1ULL << (n & 63U);
    std::uint64_t& word = hits_[n >> 6U];
    if ((word & bit) != 0) return false;
    marked_ = true;
    word |= bit;
    touch(n);
    return true;
  }
  /// Notes that a ray beyond the range is for this cell; whether it is the first. Only of a grid that has all points.
  bool end_ray(std::uint64_t n) {
    const std::uint64_t bit = 1ULL << (n & 63U);
    std::uint64_t& word = ends_[n >> 6U];
    if ((word & bit) != 0) return false;
    marked_ = true;
    word |= bit;
    ended_[n >> 15U] |= 1ULL << (n >> 9U & 63U);
    return true;
  }
  void touch(std::uint64_t n) { touched_[n >> 15U] |= 1ULL << (n >> 9U & 63U); }

  /// Marks the cells of rays as missed, as march() does. They start and end in the grid.
  void march(const RayBatch& batch, const RayPlan& plan);

  /// Whether all cells of a box, first and last ones included, are marked as missed; counted from the first cell.
  bool all_missed(const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high) const;
  /// Goes on with a tile to where some cell around its rays is not marked.
  void look_ahead(RayTile& tile, const RayPlan& plan) const;

  /// Calls `visit(number of the first cell, hits, ends)` for bricks, among them all that have some.
  template <class Visit>
  void visit_ends(Visit&& visit) const {
    for (std::uint64_t w = 0; w < brick_words(); ++w) {
      for (std::uint64_t left = touched_[w] | ended_[w]; left != 0; left &= left - 1) {
        const std::uint64_t brick = (64 * w + static_cast<std::uint64_t>(std::countr_zero(left))) << 9U;
        visit(brick, hits_of(brick), ends_of(brick));
      }
    }
  }
  BrickBits hits_of(std::uint64_t brick) const { return bits_of_brick(hits_, brick); }
  BrickBits ends_of(std::uint64_t brick) const { return bits_of_brick(ends_, brick); }
  void forget_ends() {
    for (std::uint64_t w = 0; w < brick_words(); ++w) {
      for (std::uint64_t left = std::exchange(ended_[w], 0); left != 0; left &= left - 1) {
        const std::uint64_t brick = 64 * w + static_cast<std::uint64_t>(std::countr_zero(left));
        std::fill_n(&ends_[8 * brick], 8, 0);
      }
    }
  }
  void clear() {
    forget_ends();
    drain([](const CellKey&, const BrickBits&, const BrickBits&) {});
  }

  /// How many bricks have marks.
  std::size_t bricks() const {
    std::size_t count = 0;
    for (std::size_t w = 0; w < brick_words(); ++w) count += static_cast<std::size_t>(std::popcount(touched_[w]));
    return count;
  }
  /// Calls `visit(first cell of the brick, misses, hits)` for each of them, and clears it.
  template <class Visit>
  void drain(Visit&& visit) {
    for (std::uint64_t w = 0; w < brick_words(); ++w) {
      for (std::uint64_t left = std::exchange(touched_[w], 0); left != 0; left &= left - 1) {
        const std::uint64_t brick = 64 * w + static_cast<std::uint64_t>(std::countr_zero(left));
        BrickBits misses, hits;
        for (std::size_t i = 0; i < 8; ++i) {
          hits[i] = std::exchange(hits_[8 * brick + i], 0);
          misses[i] = std::exchange(misses_[8 * brick + i], 0) & ~hits[i];
        }
        visit(key_of(brick << 9U), misses, hits);
      }
    }
    marked_ = false;
  }
  std::size_t memory_bytes() const { return 3 * words_ * sizeof(std::uint64_t); }
  /// The first cell of the grid along an axis, and where the bits of its bricks are in the number of a cell.
  std::int64_t first_cell(std::size_t axis) const { return 8 * first_[axis]; }
  const std::array<unsigned, 3>& shift() const { return shift_; }

  std::array<std::uint64_t, 3> masks{};
  std::uint64_t* misses() { return misses_.get(); }
  std::uint64_t* touched() { return touched_.get(); }

 private:
  struct Free {
    void operator()(std::uint64_t* p) const { std::free(p); }
  };
  using Words = std::unique_ptr<std::uint64_t[], Free>;
  /// Pages that nobody writes to take no memory.
  static Words cleared(std::size_t words) {
    Words made(static_cast<std::uint64_t*>(std::calloc(words, sizeof(std::uint64_t))));
    if (!made) throw std::bad_alloc();
    return made;
  }

  std::size_t brick_words() const { return ((end_ - 1) >> 15U) + 1; }
  static BrickBits bits_of_brick(const Words& words, std::uint64_t brick) {
    BrickBits bits;
    std::copy_n(&words[brick >> 6U], 8, bits.begin());
    return bits;
  }

  std::array<std::int64_t, 3> first_{};  // bricks
  std::array<unsigned, 3> shift_{};
  std::uint64_t end_ = 0;
  std::size_t words_ = 0;
  bool marked_ = false;
  Words misses_, hits_, ends_;
  Words touched_, ended_;  // a bit for each brick: it may have misses or hits; it may have ends
};

}  // namespace graze::map
