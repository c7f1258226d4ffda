// Anything against a half-space or a plane: one support point decides.
#pragma once

#include <algorithm>

#include "query/core.h"
#include "query/pair_result.h"
#include "query/relative.h"

namespace graze {

/// A half-space or plane in the frame of the other shape: normal · x against offset.
struct Boundary {
  Vec3 normal;
  double offset;

  template <class S>
  Boundary(const S& s, const Relative& relative)
      : normal(relative.rotation * s.normal()), offset(normal.dot(relative.translation) + s.offset()) {}
};

/// What a height of `b` is wrong by at most, over a body with coordinates up to `reach`.
template <class S>
double boundary_rounding(const S& b, const Boundary& plane, const Relative& relative, double reach) {
  return 16 * kEpsilon * (reach + std::abs(plane.offset) + size_of(relative.translation)) +
         relative.placing_error(std::abs(b.offset()));
}

inline PairDistance boundary_answer(double value, double tolerance, const Vec3& on_a, const Vec3& normal,
                                    const PairQuestion& question) {
  if (value - tolerance > question.limit) return beyond_limit();
  PairDistance r;
  r.value = value, r.tolerance = tolerance, r.on_a = on_a, r.normal = normal;
  return r;
}

template <class A>
PairDistance measure_half_space(const A& a, const HalfSpace& b, const Relative& relative,
                                const PairQuestion& question) {
  const Boundary plane(b, relative);
  const auto core_a = core(a);
  const double radius = rounding_radius(a);
  const Vec3 lowest = core_a.center() + core_a.support(-plane.normal);
  const double tolerance = boundary_rounding(b, plane, relative, size_of(core_a.center()) + core_a.reach() + radius);
  return boundary_answer(plane.normal.dot(lowest) - radius - plane.offset, tolerance, lowest - radius * plane.normal,
                         -plane.normal, question);
}

template <class A>
PairDistance measure_plane(const A& a, const Plane& b, const Relative& relative, const PairQuestion& question) {
  const Boundary plane(b, relative);
  const auto core_a = core(a);
  const double radius = rounding_radius(a);
  const Vec3 lowest = core_a.center() + core_a.support(-plane.normal);
  const Vec3 highest = core_a.center() + core_a.support(plane.normal);
  const double tolerance = boundary_rounding(b, plane, relative, size_of(core_a.center()) + core_a.reach() + radius);
  const double above = plane.normal.dot(lowest) - radius - plane.offset;
  const double below = plane.offset - plane.normal.dot(highest) - radius;
  return above >= below ? boundary_answer(above, tolerance, lowest - radius * plane.normal, -plane.normal, question)
                        : boundary_answer(below, tolerance, highest + radius * plane.normal, plane.normal, question);
}

// Two boundaries that are not exactly parallel meet somewhere, and no finite translation parts what lies behind them.
// Normals that were rounded before prove nothing.

/// 1 if the second boundary is proven to face along the unit `normal`, -1 if against it, otherwise 0.
inline double parallel(const Vec3& normal, const Boundary& second, const Relative& relative) {
  if (!relative.aligned && relative.rounded) return 0;
  return second.normal == normal ? 1 : second.normal == -normal ? -1 : 0;
}

inline PairDistance endless(const Vec3& common_point) {
  PairDistance r;
  r.value = -kInfinity, r.on_a = common_point;
  return r;
}

// A point on both planes, or on the first where they are parallel.
inline Vec3 common_point(const Vec3& n1, double d1, const Boundary& second) {
  const Vec3 along = n1.cross(second.normal);
  const double length_sq = along.squaredNorm();
  if (!(length_sq > 0)) return d1 * n1;
  return (d1 * second.normal.cross(along) + second.offset * along.cross(n1)) / length_sq;
}

inline PairDistance measure_half_space(const HalfSpace& a, const HalfSpace& b, const Relative& relative,
                                       const PairQuestion& question) {
  const Boundary second(b, relative);
  if (parallel(a.normal(), second, relative) >= 0) return endless(common_point(a.normal(), a.offset(), second));
  const double tolerance = boundary_rounding(b, second, relative, std::abs(a.offset()));
  return boundary_answer(-second.offset - a.offset(), tolerance, a.offset() * a.normal(), a.normal(), question);
}

inline PairDistance measure_plane(const HalfSpace& a, const Plane& b, const Relative& relative,
                                  const PairQuestion& question) {
  const Boundary second(b, relative);
  const double same = parallel(a.normal(), second, relative);
  if (same == 0) return endless(common_point(a.normal(), a.offset(), second));
  const double tolerance = boundary_rounding(b, second, relative, std::abs(a.offset()));
  return boundary_answer(same * second.offset - a.offset(), tolerance, a.offset() * a.normal(), a.normal(), question);
}

inline PairDistance measure_plane(const Plane& a, const Plane& b, const Relative& relative,
                                  const PairQuestion& question) {
  const Boundary second(b, relative);
  const double same = parallel(a.normal(), second, relative);
  if (same == 0) return endless(common_point(a.normal(), a.offset(), second));
  const double tolerance = boundary_rounding(b, second, relative, std::abs(a.offset()));
  const double gap = same * second.offset - a.offset();
  return boundary_answer(std::abs(gap), tolerance, a.offset() * a.normal(), gap < 0 ? Vec3(-a.normal()) : a.normal(),
                         question);
}

}  // namespace graze
