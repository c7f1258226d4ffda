// What a sensor would see that is not known yet.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "graze/base/visitor.h"
#include "graze/geometry/map_view.h"
#include "graze/geometry/occupancy_map.h"
#include "graze/index/points.h"

namespace graze {

/// A sensor that might stand somewhere.
struct SensorView {
  Pose pose = {};             ///< of the sensor in the frame of the map; rays start at its translation
  PointView directions = {};  ///< of its rays in the frame of `pose`: any length but 0; others see nothing
  double max_range = 0;       ///< metres, positive and finite
};

/// Options of revealed_space().
struct RevealedOptions {
  std::size_t max_bytes = std::size_t{1} << 30;  ///< views that would take more memory are refused
  int threads = 0;                               ///< 0: as many as the machine has; for the first hit of each ray
};

/// What revealed_space() found.
struct RevealedSpace {
  double volume = 0;            ///< of the unknown cells that would be known, in cubic metres
  double cells = 0;             ///< how many these are
  std::size_t blocked = 0;      ///< rays that end at a cell of the view
  std::size_t passed_over = 0;  ///< directions that are none, and rays that leave the keys or pass 2^20 cells
};

/// How much unknown space a sensor would reveal (the paper's future work: where to look next). A ray sees the cells
/// from the sensor up to the first one that counts in `walls`, or up to the range; each cell counts once, however many
/// rays pass. Those are the cells that would be known if a frame with these rays were inserted (OccupancyMapper).
///
/// With UnknownSpace::free rays go on through unknown space: no frame can reveal more. With UnknownSpace::occupied they
/// end at the first unknown cell, which they reveal: what is certain to be seen, whatever stands there. Throws Error
/// for a range that is not positive and finite, for a sensor out of the range of keys and for more memory than allowed.
///
///     const MapView walls(map, UnknownSpace::free);
///     const std::vector<Vec3> rays = camera_rays(80, 60, 65, 65, 39.5, 29.5);
///     RevealedSpace seen = revealed_space(walls, {.pose = candidate, .directions = rays, .max_range = 4});
RevealedSpace revealed_space(const MapView& walls, const SensorView& sensor, const RevealedOptions& options = {});

namespace detail {
RevealedSpace visit_revealed(const MapView& walls, const SensorView& sensor, const RevealedOptions& options,
                             void* where, bool (*visit)(void*, const CellKey&, int));
}

/// Calls `visit(const CellKey& key, int level)` for cubes of 2^level cells per side that make up all of these cells, in
/// the order of the tree. Ends early if it returns false; what is returned is of those before.
template <class Visit>
RevealedSpace visit_revealed(const MapView& walls, const SensorView& sensor, const RevealedOptions& options,
                             Visit&& visit) {
  return detail::visit_revealed(walls, sensor, options, detail::erased(visit),
                                &detail::call_visitor<std::remove_reference_t<Visit>, const CellKey&, int>);
}

/// The directions of the pixels of a camera (x right, y down, z forward), row by row; see DepthImage. Throws Error for
/// a size that is not positive and for intrinsics that are not finite or focal lengths that are not positive.
std::vector<Vec3> camera_rays(int width, int height, double fx, double fy, double cx, double cy);

}  // namespace graze
