// Many named objects: who may touch whom, who carries whom, and a reader that never waits for the writer.

#include <graze/graze.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

int main() {
  using namespace graze;

  SceneEditor editor;
  editor.add("floor", at(HalfSpace({0, 0, 1}, 0)));
  editor.add("table", at(Box{.half = {0.6, 0.4, 0.35}}, Pose::at({1, 0, 0.35})), {.group = "furniture"});
  editor.add("gripper", at(Box{.half = {0.05, 0.05, 0.1}}, Pose::at({0, 0, 1.2})), {.margin = 0.01});
  editor.add("cup", at(Cylinder{.radius = 0.04, .half_length = 0.05}, Pose::at({1, 0, 0.75})));
  editor.allow("furniture", "floor");
  editor.allow("cup", "table");
  std::printf("anything in collision? %s\n", self_collide(editor.scene()) ? "yes" : "no");

  // Would the cup also fit at the edge of the table? It is compared with everything but itself and the table.
  const Placed there = at(Cylinder{.radius = 0.04, .half_length = 0.05}, Pose::at({1.5, 0, 0.75}));
  std::printf("the cup at the edge: %s\n", collide(editor.scene(), there, {.as = "cup"}) ? "collides" : "fits");

  // The gripper grasps it: both move as one.
  editor.move("gripper", Pose::at({1, 0, 0.9}));
  editor.attach("cup", "gripper");
  editor.disallow("cup", "table");
  editor.move("gripper", Pose::at({1, 0, 0.85}));
  std::vector<SceneContact> found(16);
  found.resize(self_contacts(editor.scene(), found));
  for (const SceneContact& c : found) {
    std::printf("%s and %s: %.3f m deep\n", std::string(c.pair.name_a).c_str(), std::string(c.pair.name_b).c_str(),
                c.depth);
  }

  // A reader sees complete versions while the writer lifts the gripper step by step.
  SharedScene shared(editor.scene());
  bool torn = false;
  std::thread reader([&] {
    for (int i = 0; i < 1000; ++i) {
      const Scene scene = shared.current();
      torn = torn || std::abs(distance(scene, "gripper", "cup").value) > 1e-9;  // they move as one
    }
  });
  for (int i = 1; i <= 100; ++i) {
    editor.move("gripper", Pose::at({1, 0, 0.85 + 0.001 * i}));
    shared.publish(editor.scene());
  }
  reader.join();
  const SceneDistance d = self_distance(shared.current());
  std::printf("nearest now: %s and %s, %.3f m\n", std::string(d.pair.name_a).c_str(),
              std::string(d.pair.name_b).c_str(), d.value);

  return !torn && !found.empty() && d.value > 0 ? 0 : 1;
}
