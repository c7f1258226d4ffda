// A mesh whose vertices move.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "graze/base/threads.h"
#include "graze/geometry/geometry.h"
#include "graze/geometry/mesh.h"

namespace graze {

/// Owns the vertices of a mesh that bends, and gives a Mesh of every state.
///
///     DeformingMesh cloth(vertices, triangles);
///     for (…) {
///       cloth.replace_vertices(next);                   // the same triangles, elsewhere: refits the tree
///       if (cloth.cost_ratio() > 2) cloth.rebuild();         // queries cost twice what they did
///       if (collide(at(cloth), at(body, pose))) …
///     }
///     Mesh state = cloth.mesh();                        // stays as it is, whatever becomes of the cloth
///
/// While nobody holds a mesh of the current state, changes are made in place; otherwise they are made in a copy, and
/// holders of the old state, on any thread, keep it. Everything that follows from the vertices (the tree, bounds,
/// which parts are connected, which way a solid faces) follows them: after any sequence of moves it is that of a new
/// mesh, but for how the tree divides the triangles, which rebuild() renews.
///
/// One writer at a time; mesh() may be called by several threads while nobody writes. A copy starts from the current
/// state of the original and changes independently, and moving is copying. Memory: that of a mesh, and about 40 bytes
/// per triangle that refits work in.
class DeformingMesh {
 public:
  /// Starts with the vertices and triangles of a mesh.
  explicit DeformingMesh(const Mesh& start = {});
  /// Throws as Mesh does.
  DeformingMesh(std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles,
                const MeshOptions& options = {});
  DeformingMesh(const DeformingMesh& other);
  DeformingMesh& operator=(const DeformingMesh& other);
  ~DeformingMesh();

  /// Moves the vertices; the triangles stay as they are. About 40 ns per triangle, 2 µs of a solid. Throws Error
  /// unless there are as many as before and all are finite and in range, and if a solid would open: where only equal
  /// positions of different vertices close it, and these part. Changes nothing if it throws.
  void replace_vertices(std::span<const Vec3> vertices, const ThreadOptions& options = {});
  /// How much costlier queries have become since the tree was built: 1 at first, growing as refits fit less well.
  double cost_ratio() const { return data().cost_ratio(); }
  /// Builds the tree anew. Changes nothing if it throws, which it does only where memory is short.
  void rebuild(const ThreadOptions& options = {});

  /// The current state, which later changes leave alone. O(1)
  Mesh mesh() const;

  std::size_t size() const { return data().size(); }  ///< triangles
  bool empty() const { return size() == 0; }
  bool solid() const { return data().solid(); }
  /// Until the next change.
  std::span<const Vec3> vertices() const { return data().vertices(); }
  std::span<const MeshTriangle> triangles() const { return data().triangles(); }
  const Aabb& bounds() const { return data().bounds(); }
  /// Bytes on the heap.
  std::size_t memory_bytes() const;
  /// See Mesh::validate.
  std::string validate() const { return data().validate(); }

 private:
  struct Version;
  const Mesh& data() const { return current_; }

  // Of data that `version_` owns or, while there is none, that others share; it never leaves this object in the first
  // case, so that `version_` knows of every reader.
  Mesh current_;
  std::shared_ptr<Version> version_;
};

/// The current state of a deforming mesh somewhere in the world.
inline Placed at(const DeformingMesh& mesh, const Pose& pose = {}) { return at(mesh.mesh(), pose); }

}  // namespace graze
