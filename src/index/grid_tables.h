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
