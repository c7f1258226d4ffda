// Broad phases beside FCL's managers and Bullet's Dbvt: all pairs of moving boxes, building trees, and the domains of
// the motion planning thesis. Every number is that of one core.
//
//     bench_scenes [--plots PATH] [--json PATH]
//
// --plots writes the series that tools/make_broad_phase_plots.py draws.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/claims.h"
#include "bench/scenes_peer.h"
#include "bench/timing.h"
#include "graze/index/broad_phase.h"
#include "graze/index/morton_tree.h"
#include "graze/scene/planar_world.h"
#include "tests/support/generator.h"

namespace {

using graze::Aabb;
using graze::Aabb2;
using graze::BoxId;
using graze::BoxPair;
using graze::BroadPhase;
using graze::BroadPhaseKind;
using graze::BroadPhaseUse;
using graze::kInfinity;
using graze::MortonTree;
using graze::Vec2;
using graze::Vec3;
using graze_test::Generator;
using namespace graze::bench;

// --- moving boxes ----------------------------------------------------------------------------------------------------

enum class Layout { uniform, clustered, mixed, sparse };
const char* name_of(Layout layout) {
  switch (layout) {
    case Layout::uniform:
      return "uniform";
    case Layout::clustered:
      return "clustered";
    case Layout::mixed:
      return "1 mm to 10 m";
    case Layout::sparse:
      return "sparse, small steps";
  }
  return "";
}

// Boxes and how far each moves in a step: up to a fifth of its size; sparse ones, eight cubic metres each, a twentieth,
// where trees with padded boxes have little to do.
struct Moving {
  std::vector<Aabb> boxes;
  std::vector<Vec3> velocity;
  int steps = 0;
  void step() {  // back and forth, or clusters would dissolve
    const double sign = steps++ / 4 % 2 == 0 ? 1 : -1;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      boxes[i].min += sign * velocity[i], boxes[i].max += sign * velocity[i];
  }
};

Moving moving(Layout layout, std::size_t count) {
  Generator random(7);
  Moving made;
  const double side = std::cbrt(static_cast<double>(count)) / 2;  // half of the cube's: a cubic metre per box
  std::vector<Vec3> clusters;
  for (int i = 0; i < 20; ++i) clusters.push_back(random.in_cube(side));
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 at = random.in_cube(side);
    double size = random.uniform(0.4, 1);
    if (layout == Layout::clustered) {
      const Vec3 off = random.in_cube(1);
      at = clusters[i % clusters.size()] + off * off.norm() * side / 3;
    }
    if (layout == Layout::mixed) at *= 6, size = random.magnitude(-3, 1);
    if (layout == Layout::sparse) at *= 2;
    const Vec3 half = Vec3(size, size * random.uniform(0.5, 1), size * random.uniform(0.5, 1)) / 2;
    made.boxes.push_back(Aabb::around(at, half));
    made.velocity.push_back(random.direction() * random.uniform(0, size / (layout == Layout::sparse ? 20 : 5)));
  }
  return made;
}

Pairs pairs_of(const BroadPhase<3>& broad) {
  std::vector<BoxPair> found(broad.pairs({}));
  broad.pairs(found);
  Pairs pairs;
  for (const BoxPair pair : found) pairs.emplace_back(pair.a, pair.b);
  return pairs;
}

std::size_t step_of(BroadPhase<3>& broad, const std::vector<Aabb>& boxes) {
  broad.assign(boxes);
  std::size_t pairs = 0;
  broad.visit_pairs([&](BoxPair) { ++pairs; });
  return pairs;
}

std::vector<std::unique_ptr<BroadPeer>> peers_for(const std::vector<Aabb>& boxes) {
  std::vector<std::unique_ptr<BroadPeer>> peers;
#if GRAZE_HAVE_FCL
  peers.push_back(make_fcl(FclManager::dynamic_tree, boxes));
  if (boxes.size() <= 1000) {  // above, they take 10 to 300 times as long as the tree
    peers.push_back(make_fcl(FclManager::sweep_and_prune, boxes));
    peers.push_back(make_fcl(FclManager::spatial_hash, boxes));
  }
#endif
#if GRAZE_HAVE_BULLET
  peers.push_back(make_bullet(boxes));
#endif
  return peers;
}

void measure_pairs(Claims& claims, Layout layout, std::size_t count, double goal) {
  Moving scene = moving(layout, count);
  auto peers = peers_for(scene.boxes);
  const std::string id = fmt::format("scenes/pairs {} {}k", name_of(layout), count / 1000);
  if (peers.empty()) return claims.missing(id, "neither FCL nor Bullet is installed");
  BroadPhase<3> broad({.use = BroadPhaseUse::pairs});
  double ours = kInfinity;
  std::vector<double> theirs(peers.size(), kInfinity);
  bool agree = true;
  const int rounds = count > 20000 ? 4 : count > 2000 ? 8 : 40;
  std::size_t pairs = 0;
  for (int round = 0; round < rounds; ++round) {
    scene.step();
    ours = std::min(ours, time_of([&] { pairs = step_of(broad, scene.boxes); }));
    for (std::size_t i = 0; i < peers.size(); ++i) {
      peers[i]->place(scene.boxes);
      theirs[i] = std::min(theirs[i], time_of([&] { keep(peers[i]->step()); }));
    }
    if (round != 0 && round != rounds - 1) continue;
    const Pairs expected = pairs_of(broad);
    agree &= expected.size() == pairs;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      Pairs found = peers[i]->pairs();
      const std::size_t reported = found.size();
      found.erase(std::unique(found.begin(), found.end()), found.end());
      const bool same = found == expected;
      agree &= same || peers[i]->name() == "FCL spatial hash";
      if (round == 0 && (!same || reported != found.size())) {
        fmt::print("{}: {} reports {} pairs, {} of them once; there are {}\n", id, peers[i]->name(), reported,
                   found.size(), expected.size());
      }
    }
  }
  const auto best = static_cast<std::size_t>(std::min_element(theirs.begin(), theirs.end()) - theirs.begin());
  fmt::print("{}: {} pairs, {} by {}", id, pairs, ours * 1e-6, graze::name_of(broad.kind()));
  for (std::size_t i = 0; i < peers.size(); ++i) fmt::print(", {} {:.3f}", peers[i]->name(), theirs[i] * 1e-6);
  fmt::print(" ms\n");
  claims.add({.id = id,
              .ours = ours * 1e-6,
              .peer_name = peers[best]->name(),
              .peer = theirs[best] * 1e-6,
              .unit = "ms",
              .goal = goal,
              .agree = agree});
}

// Every kind on the same boxes, for the page.
void kinds_of_pairs(nlohmann::ordered_json& plots) {
  for (const Layout layout : {Layout::uniform, Layout::clustered, Layout::mixed}) {
    for (const std::size_t count : {100U, 300U, 1000U, 3000U, 10000U}) {
      for (const BroadPhaseKind kind :
           {BroadPhaseKind::list, BroadPhaseKind::sweep_and_prune, BroadPhaseKind::spatial_hash,
            BroadPhaseKind::row_grid, BroadPhaseKind::aabb_tree, BroadPhaseKind::morton_tree,
            BroadPhaseKind::extent_masks}) {
        Moving scene = moving(layout, count);
        BroadPhase<3> broad(scene.boxes, {.kind = kind});
        const bool in_place = kind == BroadPhaseKind::sweep_and_prune || kind == BroadPhaseKind::aabb_tree;
        double best = kInfinity;
        for (int round = 0; round < (count > 5000 ? 2 : 4); ++round) {
          scene.step();
          best = std::min(best, time_of([&] {
                            if (in_place) {
                              for (BoxId id = 0; id < count; ++id) broad.move(id, scene.boxes[id]);
                            } else {
                              broad.assign(scene.boxes);
                            }
                            std::size_t pairs = 0;
                            broad.visit_pairs([&](BoxPair) { ++pairs; });
                            keep(pairs);
                          }));
        }
        plots["pairs"].push_back(
            {{"layout", name_of(layout)}, {"kind", graze::name_of(kind)}, {"count", count}, {"ms", best * 1e-6}});
      }
    }
  }
}

// --- building --------------------------------------------------------------------------------------------------------

void measure_build(Claims& claims, std::size_t count) {
#if GRAZE_HAVE_FCL
  const Moving scene = moving(Layout::uniform, count);
  MortonTree<3> tree;
  double ours = kInfinity;
  const int rounds = count > 20000 ? 3 : 8;
  for (int round = 0; round < 2 * rounds; ++round) {
    ours = std::min(ours, time_of([&] { tree.assign(scene.boxes); }));
  }
  const std::vector<double> theirs = fcl_build_times(scene.boxes, rounds);
  const bool agree = tree.validate().empty();
  const double fastest = *std::min_element(theirs.begin(), theirs.end());
  const auto claim = [&](const std::string& what, const std::string& peer, double time, double goal) {
    claims.add({.id = fmt::format("scenes/build {}k{}", count / 1000, what),
                .ours = ours * 1e-6,
                .peer_name = peer,
                .peer = time * 1e-6,
                .unit = "ms",
                .goal = goal,
                .agree = agree});
  };
  claim("", "FCL dynamic tree, default", theirs[0], 30);
  claim(", fastest level", "FCL dynamic tree, fastest level", fastest, 12);
#else
  claims.missing(fmt::format("scenes/build {}k", count / 1000), "FCL is not installed");
#endif
}

// Paper on sensor data, Table I and equation 3: boxes of a sensor frame, a robot's boxes asked about.
void measure_break_even(Claims& claims, nlohmann::ordered_json& plots) {
  constexpr std::size_t kCount = 10000, kQueries = 4000;
  Generator random(3);
  std::vector<Aabb> boxes, queries;
  for (std::size_t i = 0; i < kCount; ++i) {  // a table, a wall and clutter, in cells of 2 cm
    Vec3 at = random.in_cube(1.5);
    if (i % 3 == 0) at.z() = -0.5;
    if (i % 3 == 1) at.x() = 1.2;
    boxes.push_back(Aabb::around(at, Vec3::Constant(0.01)));
  }
  for (std::size_t i = 0; i < kQueries; ++i) {
    queries.push_back(Aabb::around(random.in_cube(1.5), random.in_cube(0.15).cwiseAbs()));
  }
  MortonTree<3> morton;
  BroadPhase<3> by_cost({.kind = BroadPhaseKind::aabb_tree});
  const auto [fast, slow] = compare(
      1, [&] { morton.assign(boxes); }, [&] { by_cost.assign(boxes); });
  const auto ask = [&](const BroadPhase<3>& broad) {
    std::size_t found = 0;
    for (const Aabb& box : queries) broad.visit_overlapping(box, [&](BoxId) { ++found; });
    keep(found);
    return found;
  };
  bool agree = ask(morton) == ask(by_cost);
  const auto [worse, better] = compare(
      kQueries, [&] { ask(morton); }, [&] { ask(by_cost); });
  const double improving = time_of([&] {
    while (morton.improve(1000) > 0) {
    }
  });
  agree &= ask(morton) == ask(by_cost);
  const auto [improved, again] = compare(
      kQueries, [&] { ask(morton); }, [&] { ask(by_cost); });
  const double even = worse > better ? (slow - fast) / (worse - better) : kInfinity;
  fmt::print(
      "break-even of a Morton tree, {} boxes: build {:.3f} ms, by cost {:.3f} ms; query {:.0f} ns, by cost {:.0f} ns, "
      "improved in parts of 1000 for {:.3f} ms {:.0f} ns (by cost {:.0f}); by cost pays after {:.0f} queries\n",
      kCount, fast * 1e-6, slow * 1e-6, worse, better, improving * 1e-6, improved, again, even);
  plots["break_even"] = {{"boxes", kCount},
                         {"build_ms", fast * 1e-6},
                         {"build_by_cost_ms", slow * 1e-6},
                         {"query_ns", worse},
                         {"query_by_cost_ns", better},
                         {"improve_ms", improving * 1e-6},
                         {"improved_ns", improved},
                         {"queries", std::isfinite(even) ? even : -1}};
  claims.add({.id = "scenes/build 10k, Morton beside by cost",
              .ours = fast * 1e-6,
              .peer_name = "graze AABB tree by cost",
              .peer = slow * 1e-6,
              .unit = "ms",
              .goal = 10,
              .agree = agree});
}

// --- the domains of the thesis ---------------------------------------------------------------------------------------

constexpr double kWidth = 5.5, kHeight = 4, kRadius = 0.09;

std::vector<Disc> circles(std::size_t count, double scale) {
  Generator random(11);
  std::vector<Disc> discs;
  for (std::size_t i = 0; i < count; ++i) {
    discs.push_back({random.uniform(0, kWidth), random.uniform(0, kHeight), scale * random.uniform(0.05, 0.2)});
  }
  return discs;
}
// Rectangles of the same kind: asked by their boxes.
std::vector<Aabb2> rectangles(std::size_t count) {
  Generator random(17);
  std::vector<Aabb2> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 at(random.uniform(0, kWidth), random.uniform(0, kHeight));
    const double width = random.uniform(0.05, 0.25);
    boxes.push_back(Aabb2::around(at, {width, random.uniform(0.05, 0.25)}));
  }
  return boxes;
}
std::vector<Disc> query_discs(std::size_t count) {
  Generator random(13);
  std::vector<Disc> discs;
  for (std::size_t i = 0; i < count; ++i)
    discs.push_back({random.uniform(0, kWidth), random.uniform(0, kHeight), kRadius});
  return discs;
}
Aabb2 box_of(const Disc& d) { return Aabb2::around({d.x, d.y}, {d.radius, d.radius}); }
std::vector<Aabb2> boxes_of(const std::vector<Disc>& discs) {
  std::vector<Aabb2> boxes;
  for (const Disc& d : discs) boxes.push_back(box_of(d));
  return boxes;
}

bool touches(const BroadPhase<2>& broad, const std::vector<Disc>& discs, const Disc& query) {
  bool hit = false;
  broad.visit_overlapping(box_of(query), [&](BoxId id) {
    const double x = discs[id].x - query.x, y = discs[id].y - query.y, r = discs[id].radius + query.radius;
    return !(hit = x * x + y * y <= r * r);
  });
  return hit;
}

// All queries as one batch; gives how many touch.
std::size_t count_touching(const BroadPhase<2>& broad, const std::vector<Disc>& discs, const std::vector<Disc>& queries,
                           std::vector<Aabb2>& boxes, std::vector<char>& hit) {
  for (std::size_t i = 0; i < queries.size(); ++i) boxes[i] = box_of(queries[i]);
  std::fill(hit.begin(), hit.end(), 0);
  std::size_t count = 0;
  broad.visit_overlapping_each(std::span<const Aabb2>(boxes), [&](std::size_t query, BoxId id) {
    const double x = discs[id].x - queries[query].x, y = discs[id].y - queries[query].y;
    const double r = discs[id].radius + queries[query].radius;
    if (hit[query] == 0 && x * x + y * y <= r * r) hit[query] = 1, ++count;
  });
  return count;
}

void measure_discs(Claims& claims, std::size_t count, double scale, double goal) {
#if GRAZE_HAVE_FCL
  const auto discs = circles(count, scale), queries = query_discs(5000);
  const auto peer = make_fcl_discs(discs);
  const auto boxes = boxes_of(discs);
  const auto ask_peer = [&] {
    std::size_t hits = 0;
    for (const Disc& q : queries) hits += peer->touches(q) ? 1 : 0;
    return hits;
  };
  const std::size_t expected = ask_peer();
  for (const BroadPhaseKind kind :
       {BroadPhaseKind::scalar_list, BroadPhaseKind::list, BroadPhaseKind::extent_masks, BroadPhaseKind::aabb_tree}) {
    const BroadPhase<2> broad(boxes, {.kind = kind});
    const auto ask = [&] {
      std::size_t hits = 0;
      for (const Disc& q : queries) hits += touches(broad, discs, q) ? 1 : 0;
      return hits;
    };
    const bool agree = ask() == expected;
    const auto [ours, theirs] = compare(
        queries.size(), [&] { keep(ask()); }, [&] { keep(ask_peer()); });
    fmt::print("{} circles, {}, one at a time: {:.1f} ns, FCL {:.1f} ns{}\n", count, graze::name_of(kind), ours, theirs,
               agree ? "" : ", DIFFER");
    if (!agree)
      claims.add(
          {fmt::format("scenes/{} circles, {}", count, graze::name_of(kind)), ours, "FCL", theirs, "ns", goal, false});
  }
  std::vector<Aabb2> query_boxes(queries.size());
  std::vector<char> hit(queries.size());
  for (const bool batch : {true, false}) {
    const BroadPhase<2> broad(boxes);
    const auto ask = [&] {
      if (batch) return count_touching(broad, discs, queries, query_boxes, hit);
      std::size_t hits = 0;
      for (const Disc& q : queries) hits += touches(broad, discs, q) ? 1 : 0;
      return hits;
    };
    const bool agree = ask() == expected;
    const auto [ours, theirs] = compare(
        queries.size(), [&] { keep(ask()); }, [&] { keep(ask_peer()); });
    claims.add({.id = fmt::format("scenes/{} circles{}", count, batch ? "" : ", one at a time"),
                .ours = ours,
                .peer_name = "FCL dynamic tree",
                .peer = theirs,
                .goal = goal,
                .agree = agree});
  }
#else
  claims.missing(fmt::format("scenes/{} circles", count), "FCL is not installed");
#endif
}

// 64 rectangles: whether the box of a query with the radius of the thesis overlaps any, beside FCL's tree of boxes.
void measure_rectangles(Claims& claims) {
#if GRAZE_HAVE_FCL
  const auto boxes = rectangles(64);
  std::vector<Aabb> flat;
  for (const Aabb2& b : boxes) flat.push_back({{b.min.x(), b.min.y(), -1}, {b.max.x(), b.max.y(), 1}});
  std::vector<Aabb2> queries;
  for (const Disc& q : query_discs(5000)) queries.push_back(box_of(q));
  const auto peer = make_fcl_boxes(flat);
  const BroadPhase<2> broad(boxes);
  std::vector<char> hit(queries.size());
  const auto ask = [&] {
    std::fill(hit.begin(), hit.end(), 0);
    broad.visit_overlapping_each(std::span<const Aabb2>(queries), [&](std::size_t query, BoxId) { hit[query] = 1; });
    return std::count(hit.begin(), hit.end(), 1);
  };
  const auto ask_peer = [&] {
    std::ptrdiff_t hits = 0;
    for (const Aabb2& q : queries) hits += peer->touches({q.center().x(), q.center().y(), kRadius}) ? 1 : 0;
    return hits;
  };
  const bool agree = ask() == ask_peer();
  const auto [ours, theirs] = compare(
      queries.size(), [&] { keep(ask()); }, [&] { keep(ask_peer()); });
  claims.add({.id = "scenes/64 rectangles",
              .ours = ours,
              .peer_name = "FCL dynamic tree",
              .peer = theirs,
              .goal = 25,
              .agree = agree});
#else
  claims.missing("scenes/64 rectangles", "FCL is not installed");
#endif
}

// The same domains as worlds, whose checks are exact: circles and rectangles, one at a time and as a batch.
#if GRAZE_HAVE_FCL
void measure_world(Claims& claims, const std::string& what, const graze::planar::World& world, DiscPeer& peer,
                   double goal) {
  const auto queries = query_discs(5000);
  std::vector<Vec2> points;
  for (const Disc& q : queries) points.emplace_back(q.x, q.y);
  const std::unique_ptr<bool[]> hits(new bool[points.size()]);
  const auto ask_peer = [&] {
    std::size_t count = 0;
    for (const Disc& q : queries) count += peer.touches(q) ? 1 : 0;
    return count;
  };
  for (const bool batch : {true, false}) {
    const auto ask = [&] {
      std::size_t count = 0;
      if (batch) {
        collide_each(world, points, kRadius, {hits.get(), points.size()});
        for (std::size_t i = 0; i < points.size(); ++i) count += hits[i] ? 1 : 0;
      } else {
        for (const Vec2& p : points) count += collide(world, p, kRadius) ? 1 : 0;
      }
      return count;
    };
    const bool agree = ask() == ask_peer();
    const auto [ours, theirs] = compare(
        queries.size(), [&] { keep(ask()); }, [&] { keep(ask_peer()); });
    claims.add({.id = fmt::format("scenes/world of {}{}", what, batch ? "" : ", one at a time"),
                .ours = ours,
                .peer_name = "FCL dynamic tree",
                .peer = theirs,
                .goal = goal,
                .agree = agree});
  }
}
#endif

void measure_worlds(Claims& claims) {
#if GRAZE_HAVE_FCL
  for (const std::size_t count : {64U, 256U}) {
    const auto discs = circles(count, count > 64 ? 0.5 : 1);
    std::vector<graze::planar::Obstacle> obstacles;
    for (const Disc& d : discs) obstacles.emplace_back(graze::planar::Circle({d.x, d.y}, d.radius));
    measure_world(claims, fmt::format("{} circles", count), graze::planar::World(obstacles), *make_fcl_discs(discs),
                  count > 64 ? 10 : 25);
  }
  std::vector<Aabb> flat;
  std::vector<graze::planar::Obstacle> obstacles;
  for (const Aabb2& b : rectangles(64)) {
    flat.push_back({{b.min.x(), b.min.y(), -1}, {b.max.x(), b.max.y(), 1}});
    obstacles.emplace_back(graze::planar::Rectangle(b.center(), b.half()));
  }
  measure_world(claims, "64 rectangles", graze::planar::World(obstacles), *make_fcl_rectangles(flat), 25);
#else
  claims.missing("scenes/world of 64 circles", "FCL is not installed");
#endif
}

// ns of single queries, each the mean of some repetitions; sorted.
std::vector<double> single_times(const BroadPhase<2>& broad, const std::vector<Disc>& discs,
                                 const std::vector<Disc>& queries) {
  constexpr int kTimes = 100;
  std::vector<double> times;
  for (const Disc& q : queries) {
    times.push_back(time_of([&] {
                      for (int i = 0; i < kTimes; ++i) keep(touches(broad, discs, q));
                    }) /
                    kTimes);
  }
  std::sort(times.begin(), times.end());
  return times;
}

void distribution(nlohmann::ordered_json& plots) {
  const auto discs = circles(64, 1);
  std::vector<Disc> hits, misses;
  const BroadPhase<2> list(boxes_of(discs));
  for (const Disc& q : query_discs(2000)) (touches(list, discs, q) ? hits : misses).push_back(q);
  for (const BroadPhaseKind kind : {BroadPhaseKind::list, BroadPhaseKind::extent_masks, BroadPhaseKind::aabb_tree}) {
    const BroadPhase<2> broad(boxes_of(discs), {.kind = kind});
    plots["distribution"].push_back({{"kind", graze::name_of(kind)},
                                     {"collision", single_times(broad, discs, hits)},
                                     {"free", single_times(broad, discs, misses)}});
  }
}

void scaling(nlohmann::ordered_json& plots) {
  const auto all = circles(1024, 0.25), queries = query_discs(400);
  for (const std::size_t count :
       {1U, 2U, 4U, 8U, 16U, 24U, 32U, 48U, 64U, 96U, 128U, 192U, 256U, 384U, 512U, 768U, 1024U}) {
    const std::vector<Disc> discs(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    for (const BroadPhaseKind kind :
         {BroadPhaseKind::scalar_list, BroadPhaseKind::list, BroadPhaseKind::extent_masks, BroadPhaseKind::aabb_tree}) {
      const BroadPhase<2> broad(boxes_of(discs), {.kind = kind});
      const auto times = single_times(broad, discs, queries);
      double sum = 0;
      for (const double t : times) sum += t;
      plots["scaling"].push_back({{"kind", graze::name_of(kind)},
                                  {"count", count},
                                  {"mean", sum / static_cast<double>(times.size())},
                                  {"p95", times[times.size() * 95 / 100]}});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string plots_path;
  std::vector<char*> rest{argv[0]};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--plots") == 0 && i + 1 < argc) {
      plots_path = argv[++i];
    } else {
      rest.push_back(argv[i]);
    }
  }
  Claims claims(static_cast<int>(rest.size()), rest.data());
  for (const std::size_t count : {1000U, 10000U, 100000U}) {
    measure_pairs(claims, Layout::uniform, count, count == 100000 ? 6 : 3);
    measure_pairs(claims, Layout::clustered, count, 6);
    measure_pairs(claims, Layout::mixed, count, 2);
    measure_pairs(claims, Layout::sparse, count, 1);
  }
  nlohmann::ordered_json plots;
  measure_build(claims, 10000);
  measure_build(claims, 100000);
  measure_break_even(claims, plots);
  measure_discs(claims, 64, 1, 25);
  measure_rectangles(claims);
  measure_discs(claims, 256, 0.5, 10);
  measure_worlds(claims);
  if (!plots_path.empty()) {
    kinds_of_pairs(plots);
    distribution(plots);
    scaling(plots);
    std::ofstream(plots_path) << plots.dump(1) << '\n';
  }
  return claims.finish();
}
