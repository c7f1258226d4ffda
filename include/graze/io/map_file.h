// Files of occupancy maps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "graze/geometry/occupancy_map.h"

namespace graze {

/// bt: OctoMap, free or occupied; ot: OctoMap, log-odds.
enum class MapFormat { bt, ot };

/// What was in a file.
struct MapFile {
  OccupancyMap map;                  ///< its cells
  MapFormat format = MapFormat::bt;  ///< by the first line
  std::string id;                    ///< of the tree as the file says: OcTree, ColorOcTree
  std::size_t nodes = 0;             ///< of the octree, inner ones included, as the file counts them
};

/// Reads an occupancy map; the first line determines the format. Cells of `.bt` have OctoMap's limits as their
/// log-odds: those of probability 0.1192 where they are free, 0.971 where they are occupied. Cell i spans [i·res,
/// (i+1)·res), res as written in the file; OctoMap's keys are these plus 32768. Colours of a ColorOcTree are passed
/// over.
///
///     OccupancyMap map = read_map("office.bt");
///
/// Throws Error naming the file, the byte and the reason: for what is cut off, goes on after its end, has another
/// number of nodes than it says, an inner node without children, children of single cells, or numbers that are not
/// finite. Never takes more memory than 64 MiB + 64 × the size of the file.
MapFile read_map_file(const std::string& path);
/// The same from bytes in memory; `name` stands for them in errors.
MapFile parse_map(std::string_view bytes, const std::string& name);
/// Reads a file and gives the map alone.
OccupancyMap read_map(const std::string& path);

/// Whether the first bytes of a file are those of a map. What is no regular file (a pipe) is not looked into. Throws
/// Error if it cannot be read.
bool is_map_file(const std::string& path);

/// Options of write_map().
struct WriteMapOptions {
  std::optional<MapFormat> format = {};  ///< by the extension of the path if absent
  double threshold = 0.5;                ///< bt: cells of at least this probability are occupied, others free
};

/// Writes a map to a temporary file, renamed when complete. `.ot` keeps the log-odds of every cell, `.bt` whether it is
/// free or occupied; both are pruned. Throws Error for a cell beyond the 16-bit keys of OctoMap (−32768 … 32767).
///
///     write_map("office.ot", mapper.map());
void write_map(const std::string& path, const OccupancyMap& map, const WriteMapOptions& options = {});
/// The bytes of such a file; the format must be given.
std::string map_bytes(const OccupancyMap& map, MapFormat format, double threshold = 0.5);

}  // namespace graze
