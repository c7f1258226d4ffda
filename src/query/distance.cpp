#include "graze/query/distance.h"

#include "graze/query/traverse.h"
#include "query/pair_query.h"
#include "query/shape_leaf.h"

namespace graze {

Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  const CanonicalPair pair(a, b);
  PairQuestion question;
  if (!std::isnan(options.limit)) question.limit = options.limit;
  question.depth = options.depth;
  question.cache = options.cache;
  DistanceQuery query(pair.relative, question);
  with_kinds<void>(pair.first.geometry, pair.second.geometry, [&](const auto& first, const auto& second) {
    traverse(hierarchy_of(first), hierarchy_of(second), query);
  });

  const PairDistance& best = query.best();
  Distance d;
  d.beyond = best.beyond;
  if (best.beyond) return d;
  d.value = best.value;
  d.tolerance = best.tolerance;
  d.normal = turned(pair.frame, best.normal);
  d.on_a = pair.to_world(best.on_a);
  d.on_b = std::isfinite(best.value) ? along(d.on_a, best.value, d.normal) : d.on_a;
  d.a = query.a(), d.b = query.b();
  if (pair.swapped) {
    std::swap(d.on_a, d.on_b);
    std::swap(d.a, d.b);
    d.normal = -d.normal;
  }
  return d;
}

}  // namespace graze
