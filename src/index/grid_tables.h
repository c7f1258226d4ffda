// Constants and small functions of the searches in a grid, the same for every instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graze/base/vec.h"
#include "index/grid.h"

namespace graze::point_grid {

// Where the shares of boxes stand that are numbered as cells are, or as the 27 blocks around one; four per axis.
struct ShareOf {
  alignas(64) std::uint8_t of[3][64] = {};
};
constexpr ShareOf make_share_of(bool cells) {
  ShareOf shares;
  for (int i = 0; i < (cells ? 64 : 27); ++i) {
    const int around[3] = {i / 9, i / 3 % 3, i % 3};
    for (int axis = 0; axis < 3; ++axis) {
      shares.of[axis][i] = static_cast<std::uint8_t>(4 * axis + (cells ? cell_place(i, axis) : around[axis]));
    }
  }
  return shares;
}
inline constexpr ShareOf kCellShares = make_share_of(true), kAroundShares = make_share_of(false);

// Relative rounding of lengths in cells; far more than double needs.
inline constexpr double kMore = 1 + 1e-9;

// How many of kUppers are no larger than a squared radius in cells², rounded down.
struct UppersUpTo {
  std::uint8_t of[9 * 9 + 1] = {};
};
constexpr UppersUpTo make_uppers_up_to() {
  UppersUpTo table;
  for (int squared = 0; squared <= 9 * 9; ++squared) {
    while (table.of[squared] < 15 && kUppers[table.of[squared]] <= squared) ++table.of[squared];
  }
  return table;
}
inline constexpr UppersUpTo kUppersUpTo = make_uppers_up_to();

inline double square(double v) { return v * v; }

// Distance along an axis from `u` to the interval [begin, begin + 1].
inline double gap_to(double u, int begin) { return std::max({begin - u, u - begin - 1, 0.0}); }

}  // namespace graze::point_grid
