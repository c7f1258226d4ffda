// Newton's method on the sphere of directions: from a direction near the best one to the best one, in a few steps.
//
// The separation s(n) = min over w in b − a of n · w is the number both GJK and EPA maximise. Where the shapes meet in
// a point of smooth surface it is twice differentiable and Newton's step is a 2 × 2 system. Where one of them meets the
// other with a straight line, s has a kink across the directions facing that line; along them it is smooth again, and
// Newton runs in one angle. A face against a point and two crossing lines fix the direction: a closed form.
#pragma once

#include "query/gjk_pair.h"
#include "query/newton.h"
#include "query/refined.h"

namespace graze {

/// The plane of the face (a feature of rank 2) that some support points of the core belong to. False where the points
/// do not span it.
template <class C>
GRAZE_INLINE bool face_of(const C& core, std::span<const Vec3> points, Vec3& normal, std::array<Vec3, 3>& corners) {
  if constexpr (requires { core.flat_face(normal); }) {
    core.flat_face(normal);
    return true;
  } else {
    for (Vec3& corner : corners) put(corner, points[0]);
    int count = 1;
    for (const Vec3& p : points.subspan(1)) {
      if (p == corners[0] || (count > 1 && p == corners[1])) continue;
      put(corners[static_cast<std::size_t>(count++)], p);
      if (count == 3) break;
    }
    if (count < 3) return false;
    const Vec3 across = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
    const double area_sq = norm_sq(across);
    if (!(area_sq > 0)) return false;
    put(normal, times(1 / std::sqrt(area_sq), across));
    return true;
  }
}

/// Whether a point of the face's plane, found by face_of, lies on the face, as far as its corners show.
template <class C>
GRAZE_INLINE bool foot_on(const C& core, const Vec3& foot, const Vec3& normal, const std::array<Vec3, 3>& c) {
  if constexpr (requires { core.foot_on_face(foot); }) {
    return core.foot_on_face(foot);
  } else {
    return dot(normal, cross(minus(c[1], c[0]), minus(foot, c[0]))) >= 0 &&
           dot(normal, cross(minus(c[2], c[1]), minus(foot, c[1]))) >= 0 &&
           dot(normal, cross(minus(c[0], c[2]), minus(foot, c[2]))) >= 0;
  }
}

/// Where two crossing lines fix the direction.
template <class A, class B>
Refined refine_crossing(const CorePair<A, B>& pair, const Vec3& n0, const Ridge& ra, const Ridge& rb) {
  Refined r;
  constexpr double kCrossing = 1e-6;  // squared sine: lines more parallel than this are left to the general case
  const Vec3 x = ra.axis, y = times(-1, turned(pair.rotation, rb.axis));
  const double c = dot(x, y), det = 1 - c * c;
  if (!(det > kCrossing)) return r;
  const double al = (ra.level - rb.level * c) / det, be = (rb.level - ra.level * c) / det;
  const Vec3 m = plus(times(al, x), times(be, y)), z = cross(x, y);
  const double rest = 1 - norm_sq(m);
  if (!(rest > 0)) return r;
  const double ga = std::copysign(std::sqrt(rest / det), dot(z, n0));
  const Vec3 off_unit = along(m, ga, z), n = times(1 / std::sqrt(norm_sq(off_unit)), off_unit);
  Vec3 a0, a1, b0, b1;
  pair.a.line(n, ra, a0, a1);
  pair.b.line(pair.facing_b(n), rb, b0, b1);
  const Vec3 u = minus(a1, a0), v = turned(pair.rotation, minus(b1, b0)), w0 = pair.difference(a0, b0);
  const double uu = norm_sq(u), vv = norm_sq(v), uv = dot(u, v), wu = dot(w0, u), wv = dot(w0, v);
  const double d = uu * vv - uv * uv;
  if (!(d > 0)) return r;
  const double s = (wu * vv - wv * uv) / d, t = (wu * uv - wv * uu) / d;
  if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return r;
  Vec3 w, on_a, on_b;
  pair.support(n, w, on_a, on_b);
  const double value = dot(n, w0), seen = dot(n, w);
  if (!(seen >= value - pair.rounding)) return r;
  r.set(n, std::min(value, seen), along(a0, s, u), along(b0, t, minus(b1, b0)));
  return r;
}

/// Where a face fixes the direction, against a point of the other shape. With `guess` also where the other shows an
/// edge or a face: it may only lean that way.
template <class A, class B>
Refined refine_at_face(const CorePair<A, B>& pair, const Vec3& n0, const Ridge& ra, const Ridge& rb,
                       std::span<const Vec3> points_a, std::span<const Vec3> points_b, bool guess) {
  std::array<Vec3, 3> corners;
  Vec3 normal;
  if (ra.rank == 2 && (rb.rank == 0 || guess) && face_of(pair.a, points_a, normal, corners)) {
    const Vec3 n = times(dot(normal, n0) < 0 ? -1 : 1, normal);
    Vec3 w, on_a, on_b;
    pair.support(n, w, on_a, on_b);
    const double value = dot(n, w);
    const Vec3 foot = along(plus(turned(pair.rotation, on_b), pair.offset), -value, n);
    // The points must lie on the side that faces n, with nothing of a beyond their plane.
    if (dot(n, minus(on_a, points_a[0])) <= pair.rounding && foot_on(pair.a, foot, normal, corners))
      return {true, n, value, foot, on_b};
  }
  if (rb.rank == 2 && (ra.rank == 0 || guess) && face_of(pair.b, points_b, normal, corners)) {
    const Vec3 turned_normal = turned(pair.rotation, normal);
    const Vec3 n = times(dot(turned_normal, n0) < 0 ? -1 : 1, turned_normal);
    Vec3 w, on_a, on_b;
    pair.support(n, w, on_a, on_b);
    const double value = dot(n, w);
    const Vec3 foot = turned_back(pair.rotation, minus(along(on_a, value, n), pair.offset));
    if (dot(pair.facing_b(n), minus(on_b, points_b[0])) <= pair.rounding && foot_on(pair.b, foot, normal, corners))
      return {true, n, value, on_a, foot};
  }
  return {};
}

/// Runs newton(n, at_a, at_b) between the pieces of the shapes that two points belong to. What it finds is the answer
/// if no other point of the shapes reaches farther. In an overlap it may lead past a corner: then once more from there,
/// and from the pieces that do.
template <class A, class B, class Newton>
Refined refine_pieces(const CorePair<A, B>& pair, Vec3 n, Vec3 at_a, Vec3 at_b, const Newton& newton) {
  constexpr int kPieces = 4;
  Refined r;
  for (int i = 0; i < kPieces; ++i) {
    r = newton(n, at_a, at_b);
    if (!r.found) return r;
    Vec3 w, on_a, on_b;
    pair.support(r.n, w, on_a, on_b);
    const double value = dot(r.n, w);
    r.found = value >= r.value - pair.rounding;
    r.value = std::min(r.value, value);
    if (r.found || value > 0) return r;
    put(n, r.n), put(at_a, on_a), put(at_b, on_b);
  }
  return r;
}

/// The locally best direction near the unit `n`, given support points of both shapes around it; not found where the
/// shapes meet in more than a point, or Newton strays. With `checked` the caller holds the answer against its bounds,
/// and a good guess is welcome.
template <class A, class B>
Refined refine(const CorePair<A, B>& pair, const Vec3& n, std::span<const Vec3> points_a,
               std::span<const Vec3> points_b, bool checked) {
  const Ridge ra = pair.a.ridge(points_a), rb = pair.b.ridge(points_b);
  if (ra.rank + rb.rank == 0) {
    return refine_pieces(pair, n, points_a[0], points_b[0], [&](const Vec3& from, const Vec3& at_a, const Vec3& at_b) {
      return refine_smooth(pair, from, at_a, at_b);
    });
  }
  const bool line_a = ra.rank == 1, line_b = rb.rank == 1;
  const Vec3 axis_b = times(-1, turned(pair.rotation, rb.axis));
  // Two lines fix the direction, unless they are parallel and slide along each other.
  constexpr double kParallel = 1e-12;
  const bool parallel =
      line_a && line_b && ra.level == 0 && rb.level == 0 && norm_sq(cross(ra.axis, axis_b)) <= kParallel * kParallel;
  if (line_a && line_b && !parallel) return refine_crossing(pair, n, ra, rb);
  if (ra.rank == 2 || rb.rank == 2) return refine_at_face(pair, n, ra, rb, points_a, points_b, checked);
  const auto slide = [&](const Vec3& d, const Vec3& m, const Vec3& on_a, const Vec3& on_b) {
    const Vec3 db = pair.facing_b(d), mb = turned_back(pair.rotation, m);
    return pair.a.bend(d, on_a, m, m).uu + pair.b.bend(db, on_b, mb, mb).uu;
  };
  const Vec3 axis = copied(line_a ? ra.axis : axis_b);
  const auto newton = [&](const Vec3& from, const Vec3& at_a, const Vec3& at_b) {
    const auto ends = [&](const Vec3& d, Vec3& w0, Vec3& w1, Vec3& a0, Vec3& a1, Vec3& b0, Vec3& b1) {
      const Vec3 db = pair.facing_b(d);
      if (line_a) pair.a.line(d, ra, a0, a1);
      else put(a0, pair.a.facing(at_a, d)), put(a1, a0);
      if (line_b) pair.b.line(db, rb, b0, b1);
      else put(b0, pair.b.facing(at_b, db)), put(b1, b0);
      if (parallel) {
        // The two pairs of ends that lie farthest apart along the axis, one in each direction.
        if (dot(axis, minus(a1, a0)) > 0) std::swap(a0, a1);
        if (dot(axis, turned(pair.rotation, minus(b1, b0))) < 0) std::swap(b0, b1);
      }
      put(w0, pair.difference(a0, b0)), put(w1, pair.difference(a1, b1));
    };
    return refine_along(from, axis, line_a ? ra.level : rb.level, pair.rounding, pair.reach, ends, slide);
  };
  return refine_pieces(pair, n, points_a[0], points_b[0], newton);
}

}  // namespace graze
