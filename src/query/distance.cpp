#include "graze/query/distance.h"

#include "query/pair_query.h"

namespace graze {

Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  const CanonicalPair pair(a, b);
  PairQuestion question;
  if (!std::isnan(options.limit)) question.limit = options.limit;
  question.depth = options.depth;
  question.cache = options.cache;
  const PairDistance best = with_kinds<PairDistance>(
      pair.first.geometry, pair.second.geometry,
      [&](const auto& first, const auto& second) { return measure(first, second, pair.relative, question); });

  Distance d;
  d.beyond = best.beyond;
  if (best.beyond) return d;
  d.value = best.value;
  d.tolerance = best.tolerance;
  // Each place is written once: to exchange what was just written costs more than all the rest.
  const double sign = pair.swapped ? -1 : 1;
  const Vec3 normal = turned(pair.frame, best.normal), on_first = pair.to_world(best.on_a);
  d.normal = times(sign, normal);
  (pair.swapped ? d.on_b : d.on_a) = on_first;
  (pair.swapped ? d.on_a : d.on_b) = std::isfinite(best.value) ? along(on_first, best.value, normal) : on_first;
  return d;
}

}  // namespace graze
