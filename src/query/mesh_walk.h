// Walks through the trees of meshes in SIMD lanes of float32: which triangles may be within a limit, near ones first.
// What the lanes rule out is ruled out for certain; the rest is for the caller to measure in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "geometry/mesh_data.h"
#include "query/pair_memory.h"
#include "query/relative.h"

namespace graze::walk {

/// Lengths whose squares stay well within float32.
inline constexpr double kLargestReach = 1e17;
/// Each bound takes fewer than 64 roundings of lengths up to the reach; those of the trees are far below that.
inline constexpr double kFloatSlack = 64 * 0x1p-24;

/// How coordinates of one tree about its origin look from the other's: R p + t, by columns. The fourth numbers are 0.
struct Frame {
  alignas(16) float r[3][4], t[4];
};

/// Two meshes as the walk sees them. `slack` bounds what all of its arithmetic is wrong by, in metres.
struct MeshPair {
  const mesh::Data &a, &b;
  Frame b_to_a, a_to_b;
  double slack;

  MeshPair(const mesh::Data& a, const mesh::Data& b, const Relative& relative);
  /// Whether float32 can hold all coordinates and their squares.
  bool fits() const;

 private:
  double reach_;
};

/// A mesh and a box with any axes, as the walk sees them: `half` about `center` of the box's frame.
struct MeshAndBox {
  const mesh::Data& mesh;
  Frame box_to_mesh;  // of points about the box's centre
  float half[3];
  double slack;

  /// `relative` maps the box's frame to the mesh's.
  MeshAndBox(const mesh::Data& mesh, const Vec3& center, const Vec3& half, const Relative& relative);
  bool fits() const;

 private:
  double reach_;
};

/// A mesh and a point, as the walk sees them.
struct MeshAndPoint {
  const mesh::Data& mesh;
  float at[4];  // about the tree's origin
  double slack;

  /// A point of the mesh's frame.
  MeshAndPoint(const mesh::Data& mesh, const Vec3& p);
  /// That of a box without size.
  explicit MeshAndPoint(const MeshAndBox& box);
  bool fits() const;

 private:
  double reach_ = 0;
};

/// What becomes of triangles that may be within the limit (m): called with them and a bound that they are not nearer
/// than (but for the slack); gives the new limit. A negative limit ends the walk.
struct PairVisitor {
  void* self;
  double (*call)(void* self, std::uint32_t triangle_a, std::uint32_t triangle_b);
  /// The unit direction, of a's frame, from a to b between the nearest points so far; null if it is not known. Along it
  /// others near there are shown to be farther.
  const Vec3* (*toward)(void* self) = nullptr;
  /// Walks with a front only, may be null: how far apart (m) triangles surely are that were just called with and did
  /// not end the walk.
  double (*apart)(void* self, std::uint32_t triangle_a, std::uint32_t triangle_b) = nullptr;
};
struct Visitor {
  void* self;
  double (*call)(void* self, std::uint32_t triangle);
};

/// In the same order on every machine. `nearest`: the limit is going to shrink to the minimum distance.
void visit(const MeshPair& pair, double limit, bool nearest, const PairVisitor& visitor);

/// What lies below two nodes: a part of a walk.
struct Part {
  float bound_sq;
  std::uint32_t a, b;
};
/// Divides a walk whose limit stays as it is and that wants everything: visited one after the other, the parts call the
/// visitor as the whole would have done. At least `wanted` of them, if the trees have as many. Allocates.
std::vector<Part> divide(const MeshPair& pair, double limit, std::size_t wanted);
void visit(const MeshPair& pair, double limit, std::span<const Part> parts, const PairVisitor& visitor);

/// The same as the first, beginning from the front, which must be empty or have been left by these meshes in this
/// order, with `moved` no less than anything has moved between then and now. False if that did not work out: the front
/// is empty then, some triangles may have been visited, and the whole is to be walked.
bool visit(const MeshPair& pair, double limit, bool nearest, MeshFront& front, const PairVisitor& visitor);

/// `radius` is that of a ball around every point of the box.
void visit(const MeshAndBox& pair, double limit, double radius, const Visitor& visitor);
/// The same for a box without size.
void visit_about_point(const MeshAndPoint& pair, double limit, double radius, const Visitor& visitor);

/// For points of the mesh's frame, none of them farther than `limit` (m) but for rounding: values[i] is the square of
/// the distance from points[i] to the nearest triangle, with the bits of the leaf kernel (point_distance in
/// point_shape.h); infinite if all triangles are farther. NaN where float32 has no room for the coordinates.
/// Neighbours should follow each other: each walk begins with the triangle that the one before it found.
void nearest_squares(const mesh::Data& mesh, std::span<const Vec3> points, double limit, std::span<double> values);

}  // namespace graze::walk
