// Cores: what remains of a shape when the ball that rounds it is taken away. The iterative solvers see only cores, so
// that a sphere is a point and a capsule a segment; the radii are added to the answer, which is exact.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "graze/geometry/geometry.h"
#include "query/products.h"

namespace graze {

// Every core offers, in coordinates about its own centre:
//   kCurved           whether the surface bends anywhere (iterations then converge instead of ending)
//   support(d)        the point farthest along d, d of any length but zero
//   bend(n, p, u, v)  how the support point p = support(n) moves as the unit n turns, along tangents u and v; see Bend
//   center()          the centre in the shape's frame; kCentered: the frame's own origin
//   extent()          no point of the core is farther from the centre
//   reach()           a cheap bound of the extent, for rounding errors
//   kSmooth, kLine    whether the surface has neither corners nor edges (a point counts); whether it is one segment
//   holds_center()    whether the centre belongs to the core for certain
//   inner()           a ball of this radius about the centre lies inside the core; −∞ if not even the centre does
//   ridge(points)     what kind of feature the given support points belong to, see Ridge
//   facing(p, n)      the point that faces n of the smooth piece that p belongs to: a corner, a rim, a rounded surface.
//                     Where another piece reaches as far along n, support(n) may jump to it and this does not
//   flat_face(n), foot_on_face(p)  where faces are not known by their corners: the normal of the flat face, and whether
//                     a point of its plane lies on it
//   stamp()           a number that differs for differing cores, to recognise them by

/// The derivative of the support point with respect to the direction, as a quadratic form on two tangents.
struct Bend {
  double uu = 0, uv = 0, vv = 0;
  void operator+=(const Bend& other) { uu += other.uu, uv += other.uv, vv += other.vv; }
};

/// A feature on which support points slide: `rank` 0 is a point or a smooth piece of surface, 1 a straight line (edge,
/// side of a cylinder or cone), 2 a flat face. The directions n that face a line are those with n · axis = level.
struct Ridge {
  int rank = 0;
  Vec3 axis = Vec3::Zero();
  double level = 0;
  Vec3 start = Vec3::Zero(), end = Vec3::Zero();  // of a straight edge; lines of round bodies turn with n
};

// Support points of a polytope: as many corners as differ.
inline Ridge corner_ridge(std::span<const Vec3> points) {
  Ridge r;
  put(r.start, points[0]);
  for (const Vec3& p : points.subspan(1)) {
    if (same(p, r.start) || (r.rank > 0 && same(p, r.end))) continue;
    if (++r.rank == 2) return r;
    put(r.end, p);
  }
  if (r.rank == 1) put(r.axis, unit_vector(minus(r.end, r.start)));
  return r;
}

// Support points on rims about z. Points of one rim belong to its disc if they are far apart, else to its edge.
inline bool spans_disc(std::span<const Vec3> points, double radius) {
  for (const Vec3& p : points.subspan(1)) {
    if (p.z() == points[0].z() && norm_sq(minus(p, points[0])) > 0.25 * radius * radius) return true;
  }
  return false;
}

inline std::uint64_t stamp_of(std::uint64_t kind, std::initializer_list<double> sizes) {
  std::uint64_t hash = kind;
  for (const double size : sizes) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(size)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

struct PointCore {
  static constexpr bool kCentered = true;
  static constexpr bool kCurved = false;
  static constexpr bool kSmooth = true;
  static constexpr bool kLine = false;
  Vec3 support(const Vec3&) const { return Vec3::Zero(); }
  Bend bend(const Vec3&, const Vec3&, const Vec3&, const Vec3&) const { return {}; }
  Vec3 center() const { return Vec3::Zero(); }
  double reach() const { return 0; }
  double extent() const { return 0; }
  Ridge ridge(std::span<const Vec3>) const { return {}; }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { put(start, r.start), put(end, r.end); }
  Vec3 facing(const Vec3& p, const Vec3&) const { return copied(p); }
  std::uint64_t stamp() const { return 1; }
  bool holds_center() const { return true; }
  double inner() const { return 0; }
};

struct SegmentCore {
  static constexpr bool kCentered = true;
  static constexpr bool kCurved = false;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = true;
  double half_length;
  Vec3 support(const Vec3& d) const { return {0, 0, std::copysign(half_length, d.z())}; }
  Bend bend(const Vec3&, const Vec3&, const Vec3&, const Vec3&) const { return {}; }
  Vec3 center() const { return Vec3::Zero(); }
  double reach() const { return half_length; }
  double extent() const { return half_length; }
  Ridge ridge(std::span<const Vec3> points) const { return corner_ridge(points); }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { put(start, r.start), put(end, r.end); }
  Vec3 facing(const Vec3& p, const Vec3&) const { return copied(p); }
  std::uint64_t stamp() const { return stamp_of(2, {half_length}); }
  bool holds_center() const { return true; }
  double inner() const { return 0; }
};

struct BoxCore {
  static constexpr bool kCentered = true;
  static constexpr bool kCurved = false;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = false;
  const Box& box;
  Vec3 support(const Vec3& d) const { return graze::support(box, d); }
  Bend bend(const Vec3&, const Vec3&, const Vec3&, const Vec3&) const { return {}; }
  Vec3 center() const { return Vec3::Zero(); }
  double reach() const { return box.half.x() + box.half.y() + box.half.z(); }
  double extent() const { return box.half->norm(); }
  bool foot_on_face(const Vec3& p) const {
    constexpr double kSlack = 1 + 8 * kEpsilon;
    return (p.cwiseAbs().array() <= kSlack * box.half.value().array()).all();
  }
  Ridge ridge(std::span<const Vec3> points) const { return corner_ridge(points); }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { put(start, r.start), put(end, r.end); }
  Vec3 facing(const Vec3& p, const Vec3&) const { return copied(p); }
  std::uint64_t stamp() const { return stamp_of(3, {box.half.x(), box.half.y(), box.half.z()}); }
  bool holds_center() const { return true; }
  double inner() const { return std::min(std::min(box.half.x(), box.half.y()), box.half.z()); }
};

struct TriangleCore {
  static constexpr bool kCentered = false;
  static constexpr bool kCurved = false;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = false;
  Vec3 middle;
  std::array<Vec3, 3> corners;  // about the middle

  GRAZE_INLINE explicit TriangleCore(const Triangle& t) {
    // The middle of the bounding box keeps differences of nearby coordinates exact.
    const Vec3 &a = t.a(), &b = t.b(), &c = t.c();
    for (int i = 0; i < 3; ++i)
      middle[i] = (std::min(std::min(a[i], b[i]), c[i]) + std::max(std::max(a[i], b[i]), c[i])) / 2;
    corners = {minus(a, middle), minus(b, middle), minus(c, middle)};
  }
  Vec3 support(const Vec3& d) const {
    const double a = dot(corners[0], d), b = dot(corners[1], d), c = dot(corners[2], d);
    if (a >= b) return a >= c ? corners[0] : corners[2];
    return b >= c ? corners[1] : corners[2];
  }
  Bend bend(const Vec3&, const Vec3&, const Vec3&, const Vec3&) const { return {}; }
  const Vec3& center() const { return middle; }
  double reach() const {
    return corners[0].cwiseAbs().sum() + corners[1].cwiseAbs().sum() + corners[2].cwiseAbs().sum();
  }
  double extent() const {
    return std::sqrt(std::max({corners[0].squaredNorm(), corners[1].squaredNorm(), corners[2].squaredNorm()}));
  }
  Ridge ridge(std::span<const Vec3> points) const { return corner_ridge(points); }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { put(start, r.start), put(end, r.end); }
  Vec3 facing(const Vec3& p, const Vec3&) const { return copied(p); }
  std::uint64_t stamp() const {
    return stamp_of(4,
                    {middle.x(), middle.y(), middle.z(), corners[0].x(), corners[0].y(), corners[0].z(), corners[1].x(),
                     corners[1].y(), corners[1].z(), corners[2].x(), corners[2].y(), corners[2].z()});
  }
  // The middle need not lie on the triangle.
  bool holds_center() const { return false; }
  double inner() const { return -kInfinity; }
};

// The point farthest along n of a circle of `radius` about z.
inline Vec3 on_rim(double radius, double z, const Vec3& n) {
  const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
  const double scale = across > 0 ? radius / across : 0;
  return {scale * n.x(), scale * n.y(), z};
}

// The rim point of a circle of `radius` about z turns with the direction's heading only.
inline Bend rim_bend(double radius, const Vec3& n, const Vec3& u, const Vec3& v) {
  const double across_sq = n.x() * n.x() + n.y() * n.y();
  if (!(across_sq > 0)) return {};
  const double scale = radius / (across_sq * std::sqrt(across_sq));
  const double tu = n.x() * u.y() - n.y() * u.x(), tv = n.x() * v.y() - n.y() * v.x();
  return {scale * tu * tu, scale * tu * tv, scale * tv * tv};
}

struct CylinderCore {
  static constexpr bool kCentered = true;
  static constexpr bool kCurved = true;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = false;
  const Cylinder& cylinder;
  Vec3 support(const Vec3& d) const { return graze::support(cylinder, d); }
  Bend bend(const Vec3& n, const Vec3&, const Vec3& u, const Vec3& v) const {
    return rim_bend(cylinder.radius, n, u, v);
  }
  Vec3 center() const { return Vec3::Zero(); }
  double reach() const { return cylinder.radius + cylinder.half_length; }
  double extent() const { return Vec3(cylinder.radius, 0, cylinder.half_length).norm(); }
  void flat_face(Vec3& normal) const { normal = Vec3::UnitZ(); }
  bool foot_on_face(const Vec3& p) const { return p.x() * p.x() + p.y() * p.y() <= cylinder.radius * cylinder.radius; }
  Ridge ridge(std::span<const Vec3> points) const {
    Ridge r;
    if (spans_disc(points, cylinder.radius)) {
      r.rank = 2;
      return r;
    }
    for (const Vec3& p : points) {
      if ((p.z() > 0) != (points[0].z() > 0)) r.rank = 1, r.axis = Vec3::UnitZ();
    }
    return r;
  }
  // The ends of the line that faces n.
  void line(const Vec3& n, const Ridge&, Vec3& start, Vec3& end) const {
    put(start, support(n));
    put(end, {start.x(), start.y(), -start.z()});
  }
  Vec3 facing(const Vec3& p, const Vec3& n) const { return on_rim(cylinder.radius, p.z(), n); }
  std::uint64_t stamp() const { return stamp_of(5, {cylinder.radius, cylinder.half_length}); }
  bool holds_center() const { return true; }
  double inner() const { return std::min<double>(cylinder.radius, cylinder.half_length); }
};

struct ConeCore {
  static constexpr bool kCentered = true;
  static constexpr bool kCurved = true;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = false;
  const Cone& cone;
  Vec3 support(const Vec3& d) const { return graze::support(cone, d); }
  Bend bend(const Vec3& n, const Vec3& p, const Vec3& u, const Vec3& v) const {
    return p.z() > 0 ? Bend{} : rim_bend(cone.radius, n, u, v);
  }
  Vec3 center() const { return Vec3::Zero(); }
  double reach() const { return cone.radius + cone.half_length; }
  double extent() const { return Vec3(cone.radius, 0, cone.half_length).norm(); }
  // The slope is nearer to the centre than the base is.
  void flat_face(Vec3& normal) const { normal = Vec3::UnitZ(); }
  bool foot_on_face(const Vec3& p) const { return p.x() * p.x() + p.y() * p.y() <= cone.radius * cone.radius; }
  Ridge ridge(std::span<const Vec3> points) const {
    Ridge r;
    if (spans_disc(points, cone.radius)) {
      r.rank = 2;
      return r;
    }
    for (const Vec3& p : points) {
      if ((p.z() > 0) != (points[0].z() > 0)) r.rank = 1, r.axis = Vec3::UnitZ();
    }
    r.level = sine();
    return r;
  }
  // The ends of the line that faces n, the rim first.
  void line(const Vec3& n, const Ridge&, Vec3& start, Vec3& end) const {
    put(start, on_rim(cone.radius, -cone.half_length, n));
    put(end, {0, 0, cone.half_length});
  }
  Vec3 facing(const Vec3& p, const Vec3& n) const { return p.z() > 0 ? copied(p) : on_rim(cone.radius, p.z(), n); }
  std::uint64_t stamp() const { return stamp_of(6, {cone.radius, cone.half_length}); }
  bool holds_center() const { return true; }
  double inner() const { return cone.half_length * sine(); }

 private:
  // Of half the angle at the apex; 1 for a disc, 0 for a segment and for a point.
  double sine() const { return cone.radius > 0 ? cone.radius / Vec3(cone.radius, 0, 2 * cone.half_length).norm() : 0; }
};

struct EllipsoidCore {
  static constexpr bool kCentered = true;
  static constexpr bool kCurved = true;
  static constexpr bool kSmooth = true;
  static constexpr bool kLine = false;
  const Ellipsoid& ellipsoid;
  Vec3 support(const Vec3& d) const { return graze::support(ellipsoid, d); }
  // (D − p pᵀ) / |r n| with D the squared radii.
  Bend bend(const Vec3& n, const Vec3& p, const Vec3& u, const Vec3& v) const {
    const Vec3& r = ellipsoid.radii;
    const Vec3 ru(r.x() * u.x(), r.y() * u.y(), r.z() * u.z()), rv(r.x() * v.x(), r.y() * v.y(), r.z() * v.z());
    const Vec3 rn(r.x() * n.x(), r.y() * n.y(), r.z() * n.z());
    const double pu = dot(p, u), pv = dot(p, v), scale = 1 / std::sqrt(norm_sq(rn));
    return {scale * (norm_sq(ru) - pu * pu), scale * (dot(ru, rv) - pu * pv), scale * (norm_sq(rv) - pv * pv)};
  }
  Vec3 center() const { return Vec3::Zero(); }
  double reach() const { return ellipsoid.radii.x() + ellipsoid.radii.y() + ellipsoid.radii.z(); }
  double extent() const { return std::max(std::max(ellipsoid.radii.x(), ellipsoid.radii.y()), ellipsoid.radii.z()); }
  Ridge ridge(std::span<const Vec3>) const { return {}; }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { put(start, r.start), put(end, r.end); }
  Vec3 facing(const Vec3&, const Vec3& n) const { return support(n); }
  std::uint64_t stamp() const { return stamp_of(7, {ellipsoid.radii.x(), ellipsoid.radii.y(), ellipsoid.radii.z()}); }
  bool holds_center() const { return true; }
  double inner() const { return std::min(std::min(ellipsoid.radii.x(), ellipsoid.radii.y()), ellipsoid.radii.z()); }
};

struct ConvexCore {
  static constexpr bool kCentered = false;
  static constexpr bool kCurved = false;
  static constexpr bool kSmooth = false;
  static constexpr bool kLine = false;
  const Convex& hull;
  Vec3 support(const Vec3& d) const { return hull.centered_support(d); }
  Bend bend(const Vec3&, const Vec3&, const Vec3&, const Vec3&) const { return {}; }
  const Vec3& center() const { return hull.center(); }
  double reach() const { return hull.radius(); }
  double extent() const { return hull.radius(); }
  Ridge ridge(std::span<const Vec3> points) const { return corner_ridge(points); }
  void line(const Vec3&, const Ridge& r, Vec3& start, Vec3& end) const { put(start, r.start), put(end, r.end); }
  Vec3 facing(const Vec3& p, const Vec3&) const { return copied(p); }
  std::uint64_t stamp() const { return hull.stamp(); }
  bool holds_center() const { return hull.inner_radius() > 0; }
  double inner() const { return hull.inner_radius(); }
};

inline PointCore core(const Sphere&) { return {}; }
inline SegmentCore core(const Capsule& c) { return {c.half_length}; }
inline BoxCore core(const Box& b) { return {b}; }
inline TriangleCore core(const Triangle& t) { return TriangleCore(t); }
inline CylinderCore core(const Cylinder& c) { return {c}; }
inline ConeCore core(const Cone& c) { return {c}; }
inline EllipsoidCore core(const Ellipsoid& e) { return {e}; }
inline ConvexCore core(const Convex& c) { return {c}; }

/// The radius of the ball that rounds the core into the shape.
template <class S>
double rounding_radius(const S&) {
  return 0;
}
inline double rounding_radius(const Sphere& s) { return s.radius; }
inline double rounding_radius(const Capsule& c) { return c.radius; }

/// The box around the shape without that radius, in its own frame.
template <ShapeKind S>
Aabb core_box(const S& shape) {
  return bounds(shape);
}
inline Aabb core_box(const Sphere&) { return {Vec3::Zero(), Vec3::Zero()}; }
inline Aabb core_box(const Box& b) { return {times(-1, b.half), b.half}; }
inline Aabb core_box(const Capsule& c) { return {Vec3(0, 0, -c.half_length), Vec3(0, 0, c.half_length)}; }

/// A number that distinguishes shapes: equal for equal shapes, different (but for one chance in 2^64) for others.
std::uint64_t stamp(const Geometry& geometry);

}  // namespace graze
