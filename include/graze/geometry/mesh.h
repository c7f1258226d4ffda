// Triangles as one thing in space: a shell, or a solid if they are closed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "graze/base/aabb.h"
#include "graze/shape/triangle.h"

namespace graze {

namespace detail {
struct Access;
}
namespace mesh {
struct Data;
}

/// Three vertex indices, counter-clockwise seen from outside.
using MeshTriangle = std::array<std::uint32_t, 3>;

/// Options of a Mesh.
struct MeshOptions {
  /// The inside belongs to the mesh too. Needs a closed mesh: every edge is traversed as often in one direction as in
  /// the other.
  bool solid = false;
  int threads = 0;  ///< that build; 0: as many as the machine has. The mesh does not depend on it.
};

/// What a mesh is like. Vertices at equal positions count as one here, whatever their indices.
struct MeshReport {
  std::size_t vertices = 0, triangles = 0;  ///< as given
  std::size_t unused_vertices = 0;          ///< that no triangle refers to
  std::size_t degenerate = 0;               ///< triangles without area
  std::size_t duplicate = 0;                ///< triangles with the three corners of an earlier one
  std::size_t pieces = 0;                   ///< parts that share no vertex
  std::size_t open_edges = 0;               ///< traversed more often in one direction than in the other
  std::size_t non_manifold_edges = 0;       ///< with more than two triangles
  /// The first open edge in the order of the triangles, as the caller's vertex indices.
  std::optional<std::array<std::uint32_t, 2>> first_open_edge;
  bool watertight = false;  ///< there are triangles and no open edges
  double area = 0;          ///< m²
  double volume = 0;        ///< m³; negative where the triangles face inwards; means something only if watertight
};

/// Triangles with a tree over them. Immutable; copies share the data and cost nothing. Vertices that move belong to a
/// DeformingMesh (graze/geometry/deforming_mesh.h), which gives a Mesh of every state.
///
///     Mesh wall(vertices, triangles);
///     Mesh part(vertices, triangles, {.solid = true});         // throws unless it is closed
///     collide(at(part, pose), at(wall));
///
/// Degenerate, duplicate and non-manifold triangles are kept and harmless. A mesh without triangles is infinitely far
/// from everything. Solid meshes may face inwards, as long as all of a piece does; what lies inside is decided by the
/// winding number. Answers follow the caller's doubles; the float32 copies that the tree carries only save work.
///
/// Every mesh that exists is ready to be asked; there is no building state that could be left half done. Moving is
/// copying: a mesh that was moved from is what it was, and never becomes an empty one that collides with nothing.
/// Memory: about 100 bytes per triangle, 8 more of a solid, and 24 per vertex.
class Mesh {
 public:
  /// Coordinates beyond this are refused.
  static constexpr double kLargestCoordinate = 1e15;

  /// No triangles.
  Mesh();
  /// Copies all. Throws Error for a vertex that is not finite or out of range, for an index without a vertex, for 2^28
  /// triangles and more, and, if it is to be solid, for a mesh that is not closed (naming the first open edge).
  /// O(n log n), about 300 ns per triangle on one core; the surface of a solid takes some 2 µs more.
  Mesh(std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles, const MeshOptions& options = {});

  Mesh(const Mesh&) = default;
  Mesh& operator=(const Mesh&) = default;
  ~Mesh() = default;

  std::size_t size() const;  ///< triangles
  bool empty() const { return size() == 0; }
  bool solid() const;
  std::span<const Vec3> vertices() const;
  std::span<const MeshTriangle> triangles() const;
  Triangle triangle(std::size_t i) const;
  /// The smallest box around the triangles, exact; empty if there are none.
  const Aabb& bounds() const;
  /// Winding number of a closed mesh at a point of its frame: how often the surface goes around it, 0 outside. Points
  /// on the surface are on either side of it. Robust: rays along the axes with consistent rules for edges and corners,
  /// the sum of solid angles where all of them are undecided. O(√n), no allocation. 0 if the mesh is not solid.
  int winding(const Vec3& p) const;

  /// How much costlier queries have become since the tree was built: 1 at first, growing as refits fit less well.
  double cost_ratio() const;
  /// Looks at every edge. O(n log n)
  MeshReport report() const;
  /// Equal for copies, and different (but for one chance in 2^64) for meshes of different triangles.
  std::uint64_t stamp() const;
  /// Bytes that the shared data takes.
  std::size_t memory_bytes() const;
  /// Checks every invariant and derives everything anew from the vertices and triangles, O(n log n): empty if all holds
  /// and is the same, else what does not.
  std::string validate() const;

 private:
  friend struct detail::Access;
  explicit Mesh(std::shared_ptr<const mesh::Data> data);

  std::shared_ptr<const mesh::Data> data_;
};

}  // namespace graze
