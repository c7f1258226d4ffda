#include "query/mesh_inside.h"

#include "geometry/mesh_data.h"
#include "query/cloud_tree.h"

namespace graze {
namespace {

const Mesh* solid_of(const Geometry& g) {
  const auto* mesh = std::get_if<Mesh>(&g);
  return mesh != nullptr && mesh->solid() && !mesh->empty() ? mesh : nullptr;
}

// Calls found(point) for points of the geometry's frame of which one is inside if anything is; true ends it. Returns
// whether it ended. `near`: the box of interest in the solid's frame, to which to_solid leads.
template <class ToSolid, class Found>
bool points_of(const Geometry& g, const Aabb& near, const Relative& to_solid, const ToSolid& map, const Found& found) {
  if (const auto* mesh = std::get_if<Mesh>(&g)) {
    for (const std::uint32_t i : mesh->data().pieces) {
      if (found(map(mesh->data().vertices[i]), i)) return true;
    }
    return false;
  }
  if (const auto* cloud = std::get_if<Cloud>(&g)) {
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
    traverse(CloudTree(*cloud), walk);
    return walk.ended;
  }
  return std::visit(
      [&](const auto& s) {
        if constexpr (std::same_as<std::decay_t<decltype(s)>, Triangle>) return found(map(s.a()), std::size_t{0});
        else if constexpr (Bounded<std::decay_t<decltype(s)>>) return found(map(core(s).center()), std::size_t{0});
        else return false;  // what has no end is not inside of anything
      },
      g);
}

// The farthest point of a mesh along n, by its tree.
Vec3 support_of(const mesh::Data& d, const Vec3& n) {
  struct Walk {
    const mesh::Data& d;
    const Vec3& n;
    double best = -kInfinity;
    Vec3 point = Vec3::Zero();
    void node(std::uint32_t index) {
      const bvh::Node& node = d.tree.nodes[index];
      double most[bvh::kWidth];
      std::size_t order[bvh::kWidth], count = 0;
      for (std::size_t k = 0; k < bvh::kWidth && node.child[k] != bvh::kNone; ++k) {
        const Aabb box = d.tree.to_double(node.box(k));
        most[k] = 0;
        for (int i = 0; i < 3; ++i) most[k] += n[i] * (n[i] > 0 ? box.max[i] : box.min[i]);
        std::size_t j = count++;
        for (; j > 0 && most[order[j - 1]] < most[k]; --j) order[j] = order[j - 1];
        order[j] = k;
      }
      for (std::size_t j = 0; j < count && most[order[j]] >= best; ++j) {
        const std::uint32_t child = node.child[order[j]];
        if ((child & bvh::kLeafBit) != 0) leaf(d.blocks[child & ~bvh::kLeafBit]);
        else this->node(child);
      }
    }
    void leaf(const mesh::Block& block) {
      for (std::size_t k = 0; k < bvh::kWidth && block.triangle[k] != bvh::kNone; ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
          const Vec3& p = d.corner(block.triangle[k], c);
          const double at = dot(n, p);
          if (at > best) best = at, point = p;
        }
      }
    }
  } walk{d, n};
  walk.node(0);
  return walk.point;
}

// The farthest point of any bounded geometry along n, in its own frame.
Vec3 support_of(const Geometry& g, const Vec3& n) {
  if (const auto* mesh = std::get_if<Mesh>(&g)) return support_of(mesh->data(), n);
  return std::visit(
      [&](const auto& s) -> Vec3 {
        if constexpr (Bounded<std::decay_t<decltype(s)>>) {
          const auto c = core(s);
          return along(plus(c.center(), c.support(n)), rounding_radius(s), n);
        } else {
          return Vec3::Zero();
        }
      },
      g);
}

// How far the geometry reaches along n.
double reach_along(const Geometry& g, const Vec3& n) {
  // A plane or half-space is only parted along its own normal.
  if (const auto* s = std::get_if<HalfSpace>(&g)) return dot(n, s->normal()) * s->offset();
  if (const auto* s = std::get_if<Plane>(&g)) return dot(n, s->normal()) * s->offset();
  const Aabb box = bounds(g);
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (n[i] != 0) sum += n[i] * (n[i] > 0 ? box.max[i] : box.min[i]);
  }
  return sum;
}

}  // namespace

bool any_inside(const Geometry& first, const Geometry& second, const Relative& relative) {
  const auto inside = [](const Mesh& solid) {
    return [&solid](const Vec3& p, std::size_t) { return solid.winding(p) != 0; };
  };
  if (const Mesh* solid = solid_of(second)) {
    const auto map = [&](const Vec3& p) { return relative.to_b(p); };
    if (points_of(first, solid->bounds(), relative.inverse(), map, inside(*solid))) return true;
  }
  if (const Mesh* solid = solid_of(first)) {
    const auto map = [&](const Vec3& p) { return relative.to_a(p); };
    if (points_of(second, solid->bounds(), relative, map, inside(*solid))) return true;
  }
  return false;
}

double parting(const Geometry& first, const Geometry& second, const Relative& relative, const Vec3& n) {
  const Vec3 back = times(-1, turned_back(relative.rotation, n));
  return std::max(0.0, reach_along(first, n) + reach_along(second, back) - dot(n, relative.translation));
}

void measure_inside(const Geometry& first, const Geometry& second, const Relative& relative, PairDistance& d,
                    Feature& a, Feature& b) {
  const auto* cloud = std::get_if<Cloud>(&second);
  if (cloud != nullptr) {
    // The deepest of the points.
    const Mesh* solid = solid_of(first);
    if (solid == nullptr) return;
    bool found = false;
    const auto map = [&](const Vec3& p) { return relative.to_a(p); };
    points_of(second, solid->bounds(), relative, map, [&](const Vec3& p, std::size_t index) {
      if (solid->winding(p) == 0) return false;
      Feature triangle = 0;
      const PairDistance to = surface_distance(p, *solid, triangle);
      const double value = -to.value - cloud->radius();
      if (found && !(value < d.value)) return false;
      found = true;
      d.value = value, d.tolerance = to.tolerance, d.beyond = false;
      // The surface lies along to.normal, seen from the point: there the point leaves.
      d.normal = to.normal, d.on_a = along(p, to.value, to.normal);
      a = triangle, b = index;
      return false;
    });
    return;
  }
  // Whoever is inside leaves past the surface that is nearest to it: as a whole if it is in one piece, else as seen
  // from a point of the piece that is.
  const auto* mesh_a = std::get_if<Mesh>(&first);
  const auto* mesh_b = std::get_if<Mesh>(&second);
  const Mesh *solid_a = solid_of(first), *solid_b = solid_of(second);
  Vec3 inside = Vec3::Zero();  // in the solid's frame
  const auto finds = [&inside](const Mesh& solid) {
    return [&inside, &solid](const Vec3& p, std::size_t) {
      inside = p;
      return solid.winding(p) != 0;
    };
  };
  const auto to_b = [&](const Vec3& p) { return relative.to_b(p); };
  const bool first_inside =
      solid_b != nullptr && points_of(first, solid_b->bounds(), relative.inverse(), to_b, finds(*solid_b));
  if (first_inside) {
    Vec3 surface = along(d.on_a, d.value, d.normal), n = times(-1, d.normal);
    if (mesh_a != nullptr && mesh_a->data().pieces.size() > 1) {
      const PairDistance to = surface_distance(inside, *solid_b, b);
      surface = relative.to_a(along(inside, to.value, to.normal)), n = times(-1, turned(relative.rotation, to.normal));
    }
    // b moves along n until its surface has passed all of a.
    const Vec3 far = support_of(first, n);
    d.value = -dot(n, minus(far, surface));
    d.on_a = far, d.normal = n;
    return;
  }
  if (solid_a == nullptr || mesh_b == nullptr) return;
  const auto to_a = [&](const Vec3& p) { return relative.to_a(p); };
  if (!points_of(second, solid_a->bounds(), relative, to_a, finds(*solid_a))) return;
  Vec3 surface = d.on_a, n = times(-1, d.normal);
  if (mesh_b->data().pieces.size() > 1) {
    const PairDistance to = surface_distance(inside, *solid_a, a);
    surface = along(inside, to.value, to.normal), n = to.normal;
  }
  // b moves along n until all of it has passed the surface of a.
  const Vec3 far = relative.to_a(support_of(second, turned_back(relative.rotation, times(-1, n))));
  d.value = -dot(n, minus(surface, far));
  d.on_a = along(far, -d.value, n), d.normal = n;
}

}  // namespace graze
