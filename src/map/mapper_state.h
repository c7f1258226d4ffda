// The inside of an OccupancyMapper, for the files that insert.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graze/base/error.h"
#include "graze/map/occupancy_mapper.h"
#include "graze/query/point.h"
#include "map/cell_store.h"
#include "map/depth_view.h"
#include "map/frame_marks.h"
#include "map/ray_march.h"

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

inline std::optional<CellKey> key_of(const Vec3& p, double resolution) {
  const auto x = detail::key_of(p.x(), resolution), y = detail::key_of(p.y(), resolution),
             z = detail::key_of(p.z(), resolution);
  if (!x || !y || !z) return std::nullopt;
  return CellKey{*x, *y, *z};
}

}  // namespace map

struct OccupancyMapper::State {
  explicit State(const OccupancyMapperOptions& given) : options(given), store(given) {}

  OccupancyMapperOptions options;
  map::CellStore store;
  map::FrameMarks marks;
  map::KeyTable ends;  // beyond the range
  map::DepthMemory depth;

  /// Casts a ray that ends at `end`; false if it is too long.
  bool clear_ray(const Vec3& origin, const CellKey& from, const Vec3& end) {
    const std::optional<CellKey> to = map::key_of(end, options.resolution);
    if (!to) return false;
    const auto cells = [](std::int32_t a, std::int32_t b) { return std::abs(std::int64_t{a} - b); };
    if (cells(from.x, to->x) + cells(from.y, to->y) + cells(from.z, to->z) > kMaxRayCells) return false;
    march({origin, end, from, *to}, options.resolution, marks);
    check_memory();
    return true;
  }

  void check_memory() {
    // A brick of marks may become one of values.
    const std::size_t bytes = store.memory_bytes() + marks.bricks().size() * (sizeof(map::Brick) + sizeof(marks[0]));
    if (bytes <= options.max_bytes) return;
    marks.clear();
    throw Error("frame", fmt::format("takes the map beyond {} bytes, its limit", options.max_bytes));
  }

  void apply(double time, InsertReport& report) {
    const std::vector<CellKey>& bricks = marks.bricks();
    for (std::uint32_t i = 0; i < bricks.size(); ++i) {
      map::FrameMarks::Marks& m = marks[i];
      std::size_t hits = 0, misses = 0;
      for (std::size_t w = 0; w < 8; ++w) {
        m.misses[w] &= ~m.hits[w];
        hits += static_cast<std::size_t>(std::popcount(m.hits[w]));
        misses += static_cast<std::size_t>(std::popcount(m.misses[w]));
      }
      if (hits + misses > 0) store.observe(bricks[i], m.misses, m.hits, time);
      report.cells_hit += hits;
      report.cells_missed += misses;
    }
  }
};

}  // namespace graze
