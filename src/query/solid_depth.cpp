// Chooses how the depth of a pair with meshes or clouds is measured.
#include "query/solid_depth.h"

#include "base/overloads.h"
#include "geometry/mesh_data.h"
#include "geometry/mesh_surface.h"
#include "query/depth_search.h"
#include "query/hull.h"
#include "query/mesh_inside.h"
#include "query/point_depth.h"
#include "query/shadow.h"

namespace graze {
namespace {

bool is_convex(const PartsBody& g) {
  return g.visit(
      Overloads{[](const Mesh& mesh) { return mesh.solid() && !mesh.empty() && data_of(mesh).surface->convex; },
                [](const Cloud&) { return false; }, [](const ShapeKind auto&) { return true; }});
}

double blur_of(const Geometry& g) {
  const Mesh* mesh = solid_of(g);
  if (mesh == nullptr) return 0;
  return data_of(*mesh).surface->blur + 256 * kEpsilon * (data_of(*mesh).extent + size_of(data_of(*mesh).tree.origin));
}

// A ball against a solid: of a point, or if the solid is convex, the depth of its centre is enough.
bool by_center(const BoundedPair& pair, const Relative& relative, PartsDistance& r) {
  const auto* sphere = pair.first.get_if<Sphere>();
  const Mesh* solid = solid_of(pair.second);
  if (sphere == nullptr || solid == nullptr || !(sphere->radius == 0 || is_convex(pair.second))) return false;
  const PointDepth c = point_depth(*solid, relative.to_b(Vec3::Zero()));
  PairDistance& d = r.distance;
  d.value = -(c.depth + sphere->radius);
  const Aabb& box = solid->bounds();
  d.tolerance = c.tolerance + 16 * kEpsilon * (sphere->radius + size_of(relative.translation)) +
                relative.placing_error(std::max(size_of(box.min), size_of(box.max)));
  d.normal = turned(relative.rotation, times(-1, c.out));
  d.on_a = times(sphere->radius, d.normal);
  r.b = c.feature;
  return true;
}

PartsDistance bounded_depth(const BoundedPair& pair, const Relative& relative, const PartsDistance* deepest) {
  PartsDistance r;
  if (by_center(pair, relative, r)) {
    r.below = r.distance.tolerance;
    return r;
  }
  if (is_convex(pair.first) && is_convex(pair.second)) {
    r.distance = depth_of_hulls(pair, relative);
    r.distance.tolerance += blur_of(pair.first) + blur_of(pair.second);
    r.below = r.distance.tolerance;
    find_features(pair, relative, r);
    return r;
  }
  return search_depth(pair, relative, deepest);
}

}  // namespace

PartsDistance solid_depth(const PartsPair& pair, const Relative& relative, const PartsDistance* deepest) {
  return pair.visit([&]<class A, class B>(const A& a, const B& b) {
    if constexpr (Unbounded<A>) return depth_along_normal(a, b, relative);
    else return bounded_depth(BoundedPair(pair.first, pair.second, a, b), relative, deepest);
  });
}

double separating_length(const PartsBody& first, const PartsBody& second, const Relative& relative) {
  double shortest = kInfinity;
  const auto of_plane = [&](const Vec3& n) {
    shortest = std::min(shortest, separation_bound(first, second, relative, n));
  };
  if (const auto* a = first.get_if<HalfSpace>()) return of_plane(a->normal()), shortest;
  if (const auto* a = first.get_if<Plane>()) return of_plane(a->normal()), of_plane(times(-1, a->normal())), shortest;
  const Aabb box_a = bounds(first.geometry()), box_b = bounds(second.geometry());
  const auto attempt = [&](const Vec3& n) {
    const Vec3 back = times(-1, turned_back(relative.rotation, n));
    const double length = farthest_of(box_a, n) + farthest_of(box_b, back) - dot(n, relative.translation);
    shortest = std::min(shortest, std::max(0.0, length));
  };
  for (int k = 0; k < 3; ++k) {
    Vec3 n = Vec3::Zero();
    n[k] = 1;
    attempt(n), attempt(times(-1, n));
    if (relative.aligned) continue;
    const Vec3 turned_n = turned(relative.rotation, n);
    attempt(turned_n), attempt(times(-1, turned_n));
  }
  return shortest;
}

}  // namespace graze
