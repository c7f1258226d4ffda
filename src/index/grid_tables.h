// Constants and small functions of the searches in a grid, the same for every instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graze/base/vec.h"
#include "index/grid.h"

namespace graze::point_grid {

// Where boxes_within() finds the share of a box along an axis: byte 4·axis + place. Boxes are numbered as the cells of
// a block are, or as the 27 blocks around one.
struct SharePlaces {
  alignas(64) std::uint8_t of[3][64] = {};
};
constexpr SharePlaces make_share_places(bool cells) {
  SharePlaces places;
  for (int i = 0; i < (cells ? 64 : 27); ++i) {
    const int around[3] = {i / 9, i / 3 % 3, i % 3};
    for (int axis = 0; axis < 3; ++axis) {
      places.of[axis][i] = static_cast<std::uint8_t>(4 * axis + (cells ? cell_place(i, axis) : around[axis]));
    }
  }
  return places;
}
inline constexpr SharePlaces kCellPlaces = make_share_places(true), kAroundPlaces = make_share_places(false);

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

// Distance along an axis from `u` to the interval [first, first + 1].
inline double gap_to(double u, int first) { return std::max({first - u, u - first - 1, 0.0}); }

}  // namespace graze::point_grid
