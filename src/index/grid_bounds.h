// The distance bounds of a grid, per block and per cell of near blocks, in SIMD. How: see grid_bounds.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "index/grid.h"

namespace graze::point_grid {

/// Of the squared distance from anywhere in a box (a cell or a block) to the nearest point.
enum class Bound { lower, upper };

/// What boxes `k` steps apart along an axis contribute to the bound: (k − 1)² or (k + 1)², in squared boxes.
template <Bound kBound>
constexpr std::uint8_t step_cost(int k) {
  if constexpr (kBound == Bound::upper) return static_cast<std::uint8_t>((k + 1) * (k + 1));
  return static_cast<std::uint8_t>(k < 2 ? 0 : (k - 1) * (k - 1));
}

/// Fills scratch.lower[0] and scratch.upper[0] with bounds per block, in blocks², from scratch.lower[1], which holds 0
/// for blocks with points and kUnknown for the others. The lower bound is 0 exactly for blocks with points and their 26
/// neighbours; these are the near ones.
void bound_blocks(Grid& grid);

/// Fills the cell bounds, witnesses and `around` bits of the near blocks `list` (positions in the directory,
/// ascending). `around` holds the list and at least its near neighbours, ascending too: the last pass needs the others
/// of those.
void bound_cells(Grid& grid, std::span<const std::uint32_t> list, std::span<const std::uint32_t> around);

}  // namespace graze::point_grid
