#include "graze/base/parallel.h"
#include "query/contact_query.h"
#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/mesh_pairs.h"

namespace graze {
namespace {

// Parts of the walk on several threads, each with a list of its own. Added one after the other, the lists are what one
// walk would have added: all that follows gives the same bits.
void ask_in_parts(const Mesh& a, const Mesh& b, const Relative& relative, int threads, ContactQuery& query) {
  constexpr std::size_t kParts = 512;
  if (a.empty() || b.empty()) return;
  const walk::MeshPair pair(a.data(), b.data(), relative);
  if (!pair.fits()) {
    ask_mesh(a, b, relative, query);
    return;
  }
  const double limit = walk_limit(query);
  const std::vector<walk::Part> parts = walk::divide(pair, limit, kParts);
  const std::size_t grain = std::max<std::size_t>(1, parts.size() / 128);
  std::vector<std::vector<ContactQuery::Found>> found((parts.size() + grain - 1) / grain);
  const MeshTree tree_a(a), tree_b(b);
  parallel_chunks(parts.size(),
                  [&](std::size_t begin, std::size_t end) {
                    ContactQuery part(query, found[begin / grain]);
                    AskedMeshes<ContactQuery> asked{MeshParts(tree_a), MeshParts(tree_b), relative, part};
                    walk::visit(pair, limit, std::span(parts).subspan(begin, end - begin), asked.visitor());
                  },
                  {.threads = threads, .grain = grain});
  for (const auto& list : found) {
    for (const ContactQuery::Found& contact : list) query.add(contact);
  }
}

}  // namespace

void mesh_contacts(const Geometry& first, const Geometry& second, const Relative& relative, int threads,
                   ContactQuery& query) {
  const auto *mesh_a = std::get_if<Mesh>(&first), *mesh_b = std::get_if<Mesh>(&second);
  if (threads != 1 && mesh_a != nullptr && mesh_b != nullptr) {
    ask_in_parts(*mesh_a, *mesh_b, relative, threads, query);
  } else {
    with_mesh(first, second, [&](const auto& a, const auto& b) { ask_mesh(a, b, relative, query); });
  }
  if (!query.empty() || !any_inside(first, second, relative)) return;
  const MeshDistance r = mesh_distance(first, second, relative, {});
  query.add({r.distance.on_a, r.distance.normal, -r.distance.value, r.a, r.b});
}

}  // namespace graze
