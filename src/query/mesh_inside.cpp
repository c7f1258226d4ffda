#include "query/mesh_inside.h"

#include "base/overloads.h"
#include "geometry/mesh_cells.h"
#include "geometry/mesh_data.h"
#include "query/cloud_tree.h"
#include "query/hull.h"
#include "query/point_depth.h"

namespace graze {
namespace {

// Calls found(point) for points of the geometry's frame of which one is inside if anything is; true ends it. Returns
// whether it ended. `near`: the box of interest in the solid's frame, to which to_solid leads.
template <class ToSolid, class Found>
bool points_of(const PartsBody& g, const Aabb& near, const Relative& to_solid, const ToSolid& map, const Found& found) {
  const auto of_mesh = [&](const Mesh& mesh) {
    for (const std::uint32_t i : data_of(mesh).pieces) {
      if (found(map(data_of(mesh).vertices[i]), i)) return true;
    }
    return false;
  };
  const auto of_cloud = [&](const Cloud& cloud) {
    struct Walk {
      const Aabb& near;
      const Relative& to_solid;
      const ToSolid& map;
      const Found& found;
      bool ended = false;
      double bound(const Aabb& box) const { return gap(to_solid.box_to_a(box), near); }
      double limit() const { return ended ? -1 : 0; }
      void leaf(const CloudTree& h, std::size_t i) {
        if (!ended) ended = found(map(h.primitive(i).center), h.feature(i));
      }
    } walk{near, to_solid, map, found};
    traverse(CloudTree(cloud), walk);
    return walk.ended;
  };
  return g.visit(Overloads{of_mesh, of_cloud, [&](const Triangle& s) { return found(map(s.a()), std::size_t{0}); },
                           [&](const Bounded auto& s) { return found(map(core(s).center()), std::size_t{0}); },
                           // What has no end is not inside of anything.
                           [](const Unbounded auto&) { return false; }});
}

// How far the geometry reaches along n.
double reach_along(const PartsBody& g, const Vec3& n) {
  const auto of_box = [&](const Aabb& box) { return farthest_of(box, n); };
  // A plane or half-space is only separated along its own normal.
  return g.visit(Overloads{[&](const Unbounded auto& s) { return dot(n, s.normal()) * s.offset(); },
                           [&](const Bounded auto& s) { return of_box(bounds(Shape(s))); },
                           [&](const Composite auto&) { return of_box(bounds(g.geometry())); }});
}

}  // namespace

bool any_inside(const PartsBody& first, const PartsBody& second, const Relative& relative, double* depth, Vec3* where) {
  const auto look = [&](const PartsBody& g, const Mesh* solid, const Relative& to_solid, bool in_second) {
    if (solid == nullptr) return false;
    const auto map = [&](const Vec3& p) { return to_solid.to_a(p); };
    return points_of(g, solid->bounds(), to_solid, map, [&](const Vec3& p, std::size_t) {
      if (solid->winding(p) == 0) return false;
      if (depth != nullptr) *depth = point_depth(*solid, p).depth;
      if (where != nullptr) *where = in_second ? relative.to_a(p) : p;
      return true;
    });
  };
  return look(first, solid_of(second), relative.inverse(), true) || look(second, solid_of(first), relative, false);
}

bool is_point_and_solid(const PartsBody& first, const PartsBody& second) {
  const auto* sphere = first.get_if<Sphere>();
  return sphere != nullptr && sphere->radius == 0 && solid_of(second) != nullptr;
}

std::optional<bool> inside_by_cells(const Mesh& solid, const Vec3& p, double margin) {
  const mesh::Cells* cells = data_of(solid).cells.get();
  if (cells == nullptr) return std::nullopt;
  const std::int8_t number = cells->at(p);
  // More than what the kernels take for touching.
  const double rounding = 128 * kEpsilon * (size_of(p) + size_of(solid.bounds().min) + size_of(solid.bounds().max));
  if (number == mesh::Cells::kUnknown || !(margin + rounding < cells->clear)) return std::nullopt;
  return number != 0;
}

double separation_bound(const PartsBody& first, const PartsBody& second, const Relative& relative, const Vec3& n) {
  const Vec3 back = times(-1, turned_back(relative.rotation, n));
  return std::max(0.0, reach_along(first, n) + reach_along(second, back) - dot(n, relative.translation));
}

}  // namespace graze
