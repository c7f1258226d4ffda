// Few boxes in the plane as sets of bits: which may be near, by four looks into a table.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/aabb2.h"

namespace graze::planar {

/// The thesis's extent masks, looked up by cell instead of searched: for every cell of an axis the set of boxes that
/// have started by then, and of those that have ended before. Cells only keep the order of coordinates, so that
/// rounding loses no box: what is found is all that overlap, and some that are in the same cells.
class ExtentTable {
 public:
  /// Boxes by number; empty ones are never found.
  void build(std::span<const Aabb2> boxes);
  /// Changes the box of a number below capacity().
  void set(std::size_t id, const Aabb2& box);
  std::size_t capacity() const { return 64 * words_; }

  /// Calls near(number) for every box that may overlap, until it returns true: that is the answer.
  template <class Near>
  bool any(const Aabb2& box, const Near& near) const {
    const std::uint64_t* started_x = set_at(0, cell(0, box.max.x()));
    const std::uint64_t* ended_x = set_at(1, cell(0, box.min.x()));
    const std::uint64_t* started_y = set_at(2, cell(1, box.max.y()));
    const std::uint64_t* ended_y = set_at(3, cell(1, box.min.y()));
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t left = started_x[w] & started_y[w] & ~(ended_x[w] | ended_y[w]);
      for (; left != 0; left &= left - 1) {
        if (near(64 * w + static_cast<std::size_t>(std::countr_zero(left)))) return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::uint16_t kCells = 256;

  std::size_t cell(std::size_t axis, double x) const {
    const double at = (x - origin_[axis]) * scale_[axis];
    return static_cast<std::size_t>(static_cast<std::int32_t>(std::min(std::max(at, 0.0), kCells - 1.0)));
  }
  const std::uint64_t* set_at(std::size_t table, std::size_t at) const {
    return bits_.data() + (table * kCells + at) * words_;
  }

  // The first cells whose sets have a box, by table; kCells where none has. One that is empty has ended everywhere.
  using Firsts = std::array<std::uint16_t, 4>;
  Firsts first_with(const Aabb2& box) const;
  std::uint64_t& word(std::size_t table, std::size_t at, std::size_t id) {
    return bits_[(table * kCells + at) * words_ + id / 64];
  }

  std::size_t words_ = 0;
  double origin_[2] = {0, 0}, scale_[2] = {0, 0};
  std::vector<std::uint64_t> bits_;  // started and ended along x, then along y: words by cell
  std::vector<Firsts> first_with_;   // by box
};

}  // namespace graze::planar
