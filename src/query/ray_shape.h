// A line and a convex shape: the part of the line that is inside.
#pragma once

#include "query/pair.h"

namespace graze {

/// origin + t · direction, which is a unit vector.
struct Line {
  Vec3 origin, direction;
  Vec3 at(double t) const { return along(origin, t, direction); }
};

/// One end of the part inside: where, how wrong that may be, and the outward normal of what ends it (unit).
struct LineEnd {
  double t, error;
  Vec3 normal;
};

/// From `in` to `out`; nothing if in is surely greater than out. Convex sets that are cut from each other are cut as
/// the parts of the line are.
struct LinePart {
  LineEnd in{-kInfinity, 0, Vec3::UnitX()}, out{kInfinity, 0, Vec3::UnitX()};

  static LinePart none() {
    LinePart r;
    r.in.t = kInfinity, r.out.t = -kInfinity;
    return r;
  }
  bool empty() const { return in.t - in.error > out.t + out.error; }
  void cut(const LinePart& other) {
    if (other.in.t > in.t) in = other.in;
    if (other.out.t < out.t) out = other.out;
  }
  /// The smallest part that holds both: of sets whose union is convex, that of the union.
  void join(const LinePart& other) {
    if (other.empty()) return;
    if (empty()) {
      *this = other;
      return;
    }
    if (other.in.t < in.t) in = other.in;
    if (other.out.t > out.t) out = other.out;
  }
};

/// normal · x <= offset. Less than `slack` metres counts as nothing.
inline LinePart part_below(const Vec3& normal, double offset, const Line& line, double slack) {
  LinePart r;
  const double height = dot(normal, line.origin) - offset, slope = dot(normal, line.direction);
  // A line so parallel to the plane that it reaches it beyond all numbers never does.
  const double t = -height / slope;
  if (slope == 0 || !std::isfinite(t)) return height <= slack ? r : LinePart::none();
  const LineEnd end{t, slack / std::abs(slope), normal};
  (slope > 0 ? r.out : r.in) = end;
  return r;
}

/// The part inside of a shape, with the error of its ends, determined by the shape grown by the slack. A line
/// that only the grown one meets touches the shape, within rounding, in the middle.
inline LinePart widened(LinePart part, const LinePart& grown) {
  if (grown.in.t > grown.out.t) return LinePart::none();
  if (part.in.t > part.out.t) {
    part = grown;
    if (std::isfinite(grown.in.t) && std::isfinite(grown.out.t))
      part.in.t = part.out.t = (grown.in.t + grown.out.t) / 2;
  }
  part.in.error = std::isfinite(part.in.t) ? std::max(part.in.t - grown.in.t, 0.0) : 0;
  part.out.error = std::isfinite(part.out.t) ? std::max(grown.out.t - part.out.t, 0.0) : 0;
  return part;
}

/// a t² + 2 b t + c <= 0 with a > 0, where disc = b² − a c; `normal_at(t)` of its border.
template <class NormalAt>
LinePart part_between(double a, double b, double disc, const NormalAt& normal_at) {
  if (!(disc >= 0)) return LinePart::none();
  const double half = std::sqrt(disc) / a, middle = -b / a;
  return {{middle - half, 0, normal_at(middle - half)}, {middle + half, 0, normal_at(middle + half)}};
}

inline LinePart ray_part(const Sphere& s, const Line& line, double slack) {
  // From the point of the line that is nearest to the centre: no large numbers are subtracted.
  const double b = dot(line.origin, line.direction);
  const double off = std::sqrt(norm_sq(along(line.origin, -b, line.direction)));
  const auto part = [&](double radius) {
    return part_between(1, b, (radius - off) * (radius + off), [&](double t) {
      const Vec3 p = line.at(t);
      return norm_sq(p) > 0 ? unit_vector(p) : times(-1, line.direction);
    });
  };
  return widened(part(s.radius), part(s.radius + slack));
}

/// Whether a line that is turned off a plane or an axis by this sine runs along it, within rounding: beside
/// a body of that reach it leaves or comes nearer by no more than the slack. The line begins near the body.
inline bool is_parallel(double sine, double reach, double slack) {
  constexpr double kMax = 0.1;  // of a body as small as the slack, some direction still counts
  return sine <= kMax && sine * reach <= slack;
}

inline LinePart slab(int axis, double half, const Line& line, double reach, double slack) {
  if (is_parallel(std::abs(line.direction[axis]), reach, slack))
    return std::abs(line.origin[axis]) <= half + 2 * slack ? LinePart() : LinePart::none();
  const Vec3 up = Vec3::Unit(axis);
  LinePart r = part_below(up, half, line, slack);
  r.cut(part_below(times(-1, up), half, line, slack));
  return r;
}

inline LinePart ray_part(const Box& s, const Line& line, double slack) {
  LinePart r;
  const Vec3& half = s.half;
  for (int i = 0; i < 3; ++i) r.cut(slab(i, half[i], line, half.sum(), slack));
  return r;
}

/// Around the z axis, without end.
inline LinePart tube(double radius, const Line& line, double reach, double slack) {
  const Vec3 o(line.origin.x(), line.origin.y(), 0), d(line.direction.x(), line.direction.y(), 0);
  const double a = norm_sq(d);
  if (is_parallel(std::sqrt(a), reach, slack))
    return std::sqrt(norm_sq(o)) <= radius + 2 * slack ? LinePart() : LinePart::none();
  const double b = dot(o, d), off = std::abs(o.x() * d.y() - o.y() * d.x()) / std::sqrt(a);
  const auto part = [&](double out) {
    return part_between(a, b, a * (out - off) * (out + off), [&](double t) {
      const Vec3 p = along(o, t, d);
      return norm_sq(p) > 0 ? unit_vector(p) : times(-1, unit_vector(d));
    });
  };
  return widened(part(radius), part(radius + slack));
}

inline LinePart ray_part(const Cylinder& s, const Line& line, double slack) {
  const double reach = s.radius + s.half_length;
  LinePart r = tube(s.radius, line, reach, slack);
  r.cut(slab(2, s.half_length, line, reach, slack));
  return r;
}

inline LinePart ray_part(const Capsule& s, const Line& line, double slack) {
  const double reach = s.radius + s.half_length;
  LinePart r = tube(s.radius, line, reach, slack);
  r.cut(slab(2, s.half_length, line, reach, slack));
  for (const double end : {-1.0, 1.0}) {
    const Vec3 center(0, 0, end * s.half_length);
    r.join(ray_part(Sphere{.radius = double{s.radius}}, {minus(line.origin, center), line.direction}, slack));
  }
  return r;
}

/// x² + y² <= k² w², w >= 0, of the line o + t d with coordinates x, y, w: a cone that opens upwards, without end.
inline LinePart endless_cone(double k, const Vec3& o, const Vec3& d) {
  const auto form = [&](const Vec3& u, const Vec3& v) { return u.x() * v.x() + u.y() * v.y() - k * k * u.z() * v.z(); };
  const double a = form(d, d), b = form(o, d), c = form(o, o);
  const double disc = b * b - a * c, root = std::sqrt(std::max(disc, 0.0));
  const double q = b > 0 ? -b - root : -b + root;  // adds numbers of one sign
  LinePart r;
  constexpr double kParallel = 1e-14;  // to a line of the mantle
  if (std::abs(a) > kParallel) {
    if (a > 0 && disc < 0) return LinePart::none();
    const double one = q / a, other = q != 0 ? c / q : one;
    const double first = std::min(one, other), last = std::max(one, other);
    // Inside between the two, or on both sides of them: then on that of this half of the double cone.
    if (a > 0 || d.z() > 0) r.in.t = a > 0 ? first : last;
    if (a > 0 || d.z() < 0) r.out.t = a > 0 ? last : first;
  } else if (b != 0) {
    (b > 0 ? r.out : r.in).t = -c / (2 * b);
  } else if (c > 0) {
    return LinePart::none();
  }
  // Between them, but in the other half.
  if (a > 0 && o.z() + d.z() * (r.in.t + r.out.t) / 2 < 0) return LinePart::none();
  const auto normal_at = [&](double t) {
    const Vec3 p = along(o, t, d);
    const double across = std::sqrt(p.x() * p.x() + p.y() * p.y());
    return across > 0 ? unit_vector(Vec3(p.x() / across, p.y() / across, k)) : Vec3(0, 0, 1);
  };
  if (std::isfinite(r.in.t)) r.in.normal = normal_at(r.in.t);
  if (std::isfinite(r.out.t)) r.out.normal = normal_at(r.out.t);
  return r;
}

inline LinePart ray_part(const Cone& s, const Line& line, double slack) {
  // A disc or a segment.
  if (s.radius == 0 || s.half_length == 0)
    return ray_part(Cylinder{.radius = double{s.radius}, .half_length = double{s.half_length}}, line, slack);
  // With w, the distance down from the apex. The cone grown by the slack lies in the one whose apex is that much
  // higher.
  const double k = s.radius / (2 * s.half_length), higher = slack * std::sqrt(1 + 1 / (k * k));
  const Vec3 o(line.origin.x(), line.origin.y(), s.half_length - line.origin.z());
  const Vec3 d(line.direction.x(), line.direction.y(), -line.direction.z());
  // From the point of the line that is nearest to the apex: beside it, squares of large numbers would hide the slack.
  const double begin = -dot(o, d);
  const Vec3 nearest = along(o, begin, d);
  LinePart r = widened(endless_cone(k, nearest, d), endless_cone(k, plus(nearest, Vec3(0, 0, higher)), d));
  r.in.t += begin, r.out.t += begin;
  r.cut(slab(2, s.half_length, line, s.radius + s.half_length, slack));
  return r;
}

inline LinePart ray_part(const Ellipsoid& s, const Line& line, double slack) {
  const Vec3& radii = s.radii;
  const auto scaled = [&](const Vec3& v) { return Vec3(v.cwiseQuotient(radii)); };
  const Vec3 o = scaled(line.origin), d = scaled(line.direction);
  const double a = norm_sq(d), b = dot(o, d), off = std::sqrt(norm_sq(along(o, -b / a, d)));
  // A ball of the slack lies in the ellipsoid scaled by this.
  const double share = slack / radii.minCoeff();
  const auto part = [&](double reach) {
    return part_between(a, b, a * (reach - off) * (reach + off),
                        [&](double t) { return unit_vector(scaled(along(o, t, d))); });
  };
  return widened(part(1), part(1 + share));
}

inline LinePart ray_part(const HalfSpace& s, const Line& line, double slack) {
  return part_below(s.normal(), s.offset(), line, slack);
}

/// From outside to where the line enters a convex shape that is known by its distance from points: each supporting
/// plane that is found lies between. `entry` is where the search begins.
template <class S>
LineEnd march(const S& s, const Line& line, double entry, double slack) {
  constexpr int kSteps = 128;
  LineEnd end{entry, slack, times(-1, line.direction)};
  for (int i = 0; i < kSteps; ++i) {
    const Vec3 p = line.at(end.t);
    const PairDistance d = measure(Sphere{.radius = 0}, s, Relative(times(-1, p)), {});
    // d.normal leads from the point to the shape.
    if (!(d.value > slack + d.tolerance)) return end;
    const double closing = dot(d.normal, line.direction);
    if (!(closing > 0) || !std::isfinite(d.value / closing)) break;
    end.normal = times(-1, d.normal);
    end.t += d.value / closing;
    end.error = (slack + d.tolerance) / closing;
  }
  return {kInfinity, 0, Vec3::UnitX()};
}

inline LinePart ray_part(const Convex& s, const Line& line, double slack) {
  LinePart r;
  if (!s.flat()) {
    for (const Convex::Face& face : s.faces()) {
      r.cut(part_below(face.normal, face.offset, line, slack));
      if (r.empty()) return LinePart::none();
    }
    return r;
  }
  // A thin one: from both sides.
  const double middle = dot(minus(s.center(), line.origin), line.direction), reach = 2 * s.radius() + slack;
  r.in = march(s, line, middle - reach, slack);
  if (!(r.in.t < kInfinity)) return LinePart::none();
  const LineEnd back = march(s, {line.origin, times(-1, line.direction)}, -middle - reach, slack);
  r.out = {-back.t, back.error, back.normal};
  if (r.out.t < r.in.t) r.out = r.in;
  return r;
}

/// Where a line meets a triangle, if it does; `normal` is that of the triangle, in either orientation. The slack is
/// more than what the side of an edge is computed wrong by, and counts for both triangles there: a line never passes
/// between them.
struct TriangleHit {
  bool hit = false;
  double t = 0, last = 0;  ///< a line in the plane of the triangle is on it from t to last
  double error = 0;        ///< of these: what is off by the slack is off by more along a line that runs nearly level
  Vec3 normal = Vec3::UnitX();
};
TriangleHit ray_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Line& line, double slack);

}  // namespace graze
