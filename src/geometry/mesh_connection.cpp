// How the triangles of a mesh are connected and whether they are closed.
#include <fmt/format.h>

#include "geometry/disjoint_sets.h"
#include "geometry/mesh_edges.h"
#include "geometry/mesh_weld.h"
#include "graze/base/error.h"

namespace graze::mesh {
namespace {

using Index = std::uint32_t;

void require_closed(const Data& data, std::span<const Index> weld, const char* cannot) {
  const EdgeReport edges = edges_of(data.triangles, weld);
  if (edges.open == 0) return;
  const auto& edge = *edges.first_open;
  throw Error("mesh", fmt::format("{}: it is open at the edge of vertices {} and {}, and {} edges in all", cannot,
                                  edge[0], edge[1], edges.open));
}

}  // namespace

std::vector<Index> pieces_of(std::size_t vertices, std::span<const MeshTriangle> triangles,
                             std::span<const Index> weld) {
  const auto vertex = [&](Index i) { return weld.empty() ? i : weld[i]; };
  DisjointSets parts(vertices);
  for (const MeshTriangle& t : triangles) {
    parts.unite(vertex(t[0]), vertex(t[1]));
    parts.unite(vertex(t[1]), vertex(t[2]));
  }
  std::vector<Index> roots;
  std::vector<bool> seen(vertices, false);
  for (const MeshTriangle& t : triangles) {
    const Index root = parts.find(vertex(t[0]));
    if (!seen[root]) roots.push_back(root), seen[root] = true;
  }
  return roots;
}

Connection connection_of(const Data& data) {
  Connection c;
  c.pieces = pieces_of(data.vertices.size(), data.triangles, {});
  c.connected = c.pieces.size() <= 1;
  c.closed = !data.solid || edges_of(data.triangles, {}).open == 0;
  if (c.connected && c.closed) return c;
  // Where every triangle has vertices of its own, as STL files have them, places decide what is connected.
  // The table is as large as all else: the first pieces make room for it, and it for the second ones.
  if (!c.connected) c.pieces = std::vector<Index>();
  {
    Buffer<Index> table;
    c.weld = welded(data.vertices, table);
  }
  if (!c.connected) c.pieces = pieces_of(data.vertices.size(), data.triangles, c.weld);
  if (!c.closed) require_closed(data, c.weld, "cannot be solid");
  return c;
}

std::optional<Connection> changed_connection(const Data& data, std::span<const Vec3> to, Buffer<Index>& table) {
  if (data.weld.empty() || is_welded(to, data.weld, table)) return std::nullopt;
  Connection c;
  c.connected = data.connected, c.closed = data.closed;
  c.weld = welded(to, table);
  c.pieces = c.connected ? data.pieces : pieces_of(to.size(), data.triangles, c.weld);
  if (!c.closed) require_closed(data, c.weld, "cannot stay solid where its vertices are to be");
  return c;
}

}  // namespace graze::mesh
