// graze convert for occupancy maps.
#pragma once

#include <optional>
#include <string>

#include "graze/io/cloud_file.h"
#include "graze/io/map_file.h"

namespace graze::app {

struct MapConversion {
  std::string from, to;
  std::optional<MapFormat> format = {};  ///< to a map; none: to a cloud of the centres of cells
  double threshold = 0.5;                ///< of what is occupied
  std::string cells = "occupied";        ///< which become points: occupied, free or known
  WriteCloudOptions write = {};          ///< of a cloud
};

/// Converts a map to another format or to points, and says so. Returns the exit code.
int convert_map(const MapConversion& conversion, bool quiet);

}  // namespace graze::app
