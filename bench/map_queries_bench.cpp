// Many objects against an occupancy map, beside FCL and Coal: on the octree itself, and by way of boxes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "claims.h"
#include "graze/geometry/map_view.h"
#include "graze/geometry/occupancy_map_builder.h"
#include "graze/index/broad_phase.h"
#include "graze/query/collide.h"
#include "graze/scene/scene_editor.h"
#include "graze/scene/scene_query.h"
#include "graze/shape/box.h"
#include "graze/shape/cylinder.h"
#include "graze/shape/sphere.h"
#include "map_queries_scene.h"
#include "timing.h"

namespace map_queries_bench {
namespace {

using namespace graze;  // NOLINT

Geometry geometry_of(const Object& object) {
  const Vec3& s = object.size;
  if (object.as_mesh) return Mesh(object.vertices, object.triangles);
  if (object.kind == Kind::sphere) return Sphere{.radius = s.x()};
  if (object.kind == Kind::box) return Box{.half = s};
  return Cylinder{.radius = s.x(), .half_length = s.z()};
}

struct Ours {
  std::vector<Geometry> geometries;
  OccupancyMap map;
  double set_up = 0;  // of the view: all that a new map needs before it is queried
  Scene scene;

  explicit Ours(const World& world) {
    for (const Object& object : world.objects) geometries.push_back(geometry_of(object));
    OccupancyMapBuilder builder(world.resolution);
    for (const CellKey& cell : world.occupied) builder.add({.key = cell, .log_odds = 3.5F});
    map = std::move(builder).finish();
    set_up = kInfinity;
    for (int round = 0; round < 5; ++round) {
      set_up = std::min(set_up, bench::time_of([&] { bench::keep(MapView(map, UnknownSpace::free).stamp()); }));
    }
  }
  void place(const World& world, const Pose& pose) {
    SceneEditor editor;
    for (std::size_t i = 0; i < geometries.size(); ++i) {
      editor.add(fmt::format("{}", i), at(geometries[i], pose * world.objects[i].pose));
    }
    scene = editor.scene();
  }
};

/// The paper's other two pipelines, of graze: the cells as boxes in a tree, divided by cost or in the order of a curve.
struct ViaBoxes {
  const char* name;
  BroadPhaseKind kind;
  double to_boxes = kInfinity, to_tree = kInfinity, collide = 0;  // ns; of all poses
  int wrong = 0;
  BroadPhase<3> tree{};
  Aabb all{};

  ViaBoxes(const char* called, BroadPhaseKind structure, const OccupancyMap& map) : name(called), kind(structure) {
    for (int round = 0; round < 5; ++round) {
      std::vector<Aabb> boxes;
      to_boxes = std::min(to_boxes, bench::time_of([&] {
                            map.visit_leaves([&](const OccupancyCell& leaf) {
                              if (leaf.log_odds >= 0) boxes.push_back(map.box(leaf));
                            });
                          }));
      to_tree = std::min(to_tree, bench::time_of([&] { tree = BroadPhase<3>(boxes, {.kind = kind}); }));
    }
    all = map.bounds();
  }
  /// `bodies` with the boxes around them, which a caller has.
  bool collides(const std::vector<std::pair<Placed, Aabb>>& bodies) const {
    for (const auto& [body, box] : bodies) {
      if (!overlap(box, all)) continue;
      bool hit = false;
      tree.visit_overlapping(box, [&, &placed = body](BoxId id) {
        const Aabb& cell = tree.box(id);
        return !(hit = graze::collide(placed, at(Box{.half = cell.half()}, Pose::at(cell.center()))));
      });
      if (hit) return true;
    }
    return false;
  }
};

/// How many questions of one set are worth the set-up of a faster pipeline.
std::string worth(double set_up, double slower, double faster) {
  return faster < slower ? fmt::format("after {:.0f}", set_up / (slower - faster)) : "after no number of";
}

/// The smallest distance of any object from any cell, one by one; 0 where they touch.
double by_force(const World& world, const std::vector<Geometry>& geometries, const Pose& pose) {
  double best = kInfinity;
  for (const CellKey& cell : world.occupied) {
    const Aabb box = box_of(world, cell);
    const Placed solid = at(Box{.half = box.half()}, Pose::at(box.center()));
    for (std::size_t i = 0; i < geometries.size(); ++i) {
      const Placed body = at(geometries[i], pose * world.objects[i].pose);
      best = std::min(best, std::max(0.0, distance(body, solid, {.limit = best, .depth = false}).value));
    }
  }
  return best;
}

/// Mean times per question of one subject, and its answers.
struct Answers {
  double collide = 0, distance = 0;  // ns
  std::vector<char> hits;
  std::vector<double> distances;
};

template <class Query>
double repeated(int times, Query&& query) {
  query();
  return bench::time_of([&] {
           for (int i = 0; i < times; ++i) bench::keep(query());
         }) /
         times;
}

class Run {
 public:
  Run(bench::Claims& claims, World world, bool box_meshes, int poses_for_distance)
      : claims_(claims), world_(std::move(world)), box_meshes_(box_meshes), distances_(poses_for_distance) {}

  void run(bool with_goals = true) {
    Ours ours(world_);
    const MapView view(ours.map, UnknownSpace::free);
    const Placed map = at(view);
    std::vector<std::unique_ptr<Peer>> peers = fcl_peers(world_, box_meshes_);
    for (auto& peer : coal_peers(world_, box_meshes_)) peers.push_back(std::move(peer));
    std::vector<Answers> theirs(peers.size());
    Answers own;
    std::vector<ViaBoxes> pipelines;
    pipelines.emplace_back("graze via boxes, by cost", BroadPhaseKind::aabb_tree, ours.map);
    pipelines.emplace_back("graze via boxes, by curve", BroadPhaseKind::morton_tree, ours.map);
    for (std::size_t k = 0; k < world_.poses.size(); ++k) {
      const Pose& pose = world_.poses[k];
      const bool measure = static_cast<int>(k) < distances_;
      ours.place(world_, pose);
      bool hit = false;
      double gap = 0;
      own.collide += repeated(8, [&] { return hit = collide(ours.scene, map); });
      own.hits.push_back(hit ? 1 : 0);
      if (measure) {
        own.distance += repeated(3, [&] { return gap = distance(ours.scene, map, {.depth = false}).value; });
        own.distances.push_back(std::max(0.0, gap));
      }
      std::vector<std::pair<Placed, Aabb>> bodies;
      for (std::size_t i = 0; i < ours.geometries.size(); ++i) {
        const Placed body = at(ours.geometries[i], pose * world_.objects[i].pose);
        bodies.emplace_back(body, bounds(body.geometry, body.pose));
      }
      for (ViaBoxes& boxes : pipelines) {
        boxes.collide += repeated(3, [&] { return hit = boxes.collides(bodies); });
        boxes.wrong += hit != (own.hits.back() != 0) ? 1 : 0;
      }
      for (std::size_t i = 0; i < peers.size(); ++i) {
        peers[i]->place(pose);
        theirs[i].collide += repeated(3, [&] { return hit = peers[i]->collides(); });
        theirs[i].hits.push_back(hit ? 1 : 0);
        if (!measure) continue;
        theirs[i].distance += repeated(1, [&] { return gap = peers[i]->distance(); });
        theirs[i].distances.push_back(std::max(0.0, gap));
      }
    }
    report(ours, own, peers, theirs, pipelines, with_goals);
  }

 private:
  void report(const Ours& ours, const Answers& own, const std::vector<std::unique_ptr<Peer>>& peers,
              const std::vector<Answers>& theirs, const std::vector<ViaBoxes>& pipelines, bool with_goals) {
    const auto poses = static_cast<double>(world_.poses.size());
    const auto measured = static_cast<double>(own.distances.size());
    const auto hits = std::count(own.hits.begin(), own.hits.end(), 1);
    fmt::print("\n{}: {} cells, {} objects, {} % of {} poses hit; mean distance {:.3f} m\n", world_.name,
               world_.occupied.size(), world_.objects.size(), 100 * static_cast<std::size_t>(hits) / own.hits.size(),
               own.hits.size(), std::accumulate(own.distances.begin(), own.distances.end(), 0.0) / measured);
    fmt::print("{:<28}{:>10}{:>10}{:>12}{:>12}\n", "microseconds", "T11", "T12", "collide", "distance");
    fmt::print("{:<28}{:>10.1f}{:>10}{:>12.2f}{:>12.2f}\n", "graze direct", ours.set_up / 1e3, "",
               own.collide / poses / 1e3, own.distance / measured / 1e3);
    for (const ViaBoxes& boxes : pipelines) {
      fmt::print("{:<28}{:>10.1f}{:>10.1f}{:>12.2f}{:>12}  worth it {} collisions{}\n", boxes.name,
                 boxes.to_boxes / 1e3, boxes.to_tree / 1e3, boxes.collide / poses / 1e3, "",
                 worth(boxes.to_boxes + boxes.to_tree - ours.set_up, own.collide / poses, boxes.collide / poses),
                 boxes.wrong > 0 ? fmt::format(", {} DIFFER", boxes.wrong) : "");
    }
    const double by_cost = pipelines[0].to_tree - pipelines[1].to_tree;
    fmt::print("Table I: dividing by cost is worth it {} collisions (the paper: 38,333)\n",
               worth(by_cost, pipelines[1].collide / poses, pipelines[0].collide / poses));
    double collide_best = kInfinity, distance_best = kInfinity, collide_boxes = kInfinity, distance_boxes = kInfinity;
    std::string collide_name, distance_name, collide_boxes_name, distance_boxes_name;
    bool collide_agrees = true, distance_agrees = true;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const Peer& peer = *peers[i];
      const Faults wrong = faults(own, theirs[i], ours.geometries);
      fmt::print("{:<28}{:>10.1f}{:>10.1f}{:>12.2f}{:>12.2f}", peer.name, peer.to_boxes / 1e3, peer.to_tree / 1e3,
                 theirs[i].collide / poses / 1e3, theirs[i].distance / measured / 1e3);
      if (wrong.hits + wrong.distances > 0) {
        fmt::print("  wrong: {} hits, {} distances (by {:.3f} m at most), shown by all cells", wrong.hits,
                   wrong.distances, wrong.largest);
      }
      fmt::print("\n");
      collide_agrees = collide_agrees && !wrong.of_ours;
      distance_agrees = distance_agrees && !wrong.of_ours;
      const double set_up = peer.to_boxes + peer.to_tree;
      const auto take = [&](double time, double& best, std::string& name) {
        if (time < best) best = time, name = peer.name;
      };
      // Who answers wrongly is no measure, however fast.
      if (wrong.hits == 0) {
        take(theirs[i].collide / poses, collide_best, collide_name);
        if (peer.boxes) take(set_up + 10 * theirs[i].collide / poses, collide_boxes, collide_boxes_name);
      }
      if (wrong.distances == 0) {
        take(theirs[i].distance / measured, distance_best, distance_name);
        if (peer.boxes) take(set_up + 10 * theirs[i].distance / measured, distance_boxes, distance_boxes_name);
      }
    }
    if (peers.size() >= 3) {  // FCL's own, as in the paper
      const double set_up = peers[2]->to_boxes + peers[2]->to_tree;
      const auto of = [&](auto member, double count) {
        return worth(set_up, std::min(theirs[0].*member, theirs[1].*member) / count, theirs[2].*member / count);
      };
      fmt::print("FCL: boxes are worth it {} collisions (the paper: 2959; robot 3275), {} distances (robot 18)\n",
                 of(&Answers::collide, poses), of(&Answers::distance, measured));
    }
    if (!with_goals || peers.empty()) return;
    const auto claim = [&](const std::string& what, double mine, const std::string& peer, double theirs_best,
                           double goal, bool agree) {
      claims_.add({.id = fmt::format("map_queries/{}, {}", world_.name, what),
                   .ours = mine / 1e3,
                   .peer_name = peer,
                   .peer = theirs_best / 1e3,
                   .unit = "us",
                   .goal = goal,
                   .agree = agree});
    };
    const double collide_own = own.collide / poses, distance_own = own.distance / measured;
    claim("collide", collide_own, collide_name, collide_best, 3, collide_agrees);
    claim("distance", distance_own, distance_name, distance_best, 3, distance_agrees);
    claim("set-up and 10 collide", ours.set_up + 10 * collide_own, collide_boxes_name, collide_boxes, 20,
          collide_agrees);
    claim("set-up and 10 distance", ours.set_up + 10 * distance_own, distance_boxes_name, distance_boxes, 20,
          distance_agrees);
  }

  struct Faults {
    int hits = 0, distances = 0;
    double largest = 0;
    bool of_ours = false;  // graze was the one that is wrong
  };
  // Where the two differ, all cells decide.
  Faults faults(const Answers& own, const Answers& other, const std::vector<Geometry>& geometries) const {
    constexpr double kTolerance = 1e-4;  // of peers that iterate
    constexpr int kProofs = 20;
    Faults f;
    for (std::size_t k = 0; k < own.hits.size(); ++k) {
      const bool measured = k < own.distances.size();
      const bool hit_differs = own.hits[k] != other.hits[k];
      const double by = measured ? std::abs(own.distances[k] - other.distances[k]) : 0;
      const bool distance_differs = !(by <= kTolerance);
      if (!hit_differs && !distance_differs) continue;
      if (f.hits + f.distances < kProofs) {
        const double truth = by_force(world_, geometries, world_.poses[k]);
        if (hit_differs && (truth <= 0) != (own.hits[k] != 0)) f.of_ours = true;
        if (distance_differs && !(std::abs(truth - own.distances[k]) <= 1e-6)) f.of_ours = true;
        if (f.of_ours) fmt::print("graze is wrong at pose {}: {} instead of {}\n", k, own.distances[k], truth);
      }
      f.hits += hit_differs ? 1 : 0;
      f.distances += distance_differs ? 1 : 0;
      f.largest = std::max(f.largest, by);
    }
    return f;
  }

  bench::Claims& claims_;
  World world_;
  bool box_meshes_;
  int distances_;
};

}  // namespace
}  // namespace map_queries_bench

int main(int argc, char** argv) {
  using namespace map_queries_bench;
  graze::bench::Claims claims(argc, argv);
  for (const bool meshes : {false, true}) {
    for (const bool dense : {false, true}) {
      Run(claims, paper_world(dense, meshes, meshes ? 200 : 1000), meshes, meshes ? 20 : 100).run();
    }
  }
  Run(claims, robot_world(300), false, 50).run();
  return claims.finish();
}
