// Newton's method on the sphere of directions: from a direction near the best one to the best one, in a few steps.
//
// The separation s(n) = min over w in b − a of n · w is the number both GJK and EPA maximise. Where the shapes meet in
// a point of smooth surface it is twice differentiable and Newton's step is a 2 × 2 system. Where one of them meets the
// other with a straight line, s has a kink across the directions facing that line; along them it is smooth again, and
// Newton runs in one angle. Faces and crossing edges have their direction fixed, and GJK and EPA end there by
// themselves.
#pragma once

#include <Eigen/Geometry>

#include "query/gjk_pair.h"
#include "query/refined.h"

namespace graze {

inline constexpr int kNewtonSteps = 8;
// The largest turn of one step, radians; and the slope, relative to the lengths, at which the points are found too: the
// value is right long before.
inline constexpr double kLongestStep = 0.5, kSlope = 1e-10;

/// Two tangents of the unit n, orthonormal with it.
inline void tangents(const Vec3& n, Vec3& u, Vec3& v) {
  // Branchless frame after Duff et al.
  const double sign = std::copysign(1.0, n.z()), a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  u = {1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x()};
  v = {b, sign + n.y() * n.y() * a, -n.y()};
}

template <class A, class B>
Refined refine_smooth(const CorePair<A, B>& pair, Vec3 n) {
  Refined r;
  double last = -kInfinity;
  for (int step = 0; step < kNewtonSteps; ++step) {
    Vec3 w, on_a, on_b;
    pair.support(n, w, on_a, on_b);
    const double s = dot(n, w);
    if (s < last - pair.rounding) return r;
    last = s;
    Vec3 u, v;
    tangents(n, u, v);
    const double gu = dot(u, w), gv = dot(v, w), g = std::max(std::abs(gu), std::abs(gv));
    Bend bend = pair.a.bend(n, on_a, u, v);
    bend += pair.b.bend(pair.facing_b(n), on_b, turned_back(pair.rotation, u), turned_back(pair.rotation, v));
    const double uu = bend.uu + s, uv = bend.uv, vv = bend.vv + s, det = uu * vv - uv * uv;
    if (g <= pair.rounding && uu >= -pair.rounding && det >= -pair.rounding * (uu + vv)) {
      r = {true, n, s, on_a, on_b};
      return r;
    }
    if (!(uu > 0 && det > 0)) return r;
    const double du = (vv * gu - uv * gv) / det, dv = (uu * gv - uv * gu) / det;
    // What the step still gains is half the product of slope and step: nothing if that drowns in rounding.
    if (gu * du + gv * dv <= 0.125 * pair.rounding && g <= kSlope * pair.reach) {
      r = {true, n, s, on_a, on_b};
      return r;
    }
    if (!(du * du + dv * dv <= kLongestStep * kLongestStep)) return r;
    n = along(along(n, du, u), dv, v);
    n = times(1 / std::sqrt(norm_sq(n)), n);
  }
  return r;
}

/// Newton in the angle about `axis` of directions with n · axis = level (axis in a's frame). `ends` gives both ends of
/// the line and the other shape's point as two points w; `slide` is the curvature against the move m.
template <class Ends, class Slide>
Refined refine_along(Vec3 n, const Vec3& axis, double level, double rounding, double reach, const Ends& ends,
                     const Slide& slide) {
  Refined r;
  const double ring_sq = 1 - level * level;
  n = along(n, -dot(n, axis), axis);
  const double off_sq = norm_sq(n);
  if (!(off_sq > 0.01)) return r;
  n = along(times(level, axis), std::sqrt(ring_sq / off_sq), n);
  double last = -kInfinity;
  for (int step = 0; step < kNewtonSteps; ++step) {
    Vec3 w0, w1, a0, a1, b0, b1;
    ends(n, w0, w1, a0, a1, b0, b1);
    const double s = dot(n, w0);
    if (s < last - rounding) return r;
    last = s;
    const Vec3 m = cross(axis, n);
    const double slope = dot(m, w0);
    const double bend = slide(n, m, a0, b0) + s - level * dot(axis, w0);
    const double turn = bend > 0 ? slope / bend : 0;
    const bool flat = std::abs(slope) <= rounding && bend >= -rounding;
    if (flat || (bend > 0 && slope * turn <= 0.125 * rounding && std::abs(slope) <= kSlope * reach)) {
      // The ends must lie on different sides of n, or the best direction does not face the line.
      const Vec3 across = cross(n, m);
      const double c0 = dot(across, w0), c1 = dot(across, w1);
      if (!(c0 * c1 <= 0) || c0 == c1) return r;
      const double t = c0 / (c0 - c1);
      r = {true, n, s, along(a0, t, minus(a1, a0)), along(b0, t, minus(b1, b0))};
      return r;
    }
    if (!(bend > 0) || !(std::abs(turn) <= kLongestStep)) return r;
    // Along the tangent and back onto the ring.
    const Vec3 spoke = along(along(n, -level, axis), turn, m);
    n = along(times(level, axis), std::sqrt(ring_sq / norm_sq(spoke)), spoke);
  }
  return r;
}

/// The locally best direction near the unit `n`, given support points of both shapes around it; not found where the
/// shapes meet in faces or crossing edges, or Newton strays.
template <class A, class B>
Refined refine(const CorePair<A, B>& pair, const Vec3& n, std::span<const Vec3> points_a,
               std::span<const Vec3> points_b) {
  const Ridge ra = pair.a.ridge(points_a), rb = pair.b.ridge(points_b);
  if (ra.rank + rb.rank == 0) {
    Refined r = refine_smooth(pair, n);
    // Only an answer on the same corners is the one that was looked for.
    r.found = r.found && pair.a.on_ridge(points_a, r.on_a) && pair.b.on_ridge(points_b, r.on_b);
    return r;
  }
  const bool line_a = ra.rank == 1, line_b = rb.rank == 1;
  const Vec3 axis_b = times(-1, turned(pair.rotation, rb.axis));
  // Two lines fix the direction, unless they are parallel and slide along each other.
  constexpr double kParallel = 1e-12;
  const bool parallel =
      line_a && line_b && ra.level == 0 && rb.level == 0 && norm_sq(cross(ra.axis, axis_b)) <= kParallel * kParallel;
  if (ra.rank + rb.rank > 1 && !parallel) return {};
  const auto slide = [&](const Vec3& d, const Vec3& m, const Vec3& on_a, const Vec3& on_b) {
    const Vec3 db = pair.facing_b(d), mb = turned_back(pair.rotation, m);
    return pair.a.bend(d, on_a, m, m).uu + pair.b.bend(db, on_b, mb, mb).uu;
  };
  const Vec3 axis = line_a ? ra.axis : axis_b;
  const auto ends = [&](const Vec3& d, Vec3& w0, Vec3& w1, Vec3& a0, Vec3& a1, Vec3& b0, Vec3& b1) {
    const Vec3 db = pair.facing_b(d);
    if (line_a) pair.a.line(d, ra, a0, a1);
    else a0 = a1 = pair.a.support(d);
    if (line_b) pair.b.line(db, rb, b0, b1);
    else b0 = b1 = pair.b.support(db);
    if (parallel) {
      // The two pairs of ends that lie farthest apart along the axis, one each way.
      if (dot(axis, minus(a1, a0)) > 0) std::swap(a0, a1);
      if (dot(axis, turned(pair.rotation, minus(b1, b0))) < 0) std::swap(b0, b1);
    }
    w0 = pair.difference(a0, b0), w1 = pair.difference(a1, b1);
  };
  Refined r = refine_along(n, axis, line_a ? ra.level : rb.level, pair.rounding, pair.reach, ends, slide);
  if (!r.found) return r;
  // A line is only the best feature if no other point of its shape reaches farther.
  Vec3 w, on_a, on_b;
  pair.support(r.n, w, on_a, on_b);
  r.found = dot(r.n, w) >= r.value - pair.rounding;
  r.value = std::min(r.value, dot(r.n, w));
  return r;
}

}  // namespace graze
