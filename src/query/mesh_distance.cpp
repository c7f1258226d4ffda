#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/mesh_pairs.h"

namespace graze {
namespace {

MeshDistance between_surfaces(const Geometry& first, const Geometry& second, const Relative& relative,
                              const PairQuestion& question) {
  PairQuestion plain = question;
  plain.cache = nullptr;
  DistanceQuery query(relative, plain);
  with_mesh(first, second, [&](const auto& a, const auto& b) {
    ask_remembered(a, b, query, question.cache);
    if (!query.done()) ask_mesh(a, b, relative, query, question.cache);
  });
  return {query.best(), query.a(), query.b()};
}

}  // namespace

PairDistance surface_distance(const Vec3& p, const Mesh& mesh, Feature& triangle) {
  const Relative relative(times(-1, p));
  DistanceQuery query(relative, {});
  ask_mesh(Sphere{.radius = 0}, mesh, relative, query);
  triangle = query.b();
  return query.best();
}

MeshDistance mesh_distance(const Geometry& first, const Geometry& second, const Relative& relative,
                           const PairQuestion& question) {
  MeshDistance r = between_surfaces(first, second, relative, question);
  if (!r.distance.beyond) remember(question.cache, first, second, r.a, r.b);
  const bool apart = r.distance.beyond || r.distance.value > 0;
  const bool inside = apart && any_inside(first, second, relative);
  if (inside) {
    if (r.distance.beyond) {
      PairQuestion farther = question;
      farther.limit = kInfinity;
      r = between_surfaces(first, second, relative, farther);
    }
    measure_inside(first, second, relative, r.distance, r.a, r.b);
  }
  PairDistance& d = r.distance;
  if (!d.beyond && d.value <= 0 && (inside || d.value < -d.tolerance)) {
    // The way out is a local one; along the same normal, all of both is surely apart after this much.
    d.tolerance = std::max(d.tolerance, parting(first, second, relative, d.normal) + d.value + d.tolerance);
  }
  if (inside && d.value - d.tolerance > question.limit) d = beyond_limit();
  return r;
}

}  // namespace graze
