// The page of `graze map show`.
#pragma once

#include <cstddef>
#include <string>

#include "graze/geometry/occupancy_map.h"
#include "map_cubes.h"

namespace graze::app {

struct MapPageOptions {
  std::string title;  ///< the name of the map
  MapCubesOptions cubes;
};

/// What became of the cells.
struct MapPageReport {
  std::size_t cubes = 0;  ///< in the page
  int level = 0;          ///< they have 2^level cells per side at least
};

/// Writes one file that needs nothing else: the cells in three dimensions, coloured by probability. Throws Error.
MapPageReport write_map_page(const std::string& path, const OccupancyMap& map, const MapPageOptions& options);

}  // namespace graze::app
