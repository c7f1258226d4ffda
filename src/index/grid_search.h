// Searches in a grid, in SIMD with run-time dispatch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graze/index/point_grid.h"
#include "index/grid.h"
#include "index/grid_tables.h"
#include "index/thresholds.h"

namespace graze::point_grid {

using Verdict = PointGrid::Verdict;

/// The cell that a centre lies in.
struct Cell {
  std::uint32_t x, y, z;
  std::uint32_t block;   // position of its block in the directory
  std::uint32_t number;  // of that block, see number_of()

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

/// Decides a ball by the bounds of its cell. Verdicts are unpredictable and callers wait for them: from the load of the
/// bounds on there are only integers and no branch.
inline Verdict look_up(const Grid& grid, const SphereCheck& ball, const Cell& cell) {
  const double rho = (ball.radius + ball.point_radius) * grid.inverse;
  // Clamped to where the bounds end: 4² cells² of lower ones, less than 9² of upper ones.
  const double wide = std::min(rho * kMore + kSlack, 4.0), narrow = std::clamp(rho * (2 - kMore) - kSlack, 0.0, 9.0);
  const auto not_free = static_cast<std::uint32_t>(static_cast<std::int32_t>(wide * wide));  // up to this lower bound
  const std::uint32_t hits = kUppersUpTo.of[static_cast<std::int32_t>(narrow * narrow)];     // numbers of upper bounds
  const std::uint32_t bounds = grid.bounds[cell.number].of[cell.by_rows()];
  const std::uint32_t free = (bounds & 0xFU) > not_free ? 1 : 0, hit = bounds >> 4U < hits ? 1 : 0;
  return static_cast<Verdict>(hit | (1U - (free | hit)) << 1U);
}

/// The same by the bounds of a far block: its entry of the directory.
inline Verdict look_up_far(const Grid& grid, const SphereCheck& ball, std::uint32_t entry) {
  const double rho = (ball.radius + ball.point_radius) * grid.inverse;
  constexpr double kBlock = kEdge * kEdge;  // cells² in a block²
  const std::uint32_t upper = entry >> 8U & 0xFFU;
  if (kBlock * (entry & 0xFFU) > square(rho * kMore + kSlack)) return Verdict::free;
  const bool hit = upper != kUnknown && kBlock * upper <= square(std::max(rho * (2 - kMore) - kSlack, 0.0));
  return hit ? Verdict::hit : Verdict::undecided;
}

/// Upper bound, in cells, of the distance to the nearest point from anywhere in the cell; infinite if not known.
inline double nearest_at_most(const Grid& grid, const Cell& cell) {
  const std::uint32_t entry = grid.directory[cell.block];
  const bool far = (entry & kFar) != 0;
  const std::uint32_t upper = far ? entry >> 8U & 0xFFU : kUppers[grid.bounds[cell.number].of[cell.by_rows()] >> 4U];
  if (upper == kUnknown) return kInfinity;
  return (std::sqrt(static_cast<double>(upper) * (far ? kEdge * kEdge : 1)) + kSlack) * (1 + 2 * (kMore - 1));
}

/// Whether a ball touches a point; an invalid ball does.
bool search(const Grid& grid, const SphereCheck& ball);
/// The same for a ball that the bounds of its cell do not decide.
bool search_undecided(const Grid& grid, const SphereCheck& ball, const Cell& cell);
/// The same for a ball whose radius is `inner` or more, up to that of `ball`.
Verdict judge_undecided(const Grid& grid, const SphereCheck& ball, double inner, const Cell& cell);
/// The same for up to 64 balls.
PointGrid::Verdicts judge_batch(const Grid& grid, const SpheresView& outer, const double* inner, std::size_t count);
/// The nearest point within `reach` (to the point itself).
struct Found {
  double squared;
  std::uint32_t index;
};
Found search_nearest(const Grid& grid, const double* center, double reach);
/// Which of up to 64 spheres, from `first` on, collide, as bits. With `only_any` it stops at the first one found.
std::uint64_t search_batch(const Grid& grid, const SpheresView& spheres, std::size_t first, std::size_t count,
                           bool only_any);

}  // namespace graze::point_grid
