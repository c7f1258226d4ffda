// Sorts points into the slots of a grid, by block and, where there are many, by cell.
#pragma once

#include <cstddef>

#include "index/grid.h"

namespace graze::point_grid {

/// Counts the points per block, gives a cursor to every block with points, or one to each cell of blocks with many, and
/// lets scratch.keys say which cursor a point belongs to. scratch.counts then has the number of a block among the
/// occupied ones, or kNone. Cursors are in the order of blocks and cells; the last one is for points that are left out.
/// They say where their points start, but for points that are sorted in parts.
void count_points(Grid& grid, std::size_t given);

/// Writes the points to their slots; cursors then say where their points end. `records`: the same points with indices
/// of their own, or null.
void place_points(Grid& grid, const PointView& points, const Record* records);

}  // namespace graze::point_grid
