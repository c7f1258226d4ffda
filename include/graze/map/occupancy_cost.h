// Where a body, a path or a motion meets space that may be occupied, and what that costs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "graze/base/visitor.h"
#include "graze/geometry/geometry.h"
#include "graze/geometry/occupancy_map.h"
#include "graze/query/sweep.h"

namespace graze {

/// A body at several poses, one after the other: samples of a path.
struct BodyPath {
  Geometry geometry;            ///< what moves
  std::span<const Pose> poses;  ///< of the frame that moves
  Pose local = {};              ///< of the geometry in that frame
  double uncertainty = 0;       ///< metres, as in Placed
};

/// The part of a cell that is in the bounding box of a body which overlaps the cell.
struct CostBox {
  CellKey key;                         ///< of the cell
  Aabb box;                            ///< cell ∩ bounding box of the body
  double probability = 0;              ///< that the cell is occupied
  std::optional<float> log_odds = {};  ///< none: the cell is unknown
  /// When the body first meets the cell: the index of a pose of a BodyPath; of a Moving the time, never later than the
  /// truth. 0 for a body that stands still.
  double time = 0;
  double cost = 0;  ///< probability × volume, or what the caller's function says

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
  double cost = 0;                ///< the sum over all boxes: of probability × volume, in cubic metres
  std::size_t cells = 0;          ///< how many boxes there are
  std::span<CostBox> boxes = {};  ///< the part of the buffer that was filled: the largest first, then by key
  bool complete = true;           ///< false: there were more than `max_cells`, and the rest is missing
};

namespace detail {
using CostBody = std::variant<const Placed*, const BodyPath*, const Moving*>;
/// A caller's cost function, without its type; null for probability × volume.
struct CostFunction {
  void* where = nullptr;
  double (*call)(void*, const CostBox&) = nullptr;
};
bool visit_cost_boxes(const OccupancyMap& map, const CostBody& body, const OccupancyCostOptions& options, void* where,
                      bool (*visit)(void*, const CostBox&));
OccupancyCost occupancy_cost(const OccupancyMap& map, const CostBody& body, std::span<CostBox> buffer,
                             const OccupancyCostOptions& options, CostFunction function);
template <class Function>
double call_cost(void* where, const CostBox& box) {
  return static_cast<double>((*static_cast<Function*>(where))(box));
}
}  // namespace detail

/// What a cost can be asked of: Placed, BodyPath or Moving.
template <class B>
concept CostedBody = std::same_as<B, Placed> || std::same_as<B, BodyPath> || std::same_as<B, Moving>;

/// The boxes where a body meets cells that may be occupied, and the sum of their volumes weighted by probability
/// (section IV of the sensor-data paper, Figure 3). Cells are single ones, however the octree is pruned. A body
/// overlaps a cell if collide() says so of the closed box of the cell and its bounding box reaches into the cell: what
/// only touches a face from outside (to 1e-9 of a cell) has no volume and is not listed. (Along an axis in which the
/// body is flat, a face belongs to the upper cell.) Map and body are in the same frame. `buffer` receives those of the
/// largest probability; with an empty one there is only the sum. Throws Error for an unbounded body and for
/// probabilities out of range.
///
/// Of a BodyPath every cell counts once; its box is the smallest around cell ∩ bounding box of the body at those poses
/// that overlap it. Of a Moving, a cell counts if sweep() meets its box: nothing is passed unseen. Its box is the
/// smallest around the cell's parts in the bounding boxes of short pieces of the motion, at most a hundredth of a cell
/// larger than those of the body. These two take memory for the boxes of poses and pieces.
///
///     std::array<CostBox, 16> worst;
///     OccupancyCost c = occupancy_cost(map, at(arm, pose), worst, {.unknown_probability = 0.5});
///     OccupancyCost m = occupancy_cost(map, at(arm, Motion(from, to)), worst, {.unknown_probability = 0.5});
template <CostedBody B>
OccupancyCost occupancy_cost(const OccupancyMap& map, const B& body, std::span<CostBox> buffer,
                             const OccupancyCostOptions& options = {}) {
  return detail::occupancy_cost(map, &body, buffer, options, {});
}

/// The same with a cost of one's own: `function(const CostBox&)` gives a number for every box. The sum is of these, and
/// the largest are listed. What is not a number counts as infinite.
///
///     occupancy_cost(map, body, worst, {}, [](const CostBox& b) { return b.probability > 0.7 ? 1.0 : 0.0; });
template <CostedBody B, class Function>
requires std::is_invocable_r_v<double, Function&, const CostBox&> OccupancyCost
occupancy_cost(const OccupancyMap& map, const B& body, std::span<CostBox> buffer, const OccupancyCostOptions& options,
               Function&& function) {
  return detail::occupancy_cost(map, &body, buffer, options,
                                {detail::erased(function), &detail::call_cost<std::remove_reference_t<Function>>});
}

/// Calls `visit(const CostBox&)` for every such box, in the order of the tree. Ends early if it returns false. Returns
/// whether all cells were looked at.
template <CostedBody B, class Visit>
bool visit_cost_boxes(const OccupancyMap& map, const B& body, const OccupancyCostOptions& options, Visit&& visit) {
  return detail::visit_cost_boxes(map, &body, options, detail::erased(visit),
                                  &detail::call_visitor<std::remove_reference_t<Visit>, const CostBox&>);
}

}  // namespace graze
