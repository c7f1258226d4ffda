// Newton's method on the sphere of directions, in two angles or in one: the steps. What they are taken between is
// refine.h's to say.
#pragma once

#include <algorithm>
#include <cmath>

#include "query/gjk_pair.h"
#include "query/refined.h"

namespace graze {

inline constexpr int kNewtonSteps = 8;
// Where the curvature vanishes at the best direction, as where surfaces osculate, Newton only gains a factor of 8/27 in
// the slope each time. It may go on for as long as it does.
inline constexpr int kNewtonStepsAtMost = 40;
inline constexpr double kSteadily = 0.5;
// The largest turn of one step, radians; and the slope, relative to the lengths, at which the points are found too: the
// value is right long before.
inline constexpr double kLongestStep = 0.5, kSlope = 1e-10;

/// Two tangents of the unit n, orthonormal with it.
inline void tangents(const Vec3& n, Vec3& u, Vec3& v) {
  // Branchless frame after Duff et al.
  const double sign = std::copysign(1.0, n.z()), a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  put(u, {1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x()});
  put(v, {b, sign + n.y() * n.y() * a, -n.y()});
}

/// The step (du, dv) where the curvature is not that of a summit: Newton's with the curvature's own size in place of
/// its sign, which always leads uphill.
inline void uphill(double uu, double uv, double vv, double gu, double gv, double& du, double& dv) {
  const double mean = (uu + vv) / 2, spread = std::sqrt((uu - vv) * (uu - vv) / 4 + uv * uv);
  const double high = mean + spread, low = mean - spread;
  // |H| = share · H + rest · 1, by its eigenvalues |high| and |low|.
  const double share = spread > 0 ? (std::abs(high) - std::abs(low)) / (2 * spread) : -1;
  const double rest = std::abs(high) - share * high;
  const double pp = share * uu + rest, pq = share * uv, qq = share * vv + rest, det = pp * qq - pq * pq;
  du = (qq * gu - pq * gv) / det, dv = (pp * gv - pq * gu) / det;
}

/// Newton between the smooth pieces of both shapes that the points `at_a` and `at_b` (b's in b's frame) belong to.
template <class A, class B>
Refined refine_smooth(const CorePair<A, B>& pair, Vec3 n, const Vec3& at_a, const Vec3& at_b) {
  Refined r;
  double last = -kInfinity, last_slope = kInfinity;
  int steps = 0;  // since Newton's are full ones
  for (int step = 0; step < kNewtonStepsAtMost; ++step) {
    const Vec3 toward_a = pair.facing_b(n), on_a = pair.a.facing(at_a, n), on_b = pair.b.facing(at_b, toward_a);
    const Vec3 w = pair.difference(on_a, on_b);
    const double s = dot(n, w);
    if (s < last - pair.rounding) return r;
    last = s;
    Vec3 u, v;
    tangents(n, u, v);
    const double gu = dot(u, w), gv = dot(v, w), g = std::max(std::abs(gu), std::abs(gv));
    if (++steps > kNewtonSteps && !(g <= kSteadily * last_slope)) return r;
    last_slope = g;
    Bend bend = pair.a.bend(n, on_a, u, v);
    bend += pair.b.bend(toward_a, on_b, turned_back(pair.rotation, u), turned_back(pair.rotation, v));
    const double uu = bend.uu + s, uv = bend.uv, vv = bend.vv + s, det = uu * vv - uv * uv;
    if (g <= pair.rounding && uu >= -pair.rounding && det >= -pair.rounding * (uu + vv)) {
      r.set(n, s, on_a, on_b);
      return r;
    }
    double du, dv;
    const bool summit = uu > 0 && det > 0;
    if (summit) {
      du = (vv * gu - uv * gv) / det, dv = (uu * gv - uv * gu) / det;
      // What the step still gains is half the product of slope and step: nothing if that drowns in rounding.
      if (gu * du + gv * dv <= 0.125 * pair.rounding && g <= kSlope * pair.reach) {
        r.set(n, s, on_a, on_b);
        return r;
      }
    } else {
      if (g <= pair.rounding) return r;
      uphill(uu, uv, vv, gu, gv, du, dv);
    }
    const double length_sq = du * du + dv * dv;
    if (!(length_sq <= kLongestStep * kLongestStep)) {
      // Apart there is one summit only, and Newton comes back for it; in an overlap it lies in this direction.
      if (s > 0 || !(length_sq < kInfinity)) return r;
      const double shorter = kLongestStep / std::sqrt(length_sq);
      du *= shorter, dv *= shorter;
      steps = 0;
    }
    if (!summit) steps = 0;
    const Vec3 next = along(along(n, du, u), dv, v);
    put(n, times(1 / std::sqrt(norm_sq(next)), next));
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
  put(n, along(n, -dot(n, axis), axis));
  const double off_sq = norm_sq(n);
  if (!(off_sq > 0.01)) return r;
  put(n, along(times(level, axis), std::sqrt(ring_sq / off_sq), n));
  double last = -kInfinity, last_slope = kInfinity;
  int steps = 0;  // since Newton's are full ones
  for (int step = 0; step < kNewtonStepsAtMost; ++step) {
    Vec3 w0, w1, a0, a1, b0, b1;
    ends(n, w0, w1, a0, a1, b0, b1);
    const double s = dot(n, w0);
    if (s < last - rounding) return r;
    last = s;
    const Vec3 m = cross(axis, n);
    const double slope = dot(m, w0);
    if (++steps > kNewtonSteps && !(std::abs(slope) <= kSteadily * last_slope)) return r;
    last_slope = std::abs(slope);
    const double bend = slide(n, m, a0, b0) + s - level * dot(axis, w0);
    double turn = bend > 0 ? slope / bend : 0;
    const bool flat = std::abs(slope) <= rounding && bend >= -rounding;
    if (flat || (bend > 0 && slope * turn <= 0.125 * rounding && std::abs(slope) <= kSlope * reach)) {
      // The ends must lie on different sides of n, or the best direction does not face the line.
      const Vec3 across = cross(n, m);
      const double c0 = dot(across, w0), c1 = dot(across, w1);
      // At an end of the line rounding decides which side that is.
      constexpr double kEnd = 1e-7;
      if (c0 == c1) return r;
      const double t = c0 / (c0 - c1);
      if (!(t >= -kEnd && t <= 1 + kEnd)) return r;
      const double inside = std::clamp(t, 0.0, 1.0);
      r.set(n, s, along(a0, inside, minus(a1, a0)), along(b0, inside, minus(b1, b0)));
      return r;
    }
    if (!(bend > 0 && std::abs(turn) <= kLongestStep)) {
      // The same as above: in an overlap the summit lies in this direction.
      if (s > 0 || std::abs(slope) <= rounding) return r;
      turn = std::copysign(kLongestStep, slope);
      steps = 0;
    }
    // Along the tangent and back onto the ring.
    const Vec3 spoke = along(along(n, -level, axis), turn, m);
    put(n, along(times(level, axis), std::sqrt(ring_sq / norm_sq(spoke)), spoke));
  }
  return r;
}

}  // namespace graze
