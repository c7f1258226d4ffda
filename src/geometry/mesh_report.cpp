// What a mesh is like: edges, pieces, area, volume.
#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

#include "geometry/mesh_data.h"

namespace graze::mesh {
namespace {

using Index = std::uint32_t;

// The lowest index at the same place, for every vertex.
std::vector<Index> welded(const std::vector<Vec3>& vertices) {
  std::vector<Index> order(vertices.size()), to(vertices.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto compare = [&](Index i, Index j) {
    const Vec3 &a = vertices[i], &b = vertices[j];
    for (int k = 0; k < 3; ++k) {
      if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    }
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    const int c = compare(i, j);
    return c < 0 || (c == 0 && i < j);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    to[order[i]] = i > 0 && compare(order[i - 1], order[i]) == 0 ? to[order[i - 1]] : order[i];
  }
  return to;
}

class Parts {
 public:
  explicit Parts(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), Index{0}); }
  Index find(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The lower one stays.
  void unite(Index a, Index b) {
    a = find(a), b = find(b);
    if (a < b) parent_[b] = a;
    else parent_[a] = b;
  }

 private:
  std::vector<Index> parent_;
};

template <class Vertex>
std::vector<Index> connected(const Data& data, const Vertex& vertex) {
  Parts parts(data.vertices.size());
  for (const MeshTriangle& t : data.triangles) {
    parts.unite(vertex(t[0]), vertex(t[1]));
    parts.unite(vertex(t[1]), vertex(t[2]));
  }
  std::vector<Index> roots;
  std::vector<char> seen(data.vertices.size(), 0);
  for (const MeshTriangle& t : data.triangles) {
    const Index root = parts.find(vertex(t[0]));
    if (seen[root]++ == 0) roots.push_back(root);
  }
  return roots;
}

// An edge from its lower to its higher vertex, and which way a triangle runs through it.
struct Edge {
  std::uint64_t key;
  int way;
};

Edge edge_of(Index from, Index to) {
  const bool up = from < to;
  return {std::uint64_t{up ? from : to} << 32U | (up ? to : from), up ? 1 : -1};
}

void report_edges(const Data& data, const std::vector<Index>& weld, MeshReport& r) {
  std::vector<Edge> edges;
  edges.reserve(3 * data.triangles.size());
  for (const MeshTriangle& t : data.triangles) {
    const Index a = weld[t[0]], b = weld[t[1]], c = weld[t[2]];
    if (a == b || b == c || c == a) continue;  // runs back the way it came
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
      edges.push_back(edge_of(from, to));
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.key < b.key; });
  std::vector<std::uint64_t> open;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t j = i;
    int balance = 0;
    for (; j < edges.size() && edges[j].key == edges[i].key; ++j) balance += edges[j].way;
    if (balance != 0) open.push_back(edges[i].key);
    if (j - i > 2) ++r.non_manifold_edges;
    i = j;
  }
  r.open_edges = open.size();
  for (const MeshTriangle& t : data.triangles) {
    for (std::size_t k = 0; k < 3 && !open.empty(); ++k) {
      const Index from = weld[t[k]], to = weld[t[(k + 1) % 3]];
      if (from == to || !std::binary_search(open.begin(), open.end(), edge_of(from, to).key)) continue;
      r.first_open_edge = {t[k], t[(k + 1) % 3]};
      return;
    }
  }
}

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

std::vector<Index> pieces_of(const Data& data) {
  std::vector<Index> roots = connected(data, [](Index i) { return i; });
  if (roots.size() <= 1) return roots;
  // Where every triangle has vertices of its own, as STL files do it, places tell what is connected.
  const std::vector<Index> weld = welded(data.vertices);
  return connected(data, [&](Index i) { return weld[i]; });
}

MeshReport report(const Data& data) {
  MeshReport r;
  r.vertices = data.vertices.size(), r.triangles = data.triangles.size();
  std::vector<char> used(data.vertices.size(), 0);
  // About the middle, so that meshes far out lose nothing.
  Aabb all;
  for (const MeshTriangle& t : data.triangles) {
    for (const Index i : t) used[i] = 1, all.extend(data.vertices[i]);
  }
  r.unused_vertices = static_cast<std::size_t>(std::count(used.begin(), used.end(), 0));
  const Vec3 origin = all.empty() ? Vec3(Vec3::Zero()) : all.center();
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    const Vec3 a = data.corner(i, 0) - origin, b = data.corner(i, 1) - origin, c = data.corner(i, 2) - origin;
    const Vec3 normal = (b - a).cross(c - a);
    const double twice_area = normal.norm();
    if (!(twice_area > 0)) ++r.degenerate;
    r.area += twice_area / 2;
    r.volume += a.dot(normal) / 6;
  }
  const std::vector<Index> weld = welded(data.vertices);
  r.pieces = connected(data, [&](Index i) { return weld[i]; }).size();
  r.duplicate = duplicates(data, weld);
  report_edges(data, weld, r);
  r.watertight = r.triangles > 0 && r.open_edges == 0;
  return r;
}

}  // namespace graze::mesh
