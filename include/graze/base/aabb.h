// Axis-aligned boxes: the bound that every hierarchy speaks.
#pragma once

#include "graze/base/pose.h"
#include "graze/base/vec.h"

namespace graze {

/// An axis-aligned box, closed on all sides; empty when `min` exceeds `max` on any axis. May be unbounded.
struct Aabb {
  Vec3 min = Vec3::Constant(kInfinity);
  Vec3 max = Vec3::Constant(-kInfinity);

  /// All of space.
  static Aabb everything() { return {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)}; }
  /// The box of these half extents about a center.
  static Aabb around(const Vec3& center, const Vec3& half) { return {center - half, center + half}; }

  bool empty() const { return !(min.array() <= max.array()).all(); }
  /// Whether all sides are finite.
  bool bounded() const { return is_finite(min) && is_finite(max); }
  /// The middle; not finite unless the box is bounded.
  Vec3 center() const { return min + (max - min) / 2; }
  /// Half the extents.
  Vec3 half() const { return (max - min) / 2; }
  /// Sides included.
  bool contains(const Vec3& p) const { return (min.array() <= p.array()).all() && (p.array() <= max.array()).all(); }

  /// Grows to hold a point, or another box.
  Aabb& extend(const Vec3& p) {
    min = min.cwiseMin(p);
    max = max.cwiseMax(p);
    return *this;
  }
  Aabb& extend(const Aabb& other) {
    min = min.cwiseMin(other.min);
    max = max.cwiseMax(other.max);
    return *this;
  }
  /// Grown by `margin` metres on every side.
  Aabb grown(double margin) const { return {min.array() - margin, max.array() + margin}; }

  bool operator==(const Aabb&) const = default;
};

/// Whether two boxes have a point in common; touching counts.
inline bool overlap(const Aabb& a, const Aabb& b) {
  return (a.min.array() <= b.max.array()).all() && (b.min.array() <= a.max.array()).all();
}

/// Euclidean distance of two boxes, 0 where they overlap or touch. An empty box is infinitely far.
double gap(const Aabb& a, const Aabb& b);
/// The same, but of boxes that overlap minus the shortest translation along an axis that separates them: no two convex
/// sets in them have a smaller signed distance.
double separation(const Aabb& a, const Aabb& b);
/// Distance of a point from a box, 0 inside.
double gap(const Aabb& box, const Vec3& p);

/// The smallest box around `box` placed at `pose`, widened by its rounding error so that it always encloses.
Aabb transformed(const Aabb& box, const Mat3& rotation, const Vec3& translation);
inline Aabb transformed(const Aabb& box, const Pose& pose) {
  return transformed(box, pose.rotation(), pose.translation());
}

}  // namespace graze
