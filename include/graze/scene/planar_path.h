// The paths of a disc in the plane: straight, or along a circle.
#pragma once

#include "graze/base/aabb2.h"

namespace graze::planar {

/// Where the center of a disc goes. Exact on the caller's numbers: positions are those of real arithmetic, and what
/// rounding does to them is counted on the side of safety.
///
///     Path::line({0, 0}, {5, 0});
///     Path::arc({0, 0}, {2, 0}, 1.57);   // about the origin, from (2, 0), counter-clockwise
class Path {
 public:
  /// Straight from one point to another. Throws Error for coordinates that are not finite or beyond 1e50. A path
  /// without length is a check of the disc where it stands.
  static Path line(const Vec2& from, const Vec2& to);
  /// About a center by an angle in radians, counter-clockwise where it is positive, also by more than a turn. Throws
  /// Error for coordinates or angles that are not finite or beyond 1e50.
  static Path arc(const Vec2& center, const Vec2& from, double angle);

  /// Whether it runs along a circle.
  bool is_arc() const { return is_arc_; }
  /// Where it starts.
  const Vec2& from() const { return from_; }
  /// Of a line: from the start to the end.
  const Vec2& displacement() const { return displacement_; }
  /// Of an arc: what it runs about.
  const Vec2& center() const { return center_; }
  /// Of an arc: radians, with its sign.
  double angle() const { return angle_; }
  /// Of an arc: from its center to its start.
  const Vec2& spoke() const { return displacement_; }
  /// Of an arc: the length of the spoke.
  double radius() const { return radius_; }
  /// Metres.
  double length() const { return length_; }
  /// The center of the disc after a fraction of the path, 0 … 1.
  Vec2 at(double fraction) const;
  /// Around the part of the path between two fractions.
  Aabb2 bounds(double begin = 0, double end = 1) const;

 private:
  Path() = default;

  Vec2 from_ = Vec2::Zero(), displacement_ = Vec2::Zero(), center_ = Vec2::Zero();
  double angle_ = 0, radius_ = 0, length_ = 0;
  bool is_arc_ = false;
};

}  // namespace graze::planar
