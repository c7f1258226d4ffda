// When a path in the plane first comes within reach of a point or an edge: closed forms that are never late.
//
// What rounding can do is added to the reach. Corners get twice as much of it as edges: a path that passes the end of
// an edge by rounding only is within reach of the corner.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "graze/base/elementary.h"
#include "graze/scene/planar_path.h"

namespace graze::planar {

inline double dot(const Vec2& a, const Vec2& b) { return a.x() * b.x() + a.y() * b.y(); }
inline double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }
inline double norm(const Vec2& v) { return std::sqrt(dot(v, v)); }
inline double norm1(const Vec2& v) { return std::abs(v.x()) + std::abs(v.y()); }
inline bool is_finite(const Vec2& v) { return std::isfinite(v.x()) && std::isfinite(v.y()); }

/// Corners of a convex polygon, counter-clockwise, as the caller's point and what is added to it.
struct Ring {
  Vec2 origin;
  std::span<const Vec2> corners;
  double rounding;        ///< by which the corners may differ from the true ones, m
  bool absolute = false;  ///< the origin is (0, 0)

  /// The origin as seen from a point.
  Vec2 from(const Vec2& base) const { return origin - base; }
  /// By which a corner that is added to that may differ from the true one, its own last rounding aside, m.
  double rounding_from(const Vec2& seen) const { return rounding + (absolute ? 0 : kEpsilon * norm1(seen)); }
};

/// From where positions on the path are counted: errors grow with the distance from there, not with coordinates.
inline const Vec2& base_of(const Path& path) { return path.is_arc() ? path.center() : path.from(); }

/// What rounding hides in positions at `v` from the base of the path, on things of this size.
inline double slack_of(const Path& path, const Vec2& v, double size) {
  constexpr double kOfLines = 8 * kEpsilon, kOfArcs = 16 * kEpsilon;  // angles round, too
  return path.is_arc() ? kOfArcs * (norm1(v) + size + path.radius()) : kOfLines * (norm1(v) + size);
}

namespace entry {

inline constexpr double kTurn = 6.283185307179586;
inline constexpr double kEarlier = 1 - 4 * kEpsilon, kLater = 1 + 4 * kEpsilon;

/// The angle from `a` to `b` in the direction of the path, from 0 to a turn.
inline double turn_to(const Path& path, const Vec2& a, const Vec2& b) {
  const double angle = elementary::atan2(cross(a, b), dot(a, b));
  const double along = path.angle() < 0 ? -angle : angle;
  return along < 0 ? along + kTurn : along;
}
/// A length along a line, or an angle along an arc, as a fraction.
inline double fraction_of(double at, double whole) {
  return at > whole * kLater ? kInfinity : std::clamp(at / whole * kEarlier, 0.0, 1.0);
}

inline double line_disc(const Path& path, const Vec2& v, double reach) {
  const double length = path.length();
  const double along = dot(v, path.displacement()) / length, beside = std::abs(cross(v, path.displacement())) / length;
  if (beside > reach || along < 0) return kInfinity;
  const double half = std::sqrt(std::max(0.0, (reach - beside) * (reach + beside)));
  return fraction_of(along - half, length);
}

// Squared distances from `v` are (ρ − |v|)² + 4 ρ |v| sin²(δ/2), δ the angle to where the path is nearest.
inline double arc_disc(const Path& path, const Vec2& v, double reach) {
  const double far = norm(v), radius = path.radius(), apart = std::abs(radius - far);
  if (apart > reach) return kInfinity;
  const double room = (reach - apart) * (reach + apart), whole = 4 * radius * far;
  if (room >= whole) return 0;
  const double half = 2 * elementary::atan2(std::sqrt(room), std::sqrt(whole - room));
  return fraction_of(std::max(0.0, turn_to(path, path.spoke(), v) - half), std::abs(path.angle()));
}

}  // namespace entry

/// The first fraction at which the path is within reach of a point, `v` from the base of the path; never later than
/// the truth, infinite if that is nowhere. Only for paths that do not start within reach.
inline double enters_disc(const Path& path, const Vec2& v, double reach, double rounding) {
  if (!(path.length() > 0)) return kInfinity;
  const double grown = reach + 2 * (slack_of(path, v, reach) + rounding);
  return path.is_arc() ? entry::arc_disc(path, v, grown) : entry::line_disc(path, v, grown);
}

/// The same for the outer side of an edge, the right one, from `a` by `e`.
inline double enters_edge(const Path& path, const Vec2& a, const Vec2& e, double reach, double rounding) {
  const double size = norm(e);
  if (!(size > 0 && path.length() > 0)) return kInfinity;
  const double slack = slack_of(path, a, size + reach) + rounding, grown = reach + slack;
  const Vec2 normal(e.y() / size, -e.x() / size);
  const auto beside = [&](const Vec2& p) {
    const double along = dot(p - a, e) / size;
    return along < -slack || along > size + slack;
  };
  if (!path.is_arc()) {
    const double gap = -dot(normal, a), fall = -dot(normal, path.displacement()) / path.length();
    if (!(fall > 0) || gap < reach - slack) return kInfinity;
    const double at = std::max(0.0, (gap - grown) / fall);
    const double fraction = entry::fraction_of(at, path.length());
    return fraction == kInfinity || beside((at / path.length()) * path.displacement()) ? kInfinity : fraction;
  }
  const double radius = path.radius(), level = grown + dot(normal, a);  // of the line, seen from the center
  const double start = dot(normal, path.spoke()) - dot(normal, a);
  // Also where rounding decides whether the line was crossed just now or will be in a turn.
  if (start <= grown + slack && start >= reach - slack && !beside(path.spoke())) return 0;
  if (level < -radius || level > radius) return kInfinity;
  const double half = 2 * elementary::atan2(std::sqrt(radius - level), std::sqrt(radius + level));
  double at = entry::turn_to(path, path.spoke(), normal) + half;
  if (at >= entry::kTurn) at -= entry::kTurn;
  const double fraction = entry::fraction_of(at, std::abs(path.angle()));
  if (fraction == kInfinity) return kInfinity;
  const elementary::SinCos turn = elementary::sin_cos(path.angle() < 0 ? -at : at);
  const Vec2& s = path.spoke();
  const Vec2 there(turn.cos * s.x() - turn.sin * s.y(), turn.sin * s.x() + turn.cos * s.y());
  return beside(there) ? kInfinity : fraction;
}

/// The same for a convex polygon.
inline double enters_ring(const Path& path, const Ring& ring, double reach) {
  double first = kInfinity;
  const Vec2 origin = ring.from(base_of(path));
  const double rounding = ring.rounding_from(origin);
  for (std::size_t i = 0, n = ring.corners.size(); i < n; ++i) {
    const Vec2 a = origin + ring.corners[i];
    const Vec2 e = ring.corners[i + 1 < n ? i + 1 : 0] - ring.corners[i];
    first = std::min({first, enters_disc(path, a, reach, rounding), enters_edge(path, a, e, reach, rounding)});
  }
  return first;
}

}  // namespace graze::planar
