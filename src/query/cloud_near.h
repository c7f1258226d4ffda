// What spheres, capsules and boxes have in common that ask the points of a cloud that may be nearest
// (index/kd_tree_near.h).
#pragma once

#include <algorithm>

#include "graze/geometry/cloud.h"
#include "index/kd_tree_near.h"
#include "query/ball.h"
#include "query/cloud_tree.h"
#include "query/pair_query.h"
#include "query/shape_leaf.h"

namespace graze::cloud_walk {

/// About signed distances (m) of a body and points, those being balls of the cloud's radius: what is asked of the
/// distances of their centres from the core of the body, which has this radius about it.
inline kd_tree::NearQuestion of_cores(const kd_tree::NearQuestion& question, double radius, const Cloud& cloud) {
  const double reach = radius + cloud.radius();
  return {.limit = question.limit + reach, .enough = question.enough + reach};
}

/// Whether a body touches any point of a cloud. Everything must outlive it.
template <class A>
struct TouchedPoint {
  const ShapeLeaf<A> leaf;
  const CloudTree& tree;
  CollideQuery& query;

  kd_tree::NearVisitor visitor() {
    return {.self = this, .point = [](void* self, std::size_t place) {
              TouchedPoint& x = *static_cast<TouchedPoint*>(self);
              x.query.leaf(x.leaf, 0, x.tree, place);
              return !x.query.hit();
            }};
  }
};

/// After this much along one of the cloud's axes all of a body within `body` is apart from all of the cloud.
inline double length_to_separate(const Aabb& body, const Cloud& cloud, double slack) {
  const Aabb& bounds = cloud.bounds();
  double shortest = kInfinity;
  for (int k = 0; k < 3; ++k) {
    shortest = std::min({shortest, body.max[k] - bounds.min[k], bounds.max[k] - body.min[k]});
  }
  return std::max(shortest + cloud.radius(), 0.0) + 2 * slack;
}

/// The point of a cloud that is nearest to a body, ties to the lower index: what a DistanceQuery finds. It keeps the
/// distance alone; what else is measured is measured at the end, of the nearest. Everything must outlive it.
template <class A>
class NearestPoint {
 public:
  NearestPoint(const A& a, const Cloud& cloud, const kd_tree::Tree<float>& tree, const Relative& relative,
               const PairQuestion& question)
      : a_(a),
        cloud_(cloud),
        tree_(tree),
        relative_(relative),
        question_(question),
        limit_(std::max(question.limit, 0.0)),  // nothing that overlaps is left out
        ball_{.radius = cloud.radius()} {}
  NearestPoint(const NearestPoint&) = delete;
  NearestPoint& operator=(const NearestPoint&) = delete;

  /// What is asked about the distances of points from the core of the body, which has this radius about it.
  kd_tree::NearQuestion question(double radius) const {
    return of_cores({.limit = limit_, .enough = 0}, radius, cloud_);
  }
  /// Until something overlaps.
  kd_tree::NearVisitor visitor() {
    return {.self = this,
            .point = [](void* self, std::size_t place) { return static_cast<NearestPoint*>(self)->take(place); }};
  }

  bool found() const { return place_ != kNoPlace; }
  bool overlaps() const { return found() && value_ <= 0; }
  std::uint32_t index() const { return index_of(place_); }
  /// If there is one. An overlapping body may have to go up to `separating` (m) until it is free.
  GRAZE_INLINE PairDistance answer(double separating) const {
    PairDistance best = measure(a_, ball_at(place_), relative_, question_of(kInfinity));
    best.tolerance = std::max(best.tolerance, value_ - lower_);
    if (value_ <= 0) best.tolerance = std::max(best.tolerance, separating + value_);
    best.beyond = value_ - best.tolerance > question_.limit;
    return best;
  }

 private:
  static constexpr std::size_t kNoPlace = ~std::size_t{0};

  GRAZE_INLINE Ball ball_at(std::size_t place) const {
    const kd_tree::Leaf<float>& leaf = tree_.leaves[place / kd_tree::kLeaf];
    const std::size_t lane = place % kd_tree::kLeaf;
    return {{double{leaf.at[0][lane]}, double{leaf.at[1][lane]}, double{leaf.at[2][lane]}}, ball_};
  }
  GRAZE_INLINE std::uint32_t index_of(std::size_t place) const {
    return tree_.leaves[place / kd_tree::kLeaf].index[place % kd_tree::kLeaf];
  }
  GRAZE_INLINE PairQuestion question_of(double limit) const { return {.limit = limit, .depth = question_.depth}; }

  // False once there is an overlap. Flattened: what nobody reads is not computed.
  [[gnu::flatten]] bool take(std::size_t place) {
    const bool first = !found();
    const PairDistance d = measure(a_, ball_at(place), relative_, question_of(first ? limit_ : value_));
    if (d.beyond) return true;
    lower_ = std::min(lower_, d.value - d.tolerance);
    const bool better = first || d.value < value_ || (d.value == value_ && index_of(place) < index_of(place_));
    if (better) place_ = place, value_ = d.value;
    return value_ > 0;
  }

  const A& a_;
  const Cloud& cloud_;
  const kd_tree::Tree<float>& tree_;
  const Relative& relative_;
  const PairQuestion& question_;
  const double limit_;
  const Sphere ball_;
  std::size_t place_ = kNoPlace;                  // of the nearest so far
  double value_ = kInfinity, lower_ = kInfinity;  // its distance; nothing measured can be nearer than this
};

}  // namespace graze::cloud_walk
