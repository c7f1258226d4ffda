#include "graze/map/occupancy_mapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "graze/base/error.h"
#include "graze/geometry/occupancy_map_builder.h"
#include "graze/query/collide.h"
#include "graze/query/point.h"
#include "graze/shape/box.h"
#include "map/cell_store.h"
#include "map/frame_marks.h"
#include "map/ray_march.h"

namespace graze {
namespace {

using map::BrickBits;

void check_range(double max_range, NoReturn no_return) {
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

std::optional<CellKey> key_of(const Vec3& p, double resolution) {
  const auto x = detail::key_of(p.x(), resolution), y = detail::key_of(p.y(), resolution),
             z = detail::key_of(p.z(), resolution);
  if (!x || !y || !z) return std::nullopt;
  return CellKey{*x, *y, *z};
}

}  // namespace

struct OccupancyMapper::State {
  explicit State(const OccupancyMapperOptions& given) : options(given), store(given) {}

  OccupancyMapperOptions options;
  map::CellStore store;
  map::FrameMarks marks;
  map::KeyTable ends;  // beyond the range

  /// Casts a ray that ends at `end`; false if it is too long.
  bool clear_ray(const Vec3& origin, const CellKey& from, const Vec3& end) {
    const std::optional<CellKey> to = key_of(end, options.resolution);
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

OccupancyMapper::OccupancyMapper(const OccupancyMapperOptions& options) : state_(std::make_unique<State>(options)) {}

OccupancyMapper::OccupancyMapper(const OccupancyMap& map, const OccupancyMapperOptions& options) {
  if (options.model != SensorModel::log_odds) throw Error("model", "a map has no frames to average");
  OccupancyMapperOptions own = options;
  own.resolution = map.resolution();
  state_ = std::make_unique<State>(own);
  constexpr double kMostBricks = 1 << 22;
  double bricks = 0;
  map.visit_leaves(
      [&](const OccupancyCell& leaf) { bricks += std::ldexp(1.0, 3 * (leaf.level - detail::kBrickLevel)); });
  if (bricks > kMostBricks) {
    throw Error("map",
                fmt::format("knows {} cells, too many to change; the limit is {}", bricks * 512, kMostBricks * 512));
  }
  map.visit_leaves([&](const OccupancyCell& leaf) { state_->store.add_leaf(leaf); });
}

OccupancyMapper::OccupancyMapper(OccupancyMapper&&) noexcept = default;
OccupancyMapper& OccupancyMapper::operator=(OccupancyMapper&&) noexcept = default;
OccupancyMapper::~OccupancyMapper() = default;

const OccupancyMapperOptions& OccupancyMapper::options() const { return state_->options; }
OccupancyMap OccupancyMapper::map() const { return state_->store.map(); }
std::size_t OccupancyMapper::memory_bytes() const {
  return state_->store.memory_bytes() + state_->marks.memory_bytes();
}

InsertReport OccupancyMapper::insert(const SensorFrame& frame) {
  State& s = *state_;
  const double resolution = s.options.resolution, range = frame.max_range;
  check_range(range, frame.no_return);
  if (!std::isfinite(frame.time)) throw Error("time", fmt::format("expected a number, got {}", frame.time));
  const Vec3 origin = frame.pose * frame.origin;
  const std::optional<CellKey> from = key_of(origin, resolution);
  if (!from) throw Error("origin", "is not finite or out of the range of keys");
  const bool clears = frame.no_return == NoReturn::clear;
  if (clears && frame.directions.size() != frame.points.size()) {
    throw Error("directions",
                fmt::format("expected as many as points, {}, got {}", frame.points.size(), frame.directions.size()));
  }
  SelfFilter filter(frame.filter);
  InsertReport report;
  report.points = frame.points.size();
  s.marks.clear();
  s.ends.clear();

  for (std::size_t i = 0; i < frame.points.size(); ++i) {
    const Vec3 own = frame.points[i];
    if (!is_finite(own) || (frame.zero_is_no_return && own == frame.origin)) {
      ++report.no_return;
      if (!clears) continue;
      const Vec3 direction = frame.pose.rotation() * frame.directions[i];
      if (!is_finite(direction) || direction == Vec3::Zero()) continue;
      if (!s.clear_ray(origin, *from, origin + unit_vector(direction) * range)) ++report.too_far;
      continue;
    }
    const Vec3 p = frame.pose * own;
    if (filter.removes(p)) continue;
    std::optional<CellKey> cell;
    Vec3 end = p;
    if (frame.rays == FrameRays::per_end_voxel) {
      cell = key_of(p, resolution);
      if (!cell) {
        ++report.too_far;
        continue;
      }
      end = (Vec3(cell->x, cell->y, cell->z).array() + 0.5) * resolution;
    }
    const Vec3 along = end - origin;
    const double length = along.norm();
    if (length <= range) {
      ++report.hits;
      if (!cell) cell = key_of(p, resolution);
      if (!cell) {
        --report.hits, ++report.too_far;
        continue;
      }
      const bool first = s.marks.hit(*cell);
      if (frame.rays == FrameRays::per_end_voxel && !first) continue;
    } else {
      ++report.cut;
      if (cell && !s.ends.insert(*cell).second) continue;
      end = origin + along / length * range;
    }
    if (!s.clear_ray(origin, *from, end)) ++report.too_far;
  }
  s.apply(frame.time, report);
  report.filtered = std::move(filter).removed();
  return report;
}

namespace {

/// Cells [low, high] along each axis that a box touches, kept to the keys; false if there are none.
bool cells_of(const Aabb& box, double resolution, std::array<std::int64_t, 3>& low, std::array<std::int64_t, 3>& high) {
  for (int a = 0; a < 3; ++a) {
    // One more on each side: touching counts, and whoever asks looks at each cell.
    const double first = std::floor(box.min[a] / resolution) - 1, last = std::floor(box.max[a] / resolution) + 1;
    const auto i = static_cast<std::size_t>(a);
    low[i] = static_cast<std::int64_t>(std::clamp(first, -2147483648.0, 2147483647.0));
    high[i] = static_cast<std::int64_t>(std::clamp(last, -2147483648.0, 2147483647.0));
    if (last < -2147483648.0 || first > 2147483647.0) return false;
  }
  return true;
}

Placed box_of(const Aabb& box) { return at(Box{.half = box.half()}, Pose::at(box.center())); }

}  // namespace

void OccupancyMapper::clear(const Placed& body, Cleared as) {
  State& s = *state_;
  const double resolution = s.options.resolution;
  const Aabb reach = bounds(body.geometry, body.pose).grown(body.uncertainty);
  if (reach.empty()) return;
  if (!reach.bounded()) throw Error("body", "is unbounded");
  std::array<std::int64_t, 3> low{}, high{};
  if (!cells_of(reach, resolution, low, high)) return;
  const std::optional<float> value =
      as == Cleared::free ? std::optional(log_odds_of(s.options.clamp_min)) : std::nullopt;
  const OccupancyMap geometry = OccupancyMapBuilder(resolution).finish();
  const auto look_at = [&](const CellKey& brick, const BrickBits& candidates) {
    if (!collide(body, box_of(geometry.box(brick, detail::kBrickLevel)))) return;
    BrickBits touched{};
    for (unsigned i = 0; i < 512; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (i & 63U);
      if ((candidates[i >> 6U] & bit) == 0) continue;
      if (collide(body, box_of(geometry.box(map::cell_of_brick(brick, i))))) touched[i >> 6U] |= bit;
    }
    s.store.set(brick, touched, value);
  };
  if (as == Cleared::unknown) {  // only what is known can be forgotten
    std::vector<std::pair<CellKey, BrickBits>> near;
    s.store.visit_bricks([&](const CellKey& brick, const BrickBits& known) {
      const auto in = [](std::int32_t k, std::int64_t first, std::int64_t last) { return k + 7 >= first && k <= last; };
      if (in(brick.x, low[0], high[0]) && in(brick.y, low[1], high[1]) && in(brick.z, low[2], high[2])) {
        near.emplace_back(brick, known);
      }
    });
    for (const auto& [brick, known] : near) look_at(brick, known);
    return;
  }
  constexpr double kMostBricks = 1 << 24;
  double count = 1;
  for (std::size_t a = 0; a < 3; ++a) count *= static_cast<double>((high[a] >> 3) - (low[a] >> 3) + 1);
  if (count > kMostBricks) throw Error("body", fmt::format("spans {} cells, too many to free", count * 512));
  for (std::int64_t x = low[0] >> 3; x <= high[0] >> 3; ++x) {
    for (std::int64_t y = low[1] >> 3; y <= high[1] >> 3; ++y) {
      for (std::int64_t z = low[2] >> 3; z <= high[2] >> 3; ++z) {
        look_at({static_cast<std::int32_t>(8 * x), static_cast<std::int32_t>(8 * y), static_cast<std::int32_t>(8 * z)},
                map::kAllBits);
      }
    }
  }
}

void OccupancyMapper::keep(const Aabb& box) {
  State& s = *state_;
  const double resolution = s.options.resolution;
  const auto center = [&](const CellKey& k) -> Vec3 { return (Vec3(k.x, k.y, k.z).array() + 0.5) * resolution; };
  std::vector<std::pair<CellKey, BrickBits>> outside;
  s.store.visit_bricks([&](const CellKey& brick, const BrickBits& known) {
    if (box.contains(center(brick)) && box.contains(center({brick.x + 7, brick.y + 7, brick.z + 7}))) return;
    BrickBits bits{};
    for (unsigned i = 0; i < 512; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (i & 63U);
      if ((known[i >> 6U] & bit) != 0 && !box.contains(center(map::cell_of_brick(brick, i)))) bits[i >> 6U] |= bit;
    }
    outside.emplace_back(brick, bits);
  });
  for (const auto& [brick, bits] : outside) s.store.set(brick, bits, std::nullopt);
}

void OccupancyMapper::forget_before(double time) { state_->store.forget_before(time); }

void OccupancyMapper::decay(double seconds, double half_life) {
  if (!(seconds >= 0 && seconds < kInfinity)) throw Error("seconds", fmt::format("expected a time, got {}", seconds));
  if (!(half_life > 0)) throw Error("half_life", fmt::format("expected a positive time, got {}", half_life));
  state_->store.decay(seconds, half_life);
}

}  // namespace graze
