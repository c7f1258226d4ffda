#include "query/blocks.h"

#include "query/blocks_ask.h"
#include "query/field_depth.h"
#include "query/map_walk.h"
#include "query/point_depth.h"
#include "query/solvers.h"

namespace graze {
namespace {

// The nearest parts; an overlap ends the search.
class NearestBlock {
 public:
  NearestBlock(const Relative& relative, const PairQuestion& question)
      : relative_(relative), query_(relative, question) {}
  double bound(const Aabb& a, const Aabb& b) const { return gap(a, relative_.box_to_a(b)); }
  double limit() const { return query_.done() ? -kInfinity : query_.limit(); }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    if (!query_.done()) query_.leaf(a, i, b, j);
  }
  const DistanceQuery& query() const { return query_; }

 private:
  const Relative& relative_;
  DistanceQuery query_;
};

// No point of the body is farther from the middle of its box.
template <class A>
double outer_radius(const A& a, const Aabb& box) {
  if constexpr (std::same_as<A, Sphere>) return a.radius;
  else return size_of(box.half()) * (1 + 4 * kEpsilon);
}

// Whether the octree alone is walked: for one shape, and for a mesh that spans few cells, so that it is cheaper to ask
// the mesh about each than to walk both trees at once.
template <class A>
bool cells_alone(const A& a, const MapView& view) {
  if (view.unknown() == UnknownSpace::occupied) return false;
  if constexpr (std::same_as<A, Mesh>) {
    constexpr double kMaxCells = 32;  // along each axis
    return !a.bounds().empty() && a.bounds().half().maxCoeff() <= kMaxCells / 2 * view.map().resolution();
  }
  return true;
}

template <class A, class B, class Q>
void ask_nearest(const A& a, const B& b, const Relative& relative, Q& query) {
  if constexpr (std::same_as<B, MapView> && ((ShapeKind<A> && Bounded<A>) || std::same_as<A, Mesh>)) {
    if (cells_alone(a, b)) {
      const Aabb box = finite_box(a);
      const Relative inverse = relative.inverse();
      const Vec3 center = box.center();
      const double radius = outer_radius(a, box) + inverse.placing_error(center) + 4 * kEpsilon * size_of(center);
      const MapCells cells(b, inverse.box_to_a(box), inverse.to_a(center), radius);
      const auto body = hierarchy_of(a);
      if constexpr (std::same_as<Q, CollideQuery>) CellTouch(a, body, box, cells, relative, query).run();
      else walk_cells(body, cells, relative, query);
      return;
    }
  }
  ask_blocks(a, b, relative, query);
}

bool everywhere(const Geometry& g) {
  const auto* view = std::get_if<MapView>(&g);
  return view != nullptr && view->unknown() == UnknownSpace::occupied;
}

// Whether any of the other body may be beyond what a map can know, all of which is unknown.
bool leaves_keys(const Geometry& a, const Geometry& b, const Relative& relative) {
  const auto* view = std::get_if<MapView>(&b);
  if (view == nullptr || view->unknown() == UnknownSpace::free) return false;
  return with_blocks(a, b, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (Unbounded<A>) {
      return true;
    } else {
      const Aabb near = near_boxes(first, second, relative).of_b;
      const Aabb keys = view->map().box(view->map().root());
      return !near.empty() && !(keys.contains(near.min) && keys.contains(near.max));
    }
  });
}

PartsDistance endless(double value, double tolerance, const Vec3& where) {
  PartsDistance r;
  r.distance.value = value, r.distance.tolerance = tolerance, r.distance.on_a = where;
  r.below = tolerance;
  return r;
}

// Along b's axes, what surely separates them: of a field downwards, of cells in any direction.
double enough_to_separate(const Geometry& a, const Geometry& b, const Relative& relative) {
  return with_blocks(a, b, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (Unbounded<A> || std::same_as<A, HeightField>) {
      return kInfinity;
    } else {
      if (everywhere(a) || everywhere(b)) return kInfinity;
      const Aabb near = near_boxes(first, second, relative).of_b, box = finite_box(second);
      return std::max(0.0, box.max.z() - near.min.z()) * (1 + 8 * kEpsilon);
    }
  });
}

// Finds a cell in the inside of a solid, given that the surface meets none: then the middle tells.
class CellInside {
 public:
  CellInside(const Mesh& solid, const Relative& relative) : solid_(solid), relative_(relative) {}
  double bound(const Aabb& box) const {
    return box.empty() ? kInfinity : gap(relative_.box_to_a(box), solid_.bounds());
  }
  double limit() const { return found_ ? -kInfinity : 0; }
  void leaf(const MapTree& cells, std::size_t i) {
    if (found_) return;
    const Vec3 p = relative_.to_a(core(cells.primitive(i)).center());
    if (solid_.winding(p) != 0) found_ = InsideSolid{p, cells.feature(i)};
  }
  const std::optional<InsideSolid>& found() const { return found_; }

 private:
  const Mesh& solid_;
  const Relative& relative_;
  std::optional<InsideSolid> found_;
};

// A field has no end, so that no solid is around it.
std::optional<InsideSolid> inside_of(const Mesh&, const HeightField&, const Relative&) { return {}; }
std::optional<InsideSolid> inside_of(const Mesh& solid, const MapView& view, const Relative& relative) {
  CellInside query(solid, relative);
  traverse(tree_of(view, relative.inverse().box_to_a(solid.bounds())), query);
  return query.found();
}

}  // namespace

std::optional<InsideSolid> block_inside(const Geometry& a, const Geometry& b, const Relative& relative) {
  const Mesh* solid = solid_of(a);
  if (solid == nullptr) return {};
  return with_block(b, [&](const auto& blocks) { return inside_of(*solid, blocks, relative); });
}

bool inseparable(const Geometry& a, const Geometry& b, const Relative& relative) {
  const bool field_a = std::holds_alternative<HeightField>(a), field_b = std::holds_alternative<HeightField>(b);
  const auto* half_space = std::get_if<HalfSpace>(&a);
  const auto* plane = std::get_if<Plane>(&a);
  if (everywhere(b)) return field_a || half_space != nullptr || plane != nullptr || everywhere(a);
  if (!field_b) return false;
  // Directions are right to some roundings; those that were not turned are exact.
  constexpr double kTurned = 64 * kEpsilon;
  const bool exact = relative.aligned || !relative.rounded;
  if (half_space != nullptr || plane != nullptr) {
    const Vec3 n = turned_back(relative.rotation, half_space != nullptr ? half_space->normal() : plane->normal());
    if (exact && n.z() == 0) return false;
    if (half_space != nullptr) return !(n.z() < (exact ? 0 : -kTurned));
    return !exact && !(std::abs(n.z()) > kTurned);
  }
  if (!field_a) return false;
  const double up = relative.rotation(2, 2);
  if (up < 0) return false;
  if (exact && up == 1 && relative.rotation(0, 2) == 0 && relative.rotation(1, 2) == 0) return false;
  constexpr double kMinLean = 1e-6;
  return !(1 - up * up > kMinLean);
}

bool blocks_collide(const Geometry& a, const Geometry& b, const Relative& relative, double margin) {
  if (inseparable(a, b, relative) || leaves_keys(a, b, relative)) return true;
  return with_blocks(a, b, [&](const auto& first, const auto& second) {
    CollideQuery query(relative, margin, nullptr);
    ask_nearest(first, second, relative, query);
    return query.hit() || block_inside(a, b, relative);
  });
}

PartsDistance blocks_distance(const Geometry& a, const Geometry& b, const Relative& relative,
                              const PairQuestion& question) {
  if (inseparable(a, b, relative)) return endless(-kInfinity, 0, Vec3::Zero());
  if (leaves_keys(a, b, relative)) return endless(0, kInfinity, Vec3::Zero());
  PairQuestion surfaces = question;
  surfaces.depth = false, surfaces.cache = nullptr, surfaces.limit = std::max(question.limit, 0.0);
  PartsDistance r = with_blocks(a, b, [&](const auto& first, const auto& second) {
    NearestBlock nearest(relative, surfaces);
    ask_nearest(first, second, relative, nearest);
    return PartsDistance{nearest.query().best(), nearest.query().a(), nearest.query().b()};
  });
  PairDistance& d = r.distance;
  if (d.beyond || d.value > 0) {
    if (const std::optional<InsideSolid> inside = block_inside(a, b, relative)) {
      r = {};
      d.value = 0, d.on_a = inside->point, r.b = inside->cell;
    } else if (d.beyond) {
      return r;
    }
  }
  if (d.value <= 0) {
    const Vec3 common = d.on_a;
    if (!question.depth || everywhere(a) || everywhere(b)) {
      d.value = 0;
      d.tolerance = std::max(d.tolerance, enough_to_separate(a, b, relative));
    } else {
      r = blocks_depth(a, b, relative, common);
    }
  }
  if (d.value - d.tolerance > question.limit) d = beyond_limit();
  return r;
}

}  // namespace graze
