#include "query/escape.h"
#include "query/mesh_ask.h"
#include "query/mesh_inside.h"
#include "query/parts.h"
#include "query/point_depth.h"
#include "query/solid_depth.h"
#include "query/solvers.h"

namespace graze {
namespace {

PartsDistance between_parts(const PartsPair& pair, const Relative& relative, const PairQuestion& question) {
  PairQuestion plain = question;
  plain.cache = nullptr;
  DistanceQuery query(relative, plain);
  pair.visit([&](const auto& a, const auto& b) {
    ask_remembered(a, b, query, question.cache);
    if (!query.done()) ask_parts(a, b, relative, query, question.cache);
  });
  return {query.best(), query.a(), query.b()};
}

// That much surely separates them.
double enough_to_separate(const PartsPair& pair, const Relative& relative) {
  return separating_length(pair.first, pair.second, relative) + escape_rounding(pair.first, pair.second, relative);
}

// Of clouds without a mesh: the balls that overlap are parts of a solid.
PartsDistance cloud_distance(const PartsPair& pair, const Relative& relative, const PairQuestion& question) {
  PairQuestion nearest = question;
  nearest.limit = std::max(question.limit, 0.0);
  PartsDistance r = between_parts(pair, relative, nearest);
  PairDistance& d = r.distance;
  // Half-spaces are convex to infinity: the deepest point takes all others with it.
  const bool all = pair.first.get_if<HalfSpace>() != nullptr;
  const bool overlap = !d.beyond && d.value <= 0 && std::isfinite(d.value) && !all;
  if (overlap && !question.depth) {
    d.tolerance = std::max(d.tolerance, enough_to_separate(pair, relative) + d.value);
  } else if (overlap && d.value < -d.tolerance) {
    const PartsDistance deepest = r;
    r = solid_depth(pair, relative, &deepest);
  }
  return r;
}

PartsDistance mesh_distance(const PartsPair& pair, const Relative& relative, const PairQuestion& question) {
  const bool solid = solid_of(pair.first) != nullptr || solid_of(pair.second) != nullptr;
  // A point is inside or not, whatever its distance.
  const bool point = question.depth && is_point_and_solid(pair.first, pair.second);
  if (point && any_inside(pair.first, pair.second, relative)) {
    const PartsDistance r = solid_depth(pair, relative);
    remember(question.cache, pair.first, pair.second, r.a, r.b);
    return r;
  }
  // Of solids, surfaces that meet only show that there is an overlap.
  PairQuestion surfaces = question;
  if (solid) surfaces.depth = false, surfaces.limit = std::max(question.limit, 0.0);
  PartsDistance r = between_parts(pair, relative, surfaces);
  PairDistance& d = r.distance;
  if (!d.beyond) remember(question.cache, pair.first, pair.second, r.a, r.b);
  const bool apart = d.beyond || d.value > 0;
  if (apart && solid && !point && question.depth && d.value <= d.tolerance) {
    // Of parts that touch, the line between their points says nothing about where the bodies would part.
    const PairDistance touching = solid_depth(pair, relative).distance;
    if (-touching.value <= d.tolerance + touching.tolerance) d.normal = touching.normal, d.on_a = touching.on_a;
  }
  Vec3 inside = Vec3::Zero();
  if (apart && (!solid || point || !any_inside(pair.first, pair.second, relative, nullptr, &inside))) return r;
  if (!question.depth) {
    const double enough = enough_to_separate(pair, relative);  // and it need not be less
    if (apart) d = {}, d.value = 0, d.on_a = inside;
    if (solid && d.value < 0) d.on_a = along(d.on_a, d.value / 2, d.normal), d.value = 0;
    d.tolerance = std::max(d.tolerance, enough + d.value);
  } else if (solid) {
    r = solid_depth(pair, relative);
  } else if (d.value < -d.tolerance) {
    // The depth is a local one; along the same normal, all of both is certainly apart after this much.
    const double apart_after = separation_bound(pair.first, pair.second, relative, d.normal);
    d.tolerance = std::max(d.tolerance, apart_after + d.value + d.tolerance);
  }
  return r;
}

}  // namespace

PairDistance surface_distance(const Vec3& p, const Mesh& mesh, Feature& triangle) {
  const Relative relative(times(-1, p));
  DistanceQuery query(relative, {});
  ask_mesh(Sphere{.radius = 0}, mesh, relative, query);
  triangle = query.b();
  return query.best();
}

PartsDistance parts_distance(const PartsPair& pair, const Relative& relative, const PairQuestion& question) {
  const bool mesh = pair.visit([]<class A, class B>(const A&, const B&) { return WithMesh<A, B>; });
  PartsDistance r = mesh ? mesh_distance(pair, relative, question) : cloud_distance(pair, relative, question);
  const PairDistance& d = r.distance;
  if (!d.beyond && d.value - d.tolerance > question.limit) r.distance = beyond_limit();
  return r;
}

}  // namespace graze
