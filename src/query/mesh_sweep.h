// A walk through the trees of two moving meshes in SIMD lanes of float32: which triangles may touch within a stretch of
// time. What the lanes rule out is ruled out for certain.
#pragma once

#include "query/mesh_walk.h"

namespace graze::walk {

/// Maps from the coordinates of two meshes at the end of a stretch of time to those of a at its start: turned, then
/// moved.
struct SweptEnd {
  Mat3 turned_a, turned_b;
  Vec3 moved_a, moved_b;
};

/// How the points of two meshes move over a stretch of time: along lines, but for the sag.
struct SweptMoves {
  /// Where points are at the end, less where they are at the start, seen along the axes of a at the start: of points of
  /// a, and of points of b. Then the same along the axes of b at the start.
  Frame shift_a, shift_b, shift_a_in_b, shift_b_in_b;
  float stretch_a, stretch_b;  // a vector of length 1 between two points of a or b changes by that much at most
  float sag;                   // how far from lines paths of both stray, at most and half way

  /// `sag` is in metres.
  SweptMoves(const mesh::Data& a, const mesh::Data& b, const Relative& start, const SweptEnd& end, double sag);
};

/// Two meshes between two poses of each.
struct SweptMeshes {
  const mesh::Data &a, &b;
  SweptMoves moves;
  Frame b_to_a, a_to_b;  // at the start
  float off;             // boxes and triangles nearer than this may touch

  /// `off` (m): what counts as touching, and what is uncertain.
  SweptMeshes(const mesh::Data& a, const mesh::Data& b, const Relative& start, const SweptEnd& end, double off,
              double sag);
  /// Whether float32 can hold all coordinates and their squares.
  bool fits() const { return reach_ < kLargestReach; }

 private:
  double reach_;
};

/// What becomes of triangles that may touch after `from` (a part of the stretch, 0 … 1) and not before: gives the new
/// limit, up to which touches are of interest; negative: the walk ends.
struct SweepVisitor {
  void* self;
  double (*call)(void* self, std::uint32_t triangle_a, std::uint32_t triangle_b, double from);
  /// A unit direction of a's frame at the start: that between triangles that were asked about last, or a guess. Others
  /// near there mostly stay apart across it, too.
  const Vec3& (*toward)(void* self);
  /// How the meshes move over the first part (0 … 1) of the stretch: paths bend by less until there.
  SweptMoves (*until)(void* self, double part);
};

/// In the same order on every machine. Gives the part of the stretch in which no triangles touch but those that the
/// visitor was called with; 1 unless it ended the walk.
double visit(const SweptMeshes& pair, double limit, const SweepVisitor& visitor);

}  // namespace graze::walk
