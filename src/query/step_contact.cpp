#include "query/step_contact.h"

#include <algorithm>
#include <cmath>

#include "graze/query/first_contact.h"
#include "query/exact_meeting.h"
#include "query/facet.h"

namespace graze::moving {
namespace {

constexpr std::array<std::array<std::size_t, 2>, 3> kEdges = {{{0, 1}, {1, 2}, {2, 0}}};

Relative here() { return Relative(Vec3(Vec3::Zero())); }

Vec3 normal_of(const std::array<Vec3, 3>& p) { return cross(minus(p[1], p[0]), minus(p[2], p[0])); }

struct Extent {
  double min = kInfinity, max = -kInfinity;
  void add(double x) { min = std::min(min, x), max = std::max(max, x); }
};

Extent extent_along(const Vec3& n, const std::array<Vec3, 3>& points, const Vec3& origin) {
  Extent e;
  for (const Vec3& p : points) e.add(dot(n, minus(p, origin)));
  return e;
}

double speed_of(const Corners& a, const Corners& b) {
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 of_a = minus(a.to[i], a.from[i]);
    for (std::size_t j = 0; j < 3; ++j) square = std::max(square, norm_sq(minus(of_a, minus(b.to[j], b.from[j]))));
  }
  return std::sqrt(square);
}

double size_of_all(const Corners& c) {
  double size = 0;
  for (std::size_t i = 0; i < 3; ++i) size = std::max({size, size_of(c.from[i]), size_of(c.to[i])});
  return size;
}

// Along a direction all corners of the one are beyond all of the other at both ends, and so in between.
bool apart_along(const Vec3& n, const Corners& a, const Corners& b, double size) {
  const double rounding = 16 * kEpsilon * size_of(n) * size;
  const Vec3& origin = a.from[0];
  const Extent a0 = extent_along(n, a.from, origin), b0 = extent_along(n, b.from, origin);
  const bool above = b0.min - a0.max > rounding;
  if (!above && !(a0.min - b0.max > rounding)) return false;
  const Extent a1 = extent_along(n, a.to, origin), b1 = extent_along(n, b.to, origin);
  return above ? b1.min - a1.max > rounding : a1.min - b1.max > rounding;
}

bool apart_along_normals(const Corners& a, const Corners& b) {
  const double size = size_of_all(a) + size_of_all(b);
  for (const auto* points : {&a.from, &b.from, &a.to, &b.to}) {
    if (apart_along(normal_of(*points), a, b, size)) return true;
  }
  return false;
}

bool boxes_apart(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  for (int k = 0; k < 3; ++k) {
    Extent of_a, of_b;
    for (std::size_t i = 0; i < 3; ++i) of_a.add(a[i][k]), of_b.add(b[i][k]);
    if (of_a.min > of_b.max || of_b.min > of_a.max) return true;
  }
  return false;
}

// Whether the edge p q passes through the inside of the face. What only touches is a contact of other features.
bool pierces(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& face) {
  using meeting::orientation;
  const auto above_p = orientation(p, face[0], face[1], face[2]), above_q = orientation(q, face[0], face[1], face[2]);
  if (!above_p || !above_q) return true;
  if (*above_p * *above_q >= 0) return false;
  int turns = 0;
  for (const auto& [i, j] : kEdges) {
    const auto turn = orientation(p, q, face[i], face[j]);
    if (!turn) return true;
    turns += *turn;
  }
  return std::abs(turns) == 3;
}

// Triangles that cross have an edge of one in the other. What is near enough for that is decided exactly.
bool cross_at_start(const Corners& a, const Corners& b) {
  if (boxes_apart(a.from, b.from) || !touch(Facet{a.triangle(0)}, Facet{b.triangle(0)}, here(), 0, nullptr))
    return false;
  for (const auto& [i, j] : kEdges) {
    if (pierces(a.from[i], a.from[j], b.from) || pierces(b.from[i], b.from[j], a.from)) return true;
  }
  return false;
}

// Triangles at a time, whose corners rounding has moved by up to `off` along each coordinate. What holds here holds for
// the caller's doubles as real numbers.
class Crossing {
 public:
  Crossing(const Corners& a, const Corners& b, double t, double size)
      : a_(a), b_(b), at_a_(a.at(t)), at_b_(b.at(t)), off_(16 * kEpsilon * size) {}

  // Known for certain; false means nothing.
  bool sure() const {
    for (const auto& [i, j] : kEdges) {
      if (pierces(at_a_[i], at_a_[j], at_b_) || pierces(at_b_[i], at_b_[j], at_a_)) return true;
    }
    for (const auto& [i, j] : kEdges) {
      for (const auto& [k, l] : kEdges) {
        if (cross_in_plane(i, j, k, l)) return true;
      }
    }
    return false;
  }

 private:
  int sign_of(double value, double error) const { return value > error ? 1 : value < -error ? -1 : 0; }

  int side(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) const {
    const Vec3 u = minus(q, p), v = minus(r, p), w = minus(s, p);
    const double lu = size_of(u) + off_, lv = size_of(v) + off_, lw = size_of(w) + off_;
    return sign_of(dot(u, cross(v, w)), 8 * off_ * (lu * lv + lv * lw + lw * lu));
  }
  // An edge through the inside of a face.
  bool pierces(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& face) const {
    if (side(p, face[0], face[1], face[2]) * side(q, face[0], face[1], face[2]) >= 0) return false;
    int turns = 0;
    for (const auto& [i, j] : kEdges) turns += side(p, q, face[i], face[j]);
    return std::abs(turns) == 3;
  }
  // Of a regular cloth whole rows keep to one plane across an axis, in which edges meet.
  bool cross_in_plane(std::size_t i, std::size_t j, std::size_t k, std::size_t l) const {
    for (int axis = 0; axis < 3; ++axis) {
      const double from = a_.from[i][axis], to = a_.to[i][axis];
      if (a_.from[j][axis] != from || b_.from[k][axis] != from || b_.from[l][axis] != from) continue;
      if (a_.to[j][axis] != to || b_.to[k][axis] != to || b_.to[l][axis] != to) continue;
      const auto turn = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
        const int x = (axis + 1) % 3, y = (axis + 2) % 3;
        const double ux = q[x] - p[x], uy = q[y] - p[y], vx = r[x] - p[x], vy = r[y] - p[y];
        const double sizes = std::abs(ux) + std::abs(uy) + std::abs(vx) + std::abs(vy) + 4 * off_;
        return sign_of(ux * vy - uy * vx, 8 * off_ * sizes);
      };
      const Vec3 &p = at_a_[i], &q = at_a_[j], &r = at_b_[k], &s = at_b_[l];
      if (turn(p, q, r) * turn(p, q, s) < 0 && turn(r, s, p) * turn(r, s, q) < 0) return true;
    }
    return false;
  }

  const Corners &a_, &b_;
  std::array<Vec3, 3> at_a_, at_b_;
  double off_;
};

// Whether the two cross for certain soon after a time: by then corners move by a few times the tolerance.
bool cross_soon(const Corners& a, const Corners& b, double time, double tolerance, double size, double speed) {
  for (const double moved : {0.5, 2.0, 8.0}) {
    const double t = std::min(1.0, time + moved * tolerance / speed);
    if (Crossing(a, b, t, size).sure()) return true;
    if (t == 1) return false;
  }
  return false;
}

bool lower(const Vec3& a, const Vec3& b) {
  for (int k = 0; k < 3; ++k) {
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return false;
}

// Features in an order that does not depend on that of the arguments.
template <std::size_t n>
bool comes_first(const std::array<const Vec3*, n>& a, const std::array<const Vec3*, n>& b) {
  for (std::size_t i = 0; i < n; ++i) {
    if (lower(*a[i], *b[i])) return true;
    if (lower(*b[i], *a[i])) return false;
  }
  return true;
}

std::array<const Vec3*, 6> pointers(const Corners& c) {
  return {&c.from[0], &c.from[1], &c.from[2], &c.to[0], &c.to[1], &c.to[2]};
}

// The earliest of the contacts of features.
class Earliest {
 public:
  explicit Earliest(const MeetingOptions& options)
      : options_{.tolerance = options.tolerance, .max_steps = options.max_steps, .limit = options.limit} {}

  void vertex_face(const Corners& a, std::size_t i, const Corners& b, bool swapped) {
    const std::array<Vec3, 4> from{a.from[i], b.from[0], b.from[1], b.from[2]};
    const std::array<Vec3, 4> to{a.to[i], b.to[0], b.to[1], b.to[2]};
    take(first_contact_vertex_face(from, to, options_), swapped);
  }
  void edge_edge(const Corners& a, std::size_t i, std::size_t j, const Corners& b, std::size_t k, std::size_t l) {
    const std::array<const Vec3*, 4> first{&a.from[i], &a.from[j], &a.to[i], &a.to[j]};
    const std::array<const Vec3*, 4> second{&b.from[k], &b.from[l], &b.to[k], &b.to[l]};
    const bool swapped = !comes_first(first, second);
    const auto &p = swapped ? second : first, &q = swapped ? first : second;
    const std::array<Vec3, 4> from{*p[0], *p[1], *q[0], *q[1]}, to{*p[2], *p[3], *q[2], *q[3]};
    take(first_contact_edge_edge(from, to, options_), swapped);
  }
  bool at_start() const { return found_ && found_->time == 0; }
  const std::optional<FirstMeeting>& found() const { return found_; }

 private:
  void take(const FirstContact& c, bool swapped) {
    if (!c.hit || c.time > options_.limit || (found_ && c.time >= found_->time)) return;
    options_.limit = c.time;
    found_ = {c.time, c.certain, swapped ? c.on_b : c.on_a, swapped ? c.on_a : c.on_b};
  }

  FirstContactOptions options_;
  std::optional<FirstMeeting> found_;
};

// How fast the gap across the unit n, from a to b, closes at most.
double speed_along(const Vec3& n, const Corners& a, const Corners& b) {
  Extent of_a, of_b;
  for (std::size_t i = 0; i < 3; ++i) {
    of_a.add(dot(n, minus(a.to[i], a.from[i])));
    of_b.add(dot(n, minus(b.to[i], b.from[i])));
  }
  return of_a.max - of_b.min;
}

}  // namespace

std::array<Vec3, 3> Corners::at(double t) const {
  std::array<Vec3, 3> p;
  for (std::size_t i = 0; i < 3; ++i)
    p[i] = t <= 0 ? from[i] : t >= 1 ? to[i] : plus(times(1 - t, from[i]), times(t, to[i]));
  return p;
}

Triangle Corners::triangle(double t) const {
  const std::array<Vec3, 3> p = at(t);
  return {Triangle::Known{}, p[0], p[1], p[2]};
}

std::optional<FirstMeeting> exact_meeting(const Corners& a, const Corners& b, const MeetingOptions& options) {
  if (apart_along_normals(a, b)) return std::nullopt;
  // Most triangles that are near do not meet, and few measurements prove it.
  constexpr int kFew = 16;
  MeetingOptions rough = options;
  rough.max_steps = kFew, rough.margin = rough.rounding = 0;
  rough.limit = 1;  // what is reported may be earlier than what is true: the answer would depend on who came first
  const auto near = advanced_meeting(a, b, rough);
  if (!near) return std::nullopt;
  if (near->time == 0 && cross_at_start(a, b)) {
    const PairDistance d = measure(Facet{a.triangle(0)}, Facet{b.triangle(0)}, here(), {});
    return FirstMeeting{0, true, d.on_a, d.on_a};
  }
  // Nothing touches before that time, the gap is within the tolerance, and a contact follows: no root has to be found.
  if (near->certain && near->time > 0) {
    const double speed = speed_of(a, b);
    if (speed > 0 && cross_soon(a, b, near->time, options.tolerance, size_of_all(a) + size_of_all(b), speed))
      return near->time <= options.limit ? near : std::nullopt;
  }
  Earliest earliest(options);
  for (std::size_t i = 0; i < 3; ++i) {
    earliest.vertex_face(a, i, b, false);
    earliest.vertex_face(b, i, a, true);
  }
  for (const auto& [i, j] : kEdges) {
    for (const auto& [k, l] : kEdges) {
      if (earliest.at_start()) return earliest.found();
      earliest.edge_edge(a, i, j, b, k, l);
    }
  }
  return earliest.found();
}

std::optional<FirstMeeting> advanced_meeting(const Corners& a, const Corners& b, const MeetingOptions& options) {
  if (!comes_first(pointers(a), pointers(b))) {
    auto met = advanced_meeting(b, a, options);
    if (met) std::swap(met->on_a, met->on_b);
    return met;
  }
  constexpr double kRoundDown = 1 - 1e-12;
  const double size = size_of_all(a) + size_of_all(b), speed = speed_of(a, b) / kRoundDown;
  const double rounding = options.rounding + 16 * kEpsilon * size;
  double t = 0;
  FirstMeeting met;
  for (int step = 0; step < options.max_steps; ++step) {
    const Corners now_a{a.at(t), a.at(t)}, now_b{b.at(t), b.at(t)};
    // With the tolerance, so that whatever would be reported up to the limit is.
    const double limit = options.margin + rounding + options.tolerance + speed * (options.limit - t);
    const PairDistance d =
        measure(Facet{now_a.triangle(0)}, Facet{now_b.triangle(0)}, here(), {.limit = limit, .depth = false});
    if (d.beyond) return std::nullopt;
    const double beyond_margin = d.value - options.margin, off = d.tolerance + rounding, gap = beyond_margin - off;
    met = {t, beyond_margin <= 0 || beyond_margin + off <= options.tolerance, d.on_a, along(d.on_a, d.value, d.normal)};
    if (!(gap > options.tolerance / 2)) return met;
    const double across = extent_along(d.normal, now_b.from, now_a.from[0]).min -
                          extent_along(d.normal, now_a.from, now_a.from[0]).max - off - options.margin;
    const double closing = std::max(0.0, speed_along(d.normal, a, b) + 16 * kEpsilon * size);
    double next = speed > 0 ? gap / speed : kInfinity;
    if (across > 0) next = std::max(next, closing > 0 ? across / closing * kRoundDown : kInfinity);
    next += t;
    if (next > options.limit) return std::nullopt;
    if (!(next > t)) break;  // in double they stand still
    t = next;
  }
  met.time = t;
  met.certain = false;
  return met;
}

}  // namespace graze::moving
