#include "graze/query/collide.h"

#include "graze/query/distance.h"
#include "query/cloud_tree.h"
#include "query/mesh_pairs.h"
#include "query/pair_query.h"

namespace graze {

bool collide(const Placed& a, const Placed& b, const CollideOptions& options) {
  if (!(options.margin >= 0)) {
    // Depth is asked for. Free only if even the deepest depth that the answer allows is too little; NaN never is.
    const Distance d = distance(a, b, {.cache = options.cache});
    return !(d.value - d.tolerance > options.margin);
  }
  const CanonicalPair pair(a, b);
  const Relative relative = pair.relative();
  if (has_mesh(pair))
    return mesh_collide(pair.first.geometry, pair.second.geometry, relative, options.margin, options.cache);
  CollideQuery query(relative, options.margin, options.cache);
  with_kinds<void>(pair.first.geometry, pair.second.geometry,
                   [&](const auto& first, const auto& second) { ask(first, second, query); });
  return query.hit();
}

}  // namespace graze
