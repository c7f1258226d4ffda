// Searches in a grid, in SIMD with run-time dispatch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graze/index/points.h"
#include "index/grid.h"
#include "index/thresholds.h"

namespace graze::point_grid {

enum class Verdict { free, hit, open };

/// What the bounds alone can tell.
Verdict look_up(const Grid& grid, const Ball& ball);
/// The exact answer, from the points.
bool search(const Grid& grid, const Ball& ball);
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
