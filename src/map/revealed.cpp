#include "graze/map/revealed.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "graze/base/error.h"
#include "graze/geometry/geometry.h"
#include "graze/map/occupancy_mapper.h"
#include "graze/query/raycast.h"

namespace graze {
namespace {

/// Walks what a frame saw and what a map knows, side by side.
class UnknownSeen {
 public:
  UnknownSeen(const OccupancyMap& seen, const OccupancyMap& map, void* where, bool (*visit)(void*, const CellKey&, int))
      : seen_(seen), map_(map), where_(where), visit_(visit) {}

  double cells() {
    both(seen_.root(), map_.root());
    return cells_;
  }

 private:
  using Children = std::array<OccupancyNode, 8>;

  bool both(const OccupancyNode& seen, const OccupancyNode& known) {
    if (!seen.has_known() || !known.has_unknown()) return true;
    if (seen.is_leaf() && known.is_leaf()) {
      // A leaf that stands for its parts has a larger cube than they: the smaller one is meant.
      const OccupancyNode& cube = seen.level() < known.level() ? seen : known;
      cells_ += std::ldexp(1.0, 3 * cube.level());
      return visit_(where_, cube.key(), cube.level());
    }
    Children of_seen, of_known;
    split(seen_, seen, of_seen);
    split(map_, known, of_known);
    for (std::size_t i = 0; i < 8; ++i) {
      if (!both(of_seen[i], of_known[i])) return false;
    }
    return true;
  }
  /// A leaf stands for its parts.
  static void split(const OccupancyMap& map, const OccupancyNode& node, Children& out) {
    if (node.is_leaf()) out.fill(node);
    else map.children(node, out);
  }

  const OccupancyMap& seen_;
  const OccupancyMap& map_;
  void* where_;
  bool (*visit_)(void*, const CellKey&, int);
  double cells_ = 0;
};

/// The frame that the sensor would take, in a map of its own.
OccupancyMap seen_by(const MapView& walls, const SensorView& sensor, const RevealedOptions& options,
                     RevealedSpace& result) {
  if (!(sensor.max_range > 0 && sensor.max_range < kInfinity)) {
    throw Error("max_range", fmt::format("expected a positive, finite length, got {}", sensor.max_range));
  }
  const OccupancyMap& map = walls.map();
  const Vec3 origin = sensor.pose.translation();
  if (!map.key_of(origin)) throw Error("pose", "is out of the range of keys");
  std::vector<Ray> rays;
  rays.reserve(sensor.directions.size());
  for (std::size_t i = 0; i < sensor.directions.size(); ++i) {
    const Vec3 direction = sensor.pose.rotation() * sensor.directions[i];
    if (is_finite(direction) && direction != Vec3::Zero()) rays.emplace_back(origin, direction, sensor.max_range);
    else ++result.passed_over;
  }
  std::vector<RayHit> hits(rays.size());
  raycast_each(at(walls), rays, hits, {.threads = options.threads});
  // A hit is on the face of its cell: a little more, and the point is in it.
  const double inside = 1e-6 * map.resolution();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3> points, directions;
  points.reserve(rays.size()), directions.reserve(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const bool blocked = hits[i].found();
    result.blocked += blocked ? 1 : 0;
    points.push_back(blocked ? rays[i].at(hits[i].distance + inside) : Vec3(kNone, kNone, kNone));
    directions.push_back(rays[i].direction());
  }
  OccupancyMapper mapper({.resolution = map.resolution(), .max_bytes = options.max_bytes});
  const InsertReport report = mapper.insert({.points = points,
                                             .origin = origin,
                                             .max_range = sensor.max_range + 2 * inside,
                                             .no_return = NoReturn::clear,
                                             .zero_is_no_return = false,
                                             .directions = directions});
  result.passed_over += report.too_far;
  return mapper.map();
}

}  // namespace

RevealedSpace detail::visit_revealed(const MapView& walls, const SensorView& sensor, const RevealedOptions& options,
                                     void* where, bool (*visit)(void*, const CellKey&, int)) {
  RevealedSpace result;
  const OccupancyMap seen = seen_by(walls, sensor, options, result);
  result.cells = UnknownSeen(seen, walls.map(), where, visit).cells();
  const double side = walls.map().resolution();
  result.volume = result.cells * (side * side * side);
  return result;
}

RevealedSpace revealed_space(const MapView& walls, const SensorView& sensor, const RevealedOptions& options) {
  return visit_revealed(walls, sensor, options, [](const CellKey&, int) {});
}

std::vector<Vec3> camera_rays(int width, int height, double fx, double fy, double cx, double cy) {
  if (width < 1 || height < 1) throw Error("size", fmt::format("expected pixels, got {} × {}", width, height));
  if (!(fx > 0 && fy > 0 && fx < kInfinity && fy < kInfinity && std::isfinite(cx) && std::isfinite(cy))) {
    throw Error("intrinsics",
                fmt::format("expected positive focal lengths and a finite centre, got {}, {}, {}, {}", fx, fy, cx, cy));
  }
  std::vector<Vec3> rays;
  rays.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int v = 0; v < height; ++v) {
    for (int u = 0; u < width; ++u) rays.emplace_back((u - cx) / fx, (v - cy) / fy, 1);
  }
  return rays;
}

}  // namespace graze
