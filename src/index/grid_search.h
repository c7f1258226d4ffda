// Searches in a grid, in SIMD with run-time dispatch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graze/index/points.h"
#include "index/grid.h"

namespace graze::point_grid {

/// What a query compares with: everything finite and valid.
struct Ball {
  double center[3];
  double radius, point_radius;
};

/// Whether the numbers of a query can be computed with; all others count as collisions.
inline bool valid(double x, double y, double z, double radius) {
  return std::abs(x) <= kLargestLength && std::abs(y) <= kLargestLength && std::abs(z) <= kLargestLength &&
         radius >= 0 && radius <= kLargestLength;
}

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
