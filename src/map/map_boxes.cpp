#include "graze/map/map_boxes.h"

#include <fmt/format.h>

#include <algorithm>

#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/shape/box.h"

namespace graze {
namespace {

using AnyTree = std::variant<BroadPhase<3>, MortonTree<3>>;

AnyTree tree_of(const std::vector<Aabb>& boxes, MapBoxesKind kind) {
  if (kind == MapBoxesKind::morton) return AnyTree(std::in_place_type<MortonTree<3>>, boxes);
  return AnyTree(std::in_place_type<BroadPhase<3>>, boxes, BroadPhaseOptions{.kind = BroadPhaseKind::aabb_tree});
}

Placed cell_body(const Aabb& box) { return at(Box{.half = box.half()}, Pose::at(box.center())); }

Aabb bounds_of(const Placed& body) { return bounds(body.geometry, body.pose).grown(body.uncertainty); }

}  // namespace

std::vector<Aabb> occupied_boxes(const OccupancyMap& map, double threshold) {
  if (!(threshold >= 0 && threshold <= 1)) {
    throw Error("threshold", fmt::format("expected a probability from 0 to 1, got {}", threshold));
  }
  const float lowest = log_odds_of(threshold);
  std::vector<Aabb> boxes;
  map.visit_leaves([&](const OccupancyCell& leaf) {
    if (leaf.log_odds >= lowest) boxes.push_back(map.box(leaf));
  });
  return boxes;
}

MapBoxes::MapBoxes(const OccupancyMap& map, const MapBoxesOptions& options)
    : tree_(tree_of(occupied_boxes(map, options.threshold), options.kind)) {}

const BroadPhase<3>& MapBoxes::tree() const {
  return std::visit([](const BroadPhase<3>& tree) -> const BroadPhase<3>& { return tree; }, tree_);
}

bool MapBoxes::collide(const Placed& body, double margin) const {
  bool hit = false;
  // What has to overlap by a negative margin touches as well.
  tree().visit_overlapping(bounds_of(body).grown(std::max(margin, 0.0)), [&](BoxId id) {
    hit = graze::collide(body, cell_body(box(id)), {.margin = margin});
    return !hit;
  });
  return hit;
}

Distance MapBoxes::distance(const Placed& body, double limit) const {
  const Aabb around = bounds_of(body);
  Distance best;
  best.beyond = true;
  BoxId nearest = kNoBox;
  const auto look_at = [&](BoxId id) {
    const double within = best.beyond ? limit : std::max(best.value, 0.0);
    Distance d = graze::distance(cell_body(box(id)), body, {.limit = within, .depth = false});
    if (d.beyond || (!best.beyond && (d.value > best.value || (d.value == best.value && id > nearest)))) return;
    best = d, nearest = id;
    best.a = id;
  };
  const NearestBox first = tree().nearest(around, limit);
  if (first.id == kNoBox) return best;
  look_at(first.id);
  tree().visit_overlapping(around.grown(best.beyond ? limit : std::max(best.value, 0.0)), look_at);
  if (!best.beyond && best.value <= best.tolerance) {
    best.value = 0, best.tolerance = kInfinity;
    best.on_a = best.on_b;
  }
  return best;
}

std::size_t MapBoxes::improve(std::size_t budget, const Aabb& region) {
  auto* morton = std::get_if<MortonTree<3>>(&tree_);
  return morton == nullptr ? 0 : morton->improve(budget, region);
}

}  // namespace graze
