// What spheres, capsules and boxes have in common that ask the points of a cloud that may be nearest
// (index/kd_tree_near.h).
#pragma once

#include <algorithm>

#include "graze/geometry/cloud.h"
#include "index/kd_tree_near.h"
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

/// A query that is asked about a body and points of a cloud, until `ended`. Everything must outlive it.
template <class A, class Query>
struct AskedOfPoints {
  const ShapeLeaf<A> leaf;
  const CloudTree& tree;
  Query& query;
  bool (*ended)(const Query&);

  kd_tree::NearVisitor visitor() {
    return {.self = this, .point = [](void* self, std::size_t place) {
              AskedOfPoints& x = *static_cast<AskedOfPoints*>(self);
              x.query.leaf(x.leaf, 0, x.tree, place);
              return !x.ended(x.query);
            }};
  }
};

inline bool has_hit(const CollideQuery& query) { return query.hit(); }
inline bool has_overlap(const DistanceQuery& query) { return !query.so_far().beyond && query.so_far().value <= 0; }

/// What the nearest points are asked: nothing that overlaps is left out.
inline PairQuestion about_nearest(const PairQuestion& question) {
  return {.limit = std::max(question.limit, 0.0), .depth = question.depth};
}

/// After this much along one of the cloud's axes all of a body within `body` is apart from all of the cloud.
inline double length_to_separate(const Aabb& body, const Cloud& cloud, double slack) {
  double shortest = kInfinity;
  for (int k = 0; k < 3; ++k) {
    shortest = std::min({shortest, body.max[k] - cloud.bounds().min[k], cloud.bounds().max[k] - body.min[k]});
  }
  return std::max(shortest + cloud.radius(), 0.0) + 2 * slack;
}

/// What was found, as parts_distance() says it: the tolerance of an overlap reaches up to `separating` (m), and what is
/// beyond the limit is left out.
inline PairDistance nearest_answer(const DistanceQuery& query, const PairQuestion& question, double separating) {
  PairDistance best = query.best();
  if (has_overlap(query)) best.tolerance = std::max(best.tolerance, separating + best.value);
  if (!best.beyond && best.value - best.tolerance > question.limit) return beyond_limit();
  return best;
}

}  // namespace graze::cloud_walk
