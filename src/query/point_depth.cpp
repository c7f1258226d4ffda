#include "query/point_depth.h"

#include "geometry/mesh_surface.h"
#include "query/field_depth.h"
#include "query/mesh_ask.h"
#include "query/mesh_inside.h"

namespace graze {
namespace {

// The unit normal of a triangle at p on the surface, toward the outside: decided where the surface was, that far
// beside.
Vec3 outward_at(const Mesh& mesh, std::size_t triangle, const Vec3& p) {
  const mesh::Data& d = data_of(mesh);
  const Vec3 n = unit_vector(
      cross(minus(d.corner(triangle, 1), d.corner(triangle, 0)), minus(d.corner(triangle, 2), d.corner(triangle, 0))));
  const double beside = 4096 * kEpsilon * (d.extent + size_of(d.tree.origin));
  if (mesh.winding(along(p, beside, n)) == 0) return n;
  return times(-1, n);
}

// The depth in the box, which no depth in what it holds exceeds: all that is certain where the surface is unknown.
double depth_in_box(const Aabb& box, const Vec3& p) {
  const Vec3 below = minus(p, box.min), above = minus(box.max, p);
  return std::max(std::min({below.x(), below.y(), below.z(), above.x(), above.y(), above.z()}), 0.0) *
         (1 + 4 * kEpsilon);
}

}  // namespace

PointDepth point_depth(const Mesh& mesh, const Vec3& p) {
  PointDepth r;
  if (mesh.empty()) return r;
  const mesh::Surface* surface = mesh.solid() ? data_of(mesh).surface.get() : nullptr;
  const bool cut = surface != nullptr && !surface->whole && !surface->cut.empty();
  const bool inside = surface != nullptr && mesh.winding(p) != 0;
  Feature triangle = 0;
  const PairDistance to = surface_distance(p, inside && cut ? surface->cut : mesh, triangle);
  if (inside && cut) triangle = surface->parent[triangle];
  r.feature = triangle;
  r.depth = inside ? to.value : -to.value;
  r.tolerance = to.tolerance + (surface != nullptr ? surface->blur : 0);
  const bool known = surface != nullptr && surface->certain && (surface->whole || cut);
  if (inside && !known) r.tolerance = std::max(r.tolerance, depth_in_box(mesh.bounds(), p) - r.depth);
  r.out = inside ? to.normal : times(-1, to.normal);
  if (surface != nullptr && !(to.value > 4 * to.tolerance)) r.out = outward_at(mesh, triangle, p);
  return r;
}

PointDepth point_depth(const Geometry& g, const Vec3& p) {
  return std::visit(
      [&](const auto& s) -> PointDepth {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::same_as<S, Mesh> || BlockKind<S>) {
          return point_depth(s, p);
        } else {
          PointDepth r;
          const Relative relative(times(-1, p));
          const Sphere point{.radius = 0};
          PairDistance d;
          if constexpr (std::same_as<S, Cloud>) {
            DistanceQuery query(relative, {});
            ask(point, s, relative, query);
            d = query.best(), r.feature = query.b();
          } else {
            d = measure(point, s, relative, {});
          }
          if (d.beyond) return r;
          r.depth = -d.value, r.tolerance = d.tolerance, r.out = times(-1, d.normal);
          return r;
        }
      },
      g);
}

}  // namespace graze
