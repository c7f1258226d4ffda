// The cells of a map as cubes that pages draw.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graze/geometry/occupancy_map.h"

namespace graze::app {

struct MapCubesOptions {
  double threshold = 0.5;  ///< probability from which cells are occupied
  bool free = false;       ///< whether free cells are wanted
  bool unknown = false;    ///< whether unknown cells within the bounds of the map are
  std::size_t max = 0;     ///< more cubes than this are merged into coarser ones
};

struct ShownCube {
  CellKey key;
  int level;  ///< 2^level cells per side
  int value;  ///< 0 … 254 for probabilities from 0 to 1, 255 for what is unknown
};

/// The cubes to draw, none smaller than `level`, which is the lowest that keeps to the maximum. A merged cube has the
/// largest probability in it.
std::vector<ShownCube> cubes_of(const OccupancyMap& map, const MapCubesOptions& options, int& level);

/// Centres relative to `origin` (float32), then levels and values, a byte each.
std::string cube_bytes(const OccupancyMap& map, const std::vector<ShownCube>& cubes, const Vec3& origin);

}  // namespace graze::app
