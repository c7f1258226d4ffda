// Occupancy maps from cells.
#pragma once

#include <cstddef>
#include <vector>

#include "graze/geometry/occupancy_map.h"

namespace graze {

/// Collects leaves in any order and makes a map of them. For frames of a sensor, see OccupancyMapper.
///
///     OccupancyMapBuilder builder(0.05);
///     builder.add({.key = {3, 0, -1}, .log_odds = log_odds_of(0.97)});
///     OccupancyMap map = std::move(builder).finish();
class OccupancyMapBuilder {
 public:
  /// Throws Error for a resolution that is not a number from kMinResolution to kMaxResolution.
  explicit OccupancyMapBuilder(double resolution);

  /// Adds a leaf. Throws Error for a level that is not in 0 … 30, a key that is no multiple of its side and log-odds
  /// that are not a number. 20 bytes until finish().
  void add(const OccupancyCell& leaf);
  std::size_t size() const { return leaves_.size(); }
  /// O(n log n). Eight equal leaves that form a cube become one. Throws Error where leaves overlap.
  OccupancyMap finish() &&;

 private:
  double resolution_;
  std::vector<OccupancyCell> leaves_;
};

}  // namespace graze
