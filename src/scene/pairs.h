// Which pairs a question is asked about: those of a scene and a body, of two scenes, or of one scene, without those
// that are passed over.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/two_sum.h"
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

/// Q: bound(const Aabb&, const Aabb&), limit(), and pair(const Body& a, const Body& b). With kAxisGap the bound is
/// lower_axis_gap.
template <class Q>
struct WithBody {
  const Data& data;
  const Body& body;
  Role role;
  Q& question;

  const Aabb& box() const { return body.box; }
  double bound(const Aabb& other) const { return question.bound(other, body.box); }
  double limit() const { return question.limit(); }
  void leaf(const SceneTree&, std::size_t i) {
    const Object& object = SceneTree::object(i);
    if (!role.passes_over(data, object)) question.pair(object, body);
  }
};
template <class Q>
void ask_with(const Data& data, const Body& body, std::string_view as, Q& question) {
  if (body.box.empty()) return;
  WithBody<Q> query{data, body, role_of(data, as), question};
  if constexpr (requires { Q::kAxisGap; }) visit_near(SceneTree(data), query);
  else traverse(SceneTree(data), query);
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
