// The next version of a scene compared with a full copy: how the cost of a change grows with the scene, and what
// queries through the shared tree cost beside a broad phase that was built for one version.
//
//     bench_scene_versions [--json PATH]

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/index/broad_phase.h"
#include "graze/query/collide.h"
#include "graze/scene/scene_editor.h"
#include "graze/scene/scene_query.h"
#include "graze/scene/shared_scene.h"
#include "tests/support/generator.h"

namespace {

using namespace graze;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using graze_test::Generator;

constexpr std::size_t kChanges = 64;

// The alternative without shared versions: everything is copied, and the broad phase is rebuilt.
struct Copied {
  std::map<std::string, std::size_t> names;
  std::vector<Placed> objects;
  BroadPhase<3> boxes;

  void build() {
    std::vector<Aabb> all;
    for (const Placed& o : objects) all.push_back(bounds(o.geometry, o.pose));
    boxes.assign(all);
  }
  Copied next(const std::string& name, const Pose& pose) const {
    Copied copy{names, objects, BroadPhase<3>()};
    copy.objects[names.at(name)].pose = pose;
    copy.build();
    return copy;
  }
  bool collides(const Placed& body) const {
    bool hit = false;
    boxes.visit_overlapping(bounds(body.geometry, body.pose), [&](BoxId id) {
      hit = collide(objects[id], body);
      return !hit;
    });
    return hit;
  }
};

std::string name_of_object(std::size_t i) { return "object " + std::to_string(i); }

// A cubic metre per object, as in the benchmark of broad phases.
void measure(std::size_t n, Claims& claims) {
  Generator random(n);
  const double half = std::cbrt(static_cast<double>(n)) / 2;
  SceneEditor editor;
  Copied copied;
  for (std::size_t i = 0; i < n; ++i) {
    const Placed body = i % 2 == 0 ? at(Box{.half = {0.2, 0.15, 0.25}}, random.pose(half))
                                   : at(Sphere{.radius = 0.2}, Pose::at(random.in_cube(half)));
    editor.add(name_of_object(i), body);
    copied.names[name_of_object(i)] = i;
    copied.objects.push_back(body);
  }
  copied.build();

  std::vector<std::pair<std::string, Pose>> changes;
  for (std::size_t i = 0; i < kChanges; ++i)
    changes.emplace_back(name_of_object(random.bits() % n), Pose::at(random.in_cube(half)));
  SharedScene shared(editor.scene());
  const std::size_t copies = n > 20000 ? 2 : n > 2000 ? 8 : kChanges;
  bool agree = true;
  SceneEditor changed = editor;
  for (const auto& [name, pose] : changes) changed.move(name, pose);
  const double ours = compare(
                          kChanges,
                          [&] {
                            SceneEditor next = editor;
                            for (const auto& [name, pose] : changes) {
                              next.move(name, pose);
                              shared.publish(next.scene());
                            }
                          },
                          [] {})
                          .ours;
  const double peer = compare(
                          copies, [] {},
                          [&] {
                            for (std::size_t i = 0; i < copies; ++i)
                              keep(copied.next(changes[i].first, changes[i].second).objects.size());
                          },
                          2)
                          .peer;
  claims.add({.id = fmt::format("scene_versions/publish 1 of {}", n),
              .ours = ours,
              .peer_name = "a copy of all",
              .peer = peer,
              .goal = n >= 10000 ? 100.0 : 1.0,
              .agree = changed.scene().validate().empty()});

  // The same queries to both.
  const Scene scene = editor.scene();
  std::vector<Placed> bodies;
  for (int i = 0; i < 2000; ++i) bodies.push_back(at(Capsule{.radius = 0.1, .half_length = 0.3}, random.pose(half)));
  for (const Placed& body : bodies) agree = agree && collide(scene, body) == copied.collides(body);
  const auto [query, flat] = compare(
      bodies.size(),
      [&] {
        for (const Placed& body : bodies) keep(collide(scene, body));
      },
      [&] {
        for (const Placed& body : bodies) keep(copied.collides(body));
      });
  claims.add({.id = fmt::format("scene_versions/collide in {}", n),
              .ours = query,
              .peer_name = "BroadPhase of one version",
              .peer = flat,
              .goal = 0.3,
              .agree = agree});
}

}  // namespace

int main(int argc, char** argv) {
  Claims claims(argc, argv);
  for (const std::size_t n : {100U, 1000U, 10000U, 100000U}) measure(n, claims);
  return claims.finish();
}
