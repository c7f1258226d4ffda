// The occupied cells of a map as boxes in a tree: the sensor-data paper's other two pipelines.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "graze/geometry/geometry.h"
#include "graze/geometry/occupancy_map.h"
#include "graze/index/morton_tree.h"
#include "graze/query/distance.h"

namespace graze {

/// The leaves of a map that are occupied, as closed boxes: coarse leaves are one box each.
std::vector<Aabb> occupied_boxes(const OccupancyMap& map, double threshold = 0.5);

/// How the boxes of a map are kept.
enum class MapBoxesKind {
  tree,   ///< a tree of high quality: slowest to build, fastest to ask (the paper's baseline)
  morton  ///< in the order of a space-filling curve; improve() makes it better between queries (section IV-A)
};

/// Options of MapBoxes.
struct MapBoxesOptions {
  double threshold = 0.5;                  ///< probability from which a cell is occupied
  MapBoxesKind kind = MapBoxesKind::tree;  ///< which tree
};

/// The occupied cells of one version of a map, converted to boxes and put into a tree. MapView needs no conversion and
/// is what to use for a map that changes with every frame; docs/maps.md says from how many queries per version on the
/// conversion pays. Answers are those of MapView with unknown space free. Queries are const and do not allocate.
///
///     MapBoxes boxes(map, {.kind = MapBoxesKind::morton});
///     if (boxes.collide(at(gripper, pose))) …
///     boxes.improve(1000, region);  // between queries, as time allows
class MapBoxes {
 public:
  /// Throws Error for a threshold that is not between 0 and 1. O(n log n) in the leaves that are occupied.
  explicit MapBoxes(const OccupancyMap& map, const MapBoxesOptions& options = {});

  /// How many boxes there are.
  std::size_t size() const { return tree().size(); }
  /// The boxes and their tree, for pairs with the tree of a robot's links and the like; ids are those of box().
  const BroadPhase<3>& tree() const;
  const Aabb& box(BoxId id) const { return tree().box(id); }

  /// Whether the body touches a cell, or comes within `margin` metres of one.
  bool collide(const Placed& body, double margin = 0) const;
  /// The distance to the nearest cell, with points on the cell (a) and the body (b); the feature of a is the id of its
  /// box. Of a body that overlaps or touches cells: 0 with an infinite tolerance. `beyond` the limit: nothing within
  /// it.
  Distance distance(const Placed& body, double limit = kInfinity) const;

  /// Of a Morton tree: as MortonTree::improve. Others have nothing to improve: 0.
  std::size_t improve(std::size_t budget, const Aabb& region);
  /// Bytes on the heap.
  std::size_t memory_bytes() const { return tree().memory_bytes(); }

 private:
  std::variant<BroadPhase<3>, MortonTree<3>> tree_;
};

}  // namespace graze
