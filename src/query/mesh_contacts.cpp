#include "query/contact_query.h"
#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/mesh_pairs.h"

namespace graze {

void mesh_contacts(const Geometry& first, const Geometry& second, const Relative& relative, ContactQuery& query) {
  with_mesh(first, second, [&](const auto& a, const auto& b) { ask_mesh(a, b, relative, query); });
  if (!query.empty() || !any_inside(first, second, relative)) return;
  const MeshDistance r = mesh_distance(first, second, relative, {});
  query.add({r.distance.on_a, r.distance.normal, -r.distance.value, r.a, r.b});
}

}  // namespace graze
