// The volumes that points are searched in.
#pragma once

#include <array>
#include <span>
#include <variant>

#include "graze/base/aabb.h"
#include "graze/base/pose.h"
#include "graze/base/vec.h"

namespace graze {

/// The parts of space in which KdTree looks for points, borders included. Every constructor throws Error unless all
/// numbers are finite, at most 1e50, and radii and half extents not negative: no search ever meets a NaN.
///
/// Membership is decided in double by the expressions given with each volume, evaluated from left to right for the
/// caller's coordinates p; dot(a, b) is (a.x b.x + a.y b.y) + a.z b.z, rounded step by step. Whoever computes the same
/// expressions in a loop gets the same set, also on the border.
///
/// Results are ordered by a distance: from the centre of the volume, or with PointSearchOptions::to_axis from its axis.
namespace region {

/// A ball: dot(d, d) <= radius * radius with d = p - center.
class Ball {
 public:
  Ball(const Vec3& center, double radius);
  const Vec3& center() const { return center_; }
  double radius() const { return radius_; }

 private:
  Vec3 center_;
  double radius_;
};

/// What is within `radius` of an axis: e = d - t v with d = p - from, t = dot(d, v) / dot(v, v) clamped to the axis;
/// dot(e, e) <= radius * radius. Distances are those from `from` or, on demand, from the axis.
class AroundAxis {
 public:
  const Vec3& from() const { return from_; }
  /// Along the axis; its length counts for segments.
  const Vec3& direction() const { return direction_; }
  double radius() const { return radius_; }
  double first() const { return first_; }  ///< the axis is from + t direction for t from `first` …
  double last() const { return last_; }    ///< … to `last`

 protected:
  AroundAxis(const char* name, const Vec3& from, const Vec3& direction, double radius, double first, double last);

 private:
  Vec3 from_, direction_;
  double radius_, first_, last_;
};

/// Around an endless line; the direction need not be of length 1.
class Line : public AroundAxis {
 public:
  /// Around the line through `point`.
  Line(const Vec3& point, const Vec3& direction, double radius);
};

/// Around the half of a line that begins at `point`, with a round end there.
class Ray : public AroundAxis {
 public:
  /// Around the part of the line from `point` on.
  Ray(const Vec3& point, const Vec3& direction, double radius);
};

/// Around the segment between two points, with round ends; the two may be one.
class Segment : public AroundAxis {
 public:
  /// Around the segment between `from` and `to`.
  Segment(const Vec3& from, const Vec3& to, double radius);
};

/// An axis-aligned box: min <= p <= max. Distances are those from min + (max - min) / 2.
class Box {
 public:
  Box(const Vec3& min, const Vec3& max);
  explicit Box(const Aabb& box) : Box(box.min, box.max) {}
  const Vec3& min() const { return min_; }
  const Vec3& max() const { return max_; }
  /// Half-way between min and max.
  Vec3 center() const { return min_ + (max_ - min_) / 2; }

 private:
  Vec3 min_, max_;
};

/// A box at a pose: |dot(axis, p - center)| <= half, for each column of the rotation. Distances are those from the
/// centre, which is the translation of the pose.
class OrientedBox {
 public:
  OrientedBox(const Vec3& half, const Pose& pose);
  const Vec3& half() const { return half_; }
  const Pose& pose() const { return pose_; }

 private:
  Vec3 half_;
  Pose pose_;
};

/// A cylinder with flat ends: 0 <= dot(d, v) <= dot(v, v) and within `radius` of the line as in AroundAxis, with
/// v = to - from. The two ends must differ. Distances are those from `from` or, on demand, from the axis.
class Cylinder {
 public:
  Cylinder(const Vec3& from, const Vec3& to, double radius);
  const Vec3& from() const { return from_; }
  /// From one end to the other.
  const Vec3& direction() const { return direction_; }
  double radius() const { return radius_; }

 private:
  Vec3 from_, direction_;
  double radius_;
};

/// Where dot(normal, p) <= offset.
struct Side {
  Vec3 normal;  ///< not zero; any length
  double offset;
};

/// What lies on the inner side of all planes; with none, everything. A view: the sides must live as long as the volume.
/// Distances are those from `center`, which may be anywhere.
class Polytope {
 public:
  explicit Polytope(std::span<const Side> sides, const Vec3& center = Vec3::Zero());
  std::span<const Side> sides() const { return sides_; }
  const Vec3& center() const { return center_; }

 private:
  std::span<const Side> sides_;
  Vec3 center_;
};

}  // namespace region

/// Any of them.
struct SearchVolume : std::variant<region::Ball, region::Line, region::Ray, region::Segment, region::Box,
                                   region::OrientedBox, region::Cylinder, region::Polytope> {
  /// Of any of the volumes.
  using variant::variant;
};

/// Whether distances from an axis can be asked for: lines, rays, segments and cylinders.
bool has_axis(const SearchVolume& volume);

/// Where distances are measured from if not from an axis.
Vec3 center_of(const SearchVolume& volume);

}  // namespace graze
