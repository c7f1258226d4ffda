#include "demo_scene.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "graze/query/collide.h"

namespace graze::app {
namespace {

constexpr double kQuarterTurn = std::numbers::pi / 2;

// Colours as they are written in style sheets, to linear light.
Vec3 color(int hex) {
  Vec3 linear;
  for (int i = 0; i < 3; ++i) linear[i] = std::pow(((hex >> (16 - 8 * i)) & 0xFF) / 255.0, 2.2);
  return linear;
}

Convex icosahedron(double size) {
  const double g = std::numbers::phi;
  std::vector<Vec3> points;
  for (const double s : {-1.0, 1.0}) {
    for (const double t : {-g, g}) {
      points.insert(points.end(), {Vec3(0, s, t), Vec3(s, t, 0), Vec3(t, 0, s)});
    }
  }
  for (Vec3& p : points) p *= size / p.norm();
  return Convex::hull_of(points);
}

// Points spread evenly over a flattened ball by the golden angle.
Convex pebble(std::size_t count, const Vec3& radii) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(count);
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / std::numbers::phi;
    const double across = std::sqrt(1 - z * z);
    points.push_back(radii.cwiseProduct(Vec3(across * std::cos(angle), across * std::sin(angle), z)));
  }
  return Convex::hull_of(points);
}

// The pose that remains when the geometry is lowered or raised until it just touches the floor.
Pose on_the_floor(const Geometry& geometry, const Pose& pose) {
  const double height = distance(at(HalfSpace({0, 0, 1}, 0)), at(geometry, pose)).value;
  return pose.moved_to(pose.translation() - Vec3(0, 0, height));
}

template <typename Query>
double queries_per_second(const Scene& scene, Query query) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLong{150};
  const auto start = Clock::now();
  std::size_t queries = 0;
  auto elapsed = Clock::duration::zero();
  for (; elapsed < kLong; elapsed = Clock::now() - start) {
    for (std::size_t a = 0; a < scene.size(); ++a) {
      for (std::size_t b = a + 1; b < scene.size(); ++b, ++queries) query(scene[a].placed, scene[b].placed);
    }
  }
  return static_cast<double>(queries) / std::chrono::duration<double>(elapsed).count();
}

}  // namespace

Scene make_scene() {
  Scene scene;
  const auto add = [&](std::string name, int hex, Geometry geometry, const Pose& pose = {}) {
    const Aabb box = bounds(geometry, pose);
    scene.push_back({std::move(name), at(std::move(geometry), pose), color(hex), box});
  };
  add("floor", 0xD9D2C5, HalfSpace({0, 0, 1}, 0));
  add("wall", 0xC9D3D6, Plane({0, -1, 0}, -2.3));
  add("crate", 0xC7824A, Box{.half = {0.6, 0.6, 0.5}}, Pose::from_rpy({-1.15, 0.55, 0.5}, 0, 0, 0.35));
  add("slab", 0x3E6E8E, Box{.half = {0.42, 0.3, 0.125}}, Pose::from_rpy({-1.1, 0.5, 1.125}, 0, 0, 1.0));
  add("ball", 0xD9483B, Sphere{.radius = 0.3}, Pose::at({-1.12, 0.52, 1.55}));
  add("drum", 0x5B8C5A, Cylinder{.radius = 0.45, .half_length = 0.6},
      Pose::from_rpy({1.15, 0.95, 0.45}, kQuarterTurn, 0, 1.15));
  add("gem", 0x8E5BA6, icosahedron(0.4), Pose::from_rpy({1.02, 0.9, 1.2}, 0.3, 0.5, 0.2));
  add("cone", 0xE3B23C, Cone{.radius = 0.42, .half_length = 0.5}, Pose::at({0.1, -0.35, 0.5}));
  add("egg", 0xEDE6DA, Ellipsoid{.radii = {0.26, 0.26, 0.38}}, Pose::from_rpy({1.75, -0.75, 0.62}, 0.5, 0.4, 0));
  const Capsule tube{.radius = 0.08, .half_length = 0.8};
  add("pipe", 0x2F4858, tube, on_the_floor(tube, Pose::from_rpy({-0.02, 0.5, 1}, 0.2, -0.75, -0.1)));
  add("sail", 0xE07A5F, Triangle({-2.55, -0.5, 0.05}, {-1.6, -0.75, 0.05}, {-2.3, -0.45, 1.3}));
  add("marble", 0x4FA3A5, Sphere{.radius = 0.17}, Pose::at({-0.75, -1.15, 0.17}));
  const Convex stone = pebble(64, {0.34, 0.27, 0.19});
  add("pebble", 0x9A8C98, stone, on_the_floor(stone, Pose::from_rpy({0.75, -1.35, 0.5}, 0.1, 0.15, 0.6)));
  return scene;
}

std::vector<PairReport> report_pairs(const Scene& scene) {
  std::vector<PairReport> reports;
  for (std::size_t a = 0; a < scene.size(); ++a) {
    for (std::size_t b = a + 1; b < scene.size(); ++b) {
      if (!scene[a].bounds.bounded() && !scene[b].bounds.bounded()) continue;
      const auto found = contacts(scene[a].placed, scene[b].placed);
      reports.push_back({a, b, distance(scene[a].placed, scene[b].placed), {found.begin(), found.end()}});
    }
  }
  std::stable_sort(reports.begin(), reports.end(),
                   [](const auto& x, const auto& y) { return x.distance.value < y.distance.value; });
  return reports;
}

Throughput measure_throughput(const Scene& scene) {
  std::size_t hits = 0;  // used, so that no query is left out by the compiler
  double sum = 0;
  Throughput result{};
  result.collide = queries_per_second(scene, [&](const auto& a, const auto& b) { hits += collide(a, b) ? 1 : 0; });
  result.distance = queries_per_second(scene, [&](const auto& a, const auto& b) { sum += distance(a, b).value; });
  result.contacts = queries_per_second(scene, [&](const auto& a, const auto& b) { hits += contacts(a, b).size(); });
  if (std::isnan(sum)) result.distance = 0;
  return hits > 0 ? result : Throughput{};
}

}  // namespace graze::app
