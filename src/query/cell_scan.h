// Cells of a map that a box reaches, by their bits: those of a body that is small beside the map are found at once.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/cell_bits.h"

namespace graze {

/// All cells whose closed boxes may have a point in common with a box, which may be unbounded, as far as they count.
inline map_view::CellRange cells_around(const Aabb& box, double resolution, const map_view::CellBits& bits) {
  map_view::CellRange r;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto axis = static_cast<Eigen::Index>(a);
    const auto from = static_cast<double>(bits.range.low[a]), to = static_cast<double>(bits.range.high[a]);
    const double low = box.min[axis] / resolution, high = box.max[axis] / resolution;
    // A number that is none stands for all cells. What is cut off here is rounded towards 0: one cell too many at most.
    const double first = low - 1 - 4 * kEpsilon * (std::abs(low) + 1),
                 last = high + 4 * kEpsilon * (std::abs(high) + 1);
    r.low[a] = first > from ? static_cast<std::int64_t>(std::min(first, to + 1)) : bits.range.low[a];
    r.high[a] = last < to ? static_cast<std::int64_t>(std::max(last, from - 1)) : bits.range.high[a];
  }
  return r;
}

/// Shows cells to a visitor. V: enter(corner, level), whether to look into a cube of cells some of which count, and
/// cell(corner, level), of a cell or a cube all of which counts: false ends the scan.
template <class V>
class CellScan {
 public:
  using Corner = std::array<std::int64_t, 3>;

  CellScan(const map_view::CellBits& bits, const map_view::CellRange& range, V& visitor)
      : bits_(bits), range_(range), visitor_(visitor) {}

  bool run() const {
    const unsigned level = bits_.table_level;
    Corner first, last;
    for (std::size_t a = 0; a < 3; ++a) {
      if (range_.low[a] > range_.high[a]) return true;
      first[a] = range_.low[a] >> level, last[a] = range_.high[a] >> level;
    }
    for (std::int64_t z = first[2]; z <= last[2]; ++z) {
      for (std::int64_t y = first[1]; y <= last[1]; ++y) {
        for (std::int64_t x = first[0]; x <= last[0]; ++x) {
          const std::uint32_t at = bits_.table[bits_.place({x, y, z})];
          if (at == map_view::CellBits::kNone) continue;
          if (!block(bits_.blocks[at], static_cast<int>(level), {x << level, y << level, z << level})) return false;
        }
      }
    }
    return true;
  }

 private:
  // The children, of 2^shift cells per side, of a cube that are in the range.
  std::uint64_t within(const Corner& corner, unsigned shift) const {
    return map_view::children_within(map_view::seen_from(range_, corner), shift);
  }
  static Corner child(const Corner& corner, unsigned bit, unsigned shift) {
    const Corner c = map_view::child_corner(bit, shift);
    return {corner[0] + c[0], corner[1] + c[1], corner[2] + c[2]};
  }
  bool block(const map_view::CellBlock& block, int level, const Corner& corner) const {
    const auto shift = static_cast<unsigned>(level - 2);
    for (std::uint64_t left = block.some & within(corner, shift); left != 0; left &= left - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(left));
      const Corner below = child(corner, bit, shift);
      if ((block.full >> bit & 1U) != 0) {
        if (!visitor_.cell(below, level - 2)) return false;
        continue;
      }
      if (level > map_view::CellBits::kBottomLevel) {
        if (!visitor_.enter(below, level - 2)) continue;
        if (!this->block(bits_.blocks[block.index(bit)], level - 2, below)) return false;
        continue;
      }
      std::uint64_t cells = bits_.bricks[block.index(bit)] & within(below, 0);
      if (cells == 0) continue;
      if (std::popcount(cells) > 2 && !visitor_.enter(below, level - 2)) continue;
      for (; cells != 0; cells &= cells - 1) {
        if (!visitor_.cell(child(below, static_cast<unsigned>(std::countr_zero(cells)), 0), 0)) return false;
      }
    }
    return true;
  }

  const map_view::CellBits& bits_;
  const map_view::CellRange& range_;
  V& visitor_;
};

}  // namespace graze
