// Where a body meets space that may be occupied, and what that costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "graze/base/visitor.h"
#include "graze/geometry/geometry.h"
#include "graze/geometry/occupancy_map.h"

namespace graze {

/// The part of a cell that is in the bounding box of a body which overlaps the cell.
struct CostBox {
  CellKey key;                         ///< of the cell
  Aabb box;                            ///< cell ∩ bounding box of the body
  double probability = 0;              ///< that the cell is occupied
  std::optional<float> log_odds = {};  ///< none: the cell is unknown

  /// In cubic metres.
  double volume() const { return (box.max - box.min).prod(); }
};

/// Options of occupancy_cost().
struct OccupancyCostOptions {
  double min_probability = 0;                      ///< cells below do not count
  std::optional<double> unknown_probability = {};  ///< what unknown cells count as; none: not at all
  std::size_t max_cells = std::size_t{1} << 26U;   ///< look at no more cells than this
};

/// What occupancy_cost() found.
struct OccupancyCost {
  double cost = 0;                ///< Σ probability × volume over all boxes, in cubic metres
  std::size_t cells = 0;          ///< how many boxes there are
  std::span<CostBox> boxes = {};  ///< the part of the buffer that was filled: the most probable first, then by key
  bool complete = true;           ///< false: there were more than `max_cells`, and the rest is missing
};

/// The boxes where a body meets cells that may be occupied, and the sum of their volumes weighted by probability
/// (section IV of the sensor-data paper, Figure 3). Cells are single ones, however the octree is pruned. A body
/// overlaps a cell if collide() says so of the closed box of the cell: touching counts. Map and body are in the same
/// frame. `buffer` receives the most probable ones; with an empty one there is only the sum. Throws Error for an
/// unbounded body and for probabilities out of range.
///
///     std::array<CostBox, 16> worst;
///     OccupancyCost c = occupancy_cost(map, at(arm, pose), worst, {.unknown_probability = 0.5});
OccupancyCost occupancy_cost(const OccupancyMap& map, const Placed& body, std::span<CostBox> buffer,
                             const OccupancyCostOptions& options = {});

namespace detail {
bool visit_cost_boxes(const OccupancyMap& map, const Placed& body, const OccupancyCostOptions& options, void* where,
                      bool (*visit)(void*, const CostBox&));
}

/// Calls `visit(const CostBox&)` for every such box, in the order of the tree: for costs of one's own. Ends early if it
/// returns false. Returns whether all cells were looked at.
template <class Visit>
bool visit_cost_boxes(const OccupancyMap& map, const Placed& body, const OccupancyCostOptions& options, Visit&& visit) {
  return detail::visit_cost_boxes(map, body, options, detail::erased(visit),
                                  &detail::call_visitor<std::remove_reference_t<Visit>, const CostBox&>);
}

}  // namespace graze
