// The k-d tree beside nanoflann: building, radius searches, nearest points, batches. Both get the same floats and find
// the same points; graze decides and measures in double, nanoflann in float.
//
//     bench_kd_tree [--json PATH]

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/base/simd.h"
#include "graze/index/kd_tree.h"
#include "tests/support/clouds.h"

#if GRAZE_HAVE_NANOFLANN
#include <nanoflann.hpp>

namespace {

using graze::KdTree;
using graze::Neighbor;
using graze::PointView;
using graze::Vec3;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using graze::bench::Times;
using graze::region::Ball;
using graze_test::Point;
using graze_test::Points;

struct Adaptor {
  const Points& points;
  std::size_t kdtree_get_point_count() const { return points.size(); }
  float kdtree_get_pt(std::size_t i, std::size_t axis) const { return points[i][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};
using Peer = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Adaptor>, Adaptor, 3>;
using PeerHits = std::vector<std::pair<std::uint32_t, float>>;

constexpr const char* kPeer = "nanoflann";

std::unique_ptr<Peer> build_peer(const Adaptor& adaptor) {
  auto peer = std::make_unique<Peer>(3, adaptor, nanoflann::KDTreeSingleIndexAdaptorParams(10));
  peer->buildIndex();
  return peer;
}

// Points found by only one of the two lie on the border, up to the rounding of the floats that the peer compares.
bool same_points(const std::vector<Neighbor>& ours, const PeerHits& peer, const Points& points, const Vec3& at,
                 double radius) {
  std::vector<std::size_t> a, b, odd;
  for (const Neighbor& n : ours) a.push_back(n.index);
  for (const auto& hit : peer) b.push_back(hit.first);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(odd));
  return std::all_of(odd.begin(), odd.end(), [&](std::size_t i) {
    const double distance = (Vec3(points[i][0], points[i][1], points[i][2]) - at).norm();
    return std::abs(distance - radius) <= 1e-5 * (radius + at.norm());
  });
}

struct Scene {
  std::string name;
  Points points;
  Points queries;
  double per_hit;  // a radius that finds `hits` points is …
  double power;    // … per_hit * hits^power

  Vec3 query(std::size_t i) const { return Vec3(queries[i][0], queries[i][1], queries[i][2]); }
  double radius(double hits) const { return per_hit * std::pow(hits, power); }
  PointView view() const { return PointView(graze_test::floats(points)); }
};

constexpr double kPi = 3.14159265358979;

Scene uniform_scene(const std::string& name, std::size_t count, std::size_t queries) {
  return {name, graze_test::uniform_points(count, 1, 1), graze_test::uniform_points(queries, 1, 2),
          std::cbrt(8 * 3 / (4 * kPi) / static_cast<double>(count)), 1.0 / 3};
}

Scene surface_scene(const std::string& name, std::size_t count, std::size_t queries) {
  const auto solids = graze_test::table_and_shelf(true);
  double area = 0;
  for (const auto& solid : solids) area += graze_test::area(solid);
  return {name, graze_test::surface_samples(solids, count, 1), graze_test::surface_samples(solids, queries, 2),
          std::sqrt(area / kPi / static_cast<double>(count)), 0.5};
}

double wall_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

// CPU time for one thread; wall time for several, and then for the peer too.
Times compare_on(int threads, int rounds, const auto& ours, const auto& peer) {
  Times best{graze::kInfinity, graze::kInfinity};
  for (int round = 0; round < rounds; ++round) {
    best.ours = std::min(best.ours, threads == 1 ? graze::bench::time_of(ours) : wall_of(ours));
    best.peer = std::min(best.peer, threads == 1 ? graze::bench::time_of(peer) : wall_of(peer));
  }
  return best;
}

// Builds both and keeps them for the searches.
void measure_build(Claims& claims, const Scene& scene, int threads, int rounds, KdTree& tree, const Adaptor& adaptor,
                   std::unique_ptr<Peer>& peer) {
  const auto [ours, theirs] = compare_on(
      threads, rounds, [&] { tree = KdTree(scene.view(), {.threads = threads}); }, [&] { peer = build_peer(adaptor); });
  const double goal = threads == 2 ? 3 : scene.points.size() < 1000000 ? 1 : 1.5;
  claims.add({.id = fmt::format("kd_tree/build {}{}", scene.name, threads == 1 ? "" : ", 2 threads"),
              .ours = ours * 1e-6,
              .peer_name = threads == 1 ? kPeer : "nanoflann, 1 thread",
              .peer = theirs * 1e-6,
              .unit = "ms",
              .goal = goal,
              .agree = tree.validate().empty()});
}

// Whether both find the same points around some of the queries.
bool agree_in(const Scene& scene, const KdTree& tree, const Peer& peer, double radius, std::size_t room) {
  const auto squared = static_cast<float>(radius * radius);
  PeerHits found;
  for (std::size_t i = 0; i < std::min<std::size_t>(scene.queries.size(), 2000); ++i) {
    std::vector<Neighbor> ours(room);
    const std::size_t count = tree.search(Ball(scene.query(i), radius)).all(ours);
    if (count > room) return false;
    ours.resize(count);
    peer.radiusSearch(scene.queries[i].data(), squared, found, nanoflann::SearchParams(32, 0, true));
    if (!same_points(ours, found, scene.points, scene.query(i), radius)) return false;
  }
  return true;
}

// All points in balls around the queries, sorted by distance.
void measure_radius(Claims& claims, const Scene& scene, const KdTree& tree, const Peer& peer, double hits) {
  const double radius = scene.radius(hits);
  const auto squared = static_cast<float>(radius * radius);
  const std::size_t room = static_cast<std::size_t>(10 * hits) + 100;
  std::vector<Neighbor> buffer(room);
  PeerHits found;
  const auto [ns, peer_ns] = compare(
      scene.queries.size(),
      [&] {
        for (std::size_t i = 0; i < scene.queries.size(); ++i) {
          keep(tree.search(Ball(scene.query(i), radius)).all(buffer));
        }
      },
      [&] {
        for (const Point& q : scene.queries) {
          keep(peer.radiusSearch(q.data(), squared, found, nanoflann::SearchParams(32, 0, true)));
        }
      },
      5);
  claims.add({.id = fmt::format("kd_tree/radius {}, {} hit{}", scene.name, hits, hits == 1 ? "" : "s"),
              .ours = ns,
              .peer_name = kPeer,
              .peer = peer_ns,
              .goal = 1.5,
              .agree = agree_in(scene, tree, peer, radius, room)});
}

// The same as one batch; the peer runs in a loop on as many threads. `queries` may be more than those of the scene.
void measure_batch(Claims& claims, const Scene& scene, const KdTree& tree, const Peer& peer, const Points& queries,
                   int threads, double goal) {
  constexpr double kHits = 30;
  constexpr std::size_t kRoom = 400;
  const double radius = scene.radius(kHits);
  const auto squared = static_cast<float>(radius * radius);
  std::vector<Ball> balls;
  for (const Point& q : queries) balls.emplace_back(Vec3(q[0], q[1], q[2]), radius);
  std::vector<std::size_t> ours(balls.size()), theirs(balls.size());
  const graze::ParallelOptions parallel{.threads = threads};
  const auto [batch, loop] = compare_on(
      threads, 2,
      [&] {
        tree.search_each(
            std::span<const Ball>(balls),
            [&](std::size_t i, const graze::PointSearch& search) {
              std::array<Neighbor, kRoom> found;
              ours[i] = search.all(found);
            },
            {}, parallel);
      },
      [&] {
        graze::parallel_chunks(
            queries.size(),
            [&](std::size_t begin, std::size_t end) {
              PeerHits found;
              for (std::size_t i = begin; i < end; ++i) {
                theirs[i] = peer.radiusSearch(queries[i].data(), squared, found, nanoflann::SearchParams(32, 0, true));
              }
            },
            parallel);
      });
  // Floats may decide differently on the border; see same_points.
  std::size_t odd = 0;
  for (std::size_t i = 0; i < balls.size(); ++i) odd += ours[i] == theirs[i] ? 0 : 1;
  const auto count = static_cast<double>(balls.size());
  claims.add(
      {.id = fmt::format("kd_tree/batch {}, {} hits, {} thread{}", scene.name, kHits, threads, threads == 1 ? "" : "s"),
       .ours = batch / count,
       .peer_name = kPeer,
       .peer = loop / count,
       .goal = goal,
       .agree = static_cast<double>(odd) < 1e-3 * count});
}

void measure_nearest(Claims& claims, const Scene& scene, const KdTree& tree, const Peer& peer, std::size_t k) {
  constexpr double kEverywhere = 1e6;
  std::vector<Neighbor> buffer(k);
  std::vector<std::uint32_t> indices(k);
  std::vector<float> squares(k);
  bool agree = true;
  const auto [ns, peer_ns] = compare(
      scene.queries.size(),
      [&] {
        for (std::size_t i = 0; i < scene.queries.size(); ++i) {
          keep(tree.search(Ball(scene.query(i), kEverywhere)).nearest(buffer).size());
        }
      },
      [&] {
        for (const Point& q : scene.queries) keep(peer.knnSearch(q.data(), k, indices.data(), squares.data()));
      },
      5);
  for (std::size_t i = 0; i < std::min<std::size_t>(scene.queries.size(), 2000); ++i) {
    tree.search(Ball(scene.query(i), kEverywhere)).nearest(buffer);
    peer.knnSearch(scene.queries[i].data(), k, indices.data(), squares.data());
    for (std::size_t j = 0; j < k; ++j) {
      agree = agree && std::abs(buffer[j].distance - std::sqrt(double{squares[j]})) <= 1e-6;
    }
  }
  claims.add({.id = fmt::format("kd_tree/nearest {}, {}", k, scene.name),
              .ours = ns,
              .peer_name = kPeer,
              .peer = peer_ns,
              .goal = 1,
              .agree = agree});
}

void print_instruction_sets(const Scene& scene, const KdTree& tree) {
  std::vector<Neighbor> buffer(1000);
  fmt::print("{}: {} bytes per point; ns per search with 30 hits:", scene.name, tree.memory_bytes() / tree.size());
  for (const auto target : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(target);
    double search = graze::kInfinity;
    for (int round = 0; round < 3; ++round) {
      search = std::min(search, graze::bench::time_of([&] {
                          for (std::size_t i = 0; i < scene.queries.size(); ++i) {
                            keep(tree.search(Ball(scene.query(i), scene.radius(30))).all(buffer));
                          }
                        }));
    }
    fmt::print("  {} {:.0f}", target, search / static_cast<double>(scene.queries.size()));
  }
  fmt::print("\n");
}

void measure_scene(Claims& claims, const Scene& scene, bool details) {
  const bool small = scene.points.size()<1000000, huge = scene.points.size()> 1000000;
  const Adaptor adaptor{scene.points};
  std::unique_ptr<Peer> peer;
  KdTree tree;
  measure_build(claims, scene, 1, huge ? 1 : small ? 20 : 4, tree, adaptor, peer);
  if (details) measure_build(claims, scene, 2, 9, tree, adaptor, peer);
  measure_radius(claims, scene, tree, *peer, 30);
  if (details) {
    measure_radius(claims, scene, tree, *peer, 300);
    measure_radius(claims, scene, tree, *peer, 1);
    measure_nearest(claims, scene, tree, *peer, 1);
    measure_nearest(claims, scene, tree, *peer, 10);
    print_instruction_sets(scene, tree);
  }
  if (details || huge) {
    const Points queries = graze_test::uniform_points(100000, 1, 5);
    for (const int threads : {1, 2}) measure_batch(claims, scene, tree, *peer, queries, threads, 3);
  }
}

void run(Claims& claims) {
  measure_scene(claims, uniform_scene("1 k", 1000, 20000), false);
  measure_scene(claims, uniform_scene("10 k", 10000, 20000), false);
  measure_scene(claims, uniform_scene("100 k", 100000, 20000), false);
  measure_scene(claims, uniform_scene("1 M", 1000000, 20000), true);
  measure_scene(claims, surface_scene("1 M of surfaces", 1000000, 20000), false);
  measure_scene(claims, uniform_scene("10 M", 10000000, 10000), false);
}

}  // namespace

int main(int argc, char** argv) {
  Claims claims(argc, argv);
  run(claims);
  return claims.finish();
}
#else
int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
  claims.missing("kd_tree", "nanoflann is not installed");
  return claims.finish();
}
#endif
