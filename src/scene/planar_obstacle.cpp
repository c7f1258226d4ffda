#include "graze/scene/planar_obstacle.h"

#include <fmt/format.h>

#include "base/overloads.h"
#include "graze/base/error.h"
#include "scene/planar_check.h"
#include "scene/planar_entry.h"
#include "scene/planar_shapes.h"

namespace graze::planar {

Vec2 checked_point(const char* field, const Vec2& point) {
  if (!is_finite(point) || !(point.cwiseAbs().maxCoeff() <= kLargestLength))
    throw Error(field, fmt::format("coordinates must be finite and at most 1e50, got ({}, {})", point.x(), point.y()));
  return point + Vec2::Zero();
}

Vec2 checked_size(const char* field, checked::Sign sign, const Vec2& size) {
  return {checked::size(field, sign, size.x()), checked::size(field, sign, size.y())};
}

Circle::Circle(const Vec2& center, double radius)
    : center_(checked_point("center", center)), radius_(checked::size("radius", checked::Sign::not_negative, radius)) {}

Rectangle::Rectangle(const Vec2& center, const Vec2& half, double angle)
    : center_(checked_point("center", center)),
      half_(checked_size("half", checked::Sign::not_negative, half)),
      angle_(angle) {
  if (!(std::abs(angle) <= kLargestLength))
    throw Error("angle", fmt::format("must be finite and at most 1e50, got {}", angle));
  const elementary::SinCos turn = elementary::sin_cos(angle);
  axis_ = {turn.cos, turn.sin};
  const Vec2 x = half_.x() * axis_, y = half_.y() * Vec2(-axis_.y(), axis_.x());
  corners_ = {-x - y, x - y, x + y, y - x};
}

double rounding_of(const Rectangle& rectangle) {
  return rectangle.angle() == 0 ? 0 : 4 * kEpsilon * (rectangle.half().x() + rectangle.half().y());
}

Ring ring_of(const Rectangle& rectangle) { return {rectangle.center(), rectangle.corners(), rounding_of(rectangle)}; }
Ring ring_of(const Polygon& polygon) { return {Vec2::Zero(), polygon.corners(), 0, true}; }

Aabb2 bounds_of(const Circle& circle) {
  const double half = circle.radius() + 4 * kEpsilon * (norm1(circle.center()) + circle.radius());
  return Aabb2::around(circle.center(), Vec2::Constant(half));
}

Aabb2 bounds_of(const Ring& ring) {
  Aabb2 box;
  for (const Vec2& corner : ring.corners) {
    const Vec2 at = ring.origin + corner;
    box.extend({at, at});
  }
  const double size = std::max(norm1(box.min), norm1(box.max));
  return box.grown(ring.rounding + 4 * kEpsilon * (size + norm1(ring.origin)));
}

NearestPoint nearest_of(const Circle& circle, const Vec2& q) {
  const Vec2 offset = q - circle.center();
  const double far = norm(offset);
  // From the center all points are as near; the first axis is as good as any.
  const Vec2 direction = far > 0 ? Vec2(offset / far) : Vec2(1, 0);
  return {far - circle.radius(), circle.center() + circle.radius() * direction, 8 * kEpsilon * (far + circle.radius())};
}

NearestPoint nearest_of(const Ring& ring, const Vec2& q) {
  NearestPoint best;
  Vec2 to_best = Vec2::Zero();
  bool inside = true;
  const Vec2 origin = ring.from(q);
  double size = 0;
  for (std::size_t i = 0, n = ring.corners.size(); i < n; ++i) {
    const Vec2 a = origin + ring.corners[i];
    const Vec2 e = ring.corners[i + 1 < n ? i + 1 : 0] - ring.corners[i];
    const double length_sq = dot(e, e), along = -dot(a, e), beside = cross(a, e);
    inside = inside && beside > 0;
    size = std::max(size, norm1(a) + norm1(e));
    // An end, or the foot on the edge.
    double far = 0;
    Vec2 to;
    if (!(along > 0)) {
      to = a;
      far = norm(to);
    } else if (along >= length_sq) {
      to = a + e;
      far = norm(to);
    } else {
      const double length = std::sqrt(length_sq);
      far = std::abs(beside) / length;
      to = (beside / length_sq) * Vec2(e.y(), -e.x());
    }
    if (far < best.distance) best.distance = far, to_best = to;
  }
  if (inside) best.distance = -best.distance;
  best.point = q + to_best;
  best.tolerance = 8 * kEpsilon * size + ring.rounding_from(origin);
  return best;
}

bool touches(const NearestPoint& near, double radius) { return !(near.distance - near.tolerance > radius); }

Aabb2 bounds(const Obstacle& obstacle) {
  return std::visit(
      Overloads{[](const Circle& circle) { return bounds_of(circle); },
                [](const Rectangle& rectangle) { return bounds_of(ring_of(rectangle)); },
                [](const Polygon& polygon) { return bounds_of(ring_of(polygon)); },
                [](const Grid& grid) { return bounds_of(grid); }, [](const Custom& custom) { return custom.bounds(); }},
      obstacle);
}

NearestPoint nearest(const Obstacle& obstacle, const Vec2& point) {
  if (!is_finite(point)) return {.distance = std::numeric_limits<double>::quiet_NaN(), .point = point};
  return std::visit(Overloads{[&](const Circle& circle) { return nearest_of(circle, point); },
                              [&](const Rectangle& rectangle) { return nearest_of(ring_of(rectangle), point); },
                              [&](const Polygon& polygon) { return nearest_of(ring_of(polygon), point); },
                              [&](const Grid& grid) { return nearest_of(grid, point); },
                              [&](const Custom& custom) { return custom.nearest(point); }},
                    obstacle);
}

bool collide(const Obstacle& obstacle, const Vec2& point, double radius) {
  if (!is_finite(point) || !(radius >= 0)) return true;
  return std::visit(Overloads{[&](const Grid& grid) { return touches_within(grid, point, radius); },
                              [&](const Custom& custom) {
                                if (const auto own = custom.collide(point, radius)) return *own;
                                return touches(custom.nearest(point), radius);
                              },
                              [&](const auto&) { return touches(nearest(obstacle, point), radius); }},
                    obstacle);
}

Hit sweep(const Obstacle& obstacle, const Path& path, double radius) {
  if (const auto* custom = std::get_if<Custom>(&obstacle)) return sweep_of(*custom, path, radius);
  Hit hit;
  if (collide(obstacle, path.from(), radius)) {
    hit.fraction = 0;
  } else {
    hit.fraction =
        std::visit(Overloads{[&](const Circle& circle) {
                               const double reach = circle.radius() + radius;
                               return enters_disc(path, circle.center() - base_of(path), reach, kEpsilon * reach);
                             },
                             [&](const Rectangle& rectangle) { return enters_ring(path, ring_of(rectangle), radius); },
                             [&](const Polygon& polygon) { return enters_ring(path, ring_of(polygon), radius); },
                             [&](const Grid& grid) { return enters_grid(path, grid, radius); },
                             [&](const Custom&) { return kInfinity; }},
                   obstacle);
  }
  if (!hit.found()) return hit;
  hit.center = path.at(hit.fraction);
  hit.point = nearest(obstacle, hit.center).point;
  return hit;
}

}  // namespace graze::planar
