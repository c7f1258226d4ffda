// Thinning clouds before they are indexed, with a guarantee.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/index/points.h"

namespace graze {

/// Options of filter_points().
struct FilterOptions {
  /// Points may be dropped if a kept one lies within this distance (m); 0: nothing is thinned.
  double distance = 0;
  /// Points nearer to or farther from `viewpoint` than these are dropped (m): the robot's own body, the far wall.
  Vec3 viewpoint = Vec3::Zero();
  double min_range = 0, max_range = kInfinity;  ///< metres from the viewpoint
  /// Points outside of this box are dropped.
  Aabb box = Aabb::everything();
};

/// What filter_points() kept, and why it dropped the rest.
struct FilteredPoints {
  std::vector<std::uint32_t> kept;  ///< indices of the caller's points, ascending
  std::vector<float> xyz;           ///< these points, packed, as an index takes them
  /// Why the others were dropped; the first reason counts.
  std::size_t not_finite = 0, out_of_range = 0, out_of_box = 0, thinned = 0;
};

/// Chooses points such that every thinned point lies within `distance` of a kept one (computed in double). A sphere
/// that touched a thinned point thus touches a kept one if it is grown by `distance`: give the index that much more
/// point radius and no collision is lost. No two kept points lie within `distance` of each other, except in clouds
/// that are more than 600,000 times as wide. The result depends on nothing but the input.
///
/// O(n), 20 to 80 ns per point; 50 bytes per point while it runs. Throws Error if a distance or range is negative or
/// NaN, min_range exceeds max_range, the viewpoint is not finite, or for 2^32 - 1 points and more.
///
///     const FilteredPoints f = filter_points(points, {.distance = 0.01, .max_range = 3});
///     grid.rebuild(PointView(f.xyz));                              // an index of what is left
///     const std::size_t i = f.kept[grid.nearest(center).index];     // one of the caller's points
FilteredPoints filter_points(const PointView& points, const FilterOptions& options);

}  // namespace graze
