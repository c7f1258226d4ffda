// The inside of an OccupancyMapper, for the files that insert.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graze/base/error.h"
#include "graze/map/occupancy_mapper.h"
#include "graze/query/point.h"
#include "map/cell_store.h"
#include "map/depth_view.h"
#include "map/frame_grid.h"
#include "map/frame_marks.h"
#include "map/point_batch.h"
#include "map/ray_fan.h"

namespace graze {
namespace map {

inline void check_range(double max_range, NoReturn no_return) {
  if (!(max_range > 0)) throw Error("max_range", fmt::format("expected a positive length, got {}", max_range));
  if (no_return == NoReturn::clear && !(max_range < kInfinity)) {
    throw Error("max_range", "expected a finite length up to which rays without return clear");
  }
}

/// Which points are of a body that the sensor carries or sees of its own.
class SelfFilter {
 public:
  explicit SelfFilter(std::span<const FilteredBody> bodies) : bodies_(bodies), removed_(bodies.size(), 0) {
    for (const FilteredBody& body : bodies) {
      if (!(body.padding >= 0 && body.padding < kInfinity)) {
        throw Error("padding", fmt::format("expected a length that is not negative, got {}", body.padding));
      }
      bounds_.push_back(bounds(body.body.geometry, body.body.pose).grown(body.padding));
    }
  }
  bool removes(const Vec3& p) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!bounds_[i].contains(p)) continue;
      const double padding = bodies_[i].padding;
      if (!contains(bodies_[i].body, p) && !(closest_point(bodies_[i].body, p, padding).distance <= padding)) continue;
      ++removed_[i];
      return true;
    }
    return false;
  }
  std::vector<std::size_t> removed() && { return std::move(removed_); }

 private:
  std::span<const FilteredBody> bodies_;
  std::vector<Aabb> bounds_;
  std::vector<std::size_t> removed_;
};

/// The cell of a coordinate, mostly without a division or a call.
inline bool quick_key(double x, double resolution, double inverse, std::int32_t& key) {
  const double scaled = x * inverse;
  if (std::abs(scaled) < 2e9) {
    const auto truncated = static_cast<std::int32_t>(scaled);
    const std::int32_t cell = truncated - (scaled < truncated ? 1 : 0);
    if (cell * resolution <= x && x < (double(cell) + 1) * resolution) {
      key = cell;
      return true;
    }
  }
  const std::optional<std::int32_t> exact = detail::key_of(x, resolution);
  key = exact.value_or(0);
  return exact.has_value();
}

/// The cell of a point; false if it is out of the range of keys.
inline bool quick_key(const Vec3& p, double resolution, double inverse, CellKey& key) {
  return quick_key(p.x(), resolution, inverse, key.x) && quick_key(p.y(), resolution, inverse, key.y) &&
         quick_key(p.z(), resolution, inverse, key.z);
}

inline std::optional<CellKey> key_of(const Vec3& p, double resolution) {
  CellKey key;
  return quick_key(p, resolution, 1 / resolution, key) ? std::optional(key) : std::nullopt;
}

}  // namespace map

struct OccupancyMapper::State {
  explicit State(const OccupancyMapperOptions& given) : options(given), store(given) {}

  OccupancyMapperOptions options;
  map::CellStore store;
  double inverse = 1 / options.resolution;
  map::FrameMarks marks;
  map::KeyTable ends;  // beyond the range
  map::DepthMemory depth;

  map::FrameGrid grid;  // instead of marks, where the box of the frame is small
  bool in_grid = false;
  map::RayPlan plan;  // of the frame
  map::PointBatch points;
  map::RayBatch rays;
  map::RayFan fan;

  bool ends_in_grid = false;  // it has all points, those beyond the range, too

  /// Whether the grid can take all that a frame marks: from the sensor to all points, but not beyond the range unless
  /// it is small nevertheless.
  bool cover(const SensorFrame& frame) {
    const Aabb own = map::box_of(frame.points);
    Aabb box = own.empty() ? own : transformed(own, frame.pose);
    box.extend(plan.origin);
    if (frame.no_return == NoReturn::clear) box.extend(Aabb::around(plan.origin, Vec3::Constant(frame.max_range)));
    // Of points in cells the rays of one cell are the same, and what is beyond the range is cut.
    ends_in_grid = frame.rays == FrameRays::per_end_voxel && cover_box(box);
    if (ends_in_grid) return true;
    // On every axis cut rays end between the sensor and where the points were.
    const Vec3 range = Vec3::Constant(frame.max_range);
    return cover_box({box.min.cwiseMax(plan.origin - range), box.max.cwiseMin(plan.origin + range)});
  }
  bool cover_box(const Aabb& box) {
    std::array<std::int64_t, 3> low{}, high{};
    const std::array<std::int64_t, 3> start{plan.from.x, plan.from.y, plan.from.z};
    std::int64_t longest = 0;
    for (int a = 0; a < 3; ++a) {
      const auto i = static_cast<std::size_t>(a);
      const double first = box.min[a] / options.resolution, last = box.max[a] / options.resolution;
      if (!(last - first < 1e6 && std::abs(first) < 2.1e9 && std::abs(last) < 2.1e9)) return false;
      // A cell of a point whose centre is in the range may reach out of it, and rounding one more.
      low[i] = std::min(start[i], static_cast<std::int64_t>(std::floor(first))) - 2;
      high[i] = std::max(start[i], static_cast<std::int64_t>(std::floor(last))) + 2;
      longest += high[i] - low[i];
    }
    return longest <= OccupancyMapper::kMaxRayCells && grid.cover(low, high);
  }

  bool hit(const CellKey& cell) { return in_grid ? grid.hit(cell) : marks.hit(cell); }
  /// Notes a ray to `target`, or if that is `beyond` the range, to where it is cut; false if it is too long.
  bool clear_ray(const Vec3& target, bool beyond) {
    if (in_grid) {  // which no ray leaves, and which is not too large for any
      rays.add(target, beyond);
      if (rays.full()) march_batch();
      return true;
    }
    const Vec3 end = beyond ? plan.cut(target) : target;
    CellKey to;
    if (!map::quick_key(end, options.resolution, inverse, to)) return false;
    const auto cells = [](std::int32_t a, std::int32_t b) { return std::abs(std::int64_t{a} - b); };
    const CellKey& from = plan.from;
    if (cells(from.x, to.x) + cells(from.y, to.y) + cells(from.z, to.z) > OccupancyMapper::kMaxRayCells) return false;
    if (from == to) return true;
    march({plan.origin, end, from, to}, options.resolution, marks);
    check_memory();
    return true;
  }
  void march_batch() {
    grid.march(rays, plan);
    rays.count = 0;
  }

  /// Forgets what the frame marked.
  void drop_marks() {
    if (in_grid) grid.clear();
    marks.clear();
    rays.count = 0;
  }

  void check_memory() {
    // A brick of marks may become one with values of all cells.
    const std::size_t bricks = in_grid ? grid.bricks() : marks.bricks().size();
    if (store.memory_bytes() + bricks * (sizeof(map::Brick) + 8 * sizeof(map::CubeValues) + sizeof(marks[0])) <=
        options.max_bytes)
      return;
    drop_marks();
    throw Error("frame", fmt::format("takes the map beyond {} bytes, its limit", options.max_bytes));
  }

  void change(const CellKey& brick, const map::BrickBits& misses, const map::BrickBits& hits, double time,
              InsertReport& report) {
    const std::size_t hit = map::count_of(hits), missed = map::count_of(misses);
    if (hit + missed > 0) store.observe(brick, misses, hits, time);
    report.cells_hit += hit;
    report.cells_missed += missed;
  }

  void apply(double time, InsertReport& report) {
    if (in_grid) {
      march_batch();
      if (ends_in_grid) fan.march(grid, plan, rays);
      check_memory();
      grid.drain([&](const CellKey& brick, const map::BrickBits& misses, const map::BrickBits& hits) {
        change(brick, misses, hits, time, report);
      });
      return;
    }
    for (std::uint32_t i = 0; i < marks.bricks().size(); ++i) {
      map::FrameMarks::Marks& m = marks[i];
      for (std::size_t w = 0; w < 8; ++w) m.misses[w] &= ~m.hits[w];
      change(marks.bricks()[i], m.misses, m.hits, time, report);
    }
  }
};

}  // namespace graze
