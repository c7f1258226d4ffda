#include "oracle/planar.h"

#include <mpfr.h>

#include <algorithm>

namespace graze_oracle {
namespace {

constexpr int kBits = 300;

PlanarPoint operator-(const PlanarPoint& a, const PlanarPoint& b) { return {a.x - b.x, a.y - b.y}; }
mpq_class dot(const PlanarPoint& a, const PlanarPoint& b) { return a.x * b.x + a.y * b.y; }
mpq_class cross(const PlanarPoint& a, const PlanarPoint& b) { return a.x * b.y - a.y * b.x; }

mpq_class to_segment_sq(const PlanarPoint& p, const PlanarPoint& a, const PlanarPoint& b) {
  const PlanarPoint e = b - a, v = p - a;
  const mpq_class length = dot(e, e), along = dot(v, e);
  if (along <= 0) return dot(v, v);
  if (along >= length) {
    const PlanarPoint w = p - b;
    return dot(w, w);
  }
  const mpq_class beside = cross(v, e);
  return beside * beside / length;
}

bool between(const PlanarPoint& p, const PlanarPoint& a, const PlanarPoint& b) { return dot(p - a, p - b) <= 0; }

bool segments_meet(const PlanarPoint& a, const PlanarPoint& b, const PlanarPoint& c, const PlanarPoint& d) {
  const int abc = sgn(cross(b - a, c - a)), abd = sgn(cross(b - a, d - a));
  const int cda = sgn(cross(d - c, a - c)), cdb = sgn(cross(d - c, b - c));
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && between(c, a, b)) || (abd == 0 && between(d, a, b)) || (cda == 0 && between(a, c, d)) ||
         (cdb == 0 && between(b, c, d));
}

mpq_class segments_sq(const PlanarPoint& a, const PlanarPoint& b, const PlanarPoint& c, const PlanarPoint& d) {
  if (segments_meet(a, b, c, d)) return 0;
  return std::min({to_segment_sq(a, c, d), to_segment_sq(b, c, d), to_segment_sq(c, a, b), to_segment_sq(d, a, b)});
}

mpq_class rational_of(mpfr_t value) {
  mpf_class number(0, kBits);
  mpfr_get_f(number.get_mpf_t(), value, MPFR_RNDN);
  return mpq_class(number);
}

}  // namespace

PlanarBody planar_rectangle(const std::array<double, 2>& center, const std::array<double, 2>& half, double angle) {
  mpfr_t sine, cosine, exact;
  mpfr_inits2(kBits, sine, cosine, exact, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(exact, angle, MPFR_RNDN);
  mpfr_sin_cos(sine, cosine, exact, MPFR_RNDN);
  const mpq_class s = rational_of(sine), c = rational_of(cosine);
  mpfr_clears(sine, cosine, exact, static_cast<mpfr_ptr>(nullptr));
  PlanarBody body;
  for (const auto& [x, y] : {std::array{-1, -1}, std::array{1, -1}, std::array{1, 1}, std::array{-1, 1}}) {
    const mpq_class u = x * mpq_class(half[0]), v = y * mpq_class(half[1]);
    body.corners.push_back({mpq_class(center[0]) + c * u - s * v, mpq_class(center[1]) + s * u + c * v});
  }
  return body;
}

bool planar_contains(const PlanarBody& body, const PlanarPoint& p) {
  const std::size_t n = body.corners.size();
  if (planar_boundary_sq(body, p) == 0) return true;
  for (std::size_t i = 0; i < n; ++i) {
    const PlanarPoint &a = body.corners[i], &b = body.corners[(i + 1) % n];
    if (cross(b - a, p - a) <= 0) return false;
  }
  return true;
}

mpq_class planar_boundary_sq(const PlanarBody& body, const PlanarPoint& p) {
  const std::size_t n = body.corners.size();
  mpq_class best = to_segment_sq(p, body.corners[0], body.corners[n > 1 ? 1 : 0]);
  for (std::size_t i = 1; i < n; ++i)
    best = std::min(best, to_segment_sq(p, body.corners[i], body.corners[(i + 1) % n]));
  return best;
}

mpq_class planar_distance_sq(const PlanarBody& body, const PlanarPoint& a, const PlanarPoint& b) {
  if (planar_contains(body, a) || planar_contains(body, b)) return 0;
  const std::size_t n = body.corners.size();
  mpq_class best = segments_sq(a, b, body.corners[0], body.corners[n > 1 ? 1 : 0]);
  for (std::size_t i = 1; i < n; ++i)
    best = std::min(best, segments_sq(a, b, body.corners[i], body.corners[(i + 1) % n]));
  return best;
}

mpf_class planar_root(const mpq_class& square) { return sqrt(mpf_class(square, kBits)); }

namespace {

// Everything relative to the center of the arc, which rounds once.
struct Flat {
  Real x, y;
};
Real dot(const Flat& a, const Flat& b) { return a.x * b.x + a.y * b.y; }
Real cross(const Flat& a, const Flat& b) { return a.x * b.y - a.y * b.x; }
Real far(const Flat& a) { return std::hypot(a.x, a.y); }
Flat minus(const Flat& a, const Flat& b) { return {a.x - b.x, a.y - b.y}; }

struct FlatArc {
  Flat spoke;
  Real angle, radius;
  Flat at(Real turn) const {
    const Real c = std::cos(turn), s = std::sin(turn);
    return {c * spoke.x - s * spoke.y, s * spoke.x + c * spoke.y};
  }
  // Whether the arc passes the direction.
  bool passes(const Flat& direction) const {
    constexpr Real kTurn = 6.283185307179586476925286766559L;
    Real turn = std::atan2(cross(spoke, direction), dot(spoke, direction));
    if (angle < 0) turn = -turn;
    if (turn < 0) turn += kTurn;
    return turn <= std::abs(angle);
  }
};

Real to_point(const FlatArc& arc, const Flat& p) {
  Real best = std::min(far(minus(arc.spoke, p)), far(minus(arc.at(arc.angle), p)));
  if (arc.passes(p)) best = std::min(best, std::abs(far(p) - arc.radius));
  return best;
}

Real point_to_edge(const Flat& p, const Flat& a, const Flat& b) {
  const Flat e = minus(b, a), v = minus(p, a);
  const Real along = dot(v, e), length = dot(e, e);
  if (along <= 0) return far(v);
  if (along >= length) return far(minus(p, b));
  return std::abs(cross(v, e)) / std::sqrt(length);
}

Real to_edge(const FlatArc& arc, const Flat& a, const Flat& b) {
  Real best = std::min(
      {to_point(arc, a), to_point(arc, b), point_to_edge(arc.spoke, a, b), point_to_edge(arc.at(arc.angle), a, b)});
  const Flat e = minus(b, a);
  const Real length = far(e);
  if (!(length > 0)) return best;
  const Flat n{e.y / length, -e.x / length}, t{e.x / length, e.y / length};
  for (const int sign : {-1, 1}) {
    const Flat p{sign * arc.radius * n.x, sign * arc.radius * n.y};
    if (arc.passes(p)) best = std::min(best, point_to_edge(p, a, b));
  }
  // Where the circle meets the line.
  const Real level = dot(n, a);
  if (std::abs(level) > arc.radius) return best;
  const Real half = std::sqrt((arc.radius - level) * (arc.radius + level));
  for (const int sign : {-1, 1}) {
    const Flat p{level * n.x + sign * half * t.x, level * n.y + sign * half * t.y};
    const Real along = dot(minus(p, a), t);
    if (along >= 0 && along <= length && arc.passes(p)) return 0;
  }
  return best;
}

}  // namespace

Real planar_arc_distance(const PlanarBody& body, const std::array<double, 2>& center, const std::array<double, 2>& from,
                         Real angle) {
  constexpr Real kTurn = 6.283185307179586476925286766559L;
  const auto real = [](const mpq_class& q) {
    const double high = q.get_d();
    const mpq_class rest = q - mpq_class(high);
    return Real{high} + Real{rest.get_d()};
  };
  const auto relative = [&](const PlanarPoint& p) {
    return Flat{real(p.x - mpq_class(center[0])), real(p.y - mpq_class(center[1]))};
  };
  const PlanarPoint start{from[0], from[1]};
  if (planar_contains(body, start)) return 0;
  FlatArc arc{relative(start), std::clamp(angle, -kTurn, kTurn), 0};
  arc.radius = far(arc.spoke);
  const std::size_t n = body.corners.size();
  Real best = kRealInfinity;
  for (std::size_t i = 0; i < n; ++i) {
    const Flat a = relative(body.corners[i]);
    best = std::min(best, n > 1 ? to_edge(arc, a, relative(body.corners[(i + 1) % n])) : to_point(arc, a));
  }
  return best;
}

}  // namespace graze_oracle
