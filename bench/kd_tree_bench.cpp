// The k-d tree beside nanoflann: building, radius searches, nearest points. Both get the same floats.
//
//     bench_kd_tree [--json PATH]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
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
using graze::PointsView;
using graze::Vec3;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
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

double wall_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

std::unique_ptr<Peer> build_peer(const Adaptor& adaptor) {
  auto peer = std::make_unique<Peer>(3, adaptor, nanoflann::KDTreeSingleIndexAdaptorParams(10));
  peer->buildIndex();
  return peer;
}

// What only one of the two has found lies on the border, up to the rounding of floats, by which the peer decides.
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
  Points points;
  Points queries;
  double volume;

  Vec3 query(std::size_t i) const { return Vec3(queries[i][0], queries[i][1], queries[i][2]); }
  /// In which so many points are expected.
  double radius(double hits) const {
    return std::cbrt(hits / static_cast<double>(points.size()) * volume * 3 / (4 * 3.14159265358979));
  }
};

Scene uniform_scene(std::size_t count, std::size_t queries) {
  return {graze_test::uniform_points(count, 1, 1), graze_test::uniform_points(queries, 1, 2), 8};
}

void measure_build(Claims& claims, const Scene& scene) {
  const Adaptor adaptor{scene.points};
  const PointsView view(graze_test::floats(scene.points));
  for (const int threads : {1, 2}) {
    double ours = graze::kInfinity, peer = graze::kInfinity;
    for (int round = 0; round < 4; ++round) {
      const auto build = [&] { keep(KdTree(view, {.threads = threads}).size()); };
      const auto other = [&] { keep(build_peer(adaptor).get()); };
      // Time of the thread where there is one; two are timed by the clock on the wall, and so is the peer then.
      ours = std::min(ours, threads == 1 ? graze::bench::time_of(build) : wall_of(build));
      peer = std::min(peer, threads == 1 ? graze::bench::time_of(other) : wall_of(other));
    }
    claims.add({.id = fmt::format("kd_tree/build 1 M, {} thread{}", threads, threads == 1 ? "" : "s"),
                .ours = ours * 1e-6,
                .peer_name = kPeer,
                .peer = peer * 1e-6,
                .unit = "ms",
                .goal = threads == 1 ? 1.5 : 3,
                .agree = KdTree(view, {.threads = threads}).validate().empty()});
  }
}

void measure_radius(Claims& claims, const Scene& scene, const KdTree& tree, const Peer& peer, double hits,
                    const std::string& id, double goal) {
  const double radius = scene.radius(hits);
  const auto squared = static_cast<float>(radius * radius);
  std::vector<Neighbor> buffer(static_cast<std::size_t>(10 * hits) + 100);
  PeerHits found;
  std::size_t ours = 0, theirs = 0;
  const auto [ns, peer_ns] = compare(
      scene.queries.size(),
      [&] {
        ours = 0;
        for (std::size_t i = 0; i < scene.queries.size(); ++i) {
          ours += tree.search(graze::region::Ball(scene.query(i), radius)).all(buffer);
        }
      },
      [&] {
        theirs = 0;
        for (const Point& q : scene.queries) {
          theirs += peer.radiusSearch(q.data(), squared, found, nanoflann::SearchParams(32, 0, true));
        }
      },
      5);
  bool agree = true;
  for (std::size_t i = 0; i < std::min<std::size_t>(scene.queries.size(), 2000); ++i) {
    buffer.resize(buffer.capacity());
    buffer.resize(tree.search(graze::region::Ball(scene.query(i), radius)).all(buffer));
    peer.radiusSearch(scene.queries[i].data(), squared, found, nanoflann::SearchParams(32, 0, true));
    agree = agree && same_points(buffer, found, scene.points, scene.query(i), radius);
  }
  fmt::print("{}: {:.1f} hits per search, nanoflann {:.1f}\n", id, double(ours) / double(scene.queries.size()),
             double(theirs) / double(scene.queries.size()));
  claims.add({.id = id, .ours = ns, .peer_name = kPeer, .peer = peer_ns, .goal = goal, .agree = agree});
}

void measure_nearest(Claims& claims, const Scene& scene, const KdTree& tree, const Peer& peer, std::size_t k,
                     const std::string& id) {
  constexpr double kEverywhere = 1e6;
  std::vector<Neighbor> buffer(k);
  std::vector<std::uint32_t> indices(k);
  std::vector<float> squares(k);
  bool agree = true;
  const auto [ns, peer_ns] = compare(
      scene.queries.size(),
      [&] {
        for (std::size_t i = 0; i < scene.queries.size(); ++i) {
          keep(tree.search(graze::region::Ball(scene.query(i), kEverywhere)).nearest(buffer).size());
        }
      },
      [&] {
        for (const Point& q : scene.queries) keep(peer.knnSearch(q.data(), k, indices.data(), squares.data()));
      },
      5);
  for (std::size_t i = 0; i < std::min<std::size_t>(scene.queries.size(), 2000); ++i) {
    tree.search(graze::region::Ball(scene.query(i), kEverywhere)).nearest(buffer);
    peer.knnSearch(scene.queries[i].data(), k, indices.data(), squares.data());
    for (std::size_t j = 0; j < k; ++j) {
      agree = agree && std::abs(buffer[j].distance - std::sqrt(double{squares[j]})) <= 1e-6;
    }
  }
  claims.add({.id = id, .ours = ns, .peer_name = kPeer, .peer = peer_ns, .goal = 1, .agree = agree});
}

// How the cost of one search grows with the points, and what the instruction sets are worth.
void print_growth() {
  fmt::print("\nbuild (1 thread) and radius search with 30 hits, graze alone\n{:>10}{:>14}{:>14}\n", "points",
             "ns/point", "ns/search");
  for (const std::size_t count : {1000U, 10000U, 100000U, 1000000U}) {
    const Scene scene = uniform_scene(count, 5000);
    const PointsView view(graze_test::floats(scene.points));
    double build = graze::kInfinity, search = graze::kInfinity;
    std::vector<Neighbor> buffer(1000);
    for (int round = 0; round < 3; ++round) {
      KdTree tree;
      build = std::min(build, graze::bench::time_of([&] { tree = KdTree(view, {.threads = 1}); }));
      const double radius = scene.radius(30);
      search = std::min(search, graze::bench::time_of([&] {
                          for (std::size_t i = 0; i < scene.queries.size(); ++i) {
                            keep(tree.search(graze::region::Ball(scene.query(i), radius)).all(buffer));
                          }
                        }));
    }
    fmt::print("{:>10}{:>14.1f}{:>14.0f}\n", count, build / double(count), search / double(scene.queries.size()));
  }
  const Scene scene = uniform_scene(1000000, 5000);
  const KdTree tree(PointsView(graze_test::floats(scene.points)));
  std::vector<Neighbor> buffer(1000);
  fmt::print("{} bytes per point\n", tree.memory_bytes() / tree.size());
  for (const auto target : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(target);
    double search = graze::kInfinity;
    for (int round = 0; round < 3; ++round) {
      search = std::min(search, graze::bench::time_of([&] {
                          for (std::size_t i = 0; i < scene.queries.size(); ++i) {
                            keep(tree.search(graze::region::Ball(scene.query(i), scene.radius(30))).all(buffer));
                          }
                        }));
    }
    fmt::print("{:>12}: {:.0f} ns/search at 1 M\n", target, search / double(scene.queries.size()));
  }
}

void run(Claims& claims) {
  {
    const Scene scene = uniform_scene(1000000, 20000);
    measure_build(claims, scene);
    const Adaptor adaptor{scene.points};
    const auto peer = build_peer(adaptor);
    const KdTree tree(PointsView(graze_test::floats(scene.points)));
    measure_radius(claims, scene, tree, *peer, 30, "kd_tree/radius 1 M", 1.5);
    measure_radius(claims, scene, tree, *peer, 300, "kd_tree/radius 1 M, 300 hits", 1.5);
    measure_radius(claims, scene, tree, *peer, 1, "kd_tree/radius 1 M, 1 hit", 1.5);
    measure_nearest(claims, scene, tree, *peer, 1, "kd_tree/nearest 1 M");
    measure_nearest(claims, scene, tree, *peer, 10, "kd_tree/10 nearest 1 M");
  }
  {
    Scene scene = uniform_scene(10000000, 10000);
    const Adaptor adaptor{scene.points};
    const auto peer = build_peer(adaptor);
    const KdTree tree(PointsView(graze_test::floats(scene.points)));
    measure_radius(claims, scene, tree, *peer, 30, "kd_tree/radius 10 M", 1.5);
  }
  print_growth();
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
