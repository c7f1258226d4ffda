// Axis-aligned boxes in the plane, and names that are generic in the dimension.
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "graze/base/aabb.h"

namespace graze {

/// A point or a direction in the plane, in metres where it is a length.
using Vec2 = Eigen::Vector2d;

/// An Aabb in the plane: closed on all sides; empty when `min` exceeds `max` on any axis. May be unbounded.
struct Aabb2 {
  Vec2 min = Vec2::Constant(kInfinity);
  Vec2 max = Vec2::Constant(-kInfinity);

  /// The box of these half extents about a center.
  static Aabb2 around(const Vec2& center, const Vec2& half) {
    // Number by number: a pair that has just been made of two numbers is not read as a pair without a wait.
    return {{center.x() - half.x(), center.y() - half.y()}, {center.x() + half.x(), center.y() + half.y()}};
  }

  bool empty() const { return !(min.array() <= max.array()).all(); }
  /// The middle; not finite unless the box is bounded.
  Vec2 center() const { return min + (max - min) / 2; }
  /// Half the extents.
  Vec2 half() const { return (max - min) / 2; }
  /// Grows to hold another box.
  Aabb2& extend(const Aabb2& other) {
    min = min.cwiseMin(other.min);
    max = max.cwiseMax(other.max);
    return *this;
  }
  /// Grown by `margin` metres on every side.
  Aabb2 grown(double margin) const { return {min.array() - margin, max.array() + margin}; }

  bool operator==(const Aabb2&) const = default;
};

/// Whether two boxes have a point in common; touching counts.
inline bool overlap(const Aabb2& a, const Aabb2& b) {
  return (a.min.array() <= b.max.array()).all() && (b.min.array() <= a.max.array()).all();
}

/// A box in the plane (N = 2) or in space (N = 3).
template <int N>
using AabbOf = std::conditional_t<N == 2, Aabb2, Aabb>;
/// A point or direction of as many coordinates.
template <int N>
using VecOf = std::conditional_t<N == 2, Vec2, Vec3>;

}  // namespace graze
