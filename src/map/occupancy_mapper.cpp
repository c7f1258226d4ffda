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

namespace {

/// What points become: hits, and rays.
template <class State>
class PointMarks {
 public:
  PointMarks(State& state, bool per_end_voxel, InsertReport& report)
      : s_(state),
        per_end_voxel_(per_end_voxel),
        plan_{state.plan.origin, state.plan.resolution, state.plan.max_range, per_end_voxel, {}, {}},
        report_(report) {
    if (!s_.ends_in_grid) return;
    for (std::size_t a = 0; a < 3; ++a) plan_.first_cell[a] = s_.grid.first_cell(a);
    plan_.shift = s_.grid.shift();
  }

  void mark(map::PointBatch& batch) {
    locate(batch, plan_);
    for (std::size_t i = 0; i < batch.count; ++i) {
      if (s_.ends_in_grid) mark_in_grid(batch, i);
      else mark(batch, i);
    }
  }

 private:
  // All points are in the grid, and their cells have numbers.
  void mark_in_grid(const map::PointBatch& batch, std::size_t i) {
    const bool within = map::PointBatch::bit(batch.within, i);
    ++(within ? report_.hits : report_.cut);
    const std::uint32_t number = batch.number[i];
    if (number == last_number_) return;  // neighbours share their cell
    last_number_ = number;
    if (within) s_.grid.hit(number);
    else s_.grid.end_ray(number);
  }
  void mark(const map::PointBatch& batch, std::size_t i) {
    const CellKey cell = batch.cell(i);
    const bool in_keys = map::PointBatch::bit(batch.in_keys, i), within = map::PointBatch::bit(batch.within, i);
    if (!in_keys && (per_end_voxel_ || within)) {
      ++report_.too_far;
      return;
    }
    ++(within ? report_.hits : report_.cut);
    if (per_end_voxel_) {
      if (any_cell_ && cell == last_cell_) return;
      last_cell_ = cell, any_cell_ = true;
    }
    const bool is_new = within ? s_.hit(cell) : !per_end_voxel_ || s_.ends.insert(cell).second;
    if (per_end_voxel_ && !is_new) return;
    if (!s_.clear_ray(batch.point(i), !within)) ++report_.too_far;
  }

  State& s_;
  bool per_end_voxel_, any_cell_ = false;
  map::PointPlan plan_;
  InsertReport& report_;
  CellKey last_cell_;
  std::uint32_t last_number_ = 0xFFFFFFFF;  // the grid has fewer cells
};

}  // namespace

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
  s.rays.count = s.points.count = 0;
  s.plan = {origin, *from, resolution, range};
  s.in_grid = s.cover(frame);
  const bool moved = !(frame.pose == Pose());
  PointMarks marks(s, frame.rays == FrameRays::per_end_voxel, report);

  map::PointBatch& batch = s.points;
  for (std::size_t first = 0; first < frame.points.size(); first += map::PointBatch::kSize) {
    map::read(batch, frame.points, first, frame.zero_is_no_return ? &frame.origin : nullptr);
    const std::size_t count = batch.count;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (map::PointBatch::bit(batch.returned, i)) {
        if (kept != i) {
          for (auto& axis : batch.at) axis[kept] = axis[i];
        }
        ++kept;
        continue;
      }
      ++report.no_return;
      if (!clears) continue;
      const Vec3 direction = frame.pose.rotation() * frame.directions[first + i];
      if (!is_finite(direction) || direction == Vec3::Zero()) continue;
      if (!s.clear_ray(origin + unit_vector(direction) * range, false)) ++report.too_far;
    }
    batch.count = kept;
    if (moved) move(batch, frame.pose);
    if (!frame.filter.empty()) {
      kept = 0;
      for (std::size_t i = 0; i < batch.count; ++i) {
        if (filter.removes(batch.point(i))) continue;
        for (auto& axis : batch.at) axis[kept] = axis[i];
        ++kept;
      }
      batch.count = kept;
    }
    marks.mark(batch);
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
