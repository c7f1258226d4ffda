#include "map_page.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "map_cubes.h"
#include "numbers.h"
#include "page_template.h"

namespace graze::app {
namespace {

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
  const std::vector<ShownCube> cubes = cubes_of(map, options.cubes, report.level);
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
        options.cubes.max, side);
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
      {"picture", live ? "" : map_picture(map, options.cubes.threshold)},
      {"threshold", fmt::format("{:g}", options.cubes.threshold)},
      {"min_threshold", fmt::format("{:g}", options.cubes.free ? 0 : options.cubes.threshold)},
      {"free", options.cubes.free ? "" : "hidden"},
      {"unknown", options.cubes.unknown ? "" : "hidden"},
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
                                                   {"threshold", options.cubes.threshold}}));
    write_page_block(file, "cubes", cube_bytes(map, cubes, origin));
  });
  file.commit();
  return report;
}

}  // namespace graze::app
