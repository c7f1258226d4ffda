// Random bounded shapes with points on their surfaces and an independent test of what is inside, to check the answers
// of the library.
#pragma once

#include <cmath>
#include <numbers>
#include <variant>
#include <vector>

#include "graze/shape/shape.h"
#include "support/generator.h"

namespace graze_test {

using graze::Vec3;

inline Vec3 on_circle(double radius, Generator& random) {
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  return {radius * std::cos(angle), radius * std::sin(angle), 0};
}

/// Some point of the surface, corners, rims and edges included.
struct SurfacePoint {
  Generator& random;

  Vec3 operator()(const graze::Sphere& s) const { return s.radius * random.direction(); }
  Vec3 operator()(const graze::Capsule& c) const {
    if (random.integer(0, 1) == 0)
      return on_circle(c.radius, random) + Vec3(0, 0, c.half_length * random.uniform(-1, 1));
    const Vec3 d = random.direction();
    return c.radius * d + Vec3(0, 0, std::copysign(c.half_length, d.z()));
  }
  Vec3 operator()(const graze::Box& b) const {
    Vec3 p = random.in_cube(1);
    const int fixed = random.integer(1, 7);  // which coordinates are at a face: a face, an edge or a corner
    for (int axis = 0; axis < 3; ++axis) {
      if ((fixed >> axis & 1) != 0) p[axis] = std::copysign(1.0, p[axis]);
    }
    return p.cwiseProduct(b.half.value());
  }
  Vec3 operator()(const graze::Triangle& t) const {
    double u = random.uniform(0, 1), v = random.uniform(0, 1);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    if (random.integer(0, 3) == 0) return t.vertices()[static_cast<std::size_t>(random.integer(0, 2))];
    return t.a() + u * (t.b() - t.a()) + v * (t.c() - t.a());
  }
  Vec3 operator()(const graze::Cylinder& c) const {
    const double z = random.integer(0, 1) == 0 ? random.uniform(-1, 1) : std::copysign(1.0, random.uniform(-1, 1));
    return on_circle(c.radius, random) + Vec3(0, 0, c.half_length * z);
  }
  Vec3 operator()(const graze::Cone& c) const {
    const double up = random.integer(0, 1) == 0 ? random.uniform(0, 1) : random.integer(0, 1);
    return on_circle((1 - up) * c.radius, random) + Vec3(0, 0, (2 * up - 1) * c.half_length);
  }
  Vec3 operator()(const graze::Ellipsoid& e) const { return e.radii.value().cwiseProduct(random.direction()); }
  Vec3 operator()(const graze::Convex& c) const {
    const auto& v = c.vertices();
    const auto pick = [&] { return v[random.bits() % v.size()]; };
    const double t = random.integer(0, 1) == 0 ? 0 : random.uniform(0, 1);
    const Vec3 a = pick();
    return a + t * (pick() - a);
  }
};

/// Whether p lies in the shape or sticks out of it by no more than `slack` (metres, for slack well below the sizes).
struct Inside {
  Vec3 p;
  double slack = 0;

  double across() const { return std::hypot(p.x(), p.y()); }
  bool operator()(const graze::Sphere& s) const { return p.norm() <= s.radius + slack; }
  bool operator()(const graze::Capsule& c) const {
    const double z = std::max(0.0, std::abs(p.z()) - c.half_length);
    return std::hypot(across(), z) <= c.radius + slack;
  }
  bool operator()(const graze::Box& b) const { return (p.cwiseAbs().array() <= b.half.value().array() + slack).all(); }
  bool operator()(const graze::Cylinder& c) const {
    return across() <= c.radius + slack && std::abs(p.z()) <= c.half_length + slack;
  }
  bool operator()(const graze::Cone& c) const {
    const double h = c.half_length, slant = std::hypot(2 * h, double{c.radius});
    if (h == 0) return std::abs(p.z()) <= slack && across() <= c.radius + slack;
    return p.z() >= -h - slack && (2 * h * across() + c.radius * (p.z() - h)) / slant <= slack;
  }
  bool operator()(const graze::Ellipsoid& e) const {
    return p.cwiseQuotient(e.radii.value()).norm() <= 1 + slack / e.radii.value().minCoeff();
  }
};

/// One of the closed-form shapes, sizes 10^low to 10^high; with `zeros` some are 0.
inline graze::Shape random_body(int kind, double low, double high, Generator& random, bool zeros = false) {
  const auto size = [&] { return zeros && random.integer(0, 5) == 0 ? 0 : random.magnitude(low, high); };
  const auto radius = [&] { return random.magnitude(low, high); };
  switch (kind) {
    case 0:
      return graze::Sphere{.radius = size()};
    case 1:
      return graze::Capsule{.radius = size(), .half_length = size()};
    case 2:
      return graze::Box{.half = {size(), size(), size()}};
    case 3:
      return graze::Cylinder{.radius = size(), .half_length = size()};
    case 4:
      return graze::Cone{.radius = size(), .half_length = size()};
    default:
      return graze::Ellipsoid{.radii = {radius(), radius(), radius()}};
  }
}
inline constexpr int kBodies = 6;

inline std::vector<Vec3> random_points(int count, double half, Generator& random) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(random.in_cube(half));
  return points;
}

}  // namespace graze_test
