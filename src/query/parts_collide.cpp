#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/parts.h"
#include "query/point_depth.h"
#include "query/solvers.h"

namespace graze {

bool parts_collide(const PartsPair& pair, const Relative& relative, double margin, PairMemory* cache) {
  if (is_point_and_solid(pair.first, pair.second)) {
    const auto inside = inside_by_cells(*solid_of(pair.second), relative.to_b(Vec3::Zero()), margin);
    if (inside) return *inside;
  }
  CollideQuery query(relative, margin, nullptr);
  pair.visit([&](const auto& a, const auto& b) {
    ask_remembered(a, b, query, cache);
    if (!query.hit()) ask_parts(a, b, relative, query, cache);
  });
  if (!query.hit()) return any_inside(pair.first, pair.second, relative);
  remember(cache, pair.first, pair.second, query.a(), query.b());
  return true;
}

}  // namespace graze
