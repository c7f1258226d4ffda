// The nearest of many obstacles that a broad phase finds, in the plane and in space.
#pragma once

#include <algorithm>
#include <cmath>

#include "graze/index/broad_phase.h"

namespace graze::scene {

/// The obstacle whose nearest(point) is nearest, no farther than `limit`; of equally near ones that of the lowest id.
/// nearest_of(id) asks one, around(point, half) is a box, rounded outwards.
template <class Answer, int N, class Vec, class NearestOf, class Around>
Answer nearest_of_all(const BroadPhase<N>& broad, const Vec& point, double limit, const NearestOf& nearest_of,
                      const Around& around) {
  Answer best;
  double within = limit;
  const auto look = [&](BoxId id) {
    const auto near = nearest_of(id);
    if (near.distance > within) return;
    // What is not a number is nearer than all numbers.
    const bool unknown = std::isnan(near.distance), best_unknown = std::isnan(best.distance);
    const bool equal = near.distance == best.distance || (unknown && best_unknown);
    if (equal ? id < best.obstacle : unknown || near.distance < best.distance) {
      best.distance = near.distance, best.point = near.point, best.tolerance = near.tolerance;
      best.obstacle = id;
      within = best.distance;
    }
  };
  // The obstacle of the nearest box bounds the distance of what could be nearer.
  const NearestBox first = broad.nearest(point, limit);
  if (first.id == kNoBox) return best;
  look(first.id);
  using Box = typename BroadPhase<N>::Box;
  const Box box = within < kInfinity ? around(point, std::max(0.0, within) + best.tolerance)
                                     : Box{Vec::Constant(-kInfinity), Vec::Constant(kInfinity)};
  broad.visit_overlapping(box, look);
  return best;
}

}  // namespace graze::scene
