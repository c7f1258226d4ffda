// The part of a shape that faces a direction: a face, an edge or a point. Contact patches are cut from two of these.
#pragma once

#include <array>

#include "query/core.h"

namespace graze {

/// One point, the two ends of an edge, or the corners of a face, counter-clockwise seen from outside.
struct Patch {
  static constexpr std::size_t kMaxPoints = 64;
  std::size_t size = 0;
  std::array<Vec3, kMaxPoints> points;

  void push(const Vec3& p) {
    if (size < kMaxPoints) points[size++] = p;
  }
  bool is_face() const { return size >= 3; }
};

/// The largest feature of the shape that faces the unit `n` with a tilt (sine of the angle off being orthogonal to n)
/// of at most `max_tilt`; at least the support point. Round faces are given by a regular polygon of eight corners.
/// Coordinates of the shape's frame.
Patch patch(const Sphere& shape, const Vec3& n, double max_tilt);
Patch patch(const Capsule& shape, const Vec3& n, double max_tilt);
Patch patch(const Box& shape, const Vec3& n, double max_tilt);
Patch patch(const Triangle& shape, const Vec3& n, double max_tilt);
Patch patch(const Cylinder& shape, const Vec3& n, double max_tilt);
Patch patch(const Cone& shape, const Vec3& n, double max_tilt);
Patch patch(const Ellipsoid& shape, const Vec3& n, double max_tilt);
Patch patch(const Convex& shape, const Vec3& n, double max_tilt);

}  // namespace graze
