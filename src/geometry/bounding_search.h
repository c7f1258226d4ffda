// What bounding shapes are searched with. All of it works on points shifted and scaled to about [-1, 1].
#pragma once

#include <span>
#include <vector>

#include "graze/base/vec.h"

namespace graze::bounding {

struct EnclosingBall {
  Vec3 center;
  double radius;  ///< to the farthest point, to within rounding
  double lower;   ///< no ball around the points has a smaller radius, to within rounding (see kBallRounding)
};

/// What rounding can add to EnclosingBall::lower, for points in [-2, 2].
inline constexpr double kBallRounding = 32 * kEpsilon;

/// The smallest ball around at least one point.
EnclosingBall smallest_ball(std::span<const Vec3> points);

/// What the searches for directions look at.
struct Core {
  std::vector<Vec3> points;   ///< the corners of the hull of (extreme) points, or all of these if it is flat
  std::vector<Vec3> normals;  ///< of the faces of that hull
  std::vector<Vec3> edges;    ///< the longest ones of that hull, not unit
  Mat3 principal;             ///< axes of inertia of all points, in columns
  double volume = 0;          ///< of a hull inside of that of the points, rounded down
  double area = 0;            ///< its surface, likewise
  double floor = 0;           ///< extents below this are noise and count as this
};

/// `noise`: what rounding of the caller's coordinates may be, in the unit of the points.
Core core_of(std::span<const Vec3> points, double noise);

/// The axes (in columns, right-handed) of a small box around balls of radius `grow` about the points.
Mat3 box_axes(std::span<const Vec3> points, const Core& core, double grow);

struct CapsuleFit {
  Vec3 direction, center;
  double radius, volume;  ///< the radius without, the volume with `grow`
};

/// A small capsule around balls of radius `grow` about the points.
CapsuleFit fit_capsule(std::span<const Vec3> points, const Core& core, double grow);

}  // namespace graze::bounding
