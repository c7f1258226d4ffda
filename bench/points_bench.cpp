// Spheres against points: PointGrid beside nanoflann and beside Capt, which is exact here.
//
//     bench_points [--json PATH]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/base/simd.h"
#include "points_subjects.h"

namespace points_bench {
namespace {

using graze::Capt;
using graze::PointGrid;
using graze::PointView;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using graze::bench::time_of;
using graze::bench::Times;
using graze_test::floats;

// So many that no branch predictor learns them.
constexpr std::size_t kQueries = 131072;
constexpr graze::CaptOptions kCaptOptions{.min_radius = kMinRadius, .max_radius = kMaxRadius};

struct Cloud {
  std::string name;
  Points points;
  bool goals;  // of building: 16 k and more
  bool capt;   // small enough for a tree that stores points
};

std::vector<Cloud> make_clouds() {
  const auto scene = graze_test::table_and_shelf(false), room = graze_test::table_and_shelf(true);
  std::vector<Cloud> clouds;
  for (const std::size_t count : {4096, 16384, 65536}) {
    clouds.push_back(
        {fmt::format("surface {} k", count / 1024), graze_test::surface_samples(scene, count, 1), count > 4096, true});
  }
  clouds.push_back({"surface 256 k", graze_test::surface_samples(scene, 262144, 1), true, false});
  Points frame;
  for (const auto& p : graze_test::depth_frame(room)) {
    if (std::isfinite(p[0])) frame.push_back(p);
  }
  clouds.push_back({"frame 306 k", std::move(frame), true, false});
  return clouds;
}

// nanoflann computes in float: it may differ where the distance of a point equals the radius to six digits.
bool same_answers(const PointGrid& grid, const Spheres& s, const std::vector<bool>& peer) {
  constexpr double kFloat = 1e-6;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const Vec3 c = s.all().center(i);
    if (grid.collides(c, s.r[i]) == peer[i]) continue;
    if (std::abs(grid.nearest(c).distance - s.r[i]) > kFloat * (s.r[i] + c.norm())) return false;
  }
  return true;
}

void ask(const PointGrid& grid, const Spheres& s) {
  int hits = 0;
  for (std::size_t i = 0; i < s.size(); ++i) hits += grid.collides({s.x[i], s.y[i], s.z[i]}, s.r[i]) ? 1 : 0;
  keep(hits);
}

template <class Index>
void ask_batches(const Index& index, const Spheres& s) {
  int hits = 0;
  for (std::size_t i = 0; i < s.size(); i += kBatch) hits += index.any_collides(s.batch(i)) ? 1 : 0;
  keep(hits);
}

#if GRAZE_HAVE_NANOFLANN
void beside_nanoflann(Claims& claims, const Cloud& cloud, PointGrid& grid) {
  if (cloud.goals) {
    const auto [ours, peer] = compare(
        1, [&] { grid.rebuild(floats(cloud.points)); }, [&] { keep(Flann(cloud.points)); },
        cloud.points.size() > 100000 ? 3 : 7);
    claims.add({"points/build, " + cloud.name, ours / 1e6, "nanoflann", peer / 1e6, "ms", 8});
  }
  const Flann flann(cloud.points);
  for (const bool near : {true, false}) {
    const Spheres s = make_spheres(cloud.points, near, kQueries, 9);
    std::vector<bool> answers;
    for (std::size_t i = 0; i < s.size(); ++i) answers.push_back(flann.collides(s.x[i], s.y[i], s.z[i], s.r[i]));
    const bool agree = same_answers(grid, s, answers);
    const std::string where = fmt::format("{}, {}", near ? "near" : "volume", cloud.name);
    const auto [ours, peer] = compare(
        s.size(), [&] { ask(grid, s); },
        [&] {
          int hits = 0;
          for (std::size_t i = 0; i < s.size(); ++i) hits += flann.collides(s.x[i], s.y[i], s.z[i], s.r[i]) ? 1 : 0;
          keep(hits);
        });
    claims.add({"points/single " + where, ours, "nanoflann", peer, "ns", 4, agree});
    if (!near) continue;
    const Times batch = compare(
        s.size(), [&] { ask_batches(grid, s); }, [&] { ask_batches(flann, s); });
    claims.add({"points/any of 8 " + where, batch.ours, "nanoflann", batch.peer, "ns", 6, agree});
  }
}

void raw_frame(Claims& claims) {
  const Points raw = graze_test::depth_frame(graze_test::table_and_shelf(true));
  const Vec3 at(0.6, 0, 0.5);
  bool ours_hit = false, peer_hit = false;
  PointGrid grid;
  Points finite;
  const auto peer = [&] {
    finite.clear();
    for (const auto& p : raw) {
      if (std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2])) finite.push_back(p);
    }
    peer_hit = Flann(finite).collides(at.x(), at.y(), at.z(), 0.05);
  };
  const auto warm = [&] {
    grid.rebuild(floats(raw));
    ours_hit = grid.collides(at, 0.05);
  };
  const Times loop = compare(1, warm, peer, 5);
  claims.add({"points/raw frame to first answer", loop.ours / 1e6, "nanoflann", loop.peer / 1e6, "ms", 13,
              ours_hit == peer_hit});
  const Times cold = compare(
      1, [&] { ours_hit = PointGrid(floats(raw)).collides(at, 0.05); }, peer, 3);
  claims.add({"points/raw frame to first answer, new index", cold.ours / 1e6, "nanoflann", cold.peer / 1e6, "ms", 1,
              ours_hit == peer_hit});
}
#endif

void beside_capt(Claims& claims, const Cloud& cloud, PointGrid& grid) {
  const double build = time_of([&] { keep(Capt(floats(cloud.points), kCaptOptions)); });
  const Capt capt(floats(cloud.points), kCaptOptions);
  if (cloud.goals) {
    double ours = graze::kInfinity;
    for (int i = 0; i < 7; ++i) ours = std::min(ours, time_of([&] { grid.rebuild(floats(cloud.points)); }));
    claims.add({"points/build beside Capt, " + cloud.name, ours / 1e6, "Capt", build / 1e6, "ms", 100});
    claims.add({"points/memory beside Capt, " + cloud.name, static_cast<double>(grid.memory_bytes()) / 1e6, "Capt",
                static_cast<double>(capt.memory_bytes()) / 1e6, "MB", cloud.points.size() > 60000 ? 50.0 : 1.0});
  }
  for (const bool near : {true, false}) {
    const Spheres s = make_spheres(cloud.points, near, kQueries, 9);
    bool agree = true;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const Vec3 c = s.all().center(i);
      agree = agree && capt.collides(c, s.r[i]) == grid.collides(c, s.r[i]);
    }
    const std::string where = fmt::format("{}, {}", near ? "near" : "volume", cloud.name);
    const auto [ours, peer] = compare(
        s.size(), [&] { ask(grid, s); },
        [&] {
          int hits = 0;
          for (std::size_t i = 0; i < s.size(); ++i) hits += capt.collides({s.x[i], s.y[i], s.z[i]}, s.r[i]) ? 1 : 0;
          keep(hits);
        });
    claims.add({"points/single beside Capt " + where, ours, "Capt", peer, "ns", 3, agree});
    if (!near) continue;
    const Times batch = compare(
        s.size(), [&] { ask_batches(grid, s); }, [&] { ask_batches(capt, s); });
    claims.add({"points/any of 8 beside Capt " + where, batch.ours, "Capt", batch.peer, "ns", 6, agree});
  }
}

void print_instruction_sets(const std::vector<Cloud>& clouds) {
  fmt::print("instruction sets: build ms / single near ns / any of 8 near ns\n{:<14}", "");
  for (const Cloud& cloud : clouds) fmt::print("{:>24}", cloud.name);
  fmt::print("\n");
  for (const std::string_view target : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(target);
    fmt::print("{:<14}", target);
    for (const Cloud& cloud : clouds) {
      PointGrid grid;
      const Spheres s = make_spheres(cloud.points, true, kQueries / 8, 9);
      double build = graze::kInfinity, single = build, batch = build;
      for (int round = 0; round < 3; ++round) {
        build = std::min(build, time_of([&] { grid.rebuild(floats(cloud.points)); }) / 1e6);
        single = std::min(single, time_of([&] { ask(grid, s); }) / static_cast<double>(s.size()));
        batch = std::min(batch, time_of([&] { ask_batches(grid, s); }) / static_cast<double>(s.size()));
      }
      fmt::print("{:>24}", fmt::format("{:.2f} / {:.0f} / {:.0f}", build, single, batch));
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

void print_growth() {
  fmt::print("uniform points in a cube of 2 m: build ns per point / single near ns / bytes per point\n");
  for (const std::size_t count : {1000, 10000, 100000, 1000000, 10000000}) {
    const Points points = graze_test::uniform_points(count, 1, 3);
    PointGrid grid;
    const double build = time_of([&] { grid.rebuild(floats(points)); }) / static_cast<double>(count);
    const Spheres s = make_spheres(points, true, kQueries / 8, 9);
    ask(grid, s);
    const double single = time_of([&] { ask(grid, s); }) / static_cast<double>(s.size());
    fmt::print("{:>10}{:>10.1f}{:>10.0f}{:>10.1f}\n", count, build, single,
               static_cast<double>(grid.memory_bytes()) / static_cast<double>(count));
  }
  fmt::print("\n");
}

// Clouds that are hard for trees, beside a uniform one of as many points; answers are compared with those of another
// index.
void beside_uniform(Claims& claims) {
  constexpr std::size_t kPoints = 1000000;
  Times build{}, query{};
  for (const graze_test::NamedCloud& cloud : graze_test::adversarial_clouds(kPoints)) {
    PointGrid grid;
    const auto rebuild = [&] { grid.rebuild(floats(cloud.points)); };
    const Spheres s = make_spheres(cloud.points, true, kQueries / 8, 9, cloud.size / 2);
    rebuild();
    build.ours = time_of(rebuild);
    ask(grid, s);
    query.ours = time_of([&] { ask(grid, s); }) / static_cast<double>(s.size());
    if (cloud.name == "uniform") {
      build.peer = build.ours;
      query.peer = query.ours;
      continue;
    }
    bool agree = true;
    for (std::size_t i = 0; i < 1024; ++i) {
      const Vec3 c = s.all().center(i);
      agree = agree && grid.collides(c, s.r[i]) == (grid.nearest(c).distance <= s.r[i]);
    }
    claims.add({"points/build, " + cloud.name, build.ours / 1e6, "uniform", build.peer / 1e6, "ms", 0.2, agree});
    claims.add({"points/single, " + cloud.name, query.ours, "uniform", query.peer, "ns", 0.05, agree});
  }
}

void run(Claims& claims) {
  const std::vector<Cloud> clouds = make_clouds();
  for (const Cloud& cloud : clouds) {
    PointGrid grid;
    grid.rebuild(floats(cloud.points));
#if GRAZE_HAVE_NANOFLANN
    beside_nanoflann(claims, cloud, grid);
#else
    claims.missing("points/" + cloud.name, "nanoflann is not installed");
#endif
    if (cloud.capt) {
      beside_capt(claims, cloud, grid);
    } else {
      claims.missing("points/" + cloud.name + " beside Capt", "its tree would take seconds to minutes and gigabytes");
    }
    if (cloud.name == "frame 306 k") {
      claims.add({"points/memory, frame 306 k",
                  static_cast<double>(grid.memory_bytes()) / static_cast<double>(cloud.points.size()), "the limit", 60,
                  "B/point", 1});
    }
  }
#if GRAZE_HAVE_NANOFLANN
  raw_frame(claims);
#endif
  beside_uniform(claims);
  print_instruction_sets({clouds[1], clouds[2], clouds[4]});
  print_growth();
}

}  // namespace
}  // namespace points_bench

int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
  points_bench::run(claims);
  return claims.finish();
}
