#include "map_info.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "graze/io/map_file.h"
#include "info_text.h"

namespace graze::app {
namespace {

const char* model_name(const OccupancyMapperOptions& sensor) {
  return sensor.model == SensorModel::log_odds ? "log_odds" : "running_average";
}

std::string sensor_text(const OccupancyMapperOptions& sensor) {
  if (sensor.model == SensorModel::running_average) return fmt::format("average of {} frames", sensor.window);
  return fmt::format("hit {}, miss {}, between {} and {}", number(sensor.hit), number(sensor.miss),
                     number(sensor.clamp_min), number(sensor.clamp_max));
}

}  // namespace

std::string map_info(const std::string& file, const std::string& path, bool json) {
  const MapFile found = read_map_file(path);
  const OccupancyMap& map = found.map;
  double occupied = 0, free = 0;
  map.visit_leaves(
      [&](const OccupancyCell& leaf) { (leaf.log_odds >= 0 ? occupied : free) += std::ldexp(1.0, 3 * leaf.level); });
  const double cell = map.resolution() * map.resolution() * map.resolution();
  const char* format = name_of(found.format);
  const bool own = found.format == MapFormat::gmap;
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (json) {
    return line_of(Json{{"schema_version", kSchema},
                        {"file", file},
                        {"format", format},
                        {"tree", own ? Json(nullptr) : Json(found.id)},
                        {"file_size", error ? Json(nullptr) : Json(size)},
                        {"resolution", map.resolution()},
                        {"nodes", found.nodes},
                        {"leaves", map.leaves()},
                        {"occupied_cells", occupied},
                        {"free_cells", free},
                        {"bounds", bounds_json(map.bounds())},
                        {"sensor_model", found.sensor ? Json(model_name(*found.sensor)) : Json(nullptr)},
                        {"newest", map.newest() ? Json(*map.newest()) : Json(nullptr)},
                        {"memory", map.memory_bytes()}});
  }
  std::string text = file + "\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("format", own ? format : fmt::format("{}, {}", format, found.id));
  if (!error) line("size", size_text(size));
  line("resolution", fmt::format("{} m", map.resolution()));
  line("nodes", fmt::format("{}, of which {} are leaves once pruned", found.nodes, map.leaves()));
  line("occupied", fmt::format("{:.0f} cells, {} m³", occupied, number(occupied * cell)));
  line("free", fmt::format("{:.0f} cells, {} m³", free, number(free * cell)));
  for (int k = 0; k < 3 && !map.bounds().empty(); ++k) line(std::string(1, "xyz"[k]), extent_text(map.bounds(), k));
  if (found.sensor) line("sensor", sensor_text(*found.sensor));
  if (map.newest()) line("newest", fmt::format("frame of time {} s", number(*map.newest())));
  line("memory", size_text(map.memory_bytes()));
  return text;
}

}  // namespace graze::app
