// Searches in a grid, in SIMD with run-time dispatch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graze/index/points.h"
#include "index/grid.h"
#include "index/grid_tables.h"
#include "index/thresholds.h"

namespace graze::point_grid {

enum class Verdict { free, hit, open };

/// The cell that a centre lies in, its block, and the number of that.
struct Cell {
  std::uint32_t x, y, z;
  std::uint32_t block, number;

  std::size_t by_rows() const { return (x % kEdge * kEdge + y % kEdge) * kEdge + z % kEdge; }
};

/// Number of a block, 0 for far ones that have none.
inline std::uint32_t number_of(const Grid& grid, std::uint32_t block) {
  return grid.dense ? block + 1
                    : static_cast<std::uint32_t>(std::max(static_cast<std::int32_t>(grid.directory[block]), 0));
}

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
  cell = {cx, cy, cz, block, number_of(grid, block)};
  return true;
}

/// What the bounds of its cell tell about a ball. Nobody can foresee it, so that callers wait for this: from the load
/// of the bounds to the verdict there is nothing but integers, and no branch.
inline Verdict look_up(const Grid& grid, const Ball& ball, const Cell& cell) {
  const double rho = (ball.radius + ball.point_radius) * grid.inverse;
  const double more = std::min(rho * kMore + kSlack, 4.0), less = std::clamp(rho * (2 - kMore) - kSlack, 0.0, 9.0);
  const auto not_free = static_cast<std::uint32_t>(static_cast<std::int32_t>(more * more));  // up to this lower bound
  const std::uint32_t hits = kUppersUpTo.of[static_cast<std::int32_t>(less * less)];         // numbers of upper bounds
  const std::uint32_t bounds = grid.bounds[cell.number].of[cell.by_rows()];
  const std::uint32_t free = (bounds & 0xFU) > not_free ? 1 : 0, hit = bounds >> 4U < hits ? 1 : 0;
  return static_cast<Verdict>(hit | (1U - (free | hit)) << 1U);
}

/// The same from the bounds of a far block.
inline Verdict look_up_far(const Grid& grid, const Ball& ball, std::uint32_t entry) {
  const double rho = (ball.radius + ball.point_radius) * grid.inverse;
  constexpr double kBlock = kEdge * kEdge;  // cells² in a block²
  const std::uint32_t upper = entry >> 8U & 0xFFU;
  if (kBlock * (entry & 0xFFU) > square(rho * kMore + kSlack)) return Verdict::free;
  const bool hit = upper != kUnknown && kBlock * upper <= square(std::max(rho * (2 - kMore) - kSlack, 0.0));
  return hit ? Verdict::hit : Verdict::open;
}

/// Whether a ball touches a point; balls that are none do.
bool search(const Grid& grid, const Ball& ball);
/// The same for one of which the bounds of its cell tell nothing.
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
