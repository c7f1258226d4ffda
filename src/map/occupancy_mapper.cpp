#include "graze/map/occupancy_mapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "graze/base/error.h"
#include "graze/geometry/occupancy_map_builder.h"
#include "graze/query/collide.h"
#include "graze/shape/box.h"
#include "map/mapper_state.h"

namespace graze {
namespace {

using map::BrickBits;

}  // namespace

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
  state_->store.add_times(detail::OccupancyData::of(map));
}

OccupancyMapper::OccupancyMapper(OccupancyMapper&&) noexcept = default;
OccupancyMapper& OccupancyMapper::operator=(OccupancyMapper&&) noexcept = default;
OccupancyMapper::~OccupancyMapper() = default;

const OccupancyMapperOptions& OccupancyMapper::options() const { return state_->options; }
OccupancyMap OccupancyMapper::map() { return state_->store.map(); }
std::size_t OccupancyMapper::memory_bytes() const {
  return state_->store.memory_bytes() + state_->marks.memory_bytes();
}

InsertReport OccupancyMapper::insert(const SensorFrame& frame) {
  State& s = *state_;
  const double resolution = s.options.resolution, range = frame.max_range;
  map::check_range(range, frame.no_return);
  if (!std::isfinite(frame.time)) throw Error("time", fmt::format("expected a number, got {}", frame.time));
  const Vec3 origin = frame.pose * frame.origin;
  const std::optional<CellKey> from = map::key_of(origin, resolution);
  if (!from) throw Error("origin", "is not finite or out of the range of keys");
  const bool clears = frame.no_return == NoReturn::clear;
  if (clears && frame.directions.size() != frame.points.size()) {
    throw Error("directions",
                fmt::format("expected as many as points, {}, got {}", frame.points.size(), frame.directions.size()));
  }
  map::SelfFilter filter(frame.filter);
  InsertReport report;
  report.points = frame.points.size();
  s.marks.clear();
  s.ends.clear();
  s.rays.clear();
  s.in_grid = s.cover(frame, origin, *from);
  const bool moved = !(frame.pose == Pose()), per_end_voxel = frame.rays == FrameRays::per_end_voxel;
  CellKey last_cell{};
  bool any_cell = false, last_was_hit = false;

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
    const Vec3 p = moved ? frame.pose * own : own;
    if (!frame.filter.empty() && filter.removes(p)) continue;
    CellKey cell;
    Vec3 end = p;
    const bool in_keys = map::quick_key(p, resolution, s.inverse, cell);
    if (per_end_voxel) {
      if (!in_keys) {
        ++report.too_far;
        continue;
      }
      if (any_cell && cell == last_cell) {  // neighbours share their cell
        ++(last_was_hit ? report.hits : report.cut);
        continue;
      }
      end = (Vec3(cell.x, cell.y, cell.z).array() + 0.5) * resolution;
    }
    const Vec3 along = end - origin;
    const double length = along.norm();
    const bool within = length <= range;
    if (per_end_voxel) last_cell = cell, any_cell = true, last_was_hit = within;
    if (within && !in_keys) {
      ++report.too_far;
      continue;
    }
    ++(within ? report.hits : report.cut);
    if (within) {
      if (!s.hit(cell) && per_end_voxel) continue;
    } else {
      if (per_end_voxel && !s.ends.insert(cell).second) continue;
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
  s.store.drop_empty();
}

void OccupancyMapper::forget_before(double time) {
  state_->store.forget_before(time);
  state_->store.drop_empty();
}

void OccupancyMapper::decay(double seconds, double half_life) {
  if (!(seconds >= 0 && seconds < kInfinity)) throw Error("seconds", fmt::format("expected a time, got {}", seconds));
  if (!(half_life > 0)) throw Error("half_life", fmt::format("expected a positive time, got {}", half_life));
  state_->store.decay(seconds, half_life);
  state_->store.drop_empty();
}

}  // namespace graze
