#include "graze/map/occupancy_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "geometry/occupancy_data.h"
#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/shape/box.h"

namespace graze {
namespace {

Placed box_body(const Aabb& box) { return at(Box{.half = box.half()}, Pose::at(box.center())); }

/// Whether a box reaches into a cube rather than touching it from outside; where it is flat, faces belong to the upper
/// cube. Bounds are rounded outwards: what they have in common must be more than that, and `slack` at least.
bool reaches_into(const Aabb& body, const Aabb& cube, double slack) {
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  for (int a = 0; a < 3; ++a) {
    const double from = body.min[a], to = body.max[a];
    const double more = slack + kRounding * std::max(std::abs(from), std::abs(to));
    if (to - from <= 2 * more) {
      const double middle = from + (to - from) / 2;
      if (!(cube.min[a] <= middle && middle < cube.max[a])) return false;
    } else if (!(std::max(from, cube.min[a]) + more < std::min(to, cube.max[a]))) {
      return false;
    }
  }
  return true;
}

Aabb common(const Aabb& a, const Aabb& b) { return {a.min.cwiseMax(b.min), a.max.cwiseMin(b.max)}; }

Aabb checked_bounds(const Geometry& geometry, const Pose& pose, double uncertainty) {
  const Aabb box = bounds(geometry, pose).grown(uncertainty);
  if (!box.empty() && !box.bounded()) throw Error("body", "is unbounded");
  return box;
}

// --- bodies: boxes one after the other, and where they are met -------------------------------------------------------

class StandingBody {
 public:
  explicit StandingBody(const Placed& body)
      : body_(body), box_(checked_bounds(body.geometry, body.pose, body.uncertainty)) {}
  std::span<const Aabb> boxes() const { return {&box_, 1}; }
  bool meets(const Aabb& cube, std::span<const std::uint32_t>) const { return collide(body_, box_body(cube)); }
  bool cell(const Aabb& cube, std::span<const std::uint32_t>, CostBox& out) const {
    if (!collide(body_, box_body(cube))) return false;
    out.box = common(cube, box_);
    return true;
  }

 private:
  const Placed& body_;
  Aabb box_;
};

class PathBody {
 public:
  explicit PathBody(const BodyPath& path) {
    for (const Pose& pose : path.poses) {
      bodies_.push_back(path.local == Pose() ? at(path.geometry, pose) : at(path.geometry, pose, path.local));
      bodies_.back().uncertainty += path.uncertainty;
      boxes_.push_back(checked_bounds(path.geometry, bodies_.back().pose, bodies_.back().uncertainty));
    }
  }
  std::span<const Aabb> boxes() const { return boxes_; }
  bool meets(const Aabb& cube, std::span<const std::uint32_t> active) const {
    const Placed body = box_body(cube);
    return std::any_of(active.begin(), active.end(), [&](std::uint32_t i) { return collide(bodies_[i], body); });
  }
  bool cell(const Aabb& cube, std::span<const std::uint32_t> active, CostBox& out) const {
    const Placed body = box_body(cube);
    bool any = false;
    for (const std::uint32_t i : active) {  // in the order of the path
      if (!collide(bodies_[i], body)) continue;
      if (!any) out.time = i, out.box = common(cube, boxes_[i]);
      else out.box.extend(common(cube, boxes_[i]));
      any = true;
    }
    return any;
  }

 private:
  std::vector<Placed> bodies_;
  std::vector<Aabb> boxes_;
};

class MovingCostBody {
 public:
  /// `slack`: metres by which the box of a piece of the motion may be too large.
  MovingCostBody(const Moving& body, double slack) : body_(body) {
    const Aabb own = bounds(body.geometry, body.local);
    if (own.empty()) return;
    if (!own.bounded()) throw Error("body", "is unbounded");
    const double radius = own.min.cwiseAbs().cwiseMax(own.max.cwiseAbs()).norm();
    for (double from = 0; from < 1;) {
      // Nothing that accelerates by no more than b leaves the chord of a time t by more than b t² / 8.
      double to = std::max(body.motion.smooth_until(from), from), sag = kInfinity;
      if (!(to > from)) to = 1;
      for (int halvings = 0; halvings < 64; ++halvings) {
        const double bend = body.motion.bend(radius, from, to), time = to - from;
        sag = bend < kInfinity ? bend * time * time / 8 : body.motion.reach(radius, from, to);
        if (sag <= slack || boxes_.size() + 1 >= kMaxPieces) break;
        to = from + time / 2;
      }
      if (boxes_.size() + 1 >= kMaxPieces) to = 1, sag = body.motion.reach(radius, from, to);
      Aabb box = at_time(from);
      box.extend(at_time(to));
      boxes_.push_back(box.grown(sag + body.uncertainty));
      if (to <= from) break;
      from = to;
    }
  }
  std::span<const Aabb> boxes() const { return boxes_; }
  bool meets(const Aabb& cube, std::span<const std::uint32_t>) const { return sweep_hits(body_, box_body(cube)); }
  bool cell(const Aabb& cube, std::span<const std::uint32_t> active, CostBox& out) const {
    const Sweep s = sweep(body_, box_body(cube));
    if (!s.hit) return false;
    out.time = s.time;
    out.box = common(cube, boxes_[active[0]]);
    for (const std::uint32_t i : active) out.box.extend(common(cube, boxes_[i]));
    return true;
  }

 private:
  static constexpr std::size_t kMaxPieces = 1 << 14;
  Aabb at_time(double t) const { return bounds(body_.geometry, body_.motion.at(t) * body_.local); }

  const Moving& body_;
  std::vector<Aabb> boxes_;
};

// --- the walk
// ---------------------------------------------------------------------------------------------------------

template <class Body>
class CostWalk {
 public:
  CostWalk(const OccupancyMap& map, const Body& body, const OccupancyCostOptions& options, void* where,
           bool (*visit)(void*, const CostBox&))
      : map_(map), body_(body), options_(options), boxes_(body.boxes()), where_(where), visit_(visit) {
    const auto check = [](const char* name, double p) {
      if (!(p >= 0 && p <= 1)) throw Error(name, fmt::format("expected a probability from 0 to 1, got {}", p));
    };
    check("min_probability", options.min_probability);
    if (options.unknown_probability) check("unknown_probability", *options.unknown_probability);
    min_log_odds_ = log_odds_of(options.min_probability);
    if (boxes_.size() == 1) return;
    for (std::size_t i = 0; i < boxes_.size(); ++i) list_.push_back(static_cast<std::uint32_t>(i));
  }

  bool run() {
    if (!boxes_.empty()) node(map_.root(), {0, boxes_.size()});
    return complete_;
  }

 private:
  struct Range {
    std::size_t first, last;
    bool empty() const { return first == last; }
  };
  /// The boxes of a range that reach into a cube: put behind all others, for release() to take off again.
  Range narrowed(const Range& range, const Aabb& cube) {
    if (boxes_.size() == 1) return reaches_into(boxes_[0], cube, slack_) ? range : Range{0, 0};
    const std::size_t first = list_.size();
    for (std::size_t i = range.first; i < range.last; ++i) {
      const std::uint32_t box = list_[i];
      if (reaches_into(boxes_[box], cube, slack_)) list_.push_back(box);
    }
    return {first, list_.size()};
  }
  void release(const Range& range) {
    if (boxes_.size() > 1) list_.resize(range.first);
  }
  std::span<const std::uint32_t> active(const Range& range) const {
    static constexpr std::uint32_t kFirst = 0;
    if (boxes_.size() == 1) return {&kFirst, 1};
    return std::span(list_).subspan(range.first, range.last - range.first);
  }

  bool counts(const OccupancyNode& node) const {
    return (node.has_known() && node.max_log_odds() >= min_log_odds_) || (node.has_unknown() && counts_unknown());
  }
  bool counts_unknown() const {
    return options_.unknown_probability && *options_.unknown_probability >= options_.min_probability;
  }
  bool may_look() {
    if (looks_++ < options_.max_cells) return true;
    complete_ = false;
    return false;
  }

  bool node(const OccupancyNode& n, const Range& all) {
    if (!counts(n)) return true;
    if (n.is_leaf()) {
      return cube(n.key(), n.level(), n.has_known() ? std::optional(n.max_log_odds()) : std::nullopt, all);
    }
    const Aabb box = map_.box(n);
    const Range near = narrowed(all, box);
    bool on = true;
    if (!near.empty() && may_look() && body_.meets(box, active(near))) {
      std::array<OccupancyNode, 8> children;
      map_.children(n, children);
      for (const OccupancyNode& child : children) on = on && node(child, near);
    }
    release(near);
    return on;
  }

  /// A leaf, down to its cells.
  bool cube(const CellKey& key, int level, std::optional<float> log_odds, const Range& all) {
    const Aabb box = map_.box(key, level);
    const Range near = narrowed(all, box);
    bool on = true;
    if (near.empty() || !may_look()) {
      // nothing of it
    } else if (level > 0) {
      if (body_.meets(box, active(near))) {
        for (int i = 0; on && i < 8; ++i) on = cube(detail::child_key(key, level, i), level - 1, log_odds, near);
      }
    } else {
      CostBox found{.key = key,
                    .box = {},
                    .probability = log_odds ? probability_of(*log_odds) : *options_.unknown_probability,
                    .log_odds = log_odds};
      if (body_.cell(box, active(near), found)) {
        found.cost = found.probability * found.volume();
        on = visit_(where_, found);
      }
    }
    release(near);
    return on;
  }

  const OccupancyMap& map_;
  const Body& body_;
  const OccupancyCostOptions& options_;
  float min_log_odds_ = 0;  // as thresholds are compared: what is exactly at one counts
  std::span<const Aabb> boxes_;
  double slack_ = 1e-9 * map_.resolution();
  std::vector<std::uint32_t> list_;  // of several boxes: all, then the near ones of each level of the walk
  void* where_;
  bool (*visit_)(void*, const CostBox&);
  std::size_t looks_ = 0;
  bool complete_ = true;
};

/// The more probable first, then the lower key.
bool more_probable(const CostBox& a, const CostBox& b) {
  if (a.probability != b.probability) return a.probability > b.probability;
  return std::tie(a.key.x, a.key.y, a.key.z) < std::tie(b.key.x, b.key.y, b.key.z);
}
bool more_costly(const CostBox& a, const CostBox& b) {
  if (a.cost != b.cost) return a.cost > b.cost;
  return std::tie(a.key.x, a.key.y, a.key.z) < std::tie(b.key.x, b.key.y, b.key.z);
}

}  // namespace

bool detail::visit_cost_boxes(const OccupancyMap& map, const CostBody& body, const OccupancyCostOptions& options,
                              void* where, bool (*visit)(void*, const CostBox&)) {
  const auto walk = [&](const auto& subject) { return CostWalk(map, subject, options, where, visit).run(); };
  if (const auto* placed = std::get_if<const Placed*>(&body)) return walk(StandingBody(**placed));
  if (const auto* path = std::get_if<const BodyPath*>(&body)) return walk(PathBody(**path));
  return walk(MovingCostBody(*std::get<const Moving*>(body), map.resolution() / 100));
}

OccupancyCost detail::occupancy_cost(const OccupancyMap& map, const CostBody& body, std::span<CostBox> buffer,
                                     const OccupancyCostOptions& options, CostFunction function) {
  OccupancyCost result;
  std::size_t filled = 0;
  const auto comes_first = function.call == nullptr ? more_probable : more_costly;
  const auto add = [&](CostBox box) {
    if (function.call != nullptr) {
      box.cost = function.call(function.where, box);
      if (std::isnan(box.cost)) box.cost = kInfinity;
    }
    ++result.cells;
    result.cost += box.cost;
    const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(filled);
    if (filled < buffer.size()) {  // a heap with the last to come in front
      buffer[filled++] = box;
      std::push_heap(buffer.begin(), end + 1, comes_first);
    } else if (filled > 0 && comes_first(box, buffer[0])) {
      std::pop_heap(buffer.begin(), end, comes_first);
      buffer[filled - 1] = box;
      std::push_heap(buffer.begin(), end, comes_first);
    }
    return true;
  };
  result.complete = visit_cost_boxes(map, body, options, detail::erased(add),
                                     &detail::call_visitor<std::remove_reference_t<decltype(add)>, const CostBox&>);
  result.boxes = buffer.first(filled);
  std::sort_heap(result.boxes.begin(), result.boxes.end(), comes_first);
  return result;
}

}  // namespace graze
