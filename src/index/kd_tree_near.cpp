#include "index/kd_tree_near.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/kd_tree_near.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.h"
#include "index/kd_tree_descent-inl.h"

#ifndef GRAZE_INDEX_KD_TREE_NEAR_ONCE
#define GRAZE_INDEX_KD_TREE_NEAR_ONCE
namespace graze::kd_tree {
namespace {

/// A body as lanes of float32 read it.
struct NearBody {
  float center[3];
  float axis[3][3], half[3];  // of the box: unit vectors, half lengths
  float low[3], high[3];      // of a box along the axes of the tree around it
  float relative;             // a distance in float32 is off by this part of it …
  double slack, node_slack;  // … and by this (m), of points and of boxes around points; the caller's own error included
};

}  // namespace
}  // namespace graze::kd_tree
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::kd_tree {
namespace HWY_NAMESPACE {
using graze::HWY_NAMESPACE::mask_bits;

GRAZE_LANE_FUNCTION F square(F x) { return hn::Mul(x, x); }
GRAZE_LANE_FUNCTION F dot(const float* a, F x, F y, F z) {
  return hn::Add(hn::Add(hn::Mul(set(a[0]), x), hn::Mul(set(a[1]), y)), hn::Mul(set(a[2]), z));
}
/// From how far outside of slabs, orthogonal to each other, something is: its squared distance from their intersection.
GRAZE_LANE_FUNCTION F outside_sq(F x, F y, F z) {
  const F zero = hn::Zero(kF);
  return hn::Add(hn::Add(square(hn::Max(x, zero)), square(hn::Max(y, zero))), square(hn::Max(z, zero)));
}
GRAZE_LANE_FUNCTION unsigned bits_of(hn::Mask<decltype(kF)> mask) { return mask_bits(kF, mask); }

template <bool kPoint>
class Near {
 public:
  static constexpr bool kCheapBounds = kPoint;

  // Everything must outlive the search. Opens the root.
  void start(const Tree<float>& tree, const NearBody& body, const NearQuestion& question, const NearVisitor& visitor) {
    tree_ = &tree, body_ = &body, visitor_ = &visitor;
    leaf_limit_ = node_limit_ = std::numeric_limits<float>::max();
    enough_ = -1, best_ = std::numeric_limits<float>::infinity(), count_ = 0;
    constexpr double kLargest = std::numeric_limits<float>::max();
    // Squares of what is surely within a length, and of what may be.
    const double surely = (question.enough - body.slack) * (1 - 2 * double{body.relative});
    if (surely > 0) enough_ = static_cast<float>(std::min(surely * surely, 0.5 * kLargest)) * (1 - 1e-6F);
    const double far = question.limit;
    if (!(far >= 0)) leaf_limit_ = node_limit_ = -1;
    else if (far < 1e18) within(static_cast<float>(far) * (1 + 1e-6F));
    descent_.start(tree, open_, *this);
  }

  // Goes on to the end.
  void run() {
    while (step()) {
    }
  }
  /// False if that was the end.
  GRAZE_LANE_FUNCTION bool step() { return select() && look(); }

  // Chooses the nearest child that is left. False if that was the end.
  GRAZE_LANE_FUNCTION bool select() { return descent_.select(node_limit_) || (tell(), false); }

  // Opens the child that was chosen, or looks at its points. False if the visitor has had enough.
  GRAZE_LANE_FUNCTION bool look() {
    if (descent_.is_leaf()) return leaf();
    descent_.open(*this);
    return true;
  }

  // Of the squared distances of a node's children.
  GRAZE_LANE_FUNCTION F bound(const Node<float>& node, std::size_t i) const {
    const auto low = [&](int axis) HWY_ATTR { return hn::Load(kF, node.min[axis] + i); };
    const auto high = [&](int axis) HWY_ATTR { return hn::Load(kF, node.max[axis] + i); };
    if constexpr (kPoint) {
      const auto along = [&](int axis) HWY_ATTR {
        const F at = set(body_->center[axis]);
        return hn::Max(hn::Sub(low(axis), at), hn::Sub(at, high(axis)));
      };
      return outside_sq(along(0), along(1), along(2));
    } else {
      const auto along = [&](int axis) HWY_ATTR {
        return hn::Max(hn::Sub(low(axis), set(body_->high[axis])), hn::Sub(set(body_->low[axis]), high(axis)));
      };
      return hn::Max(along_axes(low, high), outside_sq(along(0), along(1), along(2)));
    }
  }

 private:
  // Along the body's own axes.
  template <class Low, class High>
  GRAZE_LANE_FUNCTION F along_axes(const Low& low, const High& high) const {
    const F half = set(0.5F);
    const auto from = [&](int axis) HWY_ATTR { return hn::Sub(low(axis), set(body_->center[axis])); };
    const auto to = [&](int axis) HWY_ATTR { return hn::Sub(high(axis), set(body_->center[axis])); };
    const F lx = from(0), ly = from(1), lz = from(2), hx = to(0), hy = to(1), hz = to(2);
    const F x = hn::Mul(half, hn::Add(lx, hx)), y = hn::Mul(half, hn::Add(ly, hy)), z = hn::Mul(half, hn::Add(lz, hz));
    const F ex = hn::Mul(half, hn::Sub(hx, lx)), ey = hn::Mul(half, hn::Sub(hy, ly)),
            ez = hn::Mul(half, hn::Sub(hz, lz));
    const auto beyond = [&](int k) HWY_ATTR {
      const float* a = body_->axis[k];
      const float size[3] = {std::abs(a[0]), std::abs(a[1]), std::abs(a[2])};
      return hn::Sub(hn::Sub(hn::Abs(dot(a, x, y, z)), dot(size, ex, ey, ez)), set(body_->half[k]));
    };
    return outside_sq(beyond(0), beyond(1), beyond(2));
  }

  // False if the visitor has had enough.
  GRAZE_LANE_FUNCTION bool leaf() {
    if (count_ == kRoom && !tell()) return false;
    const Leaf<float>& leaf = tree_->leaves[descent_.child()];
    Found& found = found_[count_];
    const F limit = set(leaf_limit_), nothing = set(std::numeric_limits<float>::infinity());
    F nearest = nothing;
    for (std::size_t i = 0; i < kLeaf; i += kLanes) {
      const F d = distance_sq(leaf, i);
      hn::Store(d, kF, found.squared + i);
      nearest = hn::Min(nearest, hn::IfThenElse(hn::Le(d, limit), d, nothing));  // what is no point is NaN
    }
    found.nearest = hn::GetLane(hn::MinOfLanes(kF, nearest));
    if (!(found.nearest <= leaf_limit_)) return true;
    found.first = static_cast<std::uint32_t>(kLeaf * descent_.child());
    ++count_;
    if (found.nearest < best_) {
      best_ = found.nearest;
      within(std::sqrt(best_));
    }
    // Inside of a core all are alike.
    return (best_ > enough_ && best_ > 0) || tell();
  }
  GRAZE_LANE_FUNCTION F distance_sq(const Leaf<float>& leaf, std::size_t i) const {
    const F x = hn::Sub(hn::Load(kF, leaf.at[0] + i), set(body_->center[0])),
            y = hn::Sub(hn::Load(kF, leaf.at[1] + i), set(body_->center[1])),
            z = hn::Sub(hn::Load(kF, leaf.at[2] + i), set(body_->center[2]));
    if constexpr (kPoint) {
      return hn::Add(hn::Add(square(x), square(y)), square(z));
    } else {
      const auto beyond = [&](int k)
                              HWY_ATTR { return hn::Sub(hn::Abs(dot(body_->axis[k], x, y, z)), set(body_->half[k])); };
      // What is no point is NaN, which a maximum may lose.
      return hn::IfThenElse(hn::Eq(x, x), outside_sq(beyond(0), beyond(1), beyond(2)), x);
    }
  }

  // From now on nothing matters that is surely farther than a length that float32 has measured.
  void within(float length) {
    const float wide = length * (1 + 4 * body_->relative);
    const float of_leaf = wide + static_cast<float>(2 * body_->slack) * 1.000001F,
                of_node = wide + static_cast<float>(body_->slack + body_->node_slack) * 1.000001F;
    leaf_limit_ = std::min(leaf_limit_, of_leaf * of_leaf * (1 + 1e-6F));
    node_limit_ = std::min(node_limit_, of_node * of_node * (1 + 1e-6F));
  }

  // What was found and still matters goes to the visitor. False if that has had enough.
  bool tell() {
    const std::size_t count = std::exchange(count_, 0);
    const F limit = set(leaf_limit_);
    for (std::size_t n = 0; n < count; ++n) {
      const Found& found = found_[n];
      if (found.nearest > leaf_limit_) continue;
      unsigned near = 0;
      for (std::size_t i = 0; i < kLeaf; i += kLanes) {
        near |= bits_of(hn::Le(hn::Load(kF, found.squared + i), limit)) << i;
      }
      for (; near != 0; near &= near - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(near));
        if (!visitor_->point(visitor_->self, found.first + k)) return false;
      }
    }
    return true;
  }

  // A leaf, and how far its points are.
  struct alignas(64) Found {
    float squared[kLeaf];
    float nearest;
    std::uint32_t first;
  };
  static constexpr std::size_t kRoom = 16;

  const Tree<float>* tree_;
  const NearBody* body_;
  const NearVisitor* visitor_;
  // Squares in float32: of points, and of boxes around them, that still matter; of points that end the search; of the
  // nearest so far.
  float leaf_limit_, node_limit_, enough_, best_;
  std::size_t count_;  // of what was found
  Found found_[kRoom];
  OpenNodes open_;
  Descent descent_;
};

// Searches of which each goes on by a step in turn: none waits for its own memory and results.
template <bool kPoint>
GRAZE_LANE_FUNCTION void in_turn(const Tree<float>& tree, const NearBody* bodies, const NearQuestion* questions,
                                 const NearVisitor* visitors, std::size_t count) {
  Near<kPoint> searches[kMaxInFlight], *open[kMaxInFlight];
  std::size_t left = 0;
  for (; left < count; ++left) {
    open[left] = &searches[left];
    open[left]->start(tree, bodies[left], questions[left], visitors[left]);
  }
  while (left > 0) {
    const std::size_t before = std::exchange(left, 0);
    for (std::size_t k = 0; k < before; ++k) {
      Near<kPoint>* const search = open[k];
      const bool goes_on = search->step();
      open[left] = search;
      left += goes_on ? 1 : 0;
    }
  }
}

void nearest_to_point(const Tree<float>& tree, const NearBody& body, const NearQuestion& question,
                      const NearVisitor& visitor) {
  Near<true> search;
  search.start(tree, body, question, visitor);
  search.run();
}
void nearest_to_box(const Tree<float>& tree, const NearBody& body, const NearQuestion& question,
                    const NearVisitor& visitor) {
  Near<false> search;
  search.start(tree, body, question, visitor);
  search.run();
}
void nearest_to_points(const Tree<float>& tree, const NearBody* bodies, const NearQuestion* questions,
                       const NearVisitor* visitors, std::size_t count) {
  in_turn<true>(tree, bodies, questions, visitors, count);
}
void nearest_to_boxes(const Tree<float>& tree, const NearBody* bodies, const NearQuestion* questions,
                      const NearVisitor* visitors, std::size_t count) {
  in_turn<false>(tree, bodies, questions, visitors, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::kd_tree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::kd_tree {

HWY_EXPORT(nearest_to_point);
HWY_EXPORT(nearest_to_box);
HWY_EXPORT(nearest_to_points);
HWY_EXPORT(nearest_to_boxes);

namespace {

constexpr double kUnit = 0x1p-24;         // float32 rounds by this part of a number
constexpr double kUnderflow = 1e-20;      // m; squares of less are below the range of float32
constexpr double kLargestSquared = 1e17;  // m; squares of more, added up, are above it

// As float32 reads it. False if squares in it would leave its range.
bool prepare(const Tree<float>& tree, const NearPoint& point, NearBody& body) {
  const double size = std::abs(point.at.x()) + std::abs(point.at.y()) + std::abs(point.at.z());
  if (!(tree.largest + size <= kLargestSquared)) return false;
  for (int k = 0; k < 3; ++k) body.center[k] = static_cast<float>(point.at[k]);
  // Three differences, their squares and sums; the centre itself.
  body.relative = static_cast<float>(8 * kUnit);
  body.slack = body.node_slack = 2 * kUnit * size + point.slack + kUnderflow;
  return true;
}
bool prepare(const Tree<float>& tree, const NearBox& box, NearBody& body) {
  double at = 0, size = 0;
  for (int k = 0; k < 3; ++k) at += std::abs(box.center[k]), size += box.half[k];
  if (!(tree.largest + at + size <= kLargestSquared)) return false;
  for (int k = 0; k < 3; ++k) {
    body.center[k] = static_cast<float>(box.center[k]), body.half[k] = static_cast<float>(box.half[k]);
    body.low[k] = static_cast<float>(box.low[k]), body.high[k] = static_cast<float>(box.high[k]);
    for (int i = 0; i < 3; ++i) body.axis[k][i] = static_cast<float>(box.axis[k][i]);
  }
  // Along each axis of the box a point is off by some ten roundings of where it is about the centre, which is no
  // farther than the distance and the size of the box; three of them make a distance. The boxes of nodes are as large
  // as the cloud.
  body.relative = static_cast<float>(40 * kUnit);
  body.slack = kUnit * (40 * size + 4 * at) + box.slack + kUnderflow;
  body.node_slack = 40 * kUnit * (3 * tree.largest + at + size) + box.slack + kUnderflow;
  return true;
}

// As many as there are. False if float32 cannot answer for one of them.
template <class Body>
bool prepare_each(const Tree<float>& tree, std::span<const Body> from, NearBody* bodies) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!prepare(tree, from[i], bodies[i])) return false;
  }
  return true;
}

// The nearest so far, by the caller's own coordinates in double.
struct Nearest {
  const Tree<float>& tree;
  const Vec3& from;
  double limit_sq;
  Neighbor best;

  void take(std::size_t place) {
    const Leaf<float>& leaf = tree.leaves[place / kLeaf];
    const std::size_t lane = place % kLeaf;
    const double x = double{leaf.at[0][lane]} - from.x(), y = double{leaf.at[1][lane]} - from.y(),
                 z = double{leaf.at[2][lane]} - from.z();
    const double squared = (x * x + y * y) + z * z;
    if (squared <= limit_sq) best = std::min(best, Neighbor{leaf.index[lane], std::sqrt(squared)});
  }
};

}  // namespace

bool visit_nearest(const Tree<float>& tree, const NearPoint& point, const NearQuestion& question,
                   const NearVisitor& visitor) {
  NearBody body;
  if (!prepare(tree, point, body)) return false;
  if (tree.size > 0) HWY_DYNAMIC_DISPATCH(nearest_to_point)(tree, body, question, visitor);
  return true;
}

bool visit_nearest(const Tree<float>& tree, const NearBox& box, const NearQuestion& question,
                   const NearVisitor& visitor) {
  NearBody body;
  if (!prepare(tree, box, body)) return false;
  if (tree.size > 0) HWY_DYNAMIC_DISPATCH(nearest_to_box)(tree, body, question, visitor);
  return true;
}

bool visit_nearest_each(const Tree<float>& tree, std::span<const NearPoint> points, const NearQuestion* questions,
                        const NearVisitor* visitors) {
  NearBody bodies[kMaxInFlight];
  if (!prepare_each(tree, points, bodies)) return false;
  if (tree.size > 0) HWY_DYNAMIC_DISPATCH(nearest_to_points)(tree, bodies, questions, visitors, points.size());
  return true;
}

bool visit_nearest_each(const Tree<float>& tree, std::span<const NearBox> boxes, const NearQuestion* questions,
                        const NearVisitor* visitors) {
  NearBody bodies[kMaxInFlight];
  if (!prepare_each(tree, boxes, bodies)) return false;
  if (tree.size > 0) HWY_DYNAMIC_DISPATCH(nearest_to_boxes)(tree, bodies, questions, visitors, boxes.size());
  return true;
}

bool find_nearest(const Tree<float>& tree, const Vec3& p, double limit, Neighbor& nearest) {
  Nearest found{tree, p, limit * limit, {}};
  const NearVisitor visitor{.self = &found, .point = [](void* self, std::size_t place) {
                              static_cast<Nearest*>(self)->take(place);
                              return true;
                            }};
  // What doubles round is far less than the room that is left for float32.
  if (!visit_nearest(tree, NearPoint{p}, {.limit = limit}, visitor)) return false;
  nearest = found.best;
  return true;
}

}  // namespace graze::kd_tree
#endif
