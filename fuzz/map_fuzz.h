// What the fuzz targets of the readers of occupancy maps share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "graze/io/map_file.h"

namespace graze_fuzz {

/// Any bytes as a file of that name: a map that is valid, or an Error that names the file. What was read can be written
/// again and is the same map then.
inline void read_map_from(const std::uint8_t* data, std::size_t size, const std::string& name) {
  using namespace graze;
  MapFile file;
  try {
    file = parse_map({reinterpret_cast<const char*>(data), size}, name);
  } catch (const Error& error) {
    expect(std::string_view(error.what()).substr(0, name.size()) == name, "errors begin with the name of the file");
    return;
  }
  expect(file.map.memory_bytes() <= (std::size_t{64} << 20) + 64 * size, "memory is in proportion to the file");
  file.map.validate();
  std::size_t leaves = 0;
  file.map.visit_leaves([&](const OccupancyCell& leaf) {
    ++leaves;
    const auto found = file.map.find(leaf.key);
    expect(found && found->level == leaf.level && found->log_odds == leaf.log_odds, "leaves are found by their keys");
  });
  expect(leaves == file.map.leaves(), "all leaves are counted");
  const std::string own = map_bytes(file.map, {.format = MapFormat::gmap, .sensor = file.sensor});
  const MapFile copy = parse_map(own, name);
  expect(copy.map.leaves() == file.map.leaves() && copy.map.newest() == file.map.newest(), "a round trip keeps all");
  expect(map_bytes(copy.map, {.format = MapFormat::gmap, .sensor = copy.sensor}) == own, "and is written the same");
  std::string ot;
  try {
    ot = map_bytes(file.map, MapFormat::ot);
    map_bytes(file.map, MapFormat::bt);
  } catch (const Error&) {
    expect(file.format == MapFormat::gmap, "what OctoMap wrote can be written for it again");
    return;  // beyond its keys
  }
  const MapFile again = parse_map(ot, name);
  if (file.format != MapFormat::gmap) expect(again.map.stamp() == file.map.stamp(), "a round trip changes nothing");
  expect(again.map.leaves() == file.map.leaves(), "a round trip has as many leaves");
  parse_map(map_bytes(file.map, MapFormat::bt), name);
}

}  // namespace graze_fuzz
