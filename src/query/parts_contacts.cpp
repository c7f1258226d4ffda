#include "graze/base/parallel.h"
#include "query/contact_query.h"
#include "query/escape.h"
#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/parts.h"
#include "query/point_depth.h"
#include "query/solid_contacts.h"
#include "query/solvers.h"

namespace graze {
namespace {

// Parts of the walk on several threads, each with a list of its own. Added one after the other, the lists are what one
// walk would have added: all that follows gives the same bits.
void ask_in_parts(const Mesh& a, const Mesh& b, const Relative& relative, int threads, ContactQuery& query) {
  constexpr std::size_t kParts = 512;
  if (a.empty() || b.empty()) return;
  const walk::MeshPair pair(data_of(a), data_of(b), relative);
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

// What almost touches after b has moved by the depth along the normal.
void touching_contacts(const PartsPair& pair, const Relative& relative, const PartsDistance& exit,
                       const SolidContacts& solids, ContactQuery& query) {
  const PairDistance& d = exit.distance;
  const double depth = -d.value, room = 2 * contact_slack(pair, relative) + 1e-9 * depth;
  Relative moved = relative;
  moved.translation = along(relative.translation, depth, d.normal);
  ContactQuery after(moved, room, nullptr);
  pair.visit([&](const auto& a, const auto& b) { ask_parts(a, b, moved, after); });
  for (const ContactQuery::Found& f : after.result(ContactQuery::kCapacity)) {
    ContactQuery::Found c{f.on_a, d.normal, depth, f.a, f.b};
    if (solids.correct(c)) query.add(c);
  }
}

// Every ball of a cloud whose centre is inside has a depth of its own.
void point_contacts(const Mesh& solid, const Cloud& cloud, const Relative& relative, ContactQuery& query) {
  struct Walk {
    const Mesh& solid;
    const Relative& relative;
    ContactQuery& query;
    double bound(const Aabb& box) const { return gap(relative.box_to_a(box), solid.bounds()); }
    double limit() const { return 0; }
    void leaf(const CloudTree& h, std::size_t i) {
      const Ball ball = h.primitive(i);
      const Vec3 p = relative.to_a(ball.center);
      if (!solid.bounds().contains(p)) return;
      const PointDepth d = point_depth(solid, p);
      if (!(d.depth > 0)) return;
      query.add({along(p, d.depth, d.out), d.out, d.depth + ball.sphere.radius, d.feature, h.feature(i)});
    }
  } walk{solid, relative, query};
  traverse(CloudTree(cloud), walk);
}

}  // namespace

void parts_contacts(const PartsPair& pair, const Relative& relative, int threads, ContactQuery& query) {
  pair.visit([&]<class A, class B>(const A& a, const B& b) {
    if constexpr (std::same_as<A, Mesh> && std::same_as<B, Mesh>) {
      if (threads != 1) return ask_in_parts(a, b, relative, threads, query);
    }
    ask_parts(a, b, relative, query);
  });
  const Mesh *const solid_a = solid_of(pair.first), *const solid_b = solid_of(pair.second);
  if (solid_a == nullptr && solid_b == nullptr) return;
  const double slack = contact_slack(pair, relative);
  if (!query.reaches(-slack) && !any_inside(pair.first, pair.second, relative)) return;
  const PartsDistance exit = parts_distance(pair, relative, {});
  if (!(exit.distance.value <= slack) || !std::isfinite(exit.distance.value)) return;
  const SolidContacts solids(pair, relative, exit);
  bool fits = false;
  pair.visit([&]<class A, class B>(const A& a, const B& b) {
    if constexpr (std::same_as<B, Cloud>) {
      // Balls with their centre inside have a depth of their own.
      if constexpr (std::same_as<A, Mesh>) {
        query.keep(
            [&](ContactQuery::Found& c) { return a.winding(relative.to_a(b.point(c.b))) == 0 && solids.correct(c); });
        point_contacts(a, b, relative, query);
      }
    } else {
      // A body that just fits into another one touches it on all sides: nothing proves an overlap.
      query.keep([&](ContactQuery::Found& c) { return c.depth < -slack || solids.correct(c); });
      fits = exit.distance.value + exit.distance.tolerance >= -slack && query.reaches(-slack);
      if (exit.distance.value < -slack && !fits) touching_contacts(pair, relative, exit, solids, query);
    }
  });
  if (!fits && !query.reaches(-exit.distance.value - slack))
    query.add({exit.distance.on_a, exit.distance.normal, -exit.distance.value, exit.a, exit.b});
}

}  // namespace graze
