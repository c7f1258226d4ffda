// Searches in a grid, in SIMD with run-time dispatch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "graze/index/points.h"
#include "index/grid.h"
#include "index/grid_tables.h"
#include "index/thresholds.h"

namespace graze::point_grid {

enum class Verdict { free, hit, open };

/// The cell that a centre lies in, and the number of its block or what the directory says of it.
struct Cell {
  std::uint32_t x, y, z;
  std::uint32_t entry;

  std::size_t by_rows() const { return (x % kEdge * kEdge + y % kEdge) * kEdge + z % kEdge; }
};

/// False if the centre lies outside of the frame. Written out axis by axis: compilers make loops of this wait for
/// memory.
inline bool find_cell(const Grid& grid, const double* center, Cell& cell) {
  const double x = (center[0] - grid.origin[0]) * grid.inverse + kPad;
  const double y = (center[1] - grid.origin[1]) * grid.inverse + kPad;
  const double z = (center[2] - grid.origin[2]) * grid.inverse + kPad;
  if (!(x >= 0 && y >= 0 && z >= 0 && x < grid.end[0] && y < grid.end[1] && z < grid.end[2])) return false;
  const auto cx = static_cast<std::uint32_t>(static_cast<std::int32_t>(x));
  const auto cy = static_cast<std::uint32_t>(static_cast<std::int32_t>(y));
  const auto cz = static_cast<std::uint32_t>(static_cast<std::int32_t>(z));
  const auto ny = static_cast<std::uint32_t>(grid.blocks[1]), nz = static_cast<std::uint32_t>(grid.blocks[2]);
  const std::uint32_t block = (cx / kEdge * ny + cy / kEdge) * nz + cz / kEdge;
  cell = {cx, cy, cz, grid.dense ? block + 1 : grid.directory[block]};
  return true;
}

/// What the bounds of its cell tell about a ball.
inline Verdict look_up(const Grid& grid, const Ball& ball, const Cell& cell) {
  const double rho = std::min((ball.radius + ball.point_radius) * grid.inverse, 1e100);
  const Bounds bounds = bounds_of(grid, cell.entry, cell.by_rows());
  const double more = rho * kMore + kSlack, less = std::max(rho * (2 - kMore) - kSlack, 0.0);
  // By signs, not by branches: nobody can foresee which of the two it is, and callers branch once at most.
  const auto negative = [](double v) { return static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 63U); };
  const int free = negative(more * more - bounds.lower), hit = 1 - negative(less * less - bounds.upper);
  return static_cast<Verdict>(hit | (1 - (free | hit)) << 1);
}

/// The exact answer, from the points.
bool search(const Grid& grid, const Ball& ball);
/// The same, for a ball of which the bounds of its cell told nothing.
bool search_open(const Grid& grid, const Ball& ball, const Cell& cell);
/// The nearest point within `reach` (to the point itself).
struct Found {
  double squared;
  std::uint32_t index;
};
Found search_nearest(const Grid& grid, const double* center, double reach);
/// Answers for up to 64 spheres from `first` on, as bits. `only_any`: any bits are set if any sphere collides.
std::uint64_t search_batch(const Grid& grid, const SpheresView& spheres, std::size_t first, std::size_t count,
                           bool only_any);

}  // namespace graze::point_grid
