#include "query/field_depth.h"

#include "query/blocks_ask.h"
#include "query/point_shape.h"

namespace graze {
namespace {

// The triangle of the surface nearest to a point.
struct NearestTriangle {
  const Vec3& p;
  const height_field::Data& data;
  double best = kInfinity;
  std::size_t triangle = 0;
  Vec3 away = Vec3::UnitZ();  // from the triangle to the point

  double bound(const Aabb& box) const { return gap(box, p) * (1 - 8 * kEpsilon); }
  double limit() const { return best; }
  void add(std::size_t t) {
    const PointDistance d = point_distance(surface_triangle(data, t), p);
    if (d.value < best || (d.value == best && t < triangle)) best = d.value, triangle = t, away = d.normal;
  }
};

struct SurfaceWalk : NearestTriangle {
  void leaf(const SurfaceTree&, std::size_t t) { add(t); }
};

// The distance of a point outside.
template <class Tree>
PointDepth outside(const Tree& tree, const Vec3& p) {
  struct Walk {
    Vec3 at;
    Relative relative;
    DistanceQuery query;
    explicit Walk(const Vec3& point) : at(point), relative(times(-1, point)), query(relative, {.depth = false}) {}
    double bound(const Aabb& box) const { return gap(box, at) * (1 - 8 * kEpsilon); }
    double limit() const { return query.done() ? -kInfinity : query.limit(); }
    void leaf(const Tree& h, std::size_t i) {
      const Sphere point{.radius = 0};
      query.leaf(ShapeLeaf<Sphere>(point), 0, h, i);
    }
  } walk(p);
  traverse(tree, walk);
  PointDepth r;
  const PairDistance d = walk.query.best();
  if (d.beyond) return r;
  r.depth = -std::max(0.0, d.value), r.tolerance = d.value > 0 ? d.tolerance : 0;
  r.out = times(-1, d.normal), r.feature = walk.query.b();
  return r;
}

}  // namespace

PointDepth point_depth(const HeightField& field, const Vec3& p) {
  const height_field::Data& data = data_of(field);
  const FieldTree tree(field, {p, p});
  const std::optional<double> height = field.height_at(p.x(), p.y());
  if (!height || p.z() > *height) return outside(tree, p);
  SurfaceWalk walk{{p, data}};
  traverse(SurfaceTree{tree}, walk);
  PointDepth r;
  const Vec3 raw = cross(minus(data.triangle(walk.triangle)[1], data.triangle(walk.triangle)[0]),
                         minus(data.triangle(walk.triangle)[2], data.triangle(walk.triangle)[0]));
  r.tolerance = 32 * kEpsilon * (size_of(p) + size_of(data.surface.min) + size_of(data.surface.max)) + data.rounding;
  r.depth = walk.best, r.feature = walk.triangle;
  r.out = walk.best > 4 * r.tolerance ? times(-1, walk.away) : unit_vector(raw);
  // Walls: a nearer one ends in solid below the surface, for otherwise the surface would be nearer still.
  const Vec3 &low = data.surface.min, &high = data.surface.max;
  const auto wall = [&](double depth, const Vec3& out, std::size_t i, std::size_t j, std::size_t half) {
    if (!(depth < r.depth)) return;
    r.depth = depth, r.out = out, r.feature = 2 * (j * data.cells_x() + i) + half;
  };
  const auto cell = [](double at, double step, std::size_t count) {
    return std::min(static_cast<std::size_t>(std::max(0.0, at / step)), count - 1);
  };
  const std::size_t i = cell(p.x(), data.grid.dx, data.cells_x()), j = cell(p.y(), data.grid.dy, data.cells_y());
  wall(p.x() - low.x(), -Vec3::UnitX(), 0, j, 1), wall(high.x() - p.x(), Vec3::UnitX(), data.cells_x() - 1, j, 0);
  wall(p.y() - low.y(), -Vec3::UnitY(), i, 0, 0), wall(high.y() - p.y(), Vec3::UnitY(), i, data.cells_y() - 1, 1);
  return r;
}

PointDepth point_depth(const MapView& view, const Vec3& p) {
  const MapTree tree(view, {p, p});
  struct Walk {
    Vec3 p;
    PointDepth deepest;
    double bound(const Aabb& box) const { return gap(box, p); }
    double limit() const { return 0; }
    void leaf(const MapTree& h, std::size_t i) {
      const Block b = h.primitive(i);
      const Vec3 &low = b.corners[0], &high = b.corners[7];
      double depth = kInfinity;
      Vec3 out = Vec3::UnitX();
      for (Eigen::Index k = 0; k < 3; ++k) {
        for (const double side : {-1.0, 1.0}) {
          const double d = side < 0 ? p[k] - low[k] : high[k] - p[k];
          if (d < depth) depth = d, out = Vec3::Zero(), out[k] = side;
        }
      }
      if (depth >= 0 && depth > deepest.depth) deepest = {depth, b.slack, out, h.feature(i)};
    }
  } walk{p, {}};
  traverse(tree, walk);
  return walk.deepest.depth >= 0 ? walk.deepest : outside(tree, p);
}

}  // namespace graze
