// What a view of a map is made of.
#pragma once

#include "base/access.h"
#include "geometry/cell_bits.h"
#include "graze/geometry/map_view.h"
#include "graze/geometry/occupancy_map.h"

namespace graze::map_view {

struct Data {
  OccupancyMap map;
  double threshold = 0.5;
  float log_odds = 0;  // of the threshold
  bool unknown_occupied = true;
  Aabb bounds;
  CellKey lowest;  // of all that is known
  CellBits bits;   // of all that counts, where unknown space is free

  /// The number of a cell among those of the box around all that is known, 21 bits per axis; kNoFeature for others.
  std::size_t feature_of(const OccupancyNode& node) const;
  std::size_t feature_of(const CellKey& known) const;
};
inline constexpr std::size_t kNoFeature = ~std::size_t{0};

}  // namespace graze::map_view

namespace graze {

inline const map_view::Data& data_of(const MapView& view) { return detail::Access::data(view); }

}  // namespace graze
