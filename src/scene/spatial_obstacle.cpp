#include "graze/scene/spatial_obstacle.h"

#include <algorithm>
#include <cmath>

#include "base/overloads.h"
#include "graze/query/collide.h"
#include "graze/query/point.h"
#include "graze/query/sweep.h"
#include "graze/query/sweep_sphere.h"
#include "scene/certified_steps.h"
#include "scene/data.h"

namespace graze::spatial {
namespace {

constexpr double kEarlier = 1 - 4 * kEpsilon, kLater = 1 + 4 * kEpsilon, kTurn = 6.283185307179586;

bool is_ball(const Vec3& point, double radius) { return is_finite(point) && radius >= 0 && radius <= kLargestLength; }

NearestPoint nearest_of(const Placed& body, const Vec3& q, double limit) {
  const ClosestPoint c = closest_point(body, q, limit);
  return {c.distance, c.point, c.tolerance};
}

// As an obstacle of which no more is known.
struct AsCustom {
  const Placed& body;
  NearestPoint nearest(const Vec3& q) const { return nearest_of(body, q, kInfinity); }
  std::optional<bool> collide(const Vec3& q, double radius) const {
    return graze::collide(body, at(Sphere{.radius = radius}, Pose::at(q)));
  }
  bool convex() const { return false; }
};

template <class Any>
Hit by_steps(const Any& obstacle, const Path& path, double radius) {
  scene::Walk<Vec3> walk{.whole = path.length()};
  walk.length = path.length() * kLater;
  // After a turn the positions repeat.
  if (path.kind() == Path::Kind::arc) walk.length = std::min(walk.length, path.radius() * kTurn * kLater);
  if (path.kind() == Path::Kind::line) walk.displacement = &path.displacement();
  const double size = path.from().cwiseAbs().sum() + path.center().cwiseAbs().sum() + path.radius() + path.length();
  walk.rounding = 16 * kEpsilon * (size + radius);
  return scene::certified_steps<Hit>(obstacle, path, walk, radius);
}

Hit on_line(const Placed& body, const Path& path, double radius) {
  Hit hit;
  const SphereHit found = sweep_sphere(body, SphereMove(path.from(), path.to(), radius));
  hit.fraction = found.fraction;
  hit.certain = found.certain;
  return hit;
}

Hit on_arc(const Placed& body, const Path& path, double radius) {
  constexpr double kNear = 1e-9;  // metres
  // After a turn the positions repeat.
  const double angle = std::clamp(path.angle(), -kTurn * kLater, kTurn * kLater);
  const Screw turn(Pose::at(path.from()), path.center(), path.axis(), angle);
  const double size = path.from().cwiseAbs().sum() + path.center().cwiseAbs().sum() + path.radius() + radius;
  const Sweep found = sweep(at(Sphere{.radius = radius}, turn), body, {.tolerance = std::max(kNear, 1e-12 * size)});
  Hit hit;
  if (!found.hit) return hit;
  hit.fraction = path.angle() != 0 ? found.time * (angle / path.angle()) * kEarlier : 0;
  hit.certain = found.certain;
  return hit;
}

}  // namespace

Aabb bounds(const Obstacle& obstacle) {
  return std::visit(Overloads{[](const Placed& body) { return scene::box_of(body, 0, 0); },
                              [](const Custom& custom) { return custom.bounds(); }},
                    obstacle);
}

NearestPoint nearest(const Obstacle& obstacle, const Vec3& point, double limit) {
  if (!is_finite(point)) return {.distance = std::numeric_limits<double>::quiet_NaN(), .point = point};
  return std::visit(Overloads{[&](const Placed& body) { return nearest_of(body, point, limit); },
                              [&](const Custom& custom) {
                                const NearestPoint near = custom.nearest(point);
                                return near.distance > limit ? NearestPoint() : near;
                              }},
                    obstacle);
}

bool collide(const Obstacle& obstacle, const Vec3& point, double radius) {
  if (!is_ball(point, radius)) return true;
  return std::visit(Overloads{[&](const Placed& body) { return *AsCustom{body}.collide(point, radius); },
                              [&](const Custom& custom) {
                                if (const auto own = custom.collide(point, radius)) return *own;
                                const NearestPoint near = custom.nearest(point);
                                return !(near.distance - near.tolerance > radius);
                              }},
                    obstacle);
}

Hit sweep(const Obstacle& obstacle, const Path& path, double radius) {
  Hit hit;
  if (!(radius >= 0 && radius <= kLargestLength)) {
    hit.fraction = 0, hit.certain = false;
    hit.center = hit.point = path.from();
    return hit;
  }
  if (const auto* custom = std::get_if<Custom>(&obstacle)) {
    const auto own = custom->sweep(path, radius);
    return own ? *own : by_steps(*custom, path, radius);
  }
  const Placed& body = std::get<Placed>(obstacle);
  if (path.kind() == Path::Kind::curve) return by_steps(AsCustom{body}, path, radius);
  if (collide(obstacle, path.from(), radius)) hit.fraction = 0;
  else hit = path.kind() == Path::Kind::line ? on_line(body, path, radius) : on_arc(body, path, radius);
  if (!hit.found()) return hit;
  hit.center = path.at(hit.fraction);
  hit.point = nearest_of(body, hit.center, kInfinity).point;
  return hit;
}

}  // namespace graze::spatial
