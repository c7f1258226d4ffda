// Clouds of points for tests and benchmarks: a table with a shelf, sampled and seen by a depth camera, and clouds
// that are hard for indices. The same seed gives the same points everywhere.
#pragma once

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "generator.h"

namespace graze_test {

using Point = std::array<float, 3>;
using Points = std::vector<Point>;

inline std::span<const float> floats(const Points& points) {
  return {points.empty() ? nullptr : points.front().data(), 3 * points.size()};
}

/// A solid of the scene, upright.
struct Solid {
  enum class Kind { box, cylinder, ball } kind;
  graze::Vec3 center, half;  // of a cylinder: radius, radius, half height; of a ball: its radius three times
};

/// A table and a shelf with things on them, about 2 m × 1.4 m × 1.5 m; `room` adds a floor and a wall.
inline std::vector<Solid> table_and_shelf(bool room) {
  using Kind = Solid::Kind;
  std::vector<Solid> solids{{Kind::box, {0.6, 0, 0.38}, {0.4, 0.7, 0.02}}};
  for (const double x : {-0.36, 0.36}) {
    for (const double y : {-0.66, 0.66}) solids.push_back({Kind::box, {0.6 + x, y, 0.18}, {0.025, 0.025, 0.18}});
  }
  for (int k = 0; k < 5; ++k) solids.push_back({Kind::box, {1.25, 0, 0.05 + 0.35 * k}, {0.16, 0.6, 0.012}});
  for (const double y : {-0.6, 0.6}) solids.push_back({Kind::box, {1.25, y, 0.75}, {0.16, 0.012, 0.75}});
  solids.push_back({Kind::box, {1.41, 0, 0.75}, {0.006, 0.6, 0.75}});
  Generator random(7);
  for (int i = 0; i < 14; ++i) {
    const double x = 0.6 + random.uniform(-0.32, 0.32), y = random.uniform(-0.6, 0.6);
    const double a = random.uniform(0.03, 0.05), h = random.uniform(0.05, 0.11);
    if (i % 3 == 2) {
      solids.push_back({Kind::ball, {x, y, 0.4 + a}, {a, a, a}});
    } else {
      solids.push_back({i % 3 == 0 ? Kind::box : Kind::cylinder, {x, y, 0.4 + h}, {a, a, h}});
    }
  }
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 4; ++j) {
      const double y = -0.45 + 0.3 * j + random.uniform(-0.03, 0.03), h = random.uniform(0.06, 0.11);
      const double a = random.uniform(0.03, 0.06);
      solids.push_back({(k + j) % 2 == 0 ? Kind::box : Kind::cylinder, {1.22, y, 0.062 + 0.35 * k + h}, {a, a, h}});
    }
  }
  if (room) {
    solids.push_back({Kind::box, {1, 0, -0.02}, {2, 2, 0.02}});
    solids.push_back({Kind::box, {2.2, 0, 1.25}, {0.02, 2.5, 1.25}});
  }
  return solids;
}

inline double area(const Solid& s) {
  constexpr double kPi = 3.14159265358979;
  const graze::Vec3& h = s.half;
  switch (s.kind) {
    case Solid::Kind::box:
      return 8 * (h.x() * h.y() + h.y() * h.z() + h.x() * h.z());
    case Solid::Kind::cylinder:
      return 2 * kPi * h.x() * (2 * h.z() + h.x());
    case Solid::Kind::ball:
      break;
  }
  return 4 * kPi * h.x() * h.x();
}

/// Roughly normal with standard deviation 1.
inline double noise(Generator& random) { return random.uniform(-1, 1) + random.uniform(-1, 1) + random.uniform(-1, 1); }

inline graze::Vec3 on_surface(const Solid& s, Generator& random) {
  const graze::Vec3& h = s.half;
  graze::Vec3 p = s.center;
  const double side = random.uniform(0, 1) < 0.5 ? -1 : 1;
  if (s.kind == Solid::Kind::ball) return p + h.x() * random.direction();
  if (s.kind == Solid::Kind::box) {
    const double ax = h.y() * h.z(), ay = h.x() * h.z(), az = h.x() * h.y();
    const double t = random.uniform(0, ax + ay + az);
    const int flat = t < ax ? 0 : t < ax + ay ? 1 : 2;
    for (int axis = 0; axis < 3; ++axis) p[axis] += axis == flat ? side * h[axis] : random.uniform(-h[axis], h[axis]);
    return p;
  }
  const double angle = random.uniform(0, 6.283185307), round = 2 * h.z(), cap = h.x();
  const bool on_side = random.uniform(0, round + cap) < round;
  const double r = on_side ? h.x() : h.x() * std::sqrt(random.uniform(0, 1));
  return p +
         graze::Vec3(r * std::cos(angle), r * std::sin(angle), on_side ? random.uniform(-h.z(), h.z()) : side * h.z());
}

inline Point to_point(const graze::Vec3& p) {
  return {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())};
}

/// `count` points on the surfaces of the scene, evenly, with half a millimetre of noise.
inline Points surface_samples(const std::vector<Solid>& scene, std::size_t count, std::uint64_t seed) {
  std::vector<double> up_to;
  double total = 0;
  for (const Solid& s : scene) up_to.push_back(total += area(s));
  Generator random(seed);
  Points points;
  points.reserve(count);
  while (points.size() < count) {
    const auto at = std::upper_bound(up_to.begin(), up_to.end() - 1, random.uniform(0, total)) - up_to.begin();
    const graze::Vec3 p = on_surface(scene[static_cast<std::size_t>(at)], random);
    const double x = noise(random), y = noise(random);
    points.push_back(to_point(p + 0.0005 * graze::Vec3(x, y, noise(random))));
  }
  return points;
}

/// How far a ray goes until it meets the solid; infinity if it does not.
inline double ray_length(const Solid& s, const graze::Vec3& from, const graze::Vec3& direction) {
  const graze::Vec3 o = from - s.center;
  const graze::Vec3& h = s.half;
  if (s.kind == Solid::Kind::ball) {
    const double b = o.dot(direction), c = o.squaredNorm() - h.x() * h.x();
    const double root = b * b - c;
    const double t = root < 0 ? -1 : -b - std::sqrt(root);
    return t > 0 ? t : graze::kInfinity;
  }
  double enter = 0, leave = graze::kInfinity;
  const auto slab = [&](double at, double along, double half) {
    const double a = (-half - at) / along, b = (half - at) / along;
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  };
  slab(o.z(), direction.z(), h.z());
  if (s.kind == Solid::Kind::box) {
    slab(o.x(), direction.x(), h.x());
    slab(o.y(), direction.y(), h.y());
  } else {
    const double a = direction.head<2>().squaredNorm(), b = o.head<2>().dot(direction.head<2>());
    const double root = b * b - a * (o.head<2>().squaredNorm() - h.x() * h.x());
    if (root < 0) return graze::kInfinity;
    enter = std::max(enter, (-b - std::sqrt(root)) / a);
    leave = std::min(leave, (-b + std::sqrt(root)) / a);
  }
  return enter <= leave && enter > 0 ? enter : graze::kInfinity;
}

/// What a depth camera of width × height pixels sees of the scene, row by row: NaN where nothing is within 4 m.
inline Points depth_frame(const std::vector<Solid>& scene, int width = 640, int height = 480, std::uint64_t seed = 3) {
  const graze::Vec3 eye(-0.5, -0.35, 1.25), target(0.95, 0, 0.55);
  const graze::Vec3 forward = (target - eye).normalized();
  const graze::Vec3 right = forward.cross(graze::Vec3(0, 0, 1)).normalized(), up = right.cross(forward);
  const double focal = 525.0 * width / 640;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Generator random(seed);
  Points points;
  points.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const double a = (column - width / 2.0 + 0.5) / focal, b = (row - height / 2.0 + 0.5) / focal;
      const graze::Vec3 direction = (forward + a * right - b * up).normalized();
      double t = graze::kInfinity;
      for (const Solid& s : scene) t = std::min(t, ray_length(s, eye, direction));
      if (t < 4) {
        t += 0.001 * t * t * noise(random);
        points.push_back(to_point(eye + t * direction));
      } else {
        points.push_back({nan, nan, nan});
      }
    }
  }
  return points;
}

inline Points uniform_points(std::size_t count, double half, std::uint64_t seed) {
  Generator random(seed);
  Points points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(to_point(random.in_cube(half)));
  return points;
}

inline Points on_sphere(std::size_t count, double radius, std::uint64_t seed) {
  Generator random(seed);
  Points points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(to_point(radius * random.direction()));
  return points;
}

inline Points on_line(std::size_t count, const graze::Vec3& from, const graze::Vec3& to, std::uint64_t seed) {
  Generator random(seed);
  Points points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(to_point(from + random.uniform(0, 1) * (to - from)));
  return points;
}

/// Clusters of 1 mm, spread over `half`.
inline Points clusters(std::size_t count, std::size_t groups, double half, std::uint64_t seed) {
  Generator random(seed);
  std::vector<graze::Vec3> centers{{0, 0, 0}};
  while (centers.size() < groups) centers.push_back(random.in_cube(half));
  Points points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(to_point(centers[i % groups] + random.in_cube(0.0005)));
  return points;
}

/// Around the origin at ever smaller scales, with equally many points at each: grids nest as deeply as floats allow.
inline Points at_all_scales(std::size_t count, std::uint64_t seed) {
  constexpr int kScales = 65;
  Generator random(seed);
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(to_point(random.in_cube(std::ldexp(1.0, 30 - 2 * static_cast<int>(i % kScales)))));
  }
  return points;
}

/// Every `each`-th point loses a coordinate.
inline Points with_gaps(Points points, std::size_t each) {
  const float odd[3] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < points.size(); i += each) points[i][i % 3] = odd[i / 3 % 3];
  return points;
}

inline Points moved(Points points, const graze::Vec3& by) {
  for (Point& p : points) {
    for (std::size_t axis = 0; axis < 3; ++axis) p[axis] = static_cast<float>(p[axis] + by[static_cast<int>(axis)]);
  }
  return points;
}

struct NamedCloud {
  std::string name;
  Points points;
  double size;  // about how far it extends
};

/// One of each kind that spheres are checked against, each of about `count` points.
inline std::vector<NamedCloud> all_clouds(std::size_t count) {
  const auto scene = table_and_shelf(true);
  const int rows = std::max(3, static_cast<int>(std::sqrt(static_cast<double>(count) * 0.75)));
  Points lattice;
  Generator random(5);
  for (std::size_t i = 0; i < count; ++i) {
    const auto step = [&] { return static_cast<float>(random.integer(0, 8)) / 8; };
    const float x = step(), y = step();
    lattice.push_back({x, y, step()});
  }
  Points same(count, Point{0.25F, -1.5F, 3});
  Points few = same;
  for (std::size_t i = 0; i < few.size(); ++i) few[i][i % 3] += static_cast<float>(i % 4) * 1e-6F;
  Points outlier = surface_samples(scene, count, 1);
  outlier[count / 2] = {1e6F, -1e6F, 3e5F};
  return {{"uniform", uniform_points(count, 1, 1), 2},
          {"surface", surface_samples(scene, count, 2), 4},
          {"depth frame", depth_frame(scene, rows * 4 / 3, rows), 4},
          {"identical", same, 1e-3},
          {"nearly identical", few, 1e-5},
          {"lattice of duplicates", lattice, 1},
          {"along x", on_line(count, {-1, 0.5, 2}, {3, 0.5, 2}, 3), 4},
          {"along a diagonal", on_line(count, {-1, -1, -1}, {1, 2, 1}, 4), 3},
          {"sphere", on_sphere(count, 1, 5), 2},
          {"clusters", clusters(count, 7, 1e6, 6), 1e6},
          {"with an outlier", outlier, 4},
          {"far away", moved(uniform_points(count, 1, 7), {5e4, -8e4, 1e4}), 2},
          {"with gaps", with_gaps(surface_samples(scene, count, 8), 3), 4},
          {"plane", on_line(count, {0, 0, 1}, {0, 0, 1}, 9), 1e-3},
          {"two", {{0, 0, 0}, {1, 0, 0}}, 1},
          {"one", {{1, 2, 3}}, 1},
          {"none", {}, 1},
          {"nothing but gaps", with_gaps(uniform_points(std::min<std::size_t>(count, 50), 1, 10), 1), 1},
          {"tiny", uniform_points(count, 1e-12, 11), 2e-12},
          {"huge", uniform_points(count, 1e30, 12), 2e30}};
}

/// Clouds that are hard for trees and grids, after a uniform one for comparison.
inline std::vector<NamedCloud> adversarial_clouds(std::size_t count) {
  return {{"uniform", uniform_points(count, 1, 1), 2},
          {"identical", Points(count, Point{1, 2, 3}), 1},
          {"along x", on_line(count, {-1, 0, 0}, {1, 0, 0}, 2), 2},
          {"along a diagonal", on_line(count, {-1, -1, -1}, {1, 1, 1}, 3), 2},
          {"sphere", on_sphere(count, 1, 4), 2},
          {"a millimetre among kilometres", clusters(count, 1000, 1e6, 5), 1e6},
          {"one cluster and far points", clusters(count, 2, 1e6, 6), 1e-3},
          {"at all scales", at_all_scales(count, 7), 1e-3}};
}

}  // namespace graze_test
