// The first passes over the points of a build, in SIMD: where they are, and which cell each one falls into.
#pragma once

#include <array>
#include <cstddef>

#include "index/grid.h"

namespace graze::point_grid {

struct Extent {
  std::array<float, 3> low, high;
  std::size_t count = 0;  // of finite points; without any, low and high are 0
};

Extent extent_of(const PointView& points);

/// Fills scratch.keys with the block of each point (Grid::block_count() for points that are not finite) and
/// scratch.cells with the number of its cell in the block.
void find_cells(Grid& grid, const PointView& points);

}  // namespace graze::point_grid
