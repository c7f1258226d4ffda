// Which pairs a question is asked about: those of a scene and a body, of two scenes, or of one scene, without those
// that are passed over.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/two_sum.h"
#include "query/cell_reach.h"
#include "scene/tree.h"

namespace graze::scene {

/// A lower bound of the distance of what is in two boxes: their gap, rounded down; −∞ where they meet, since depths
/// have no bound that the verbs keep to.
inline double lower_gap(const Aabb& a, const Aabb& b) {
  const double between = gap(a, b);
  return between > 0 ? between * (1 - 8 * kEpsilon) : -kInfinity;
}

/// The largest gap along an axis: a weaker bound, at less cost, for questions that need no order.
inline double lower_axis_gap(const Aabb& a, const Aabb& b) {
  double between = -kInfinity;
  for (int k = 0; k < 3; ++k) between = std::max({between, a.min[k] - b.max[k], b.min[k] - a.max[k]});
  return between > 0 ? between * (1 - 8 * kEpsilon) : -kInfinity;
}

/// The sum of lengths, not below the exact one.
template <class... Lengths>
double sum_up(double first, Lengths... others) {
  double sum = first;
  const auto add = [&sum](double x) {
    const DoubleDouble exact = two_sum(sum, x);
    sum = exact.error > 0 ? std::nextafter(exact.sum, kInfinity) : exact.sum;
  };
  (add(others), ...);
  return sum;
}

/// How near two bodies have to be to count, with their own margins and padding.
inline double pair_margin(double margin, const Body& a, const Body& b) {
  return sum_up(margin, a.margin, b.margin, a.padding, b.padding);
}

/// The cells of a body that is a map in which unknown space is free.
inline std::optional<CellReach> cells_of(const Body& body) {
  const auto* view = std::get_if<MapView>(&body.placed.geometry);
  if (view == nullptr || view->unknown() == UnknownSpace::occupied) return std::nullopt;
  return CellReach(*view, body.placed.pose, body.placed.uncertainty);
}

/// Q: bound(const Aabb&, const Aabb&), limit(), and pair(const Body& a, const Body& b). With kAxisGap the bound is
/// lower_axis_gap, and there is done(): nothing else is of interest.
template <class Q>
struct WithBody {
  const Data& data;
  const Body& body;
  Role role;
  Q& question;
  std::optional<CellReach> cells;  // of a body that is a map

  const Aabb& box() const { return body.box; }
  double bound(const Aabb& other) const { return question.bound(other, body.box); }
  double limit() const { return question.limit(); }
  bool done() const { return question.done(); }
  unsigned near(const BoxTree::Node& node, unsigned some) const {
    return cells ? cells->near(node.box.min, node.box.max, std::max(limit(), 0.0), !node.leaf, some) : some;
  }
  void leaf(const SceneTree&, std::size_t i) {
    const Object& object = SceneTree::object(i);
    if (!role.passes_over(data, object)) question.pair(object, body);
  }
};

/// Of a body that is a map: the objects whose boxes are not farther than `to` from all cells, without those that were
/// asked about when it was `from`.
template <class Q>
struct WithCells {
  const Data& data;
  const Body& body;
  Role role;
  Q& question;
  const CellReach& cells;
  double from, to;

  const Aabb& box() const { return body.box; }
  double limit() const { return std::min(question.limit(), to); }
  static bool done() { return false; }
  unsigned near(const BoxTree::Node& node, unsigned some) const {
    const EightBoxes& boxes = node.box;
    some = cells.near(boxes.min, boxes.max, limit(), !node.leaf, some);
    if (some == 0 || !node.leaf || !(from >= 0)) return some;
    double bounds[kWide];
    const unsigned before = some & near_boxes(boxes, body.box, from, bounds);
    return some & ~cells.surely_near(boxes.min, boxes.max, from, before);
  }
  void leaf(const SceneTree&, std::size_t i) {
    const Object& object = SceneTree::object(i);
    if (!role.passes_over(data, object)) question.pair(object, body);
  }
};
/// Asks about objects in rings around the cells, nearest first: the box around all cells excludes nothing of what
/// stands among them.
template <class Q>
void ask_with_cells(const Data& data, const Body& body, const Role& role, const CellReach& cells, Q& question) {
  const SceneTree tree(data);
  if (tree.empty()) return;
  const double far = 4 * (body.box.max - body.box.min).sum();
  double from = -1, to = std::max(lower_gap(tree.bounds(tree.root()), body.box), 0.0);
  for (;;) {
    WithCells<Q> query{data, body, role, question, cells, from, to};
    visit_near(tree, query);
    if (!(question.limit() > to)) return;
    from = to, to = 2 * to + cells.resolution();
    if (!(to < far)) to = kInfinity;
    to = std::min(to, question.limit());
  }
}

template <class Q>
void ask_with(const Data& data, const Body& body, std::string_view as, Q& question) {
  if (body.box.empty()) return;
  const Role role = role_of(data, as);
  const std::optional<CellReach> cells = cells_of(body);
  if constexpr (requires { Q::kAxisGap; }) {
    WithBody<Q> query{data, body, role, question, cells};
    visit_near(SceneTree(data), query);
  } else {
    if (cells) return ask_with_cells(data, body, role, *cells, question);
    WithBody<Q> query{data, body, role, question, cells};
    traverse(SceneTree(data), query);
  }
}

template <class Q>
struct Between {
  Q& question;
  double bound(const Aabb& a, const Aabb& b) const { return question.bound(a, b); }
  double limit() const { return question.limit(); }
  void leaf(const SceneTree&, std::size_t i, const SceneTree&, std::size_t j) {
    question.pair(SceneTree::object(i), SceneTree::object(j));
  }
};
template <class Q>
void ask_between(const Data& a, const Data& b, Q& question) {
  Between<Q> query{question};
  traverse(SceneTree(a), SceneTree(b), query);
}

template <class Q>
struct Within {
  const Data& data;
  Q& question;
  double bound(const Aabb& a, const Aabb& b) const { return question.bound(a, b); }
  double limit() const { return question.limit(); }
  void leaf(const SceneTree&, std::size_t i, const SceneTree&, std::size_t j) {
    const Object &a = SceneTree::object(i), &b = SceneTree::object(j);
    // Boxes of objects that are passed over meet most of the time: near, they are refused before they are looked at.
    if (bound(a.box, b.box) > limit() || data.passes_over(a, b)) return;
    if (a.id < b.id) question.pair(a, b);
    else question.pair(b, a);
  }
};
template <class Q>
void ask_within(const Data& data, Q& question) {
  Within<Q> query{data, question};
  traverse_self(SceneTree(data), query);
}

inline ObjectPair pair_of(const Body& a, const Body& b) { return {a.id, b.id, a.name, b.name}; }

}  // namespace graze::scene
