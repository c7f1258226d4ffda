// Which triangles of a closed mesh are its surface, by the winding number on both sides; whether the solid is convex.
//
// Where nothing crosses a triangle, the winding number is the same all over each of its sides, and beside its
// neighbours over edges with no other triangle, too: one of such a patch is asked. Triangles that others meet are cut
// along the common segments, and each part is asked for itself.
#include "geometry/mesh_surface.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "geometry/disjoint_sets.h"
#include "geometry/mesh_cut.h"
#include "geometry/mesh_edges.h"
#include "geometry/mesh_weld.h"
#include "graze/base/parallel.h"
#include "graze/shape/convex.h"

namespace graze::mesh {
namespace {

using Index = std::uint32_t;

// How far beside a face it is asked what lies there, in lengths of the cuts' tolerance.
constexpr double kBeside = 64;
// Parts narrower than this, in the same lengths, are left out.
constexpr double kNarrow = 256;
// Surfaces with more corners than this are compared with no hull.
constexpr std::size_t kMaxCorners = 4096;
// Of the extent: planes of slivers are off by no more than that.
constexpr double kSliver = 1e-6;

// Does inside meet outside at p of a face with this normal?
bool is_surface(const Data& data, const Vec3& p, const Vec3& normal, double beside) {
  const bool above = winding(data, p + beside * normal) != 0, below = winding(data, p - beside * normal) != 0;
  return above != below;
}

Vec3 normal_of(const Data& data, Index t) {
  const Vec3 n = (data.corner(t, 1) - data.corner(t, 0)).cross(data.corner(t, 2) - data.corner(t, 0));
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

double width_of(const Polygon& p, const Vec3& normal) {
  double narrowest = kInfinity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3 edge = p[(i + 1) % p.size()] - p[i];
    const double length = edge.norm();
    if (!(length > 0)) continue;
    double width = 0;
    for (const Vec3& v : p) width = std::max(width, normal.cross(edge).dot(v - p[i]) / length);
    narrowest = std::min(narrowest, width);
  }
  return narrowest;
}

// How far the triangles beside an edge reach over each other's planes, at most: no more than rounding if every edge
// bends outwards or not at all. Over an edge, the plane of the triangle that reaches farther from it is the better
// known one. Infinite where edges do not have two triangles or there is no volume.
double reach_over_neighbors(const Data& data, const std::vector<Edge>& edges, double tolerance) {
  double volume = 0;
  const Vec3& origin = data.tree.origin;
  for (std::size_t t = 0; t < data.triangles.size(); ++t)
    volume += (data.corner(t, 0) - origin).dot((data.corner(t, 1) - origin).cross(data.corner(t, 2) - origin));
  const double facing = volume < 0 ? -1 : 1;
  double reach = volume != 0 ? 0 : kInfinity;
  for_each_edge(edges, [&](std::span<const Edge> same) {
    if (same.size() != 2) reach = kInfinity;
    if (reach == kInfinity) return;
    const Edge &a = same[0], &b = same[1];
    const Vec3 &p = data.vertices[a.low], edge = data.vertices[a.high] - p;
    const Vec3 to_a = data.vertices[a.opposite] - p, to_b = data.vertices[b.opposite] - p;
    const bool first = edge.cross(to_a).squaredNorm() >= edge.cross(to_b).squaredNorm();
    const Vec3 normal = facing * normal_of(data, first ? a.triangle : b.triangle);
    const Vec3& other = first ? to_b : to_a;
    // Without area, or folded back onto itself: as far as it reaches from the edge.
    const bool folded = normal == Vec3::Zero() ||
                        (std::abs(normal.dot(other)) <= tolerance && edge.cross(to_a).dot(edge.cross(to_b)) > 0);
    reach =
        std::max(reach, folded ? std::max(2 * tolerance, edge.cross(other).norm() / std::max(edge.norm(), tolerance))
                               : normal.dot(other));
  });
  return reach;
}

// Of a surface in any number of pieces and cuts, all triangles if there are none: every one lies on a face of the hull
// of the whole mesh, which sheets outside of the solid belong to.
bool lies_on_hull(const Data& data, const Mesh* cut, double tolerance) {
  const std::size_t count = cut != nullptr ? cut->size() : data.triangles.size();
  if (3 * std::max(count, data.triangles.size()) > kMaxCorners) return false;
  std::vector<Vec3> corners;
  for (std::size_t t = 0; t < data.triangles.size(); ++t)
    corners.insert(corners.end(), {data.corner(t, 0), data.corner(t, 1), data.corner(t, 2)});
  const Convex hull = Convex::hull_of(corners);
  if (hull.flat()) return false;
  const auto is_on_face = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    return std::any_of(hull.faces().begin(), hull.faces().end(), [&](const Convex::Face& face) {
      return face.offset - std::min({face.normal.dot(a), face.normal.dot(b), face.normal.dot(c)}) <= tolerance;
    });
  };
  for (std::size_t t = 0; t < count; ++t) {
    const Triangle triangle =
        cut != nullptr ? cut->triangle(t) : Triangle(corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]);
    if (!is_on_face(triangle.a(), triangle.b(), triangle.c())) return false;
  }
  return true;
}

}  // namespace

bool Surface::operator==(const Surface& other) const {
  return whole == other.whole && cut.stamp() == other.cut.stamp() && parent == other.parent && blur == other.blur &&
         certain == other.certain && convex == other.convex;
}

std::size_t Surface::memory_bytes() const {
  return sizeof(Surface) + cut.memory_bytes() + parent.capacity() * sizeof(Index);
}

std::shared_ptr<const Surface> surface_of(const Data& data, int threads) {
  auto surface = std::make_shared<Surface>();
  const std::size_t count = data.triangles.size();
  if (count == 0) return surface;
  const double tolerance = cut_tolerance(data), beside = kBeside * tolerance;
  Buffer<Index> table;
  const std::vector<Index> weld = data.weld.empty() ? welded(data.vertices, table) : data.weld;
  std::vector<Crossings> crossings(count);
  CutBudget budget(count);
  const auto given_up = [&] {
    auto unknown = std::make_shared<Surface>();
    unknown->certain = false;
    return unknown;
  };
  parallel_for(count, [&](std::size_t t) { crossings[t] = crossings_of(data, weld, static_cast<Index>(t), budget); },
               {.threads = threads, .grain = 256});
  if (budget.spent()) return given_up();

  // Patches of triangles that nothing meets.
  DisjointSets patches(count);
  const std::vector<Edge> edges = sorted_edges(data.triangles, weld);
  const bool clean = std::none_of(crossings.begin(), crossings.end(), [](const Crossings& c) { return c.alone; });
  for_each_edge(edges, [&](std::span<const Edge> same) {
    if (same.size() != 2 || crossings[same[0].triangle].alone || crossings[same[1].triangle].alone) return;
    patches.unite(same[0].triangle, same[1].triangle);
  });
  std::vector<Vec3> normals(count);
  std::vector<Index> asked(count, kNone);  // the largest triangle of each patch, by its root
  std::vector<double> area(count, 0);
  std::size_t number = 0;
  for (Index t = 0; t < count; ++t) {
    normals[t] = normal_of(data, t);
    area[t] = (data.corner(t, 1) - data.corner(t, 0)).cross(data.corner(t, 2) - data.corner(t, 0)).squaredNorm();
    const Index root = patches.find(t);
    if (asked[root] == kNone) ++number;
    if (asked[root] == kNone || area[t] > area[asked[root]]) asked[root] = t;
  }
  if (clean && number == 1) {
    // One closed surface that does not meet itself has its inside on one side.
    const double reach = reach_over_neighbors(data, edges, tolerance);
    surface->convex = reach <= tolerance || (reach <= kSliver * data.extent && lies_on_hull(data, nullptr, tolerance));
    return surface;
  }

  // What each triangle is: surface, not, or cut.
  enum Is : char { kInner, kSurface, kParted };
  std::vector<char> is(count, kInner);
  std::vector<std::vector<Polygon>> kept(count);
  parallel_for(count,
               [&](std::size_t i) {
                 const auto t = static_cast<Index>(i);
                 const std::array<Vec3, 3> corners{data.corner(t, 0), data.corner(t, 1), data.corner(t, 2)};
                 if (crossings[t].segments.empty()) {
                   const Vec3 middle = (corners[0] + corners[1] + corners[2]) / 3;
                   if (asked[patches.root_of(t)] == t && is_surface(data, middle, normals[t], beside)) is[t] = kSurface;
                   return;
                 }
                 std::vector<Polygon> parts;
                 cut(corners, crossings[t].segments, tolerance, budget, parts);
                 if (budget.spent()) return;
                 std::size_t dropped = 0;
                 for (const Polygon& part : parts) {
                   Vec3 middle = Vec3::Zero();
                   for (const Vec3& v : part) middle += v;
                   middle /= static_cast<double>(part.size());
                   if (width_of(part, normals[t]) < kNarrow * tolerance) continue;
                   if (is_surface(data, middle, normals[t], beside)) kept[t].push_back(part);
                   else ++dropped;
                 }
                 if (kept[t].empty()) return;
                 is[t] = dropped == 0 ? kSurface : kParted;
               },
               {.threads = threads, .grain = 64});
  if (budget.spent()) return given_up();
  bool whole = true;
  for (Index t = 0; t < count; ++t) {
    if (crossings[t].segments.empty()) is[t] = is[asked[patches.find(t)]];
    whole = whole && (is[t] == kSurface || area[t] == 0);
  }
  if (whole) {
    // Triangles that meet others though all is surface: slivers in faces that are flat but for rounding.
    surface->convex =
        reach_over_neighbors(data, edges, tolerance) <= kSliver * data.extent && lies_on_hull(data, nullptr, tolerance);
    return surface;
  }
  surface->whole = false;
  surface->blur = kNarrow * tolerance;
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c, Index t) {
    const auto first = static_cast<Index>(vertices.size());
    vertices.insert(vertices.end(), {a, b, c});
    triangles.push_back({first, first + 1, first + 2});
    surface->parent.push_back(t);
  };
  for (Index t = 0; t < count; ++t) {
    if (is[t] == kSurface) add(data.corner(t, 0), data.corner(t, 1), data.corner(t, 2), t);
    if (is[t] != kParted) continue;
    for (const Polygon& part : kept[t]) {
      for (std::size_t k = 1; k + 1 < part.size(); ++k) add(part[0], part[k], part[k + 1], t);
    }
  }
  surface->cut = Mesh(vertices, triangles, {.threads = threads});
  surface->convex = !surface->cut.empty() && surface->certain && lies_on_hull(data, &surface->cut, surface->blur);
  return surface;
}

}  // namespace graze::mesh
