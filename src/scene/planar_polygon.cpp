// Which polygons are convex, and the tangents to them.
#include <fmt/format.h>

#include "base/overloads.h"
#include "base/two_sum.h"
#include "graze/base/error.h"
#include "graze/scene/planar_obstacle.h"
#include "scene/planar_check.h"
#include "scene/planar_shapes.h"

namespace graze::planar {
namespace {

// Whether the path a, b, c turns left (1), right (−1) or not at all, by what 104 digits can show.
int turn_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  const auto minus = [](double x, double y) { return two_sum(x, -y); };
  const DoubleDouble left = product(minus(b.x(), a.x()), minus(c.y(), b.y()));
  const DoubleDouble right = product(minus(b.y(), a.y()), minus(c.x(), b.x()));
  const double turn = difference(left, right);
  const double rounding = 0x1p-98 * (std::abs(left.sum) + std::abs(right.sum));
  return turn > rounding ? 1 : turn < -rounding ? -1 : 0;
}

// Directions from 0 up to half a turn.
bool upper(const Vec2& e) { return e.y() > 0 || (e.y() == 0 && e.x() > 0); }

[[noreturn]] void refuse(std::size_t corner, const char* why) { throw Error(fmt::format("points[{}]", corner), why); }

struct Corner {
  Vec2 at;
  std::size_t index;  // of the caller
};

// Without those that repeat the one before.
std::vector<Corner> distinct(std::span<const Vec2> points) {
  std::vector<Corner> corners;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 at = checked_point(fmt::format("points[{}]", i).c_str(), points[i]);
    if (corners.empty() || corners.back().at != at) corners.push_back({at, i});
  }
  while (corners.size() > 1 && corners.back().at == corners.front().at) corners.pop_back();
  return corners;
}

}  // namespace

Polygon::Polygon(std::span<const Vec2> points) {
  const std::vector<Corner> corners = distinct(points);
  const std::size_t n = corners.size();
  if (n < 3) throw Error("points", fmt::format("expected at least 3 different ones, got {}", n));
  std::vector<int> turns(n);
  std::size_t left = 0, right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    turns[i] = turn_of(corners[(i + n - 1) % n].at, corners[i].at, corners[(i + 1) % n].at);
    left += turns[i] > 0 ? 1 : 0, right += turns[i] < 0 ? 1 : 0;
  }
  if (left == 0 && right == 0)
    throw Error("points", "lie on one line; a segment is a rectangle with a half extent of 0");
  if (left == 0) throw Error("points", "must be counter-clockwise, these are clockwise");
  if (right > 0) {
    // Most corners of a clockwise polygon turn right; of the others the first is to blame.
    const int wrong = right <= left ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (turns[i] == wrong) {
        refuse(corners[i].index, right <= left ? "makes the polygon concave; divide it into convex ones"
                                               : "makes the polygon concave, and its points are clockwise");
      }
    }
  }
  std::vector<Vec2> kept;
  std::size_t wraps = 0;
  bool was_upper = upper(corners[0].at - corners[n - 1].at);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 before = corners[i].at - corners[(i + n - 1) % n].at, after = corners[(i + 1) % n].at - corners[i].at;
    if (turns[i] == 0 && dot(before, after) < 0) refuse(corners[i].index, "is where the polygon turns back");
    if (turns[i] != 0) kept.push_back(corners[i].at);
    const bool is_upper = upper(after);
    wraps += is_upper && !was_upper ? 1 : 0;
    was_upper = is_upper;
  }
  if (wraps != 1) throw Error("points", fmt::format("go around {} times, expected once", wraps));
  corners_ = std::make_shared<const std::vector<Vec2>>(std::move(kept));
}

namespace {

// Of the two tangents from the origin to a disc that it is outside of: where it touches.
struct Sides {
  Vec2 left, right;
};
Sides sides_of(const Vec2& center, double radius) {
  const double far = norm(center);
  const double length = std::sqrt(std::max(0.0, (far - radius) * (far + radius)));
  const double cosine = length / far, sine = radius / far;
  const Vec2 along = (cosine * cosine) * center, across = (cosine * sine) * Vec2(-center.y(), center.x());
  return {along + across, along - across};
}

Tangents tangents_of(const Circle& circle, const Vec2& q, double radius) {
  const Sides sides = sides_of(circle.center() - q, circle.radius() + radius);
  return {q + sides.left, q + sides.right};
}

// All corners lie within half a turn of each other; of those in a row the nearest counts.
Tangents tangents_of(const Ring& ring, const Vec2& q, double radius) {
  Sides best;
  const Vec2 origin = ring.origin - q;
  for (std::size_t i = 0; i < ring.corners.size(); ++i) {
    const Sides sides = sides_of(origin + ring.corners[i], radius);
    const auto wins = [&](const Vec2& a, const Vec2& b, double sign) {
      const double turn = sign * cross(b, a);
      return i == 0 || turn > 0 || (turn == 0 && dot(a, a) < dot(b, b));
    };
    if (wins(sides.left, best.left, 1)) best.left = sides.left;
    if (wins(sides.right, best.right, -1)) best.right = sides.right;
  }
  return {q + best.left, q + best.right};
}

}  // namespace

std::optional<Tangents> tangents(const Obstacle& obstacle, const Vec2& point, double radius) {
  if (collide(obstacle, point, radius)) return std::nullopt;
  using Result = std::optional<Tangents>;
  return std::visit(
      Overloads{[&](const Circle& circle) -> Result { return tangents_of(circle, point, radius); },
                [&](const Rectangle& rectangle) -> Result { return tangents_of(ring_of(rectangle), point, radius); },
                [&](const Polygon& polygon) -> Result { return tangents_of(ring_of(polygon), point, radius); },
                [&](const Grid&) -> Result { return std::nullopt; },
                [&](const Custom&) -> Result { return std::nullopt; }},
      obstacle);
}

}  // namespace graze::planar
