// Constants and small functions of the searches in a grid, the same for every instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graze/base/vec.h"
#include "index/grid.h"

namespace graze::point_grid {

// Bits of the cells (or blocks in a node) from `first` to `last` along each axis, 0 to 3.
struct RangeMasks {
  std::uint64_t of[3][4][4] = {};
};
constexpr RangeMasks make_range_masks() {
  RangeMasks masks;
  for (int bit = 0; bit < 64; ++bit) {
    const int at[3] = {bit / 16, bit / 4 % 4, bit % 4};
    for (int axis = 0; axis < 3; ++axis) {
      for (int first = 0; first < 4; ++first) {
        for (int last = first; last < 4; ++last) {
          if (first <= at[axis] && at[axis] <= last) masks.of[axis][first][last] |= 1ULL << bit;
        }
      }
    }
  }
  return masks;
}
inline constexpr RangeMasks kRanges = make_range_masks();

// The 4 × 4 rows around a centre, near ones first: steps to them for either side being the nearer one, and their gap as
// fixed + times · (distance to the nearer side).
struct Rows {
  alignas(64) float fixed_x[16], times_x[16], fixed_y[16], times_y[16];
  alignas(64) std::int32_t x[2][16], y[2][16];
};
constexpr Rows make_rows() {
  constexpr int kSteps[16][2] = {{0, 0},   {1, 0}, {0, 1}, {1, 1}, {-1, 0}, {0, -1}, {1, -1}, {-1, 1},
                                 {-1, -1}, {2, 0}, {0, 2}, {2, 1}, {1, 2},  {2, -1}, {-1, 2}, {2, 2}};
  Rows rows{};
  for (int i = 0; i < 16; ++i) {
    const int sx = kSteps[i][0], sy = kSteps[i][1];
    rows.fixed_x[i] = sx == -1 || sx == 2 ? 1 : 0;
    rows.fixed_y[i] = sy == -1 || sy == 2 ? 1 : 0;
    rows.times_x[i] = sx == 0 ? 0 : sx == -1 ? -1 : 1;
    rows.times_y[i] = sy == 0 ? 0 : sy == -1 ? -1 : 1;
    rows.x[0][i] = -sx;
    rows.x[1][i] = sx;
    rows.y[0][i] = -sy;
    rows.y[1][i] = sy;
  }
  return rows;
}
inline constexpr Rows kRows = make_rows();

// Relative rounding of lengths in cells; far more than double needs.
inline constexpr double kMore = 1 + 1e-9;

// Squared, in cells; the upper one is infinite where it is not known.
struct Bounds {
  double lower, upper;
};
struct BoundsTable {
  Bounds of[256] = {};
};
constexpr BoundsTable make_bounds_table() {
  BoundsTable table;
  for (int i = 0; i < 256; ++i) {
    const int upper = kUppers[i / 16];
    table.of[i] = {static_cast<double>(i % 16), upper == kUnknown ? kInfinity : static_cast<double>(upper)};
  }
  return table;
}
inline constexpr BoundsTable kBounds = make_bounds_table();

inline Bounds bounds_of(const Grid& grid, std::uint32_t entry, std::size_t cell) {
  if ((entry & kFar) == 0) return kBounds.of[grid.bounds[entry].of[cell]];
  const std::uint32_t upper = entry >> 8U & 0xFFU;
  return {kEdge * kEdge * static_cast<double>(entry & 0xFFU), upper == kUnknown ? kInfinity : kEdge * kEdge * upper};
}

inline double square(double v) { return v * v; }

// Distance along an axis from `u` to the interval [begin, begin + 1].
inline double gap_to(double u, int begin) { return std::max({begin - u, u - begin - 1, 0.0}); }

}  // namespace graze::point_grid
