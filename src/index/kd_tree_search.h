// The two halves of every search: a volume, which says where points are looked for, and a collector, which says what
// becomes of those that are found. Both are plain numbers here; kd_tree_search.cpp walks the tree with them.
#pragma once

#include <cstddef>
#include <span>

#include "graze/index/kd_tree.h"
#include "index/kd_tree_data.h"

namespace graze::kd_tree {

/// What is found, as it is found. `limit_sq` is the one number that shrinks: nothing whose squared distance is above it
/// is wanted any more.
struct Gather {
  double limit_sq = kInfinity;
  std::size_t total = 0;  // found so far

  // Either a visitor …
  bool (*visit)(void*, const Neighbor&) = nullptr;
  void* body = nullptr;
  bool stopped = false;
  // … or a buffer: in the order of arrival until it is full, then a heap with the farthest on top.
  Neighbor* buffer = nullptr;
  std::size_t capacity = 0, size = 0;
  bool shrinking = false;  // whether the limit is that of the heap, once it is full

  void take(std::size_t index, double distance_sq);
  /// Sorts the buffer.
  std::span<Neighbor> finish();
};

/// How many are found; stops when there are as many as are asked for.
struct Counting {
  std::size_t total = 0, enough;
};

template <class T>
void gather(const Tree<T>& tree, const SearchVolume& volume, bool to_axis, Gather& into);
template <class T>
void count(const Tree<T>& tree, const SearchVolume& volume, Counting& into);

// --- volumes and measures as the lanes read them ---------------------------------------------------------------------

/// The distance from a point.
struct FromPoint {
  double at[3];
  explicit FromPoint(const Vec3& p) : at{p.x(), p.y(), p.z()} {}
};

/// The distance from a line or a part of it.
struct FromAxis {
  double at[3], v[3], vv;  // at + t v, and dot(v, v)
  double first, last;      // t
  double min[3], max[3];   // bounds of the axis, infinite where it is
  double across[3][3];     // unit vectors orthogonal to v and to x, y, z; zero where v itself is that axis
  double slack;            // bounds the rounding of all distances, of points and boxes alike
  FromAxis(const Vec3& from, const Vec3& direction, double t_first, double t_last, double largest);
};

struct InBall {
  FromPoint center;
  double radius_sq;
};
struct InCapsule {
  FromAxis axis;
  double radius, radius_sq;
};
struct InBox {
  double min[3], max[3];
};
struct InOrientedBox {
  double at[3], axis[3][3], half[3];
  double min[3], max[3];  // a box around it, rounding included
};
struct InCylinder {
  FromAxis axis;  // endless
  double radius, radius_sq;
};
struct InPolytope {
  std::span<const region::Side> sides;
};

inline InBall prepared(const region::Ball& b, double) { return {FromPoint(b.center()), b.radius() * b.radius()}; }
InCapsule prepared(const region::AroundAxis& a, double largest);
InBox prepared(const region::Box& b, double);
InOrientedBox prepared(const region::OrientedBox& b, double largest);
InCylinder prepared(const region::Cylinder& c, double largest);
inline InPolytope prepared(const region::Polytope& p, double) { return {p.sides()}; }

}  // namespace graze::kd_tree
