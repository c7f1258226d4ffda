#include "graze/map/occupancy_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "geometry/occupancy_data.h"
#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/shape/box.h"

namespace graze {
namespace {

class CostWalk {
 public:
  CostWalk(const OccupancyMap& map, const Placed& body, const OccupancyCostOptions& options, void* where,
           bool (*visit)(void*, const CostBox&))
      : map_(map),
        body_(body),
        options_(options),
        bounds_(bounds(body.geometry, body.pose).grown(body.uncertainty)),
        where_(where),
        visit_(visit) {
    const auto check = [](const char* name, double p) {
      if (!(p >= 0 && p <= 1)) throw Error(name, fmt::format("expected a probability from 0 to 1, got {}", p));
    };
    check("min_probability", options.min_probability);
    if (options.unknown_probability) check("unknown_probability", *options.unknown_probability);
    if (!bounds_.empty() && !bounds_.bounded()) throw Error("body", "is unbounded");
  }

  bool run() {
    if (!bounds_.empty()) node(map_.root());
    return complete_;
  }

 private:
  bool meets(const Aabb& box) {
    if (!overlap(box, bounds_)) return false;
    if (looks_++ < options_.max_cells) return collide(body_, at(Box{.half = box.half()}, Pose::at(box.center())));
    complete_ = false;
    return false;
  }

  bool counts(const OccupancyNode& node) const {
    return (node.has_known() && probability_of(node.max_log_odds()) >= options_.min_probability) ||
           (node.has_unknown() && counts_unknown());
  }
  bool counts_unknown() const {
    return options_.unknown_probability && *options_.unknown_probability >= options_.min_probability;
  }

  bool node(const OccupancyNode& n) {
    if (!counts(n)) return true;
    if (n.is_leaf()) {
      return cube(n.key(), n.level(), n.has_known() ? std::optional(n.max_log_odds()) : std::nullopt);
    }
    if (!meets(map_.box(n))) return true;
    std::array<OccupancyNode, 8> children;
    map_.children(n, children);
    return std::all_of(children.begin(), children.end(), [&](const OccupancyNode& child) { return node(child); });
  }

  /// A leaf, down to its cells.
  bool cube(const CellKey& key, int level, std::optional<float> log_odds) {
    const Aabb box = map_.box(key, level);
    if (!meets(box)) return true;
    if (level > 0) {
      for (int i = 0; i < 8; ++i) {
        if (!cube(detail::child_key(key, level, i), level - 1, log_odds)) return false;
      }
      return true;
    }
    const Aabb part{box.min.cwiseMax(bounds_.min), box.max.cwiseMin(bounds_.max)};
    const double probability = log_odds ? probability_of(*log_odds) : *options_.unknown_probability;
    return visit_(where_, {key, part, probability, log_odds});
  }

  const OccupancyMap& map_;
  const Placed& body_;
  const OccupancyCostOptions& options_;
  Aabb bounds_;
  void* where_;
  bool (*visit_)(void*, const CostBox&);
  std::size_t looks_ = 0;
  bool complete_ = true;
};

/// The more probable first, then the lower key.
bool comes_first(const CostBox& a, const CostBox& b) {
  if (a.probability != b.probability) return a.probability > b.probability;
  return std::tie(a.key.x, a.key.y, a.key.z) < std::tie(b.key.x, b.key.y, b.key.z);
}

}  // namespace

bool detail::visit_cost_boxes(const OccupancyMap& map, const Placed& body, const OccupancyCostOptions& options,
                              void* where, bool (*visit)(void*, const CostBox&)) {
  return CostWalk(map, body, options, where, visit).run();
}

OccupancyCost occupancy_cost(const OccupancyMap& map, const Placed& body, std::span<CostBox> buffer,
                             const OccupancyCostOptions& options) {
  OccupancyCost result;
  std::size_t filled = 0;
  result.complete = visit_cost_boxes(map, body, options, [&](const CostBox& box) {
    ++result.cells;
    result.cost += box.probability * box.volume();
    const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(filled);
    if (filled < buffer.size()) {  // a heap with the last to come in front
      buffer[filled++] = box;
      std::push_heap(buffer.begin(), end + 1, comes_first);
    } else if (filled > 0 && comes_first(box, buffer[0])) {
      std::pop_heap(buffer.begin(), end, comes_first);
      buffer[filled - 1] = box;
      std::push_heap(buffer.begin(), end, comes_first);
    }
  });
  result.boxes = buffer.first(filled);
  std::sort_heap(result.boxes.begin(), result.boxes.end(), comes_first);
  return result;
}

}  // namespace graze
