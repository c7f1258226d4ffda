#include "meshes_alone.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "graze/graze.h"
#include "timing.h"

namespace meshes_bench {
namespace {

using graze::Contact;
using graze::FoldedPair;
using graze::PairCache;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using graze::bench::Times;

// b moves by `step` metres at a time, half by translation and half by rotation, in a direction that changes slowly.
std::vector<PosePair> path_from(const PosePair& start, double step, int count, std::uint64_t seed) {
  Random random(seed);
  const Vec3 along = random.direction(), across = random.direction(), axis = random.direction();
  std::vector<PosePair> path{start};
  for (int i = 1; i < count; ++i) {
    const double phase = 2 * M_PI * i / count;
    const Vec3 at = path.back().b.translation() + step / 2 * (std::sin(phase) * along + std::cos(phase) * across);
    const double angle = step / 2 / 0.5 * std::cos(phase) / 2;
    const Pose turn = Pose::from_wxyz(Vec3::Zero(), std::cos(angle), std::sin(angle) * axis.x(),
                                      std::sin(angle) * axis.y(), std::sin(angle) * axis.z());
    path.push_back({start.a, (turn * path.back().b).moved_to(at)});
  }
  return path;
}

double wall_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

// The fastest of many short rounds: on a busy machine only some of them get both cores.
Times on_two(int rounds, const auto& two, const auto& one) {
  Times best{wall_of(two), wall_of(one)};
  for (int i = 0; i < rounds; ++i) best = {std::min(best.ours, wall_of(two)), std::min(best.peer, wall_of(one))};
  return best;
}

void add_on_two(Claims& claims, const std::string& id, const Times& times, bool agree) {
  claims.add({.id = id + ", 2 threads",
              .ours = times.ours / 1e6,
              .peer_name = "graze, 1 thread",
              .peer = times.peer / 1e6,
              .unit = "ms",
              .goal = 1.6,
              .agree = agree});
}

}  // namespace

void again(Claims& claims, const std::string& name, const Soup& soup) {
  const Mesh mesh(soup.vertices, soup.triangles);
  for (const double gap : {0.01, 0.001}) {
    for (const double step : {1e-4, 1e-3}) {
      constexpr int kPaths = 5, kSteps = 60;
      std::vector<std::vector<PosePair>> paths;
      for (const PosePair& start : pairs_at(mesh, gap, kPaths, 9)) paths.push_back(path_from(start, step, kSteps, 3));
      std::vector<double> cold, warm;
      std::vector<char> cold_hit, warm_hit;
      const auto walk = [&](bool with_front, const auto& ask) {
        for (const auto& path : paths) {
          PairCache cache;
          if (with_front) cache.keep_front();
          for (const PosePair& p : path) ask(graze::at(mesh, p.a), graze::at(mesh, p.b), with_front ? &cache : nullptr);
        }
      };
      const auto collides = [&](bool with_front, std::vector<char>& answers) {
        answers.clear();
        walk(with_front, [&](const graze::Placed& a, const graze::Placed& b, PairCache* cache) {
          answers.push_back(collide(a, b, {.cache = cache}));
        });
      };
      const auto distances = [&](bool with_front, std::vector<double>& answers) {
        answers.clear();
        walk(with_front, [&](const graze::Placed& a, const graze::Placed& b, PairCache* cache) {
          answers.push_back(distance(a, b, {.cache = cache}).value);
        });
      };
      const auto add = [&](const char* verb, const Times& times, bool agree) {
        claims.add({.id = fmt::format("meshes/again {} {} {} mm gap, {} mm steps", verb, name, 1e3 * gap, 1e3 * step),
                    .ours = times.ours / 1e3,
                    .peer_name = "graze, no cache",
                    .peer = times.peer / 1e3,
                    .unit = "us",
                    .goal = step < 5e-4 ? 2.0 : 1.0,  // a step as large as the gap changes what is near
                    .agree = agree});
      };
      const Times hits = compare(
          kPaths * kSteps, [&] { collides(true, warm_hit); }, [&] { collides(false, cold_hit); }, 3);
      add("collide", hits, warm_hit == cold_hit);
      const Times apart = compare(
          kPaths * kSteps, [&] { distances(true, warm); }, [&] { distances(false, cold); }, 3);
      add("distance", apart, warm == cold);
    }
  }
}

void threads(Claims& claims) {
  const Soup soup = bumpy_sphere(71, 1);
  const auto build = [&](int n) { keep(Mesh(soup.vertices, soup.triangles, {.threads = n}).size()); };
  add_on_two(claims, "meshes/build 100 k",
             on_two(
                 9, [&] { build(2); }, [&] { build(1); }),
             true);

  const Mesh mesh(soup.vertices, soup.triangles), other = [] {
    const Soup s = bumpy_sphere(71, 2);
    return Mesh(s.vertices, s.triangles);
  }();
  // Two overlapping bumpy balls whose bumps cross: tens of thousands of contacts.
  constexpr std::size_t kMany = 500000;
  std::vector<Contact> alone(kMany), together(kMany);
  const graze::Placed a = graze::at(mesh), b = graze::at(other, Random(5).turned({0.005, 0, 0}));
  std::size_t found = 0, found_together = 0;
  const Times contacting = on_two(
      9, [&] { found_together = contacts(a, b, together, {.max = kMany, .threads = 2}).size(); },
      [&] { found = contacts(a, b, alone, {.max = kMany}).size(); });
  fmt::print("contacts on two threads: {}\n", found);
  add_on_two(claims, "meshes/all contacts 100 k, nested", contacting,
             found == found_together && std::memcmp(alone.data(), together.data(), found * sizeof(Contact)) == 0);

  std::vector<FoldedPair> folds, folds_together(1000);
  folds = folds_together;
  const Times folding = on_two(
      9, [&] { found_together = self_collisions(mesh, folds_together, {.threads = 2}); },
      [&] { found = self_collisions(mesh, folds); });
  add_on_two(claims, "meshes/self-collisions 100 k", folding, found == found_together && folds == folds_together);
}

void growth() {
  for (const int frequency : {7, 22, 71, 224}) {
    const Soup soup = bumpy_sphere(frequency, 1);
    graze::DeformingMesh mesh(soup.vertices, soup.triangles, {.threads = 1});
    double refit = 1e18, self = 1e18;
    bool folded = false;
    for (int i = 0; i < 3; ++i) {
      refit = std::min(refit, graze::bench::time_of([&] { mesh.replace_vertices(soup.vertices, {.threads = 1}); }));
      self = std::min(self, graze::bench::time_of([&] { folded = self_collide(mesh.mesh()); }));
    }
    const auto n = static_cast<double>(soup.triangles.size());
    fmt::print("deforming, {:>7} triangles: refit {:.3f} ms, self-collision {:.3f} ms, together {:.0f} ns each{}\n",
               soup.triangles.size(), refit / 1e6, self / 1e6, (refit + self) / n, folded ? ", folded" : "");
  }
}

}  // namespace meshes_bench
