// Files of occupancy maps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "graze/geometry/occupancy_map.h"
#include "graze/map/occupancy_mapper.h"

namespace graze {

/// bt: OctoMap, free or occupied; ot: OctoMap, log-odds; gmap: graze's own, with all keys, ages and the sensor model.
enum class MapFormat { bt, ot, gmap };
/// "OctoMap .bt", "OctoMap .ot", "graze .gmap"
const char* name_of(MapFormat format);

/// What was in a file.
struct MapFile {
  OccupancyMap map;                                   ///< its cells
  MapFormat format = MapFormat::bt;                   ///< by the first bytes
  std::string id;                                     ///< of OctoMap's tree as the file says: OcTree, ColorOcTree
  std::size_t nodes = 0;                              ///< of the octree, inner ones included, as the file counts them
  std::optional<OccupancyMapperOptions> sensor = {};  ///< how its frames were inserted; none: not stated in the file
};

/// Reads an occupancy map; the first bytes determine the format. Cells of `.bt` have OctoMap's limits as their
/// log-odds: those of probability 0.1192 where they are free, 0.971 where they are occupied. Cell i spans [i·res,
/// (i+1)·res), res as written in the file; OctoMap's keys are these plus 32768. Colours of a ColorOcTree are passed
/// over. A `.gmap` has everything that the map had that was written: ages too.
///
///     OccupancyMap map = read_map("office.bt");
///
/// Throws Error naming the file, the byte and the reason: for what is cut off, goes on after its end, has another
/// number of nodes than it says, an inner node without children, children of single cells, numbers that are not
/// finite, or (.gmap) another checksum. Never takes more memory than 64 MiB + 64 × the size of the file.
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
  std::optional<OccupancyMapperOptions> sensor = {};  ///< gmap: how the frames were inserted, for those who go on
};

/// Writes a map to a temporary file, renamed when complete. `.gmap` keeps everything; `.ot` keeps the log-odds of every
/// cell, `.bt` whether it is free or occupied, and for these two a cell beyond the 16-bit keys of OctoMap
/// (−32768 … 32767) is an Error. All are pruned.
///
///     write_map("office.gmap", mapper.map(), {.sensor = mapper.options()});
void write_map(const std::string& path, const OccupancyMap& map, const WriteMapOptions& options = {});
/// The bytes of such a file; the format must be given.
std::string map_bytes(const OccupancyMap& map, const WriteMapOptions& options);
std::string map_bytes(const OccupancyMap& map, MapFormat format, double threshold = 0.5);
/// The format that a path of this extension is written in; none if it is of another.
std::optional<MapFormat> map_format_of(std::string_view path);

}  // namespace graze
