// One writer, many readers, batches on many threads; and how the cost of a change grows.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graze/scene/scene_editor.h"
#include "graze/scene/scene_query.h"
#include "graze/scene/shared_scene.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace concurrent_test {

using namespace graze;

// n spheres of 1 cm on a line, 1 m apart, all moved along z by the number of the frame: whoever sees two heights sees
// two versions at once.
constexpr int kObjects = 30;
std::string name_of_object(int i) { return "o" + std::to_string(i); }

void publish_frame(SceneEditor& editor, SharedScene& shared, int frame) {
  for (int i = 0; i < kObjects; ++i) editor.move(name_of_object(i), Pose::at({double(i), 0, double(frame)}));
  shared.publish(editor.scene());
}

// What a reader sees has to be one frame as a whole, and frames never go back.
struct Reader {
  double last = -1;
  std::string fault;

  void look(const SharedScene& shared, Generator& random) {
    const Scene scene = shared.current();
    const double height = scene.object(name_of_object(0)).placed->pose.translation().z();
    if (height < last) fault = "an older version than before";
    last = height;
    int seen = 0;
    scene.visit_objects([&](const SceneObject& o) {
      ++seen;
      if (o.placed->pose.translation().z() != height) fault = "objects of two versions";
    });
    if (seen != kObjects) fault = "not all objects";
    const double x = random.integer(0, kObjects - 1);
    if (!collide(scene, at(Sphere{.radius = 0.01}, Pose::at({x, 0, height})))) fault = "an object that is not found";
    if (collide(scene, at(Sphere{.radius = 0.01}, Pose::at({x, 0, height + 0.5})))) fault = "an object of no version";
    const SceneDistance d = distance(scene, at(Sphere{.radius = 0.01}, Pose::at({x, 0, height + 0.25})));
    if (!(std::abs(d.value - 0.23) < 1e-12)) fault = "a distance of another version";
    if (self_collide(scene)) fault = "a collision of two versions";
  }
};

TEST(ConcurrentScene, ReadersSeeExactlyOneVersion) {
  SceneEditor editor;
  for (int i = 0; i < kObjects; ++i)
    editor.add(name_of_object(i), at(Sphere{.radius = 0.01}, Pose::at({double(i), 0, 0})));
  SharedScene shared(editor.scene());
  std::atomic<bool> done = false;
  std::atomic<long> looks = 0;
  std::vector<Reader> readers(4);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < readers.size(); ++r) {
    threads.emplace_back([&, r] {
      Generator random(r);
      while (!done.load()) {
        readers[r].look(shared, random);
        looks.fetch_add(1);
      }
    });
  }
  const int frames = scaled(200);
  for (int frame = 1; frame <= frames; ++frame) {
    publish_frame(editor, shared, frame);
    if (frame % 8 == 0) std::this_thread::yield();
  }
  while (looks.load() < 100) std::this_thread::yield();
  done = true;
  for (std::thread& thread : threads) thread.join();
  for (const Reader& reader : readers) EXPECT_EQ(reader.fault, "");
  EXPECT_EQ(shared.current().object("o0").placed->pose.translation().z(), frames);
  EXPECT_EQ(shared.current().validate(), "");
}

// Readers that take and drop versions as fast as they can, while the writer publishes as fast as it can.
TEST(ConcurrentScene, VersionsAreCountedRight) {
  SceneEditor editor;
  editor.add("o", at(Sphere{.radius = 1}));
  auto shared = std::make_unique<SharedScene>(editor.scene());
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  std::atomic<int> faults = 0;
  std::atomic<long> looks = 0;
  for (int r = 0; r < 6; ++r) {
    threads.emplace_back([&] {
      std::uint64_t last = 0;
      while (!done.load(std::memory_order_relaxed)) {
        const Scene scene = shared->current();
        if (scene.version() < last || scene.size() != 1) faults.fetch_add(1);
        last = scene.version();
        looks.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  const int versions = scaled(30000);
  for (int i = 0; i < versions || looks.load(std::memory_order_relaxed) < versions; ++i) {
    editor.move("o", Pose::at({double(i), 0, 0}));
    shared->publish(editor.scene());
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(faults.load(), 0);
  EXPECT_EQ(shared->current().version(), editor.scene().version());
  shared.reset();
}

TEST(ConcurrentScene, BatchesAnswerAsSingleQuestionsDo) {
  Generator random(9);
  SceneEditor editor;
  for (int i = 0; i < 60; ++i) {
    const Geometry g = i % 3 == 0 ? Geometry(Box{.half = {0.2, 0.3, 0.4}}) : Geometry(Sphere{.radius = 0.3});
    editor.add("o" + std::to_string(i), at(g, random.pose(3)), {.group = i % 2 == 0 ? "even" : "odd"});
  }
  editor.allow("o1", "even");
  const Scene scene = editor.scene();
  constexpr std::size_t kCount = 500;
  const Capsule tool{.radius = 0.1, .half_length = 0.4};
  std::vector<Pose> poses;
  std::vector<double> x, y, z, r;
  std::vector<Ray> rays;
  std::vector<SphereMove> moves;
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < kCount; ++i) {
    poses.push_back(random.pose(4));
    const Vec3 p = random.in_cube(4);
    points.push_back(i % 50 == 7 ? Vec3(std::nan(""), 0, 0) : p);
    x.push_back(p.x()), y.push_back(p.y()), z.push_back(p.z()), r.push_back(random.uniform(0, 0.5));
    rays.emplace_back(p, random.direction());
    moves.emplace_back(p, random.in_cube(4), r.back());
  }
  for (const int threads : {1, 4}) {
    const std::unique_ptr<bool[]> hits(new bool[kCount]), spheres(new bool[kCount]);
    std::vector<SceneDistance> distances(kCount);
    std::vector<SceneRayHit> ray_hits(kCount);
    std::vector<SceneSphereHit> swept(kCount);
    std::vector<SceneClosestPoint> closest(kCount);
    collide_each(scene, tool, poses, {hits.get(), kCount}, {.margin = 0.01, .as = "o1", .threads = threads});
    collide_each(scene, SpheresView{x, y, z, r}, {spheres.get(), kCount}, {.threads = threads});
    distance_each(scene, tool, poses, distances, {.limit = 1, .threads = threads});
    raycast_each(scene, rays, ray_hits, {.threads = threads});
    sweep_sphere_each(scene, moves, swept, {.margin = 0.01, .threads = threads});
    closest_point_each(scene, points, closest, {.threads = threads});
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(hits[i], collide(scene, at(tool, poses[i]), {.margin = 0.01, .as = "o1"}));
      EXPECT_EQ(spheres[i], collide(scene, at(Sphere{.radius = r[i]}, Pose::at({x[i], y[i], z[i]}))));
      const SceneDistance d = distance(scene, at(tool, poses[i]), {.limit = 1});
      EXPECT_EQ(distances[i].value, d.value);
      EXPECT_EQ(distances[i].on_b, d.on_b);
      EXPECT_EQ(distances[i].pair, d.pair);
      EXPECT_EQ(ray_hits[i].distance, raycast(scene, rays[i]).distance);
      EXPECT_EQ(ray_hits[i].id, raycast(scene, rays[i]).id);
      EXPECT_EQ(swept[i].fraction, sweep_sphere(scene, moves[i], {.margin = 0.01}).fraction);
      if (i % 50 == 7) EXPECT_TRUE(std::isnan(closest[i].distance));
      else EXPECT_EQ(closest[i].distance, closest_point(scene, points[i]).distance);
    }
  }
}

// The growth itself is counted, not timed: a path of nodes per change and map.
TEST(Scene, AChangeCostsAsManyNodesAsTheTreeIsDeep) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(4);
  SceneEditor editor;
  int added = 0;
  for (const int n : {100, 1000, 10000}) {
    for (; added < n; ++added)
      editor.add("o" + std::to_string(added), at(Sphere{.radius = 0.1}, Pose::at(random.in_cube(9))));
    ASSERT_EQ(editor.scene().validate(), "");
    long most = 0;
    for (int i = 0; i < 200; ++i) {
      const std::string name = "o" + std::to_string(random.integer(0, n - 1));
      const Pose pose = Pose::at(random.in_cube(9));
      most = std::max(most, allocations_of([&] {
                        editor.move(name, pose);
                        const Scene next = editor.scene();
                      }));
    }
    // Three paths (erase, insert, object), each at most 1.45 log2 n deep with up to three nodes a step in a rotation.
    EXPECT_LE(most, 10 + 3 * 1.45 * std::log2(n + 2) * 2) << n;
  }
}

}  // namespace concurrent_test
}  // namespace graze_test
