// Triangles under a tree of the caller's choice.
#pragma once

#include <span>
#include <vector>

#include "graze/geometry/mesh.h"
#include "graze/index/bounds_tree.h"

namespace graze {

/// A shell of triangles with a BoundsTree over it, for those who want to choose the bounds, how they are divided and
/// how they are fitted; graze/query/bounded.h asks about two of them. Mesh answers every question, and faster.
///
///     BoundedMesh<Rss> part(vertices, triangles, {.split = split::median});
///     part.replace_vertices(bent);                   // refits
///     if (part.cost_ratio() > 2) part.rebuild();
template <class Bound>
class BoundedMesh {
 public:
  /// As for the tree.
  using Options = typename BoundsTree<Bound>::Options;

  /// No triangles.
  BoundedMesh() = default;
  /// Copies all. Throws Error as BoundsTree does.
  BoundedMesh(std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles, const Options& options = {})
      : tree_(vertices, triangles, options),
        vertices_(vertices.begin(), vertices.end()),
        triangles_(triangles.begin(), triangles.end()) {}

  /// Moves the vertices. Throws Error, and changes nothing, unless there are as many as before and all are in range.
  void replace_vertices(std::span<const Vec3> vertices) {
    tree_.refit(vertices);
    vertices_.assign(vertices.begin(), vertices.end());
  }
  double cost_ratio() const { return tree_.cost_ratio(); }
  void rebuild() { tree_.rebuild(vertices_); }

  std::size_t size() const { return triangles_.size(); }
  bool empty() const { return triangles_.empty(); }
  std::span<const Vec3> vertices() const { return vertices_; }
  std::span<const MeshTriangle> triangles() const { return triangles_; }
  /// Triangle i, for kernels.
  Triangle triangle(std::size_t i) const {
    return {vertices_[triangles_[i][0]], vertices_[triangles_[i][1]], vertices_[triangles_[i][2]]};
  }
  /// The tree over the triangles.
  const BoundsTree<Bound>& tree() const { return tree_; }
  /// Bytes on the heap.
  std::size_t memory_bytes() const {
    return tree_.memory_bytes() + vertices_.capacity() * sizeof(Vec3) + triangles_.capacity() * sizeof(MeshTriangle);
  }
  /// Checks every invariant, O(n log n): empty if all hold, else what does not.
  std::string validate() const { return tree_.validate(vertices_); }

 private:
  BoundsTree<Bound> tree_;
  std::vector<Vec3> vertices_;
  std::vector<MeshTriangle> triangles_;
};

}  // namespace graze
