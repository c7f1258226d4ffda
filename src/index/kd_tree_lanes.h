// The volumes and measures of searches as SIMD lanes read them, and what the lanes answer about a node or a leaf.
#pragma once

#include <cstddef>
#include <span>

#include "graze/index/search_volume.h"
#include "index/kd_tree_data.h"

namespace graze::kd_tree {

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

/// A volume and a measure of the types that the kernels were made for, and the type of the tree's numbers.
struct Query {
  const void* volume;
  const void* measure;
  bool floats;
};

/// Children of a node of which some points may lie in the volume, and those of which all do; a bit each.
struct Meeting {
  unsigned some, all;
};

/// The innermost loops for one volume and one measure on one instruction set. Bits of children or points that do not
/// exist may have any value in `reach` and `meet`; `find` does not find them.
struct Kernels {
  /// Which children may hold something in the volume no farther than the limit, and how near it may be at the least.
  unsigned (*reach)(const Query&, const void* node, double limit_sq, double* min_sq);
  Meeting (*meet)(const Query&, const void* node);
  /// Which points of a leaf lie in the volume no farther than the limit, and how far all of them are.
  unsigned (*find)(const Query&, const void* leaf, double limit_sq, double* distance_sq);
};

Kernels kernels_of(const SearchVolume& volume, bool to_axis);

}  // namespace graze::kd_tree
