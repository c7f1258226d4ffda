#include "graze/geometry/map_view.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "geometry/map_view_data.h"
#include "graze/base/error.h"

namespace graze {

std::size_t map_view::Data::feature_of(const CellKey& known) const {
  constexpr std::int64_t kCells = std::int64_t{1} << 21;
  const std::int64_t x = std::int64_t{known.x} - lowest.x, y = std::int64_t{known.y} - lowest.y,
                     z = std::int64_t{known.z} - lowest.z;
  if (x < 0 || y < 0 || z < 0 || x >= kCells || y >= kCells || z >= kCells) return kNoFeature;
  return static_cast<std::size_t>((z * kCells + y) * kCells + x);
}

std::size_t map_view::Data::feature_of(const OccupancyNode& node) const {
  return node.has_known() ? feature_of(node.key()) : kNoFeature;
}

namespace {

/// The first cell of all that is known.
CellKey lowest_of(const OccupancyMap& map) {
  if (map.empty()) return {};
  // Sides are whole multiples of the resolution, rounded once.
  const auto axis = [&](int a) {
    return static_cast<std::int32_t>(std::llround(map.bounds().min[a] / map.resolution()));
  };
  return {axis(0), axis(1), axis(2)};
}

}  // namespace

MapView::MapView(const OccupancyMap& map, UnknownSpace unknown, double threshold) {
  if (!(threshold >= 0 && threshold <= 1))
    throw Error("map threshold", fmt::format("must be between 0 and 1, got {}", threshold));
  auto data = std::make_shared<map_view::Data>();
  data->map = map;
  data->threshold = threshold;
  data->log_odds = log_odds_of(threshold);
  data->unknown_occupied = unknown == UnknownSpace::occupied;
  data->lowest = lowest_of(map);
  if (data->unknown_occupied) {
    data->bounds = Aabb::everything();
  } else {
    data->bits = map_view::CellBits(map, data->log_odds);
    data->bounds = data->bits.bounds(map.resolution());
  }
  data_ = std::move(data);
}

const OccupancyMap& MapView::map() const { return data_->map; }
UnknownSpace MapView::unknown() const { return data_->unknown_occupied ? UnknownSpace::occupied : UnknownSpace::free; }
double MapView::threshold() const { return data_->threshold; }
Aabb MapView::bounds() const { return data_->bounds; }

std::optional<Aabb> MapView::cell(std::size_t feature) const {
  constexpr std::size_t kCells = std::size_t{1} << 21, kMask = kCells - 1;
  if (feature >= kCells * kCells * kCells) return std::nullopt;
  const auto at = [](std::int32_t lowest, std::size_t offset) {
    return static_cast<std::int32_t>(std::int64_t{lowest} + static_cast<std::int64_t>(offset));
  };
  const CellKey& low = data_->lowest;
  const auto cell = data_->map.find(
      CellKey{at(low.x, feature & kMask), at(low.y, feature / kCells & kMask), at(low.z, feature / kCells / kCells)});
  if (!cell) return std::nullopt;
  return data_->map.box(*cell);
}

std::uint64_t MapView::stamp() const {
  std::uint64_t stamp = data_->map.stamp();
  for (const std::uint64_t word : {std::uint64_t{std::bit_cast<std::uint32_t>(data_->log_odds)},
                                   std::uint64_t{data_->unknown_occupied ? 1U : 0U}}) {
    stamp = (stamp ^ word) * 0x9E3779B97F4A7C15U;
    stamp ^= stamp >> 29U;
  }
  return stamp;
}

}  // namespace graze
