#include "map_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "demo_render.h"
#include "embedded.h"
#include "graze/geometry/map_view.h"
#include "graze/query/raycast.h"
#include "graze/version.h"
#include "image.h"
#include "numbers.h"
#include "page_template.h"

namespace graze::app {
namespace {

constexpr int kUnknownByte = 255;  // known ones have 0 … 254 for probabilities from 0 to 1

struct ShownCube {
  CellKey key;
  int level;
  int value;
};

int byte_of(float log_odds) { return static_cast<int>(std::floor(254 * probability_of(log_odds))); }

/// The cubes of a map that a page shows, none smaller than a level.
class CubeCollector {
 public:
  CubeCollector(const OccupancyMap& map, const MapPageOptions& options, int level)
      : map_(map), options_(options), level_(level), threshold_(log_odds_of(options.threshold)) {}

  /// False if there are too many.
  bool collect() { return map_.empty() || walk(map_.root()); }
  std::vector<ShownCube> cubes;

 private:
  bool wanted(const OccupancyNode& n) const {
    return (n.has_known() && (options_.free || n.max_log_odds() >= threshold_)) ||
           (n.has_unknown() && options_.unknown);
  }
  bool inside(const Aabb& box) const {
    const Aabb& all = map_.bounds();
    return (box.min.array() >= all.min.array()).all() && (box.max.array() <= all.max.array()).all();
  }
  bool outside(const Aabb& box) const {
    const Aabb& all = map_.bounds();
    return (box.max.array() <= all.min.array()).any() || (box.min.array() >= all.max.array()).any();
  }
  bool add(const CellKey& key, int level, int value) {
    cubes.push_back({key, level, value});
    return cubes.size() <= options_.max_cells;
  }

  bool walk(const OccupancyNode& n) {
    if (!wanted(n) || outside(map_.box(n))) return true;
    if (n.is_leaf())
      return n.has_known() ? add(n.key(), n.level(), byte_of(n.max_log_odds())) : unknown(n.key(), n.level());
    if (n.level() <= level_) {  // occupied before unknown before free
      const bool occupied = n.has_known() && n.max_log_odds() >= threshold_;
      if (!occupied && n.has_unknown() && options_.unknown) return add(n.key(), n.level(), kUnknownByte);
      return !n.has_known() || (!occupied && !options_.free) || add(n.key(), n.level(), byte_of(n.max_log_odds()));
    }
    std::array<OccupancyNode, 8> children;
    map_.children(n, children);
    return std::all_of(children.begin(), children.end(), [&](const OccupancyNode& child) { return walk(child); });
  }

  /// An unknown leaf, as far as it is within the bounds.
  bool unknown(const CellKey& key, int level) {
    const Aabb box = map_.box(key, level);
    if (!options_.unknown || outside(box)) return true;
    if (level <= level_ || inside(box)) return add(key, level, kUnknownByte);
    for (int i = 0; i < 8; ++i) {
      const auto at = [&](std::int32_t k, int bit) {
        return static_cast<std::int32_t>(std::int64_t{k} + ((i >> bit & 1) != 0 ? std::int64_t{1} << (level - 1) : 0));
      };
      if (!unknown({at(key.x, 0), at(key.y, 1), at(key.z, 2)}, level - 1)) return false;
    }
    return true;
  }

  const OccupancyMap& map_;
  const MapPageOptions& options_;
  int level_;
  float threshold_;
};

std::vector<ShownCube> cubes_of(const OccupancyMap& map, const MapPageOptions& options, int& level) {
  for (level = 0;; ++level) {
    CubeCollector collector(map, options, level);
    if (collector.collect() || level == OccupancyMap::kTopLevel) return std::move(collector.cubes);
  }
}

void append_bytes(std::string& to, float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  for (unsigned i = 0; i < 4; ++i) to += static_cast<char>(bits >> 8 * i & 0xFFU);
}

/// Centres relative to that of the map (float32), then levels and values, a byte each.
std::string cube_bytes(const OccupancyMap& map, const std::vector<ShownCube>& cubes, const Vec3& origin) {
  std::string bytes;
  bytes.reserve(14 * cubes.size());
  for (const ShownCube& c : cubes) {
    const Vec3 center = map.box(c.key, c.level).center() - origin;
    for (int a = 0; a < 3; ++a) append_bytes(bytes, static_cast<float>(center[a]));
  }
  for (const ShownCube& c : cubes) bytes += static_cast<char>(c.level);
  for (const ShownCube& c : cubes) bytes += static_cast<char>(c.value);
  return bytes;
}

// Yellow to red; the viewer has the same (viewer/src/map.ts).
Vec3 map_color(double probability) {
  const double t = std::clamp(2 * probability - 1, 0.0, 1.0);
  return {1 - 0.15 * t, 0.80 - 0.63 * t, 0.30 - 0.06 * t};
}

/// Where there is no viewer: the occupied cells by rays.
std::string map_picture(const OccupancyMap& map, double threshold) {
  constexpr std::size_t kWidth = 320, kHeight = 200;  // shown at twice the size
  const Aabb box = map.empty() ? Aabb::around(Vec3::Zero(), Vec3::Ones()) : map.bounds();
  const double size = box.half().norm();
  const Camera camera(box.center() + 2.6 * size * Vec3(-0.5, -0.8, 0.55).normalized(), box.center(),
                      40 * std::numbers::pi / 180, kWidth, kHeight);
  const MapView walls(map, UnknownSpace::free, threshold);
  std::vector<Ray> rays;
  for (std::size_t y = 0; y < kHeight; ++y) {
    for (std::size_t x = 0; x < kWidth; ++x) {
      rays.emplace_back(camera.eye(), camera.ray(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5));
    }
  }
  std::vector<RayHit> hits(rays.size());
  raycast_each(at(walls), rays, hits);
  const Vec3 sun = Vec3(-0.3, -0.55, 0.8).normalized();
  Image image{kWidth, kHeight, std::vector<std::uint8_t>(3 * kWidth * kHeight)};
  for (std::size_t i = 0; i < rays.size(); ++i) {
    Vec3 color(0.07, 0.09, 0.12);
    if (hits[i].found()) {
      const std::optional<float> value = map.log_odds(hits[i].point - 0.01 * map.resolution() * hits[i].normal);
      const double light = 0.4 + 0.6 * std::max(0.0, hits[i].normal.dot(sun));
      color = light * map_color(value ? probability_of(*value) : 1);
    }
    for (Eigen::Index c = 0; c < 3; ++c) {
      image.rgb[3 * i + static_cast<std::size_t>(c)] =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(color[c], 0.0, 1.0)));
    }
  }
  return fmt::format(
      "<img width=\"640\" height=\"400\" alt=\"The occupied cells of the map\" src=\"data:image/png;base64,{}\">",
      base64(png(image)));
}

}  // namespace

MapPageReport write_map_page(const std::string& path, const OccupancyMap& map, const MapPageOptions& options) {
  MapPageReport report;
  const std::vector<ShownCube> cubes = cubes_of(map, options, report.level);
  report.cubes = cubes.size();
  const bool live = !viewer_script().empty();
  const Vec3 origin = map.empty() ? Vec3(Vec3::Zero()) : map.bounds().center();
  const Vec3 half = map.empty() ? Vec3(Vec3::Ones()) : map.bounds().half();
  const double side = std::ldexp(map.resolution(), report.level);
  std::string caution;
  if (report.level > 0) {
    caution = fmt::format(
        "<p class=\"caution\">The map has more than {} cubes to show: cells are merged into cubes of "
        "{:g} m, each with the largest probability in it.</p>",
        options.max_cells, side);
  }
  if (!live) {
    caution +=
        "<p class=\"caution\">This page has no 3-D view: graze was built without npm, which its viewer needs.</p>";
  }
  const std::map<std::string_view, std::string> places = {
      {"title", escaped(options.title)},
      {"generator", std::string("graze ") + kVersion},
      {"subtitle", fmt::format("{:g} × {:g} × {:g} m in cells of {:g} m, {} leaves; {} cubes are shown", 2 * half.x(),
                               2 * half.y(), 2 * half.z(), map.resolution(), map.leaves(), cubes.size())},
      {"caution", caution},
      {"picture", live ? "" : map_picture(map, options.threshold)},
      {"threshold", fmt::format("{:g}", options.threshold)},
      {"min_threshold", fmt::format("{:g}", options.free ? 0 : options.threshold)},
      {"free", options.free ? "" : "hidden"},
      {"unknown", options.unknown ? "" : "hidden"},
      {"script", std::string(viewer_script())}};
  FileWriter file(path);
  write_from_template(file, map_template(), places, [&] {
    if (!live) return;
    const auto vector = [](const Vec3& v) { return nlohmann::json{v.x(), v.y(), v.z()}; };
    write_page_data(file, json_text(nlohmann::json{{"schema", 1},
                                                   {"kind", "map"},
                                                   {"resolution", map.resolution()},
                                                   {"origin", vector(origin)},
                                                   {"half", vector(half)},
                                                   {"cubes", cubes.size()},
                                                   {"threshold", options.threshold}}));
    write_page_block(file, "cubes", cube_bytes(map, cubes, origin));
  });
  file.commit();
  return report;
}

}  // namespace graze::app
