// The distance bounds of a grid: min-plus transforms over blocks and over the cells of near blocks, in SIMD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "index/grid.h"

namespace graze::point_grid {

/// Fills scratch.lower[0] and scratch.upper[0] with bounds per block, in blocks², from scratch.lower[1], which holds 0
/// for blocks with points and kUnknown for the others. The lower bound is 0 exactly for blocks with points and their 26
/// neighbours; these are the near ones.
void bound_blocks(Grid& grid);

/// Fills the cell bounds of the near blocks `list` (positions in the directory, scratch.near). The two passes before
/// the last run over `around`, which holds the list and at least its near neighbours.
void bound_cells(Grid& grid, std::span<const std::uint32_t> list, std::span<const std::uint32_t> around);

}  // namespace graze::point_grid
