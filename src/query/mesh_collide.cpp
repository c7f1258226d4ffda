#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/mesh_pairs.h"

namespace graze {

bool mesh_collide(const Geometry& first, const Geometry& second, const Relative& relative, double margin,
                  PairCache* cache) {
  CollideQuery query(relative, margin, nullptr);
  with_mesh(first, second, [&](const auto& a, const auto& b) {
    ask_remembered(a, b, query, cache);
    if (!query.hit()) ask_mesh(a, b, relative, query, cache);
  });
  if (query.hit()) {
    remember(cache, first, second, query.a(), query.b());
    return true;
  }
  return any_inside(first, second, relative);
}

}  // namespace graze
