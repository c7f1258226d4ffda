#include "motion_deforming.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "bench/timing.h"
#include "graze/geometry/deforming_mesh.h"
#include "graze/query/self_collide.h"
#include "graze/query/sweep_deforming.h"
#include "meshes_scene.h"
#include "motion_queries.h"

namespace motion_bench {
namespace {

using graze::Mesh;
using graze::MeshTriangle;
using graze::MovingMesh;
using graze::Vec3;
using graze::bench::Claims;
using graze::bench::keep;
using graze::bench::time_of;

// Megabytes that this process has held at most.
double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// A scene that moves: its triangles, and its vertices at any time from 0 to 1.
struct Scene {
  std::vector<MeshTriangle> triangles;
  std::function<std::vector<Vec3>(double)> at;
};

// Balls that fall onto a floor one above the other, flatten and bounce: as in FCL's Figure 5, right.
Scene balls(int count, int squares) {
  meshes_bench::Soup ball = meshes_bench::bumpy_sphere(squares, 1, 0.02);
  for (Vec3& v : ball.vertices) v *= 2;  // radius 1
  Scene scene;
  const auto one = static_cast<std::uint32_t>(ball.vertices.size());
  for (int i = 0; i < count; ++i) {
    const auto first = static_cast<std::uint32_t>(i) * one;
    for (const MeshTriangle& t : ball.triangles) scene.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  const std::uint32_t floor = one * static_cast<std::uint32_t>(count);
  scene.triangles.push_back({floor, floor + 1, floor + 2});
  scene.triangles.push_back({floor, floor + 2, floor + 3});
  scene.at = [ball, count](double t) {
    std::vector<Vec3> vertices;
    constexpr int kSide = 4;
    constexpr double kSpacing = 2.1;
    for (int i = 0; i < count; ++i) {
      const int x = i % kSide, y = i / kSide % kSide, layer = i / (kSide * kSide);
      // The lower ones arrive first, and are flat while the upper ones come down on them.
      const double fall = 3 * t - 0.2 * layer, phase = std::clamp(fall, 0.0, 1.0);
      const double height = 1.02 + kSpacing * layer + 1.5 * (1 - phase * phase);
      const double flat = 0.12 * std::sin(2 * std::numbers::pi * std::clamp(fall - 0.8, 0.0, 1.0));
      const double wide = 1 + 0.5 * flat, tall = 1 - flat;
      for (const Vec3& v : ball.vertices) {
        vertices.emplace_back(kSpacing * x + wide * v.x() + 0.05 * layer * t, kSpacing * y + wide * v.y(),
                              height + tall * v.z());
      }
    }
    const double far = kSpacing * (kSide + 1);
    vertices.insert(vertices.end(), {{-far, -far, 0}, {far, -far, 0}, {far, far, 0}, {-far, far, 0}});
    return vertices;
  };
  return scene;
}

// A cloth whose folds deepen until they touch.
Scene cloth(int squares) {
  Scene scene;
  const auto index = [squares](int x, int y) { return static_cast<std::uint32_t>(y * (squares + 1) + x); };
  for (int y = 0; y < squares; ++y) {
    for (int x = 0; x < squares; ++x) {
      scene.triangles.push_back({index(x, y), index(x + 1, y), index(x + 1, y + 1)});
      scene.triangles.push_back({index(x, y), index(x + 1, y + 1), index(x, y + 1)});
    }
  }
  scene.at = [squares](double t) {
    std::vector<Vec3> vertices;
    for (int y = 0; y <= squares; ++y) {
      for (int x = 0; x <= squares; ++x) {
        const double u = static_cast<double>(x) / squares, v = static_cast<double>(y) / squares;
        const double fold = 24 * std::numbers::pi * u + v;
        const double ripple = 0.3 / squares * t * std::sin(37 * u + 11 * v);  // no two rows keep to one plane
        vertices.emplace_back(u * (1 - 0.2 * t) - 0.02 * t * std::sin(2 * fold), v + ripple,
                              1 - t + 0.05 * t * std::cos(fold));
      }
    }
    return vertices;
  };
  return scene;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Frame {
  double refit = 0, query = 0, first = 0;  // ns
  std::size_t contacts = 0;
};

// Every step continuously beside eleven states of it; FCL's Table IV.
void scene_over_frames(Claims& claims, const std::string& name, const Scene& scene, int frames, int every,
                       double goal) {
  constexpr int kSamples = 11;
  Frame ours;
  double sampled = 0, discrete_refit = 0;
  std::size_t seen = 0, steps = 0, unseen = 0;
  bool agree = true;
  graze::DeformingMesh state(scene.at(0), scene.triangles);
  for (int frame = 0; frame < frames; frame += every, ++steps) {
    const double begin = static_cast<double>(frame) / frames, end = static_cast<double>(frame + 1) / frames;
    const std::vector<Vec3> from = scene.at(begin), to = scene.at(end);
    MovingMesh moving(Mesh(from, scene.triangles), from);
    ours.refit += time_of([&] { moving.advance(to, {.threads = 1}); });
    std::size_t count = 0;
    ours.query += time_of([&] { count = self_step_contacts(moving, {}); });
    graze::Sweep first;
    ours.first += time_of([&] { first = self_sweep(moving); });
    ours.contacts += count;
    agree = agree && first.hit == (count > 0) && self_step_contacts(moving, {}, {.threads = 2}) == count;
    bool any = false;
    for (int k = 0; k < kSamples; ++k) {
      const std::vector<Vec3> now = moving.vertices(static_cast<double>(k) / (kSamples - 1));
      discrete_refit += time_of([&] { state.replace_vertices(now, {.threads = 1}); });
      const Mesh mesh = state.mesh();
      std::size_t folds = 0;
      sampled += time_of([&] { folds = self_collisions(mesh, {}); });
      any = any || folds > 0;
    }
    seen += any ? 1 : 0;
    unseen += count > 0 && !any ? 1 : 0;
    agree = agree && (!any || count > 0);
  }
  const double n = static_cast<double>(steps);
  fmt::print(
      "{}: {} triangles, {} of {} frames: refit {:.1f} ms, all contacts {:.1f} ms ({:.0f}), first {:.1f} ms; one "
      "sample {:.1f} ms (refit {:.1f}); samples touch in {} frames, miss {}; {:.0f} MB in all\n",
      name, scene.triangles.size(), steps, frames, ours.refit / n / 1e6, ours.query / n / 1e6,
      static_cast<double>(ours.contacts) / n, ours.first / n / 1e6, sampled / n / kSamples / 1e6,
      discrete_refit / n / kSamples / 1e6, seen, unseen, peak_megabytes());
  claims.add({.id = "motion/" + name + ", a step",
              .ours = (ours.refit + ours.query) / n / 1e6,
              .peer_name = "graze, 11 samples",
              .peer = (sampled + discrete_refit) / n / 1e6,
              .unit = "ms",
              .goal = goal,
              .agree = agree});
}

// How much sooner several threads are done.
void threads(const Scene& scene) {
  const MovingMesh moving(Mesh(scene.at(0.8), scene.triangles), scene.at(0.81));
  for (const int count : {1, 2, 4}) {
    double best = graze::kInfinity;
    for (int i = 0; i < 3; ++i) {
      const double begin = seconds();
      keep(self_step_contacts(moving, {}, {.threads = count}));
      best = std::min(best, seconds() - begin);
    }
    fmt::print("cloth, all contacts of a step on {} threads: {:.1f} ms\n", count, 1e3 * best);
  }
}

}  // namespace

void deforming(Claims& claims, bool all) {
  first_contacts(claims);
  scene_over_frames(claims, "balls of 146 k", balls(51, 12), 94, all ? 1 : 12, 2.6);
  scene_over_frames(claims, "cloth of 146 k", cloth(270), 94, all ? 1 : 12, 2.6);
  if (all) scene_over_frames(claims, "balls of 1.6 M", balls(128, 25), 45, 1, 3.3);
  threads(cloth(270));
}

}  // namespace motion_bench
