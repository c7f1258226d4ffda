#include "graze/query/penetration.h"

#include "graze/query/distance.h"

namespace graze {

Penetration penetration(const Placed& a, const Placed& b, const PenetrationOptions& options) {
  // Nothing above rounding error is measured: a pair proven apart answers at once.
  const Distance d = distance(a, b, {.limit = 0, .cache = options.cache});
  Penetration p;
  if (d.beyond || d.value - d.tolerance > 0) return p;
  p.overlapping = true;
  p.depth = std::max(0.0, -d.value);
  p.tolerance = d.tolerance;
  p.direction = d.normal;
  p.on_a = d.on_a, p.on_b = d.on_b;
  return p;
}

}  // namespace graze
