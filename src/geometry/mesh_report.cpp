// What a mesh is like: edges, pieces, area, volume.
#include <Eigen/Geometry>
#include <algorithm>

#include "geometry/mesh_edges.h"
#include "geometry/mesh_weld.h"

namespace graze::mesh {
namespace {

using Index = std::uint32_t;

std::size_t duplicates(const Data& data, const std::vector<Index>& weld) {
  std::vector<MeshTriangle> corners;
  for (const MeshTriangle& t : data.triangles) {
    corners.push_back({weld[t[0]], weld[t[1]], weld[t[2]]});
    std::sort(corners.back().begin(), corners.back().end());
  }
  std::sort(corners.begin(), corners.end());
  return static_cast<std::size_t>(corners.end() - std::unique(corners.begin(), corners.end()));
}

}  // namespace

std::vector<Edge> sorted_edges(std::span<const MeshTriangle> triangles, std::span<const Index> weld) {
  const auto vertex = [&](Index i) { return weld.empty() ? i : weld[i]; };
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const std::array<Index, 3> v{vertex(triangles[t][0]), vertex(triangles[t][1]), vertex(triangles[t][2])};
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;  // runs back along the same edge
    for (std::size_t k = 0; k < 3; ++k) {
      const Index from = v[k], to = v[(k + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), static_cast<Index>(t), v[(k + 2) % 3], from < to});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    if (a.low != b.low) return a.low < b.low;
    return a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
  });
  return edges;
}

EdgeReport edges_of(std::span<const MeshTriangle> triangles, std::span<const Index> weld) {
  EdgeReport r;
  const std::vector<Edge> edges = sorted_edges(triangles, weld);
  Edge first{};
  const auto place = [&](const Edge& e) {
    // Its position in its triangle, as the caller wrote it.
    const MeshTriangle& t = triangles[e.triangle];
    std::size_t k = 0;
    while ((weld.empty() ? t[(k + 2) % 3] : weld[t[(k + 2) % 3]]) != e.opposite) ++k;
    return k;
  };
  for_each_edge(edges, [&](std::span<const Edge> same) {
    std::int64_t balance = 0;
    for (const Edge& e : same) balance += e.up ? 1 : -1;
    if (same.size() > 2) ++r.non_manifold;
    if (balance == 0) return;
    const Edge& e = same.front();
    const bool before =
        r.open == 0 || e.triangle < first.triangle || (e.triangle == first.triangle && place(e) < place(first));
    if (before) first = e;
    ++r.open;
  });
  if (r.open == 0) return r;
  const MeshTriangle& t = triangles[first.triangle];
  const std::size_t k = place(first);
  r.first_open = {t[k], t[(k + 1) % 3]};
  return r;
}

double volume_of(const Data& data, const Vec3& origin) {
  double six = 0;
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    const Vec3 a = data.corner(i, 0) - origin, b = data.corner(i, 1) - origin, c = data.corner(i, 2) - origin;
    six += a.dot(b.cross(c));
  }
  return six / 6;
}

MeshReport report(const Data& data) {
  MeshReport r;
  r.vertices = data.vertices.size(), r.triangles = data.triangles.size();
  std::vector<bool> used(data.vertices.size(), false);
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    for (const Index v : data.triangles[i]) used[v] = true;
    const Vec3 &a = data.corner(i, 0), &b = data.corner(i, 1), &c = data.corner(i, 2);
    const double twice_area = (b - a).cross(c - a).norm();
    if (!(twice_area > 0)) ++r.degenerate;
    r.area += twice_area / 2;
  }
  r.unused_vertices = static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
  r.volume = data.triangles.empty() ? 0 : volume_of(data, data.bounds.center());
  Buffer<Index> table;
  const std::vector<Index> weld = welded(data.vertices, table);
  r.pieces = pieces_of(data.vertices.size(), data.triangles, weld).size();
  r.duplicate = duplicates(data, weld);
  const EdgeReport edges = edges_of(data.triangles, weld);
  r.open_edges = edges.open, r.non_manifold_edges = edges.non_manifold, r.first_open_edge = edges.first_open;
  r.watertight = r.triangles > 0 && r.open_edges == 0;
  return r;
}

}  // namespace graze::mesh
