// The edges of triangles, with vertices at the same place taken for one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "geometry/mesh_data.h"

namespace graze::mesh {

/// An edge of one triangle.
struct Edge {
  std::uint32_t low, high;  // the lower vertex first
  std::uint32_t triangle;
  std::uint32_t opposite;  // the triangle's other vertex
  bool up;                 // the triangle runs through it from low to high
  bool same(const Edge& e) const { return low == e.low && high == e.high; }
};
/// Of all triangles with three different vertices, sorted by vertices, then triangles. `weld` is the vertex to count
/// each one as; empty: every vertex counts as itself.
std::vector<Edge> sorted_edges(std::span<const MeshTriangle> triangles, std::span<const std::uint32_t> weld);

/// Calls body(edges) with the edges between the same vertices, for each such group.
template <class Body>
void for_each_edge(std::span<const Edge> sorted, const Body& body) {
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end].same(sorted[i])) ++end;
    body(sorted.subspan(i, end - i));
    i = end;
  }
}

struct EdgeReport {
  std::size_t open = 0;                                    // run through more often one way than the other
  std::size_t non_manifold = 0;                            // with more than two triangles
  std::optional<std::array<std::uint32_t, 2>> first_open;  // in the order of the triangles, as the caller's indices
};
EdgeReport edges_of(std::span<const MeshTriangle> triangles, std::span<const std::uint32_t> weld);

/// One vertex of each connected part, the lowest of each, in the order of the triangles.
std::vector<std::uint32_t> pieces_of(std::size_t vertices, std::span<const MeshTriangle> triangles,
                                     std::span<const std::uint32_t> weld);

}  // namespace graze::mesh
