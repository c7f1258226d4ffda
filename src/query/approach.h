// How fast two moving bodies can approach each other, and how long their parts therefore stay apart.
#pragma once

#include <algorithm>
#include <cmath>

#include "graze/geometry/geometry.h"
#include "query/products.h"

namespace graze {

/// From a time on, up to `end`; per unit of time, in world coordinates.
struct Approach {
  double end = 1;
  Vec3 velocity = Vec3::Zero();  ///< of a, seen from b
  double turning = 0;            ///< how fast turns of both move any point that matters
  double rounding = 0;           ///< of where the motions put points (m)
  /// The same by body, of all its points: along a direction n it is at most this times |n × axis|.
  double turning_a = 0, turning_b = 0;
  Vec3 axis_a = Vec3::UnitZ(), axis_b = Vec3::UnitZ();
  bool directed = true;  ///< the above is known
  bool constant = true;  ///< nothing gets faster before `end`

  double speed() const { return std::sqrt(norm_sq(velocity)) + turning; }
  /// Of convex bodies, or convex parts of bodies, that a plane across the unit n keeps apart, n from a to b: how fast
  /// the gap across it closes at most.
  double speed_along(const Vec3& n) const {
    if (!directed) return speed();
    const auto across = [&](const Vec3& axis) { return std::sqrt(norm_sq(cross(n, axis))); };
    const double turns = turning_a * across(axis_a) + turning_b * across(axis_b);
    constexpr double kRoundUp = 1 + 1e-12;
    return std::min(speed(), std::max(0.0, dot(velocity, n) + turns * kRoundUp + 8 * kEpsilon * speed()));
  }
  /// How long convex bodies, or parts of bodies, stay apart: `gap` in all, `across` the plane that the unit n points
  /// over from a to b, each for certain; 0 or more.
  double time_apart(double gap, double across, const Vec3& n) const {
    return std::max(time_of(gap, speed()), across > 0 ? time_of(across, speed_along(n)) : 0);
  }
  /// How long a gap lasts at a speed.
  static double time_of(double gap, double speed) {
    constexpr double kRoundDown = 1 - 1e-12;
    return speed > 0 ? gap / speed * kRoundDown : kInfinity;
  }
};

/// Whether it is one convex shape, not made of parts.
bool is_shape(const Geometry& geometry);

/// How far apart convex bodies are for certain along the unit n, from a to b; infinite for planes, which have but their
/// own normal; −∞ where a body is not convex.
double gap_across(const Placed& a, const Placed& b, const Vec3& n);

/// How much time passes, `horizon` at most, before any parts of the two can come within the margin: pair by pair of
/// their parts, each of which approaches across the plane between its nearest points. 0 if that needs more than
/// `budget` pairs to be looked at. `pairs` becomes how many were.
double time_apart(const Placed& a, const Placed& b, const Approach& approach, double margin, double horizon, int budget,
                  int& pairs);

}  // namespace graze
