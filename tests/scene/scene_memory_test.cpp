// Memory runs out in a change of a world or of a scene: it throws, and everything is as it was.
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <optional>

#include "graze/scene/planar_world.h"
#include "graze/scene/scene_editor.h"
#include "graze/scene/spatial_world.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace scene_memory_test {

using namespace graze;

// Fails the allocation of a change after `first` others, and then each in turn, until it does not throw. All must be
// as before when it does; it may do without some of its memory.
void fail_each(const std::function<void()>& change, const std::function<void()>& expect_before, int& failures,
               long first = 0) {
  for (long turn = 0; turn < 300; ++turn) {
    const long after = turn == 0 ? first : turn - 1;
    SCOPED_TRACE(testing::Message() << "allocation " << after);
    bool threw = false;
    start_failing_allocations(after);
    try {
      change();
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    const bool failed = stop_failing_allocations().failed;
    ASSERT_TRUE(failed || !threw);
    failures += failed ? 1 : 0;
    if (!threw) return;
    expect_before();
    if (testing::Test::HasFatalFailure()) return;
  }
  FAIL() << "never succeeds";
}

// Only circles and rectangles are all in cells.
template <bool kPolygons>
struct InThePlane {
  using World = planar::World;
  using Obstacle = planar::Obstacle;
  using Path = planar::Path;
  using Point = Vec2;
  static Vec2 point(Generator& random) { return {random.uniform(-6, 6), random.uniform(-6, 6)}; }
  static Obstacle obstacle(Generator& random) {
    const Vec2 at = point(random);
    const double size = random.uniform(0.01, 0.3);
    switch (random.integer(kPolygons ? 0 : 1, 5)) {
      case 0:
        return planar::Polygon(std::vector<Vec2>{at, at + Vec2(size, 0), at + Vec2(0, size)});
      case 1:
        return planar::Rectangle(2 * at, {size, 0.1}, random.uniform(0, 3));
      case 2:
        return planar::Rectangle(at, {size, 0.1}, 0);
      default:
        return planar::Circle(at, size);
    }
  }
};
struct InSpace {
  using World = spatial::World;
  using Obstacle = spatial::Obstacle;
  using Path = spatial::Path;
  using Point = Vec3;
  static Vec3 point(Generator& random) { return random.in_cube(4); }
  static Obstacle obstacle(Generator& random) {
    if (random.integer(0, 1) == 0) return at(Sphere{.radius = random.uniform(0, 1)}, random.pose(4));
    return at(Box{.half = Vec3(random.uniform(0.1, 1), random.uniform(0.1, 1), 0.2)}, random.pose(4));
  }
};

template <class Plan>
struct Changing {
  using Obstacle = typename Plan::Obstacle;
  using World = typename Plan::World;
  Generator random;
  std::vector<std::optional<Obstacle>> held;
  World world;

  Changing(std::uint64_t seed, int count) : random(seed) {
    std::vector<Obstacle> obstacles;
    for (int i = 0; i < count; ++i) obstacles.push_back(Plan::obstacle(random));
    held.assign(obstacles.begin(), obstacles.end());
    world = World(std::move(obstacles));
  }
  // The answers of a loop over what is there, also about one of them.
  void expect_same(std::size_t one) {
    ASSERT_EQ(world.validate(), "");
    std::size_t count = 0;
    for (std::uint32_t id = 0; id < held.size(); ++id) {
      ASSERT_EQ(world.contains(id), held[id].has_value());
      count += held[id] ? 1 : 0;
    }
    ASSERT_EQ(world.size(), count);
    for (int i = 0; i < 10; ++i) {
      typename Plan::Point q = Plan::point(random);
      const auto any = static_cast<std::size_t>(random.integer(0, static_cast<int>(held.size())));
      const std::size_t some = i < 3 ? one : any;
      if (some < held.size() && held[some]) q = nearest(*held[some], q).point;
      const double radius = 0.05 * random.integer(0, 4);
      bool touches = false;
      auto near = nearest(world, q);
      decltype(near) expected;
      for (std::uint32_t id = 0; id < held.size(); ++id) {
        if (!held[id]) continue;
        touches = touches || collide(*held[id], q, radius);
        const double distance = nearest(*held[id], q).distance;
        if (distance < expected.distance) expected.distance = distance, expected.obstacle = id;
      }
      ASSERT_EQ(collide(world, q, radius), touches);
      ASSERT_EQ(near.obstacle, expected.obstacle);
      ASSERT_EQ(near.distance, expected.distance);
    }
    const auto path = Plan::Path::line(Plan::point(random), Plan::point(random));
    const auto hit = sweep(world, path, 0.1);
    double first = kInfinity;
    for (const auto& obstacle : held) {
      if (obstacle) first = std::min(first, sweep(*obstacle, path, 0.1).fraction);
    }
    ASSERT_EQ(hit.fraction, first);
  }
  void change(int& failures) {
    const auto id = static_cast<std::uint32_t>(random.integer(0, static_cast<int>(held.size())));
    const Obstacle next = Plan::obstacle(random);
    const auto same = [&] { expect_same(id); };
    const int first = std::max(0, random.integer(-8, 12));
    auto changed = id;
    if (!world.contains(id) || random.integer(0, 2) == 0) {
      fail_each([&] { changed = world.add(next); }, same, failures, first);
      if (testing::Test::HasFatalFailure()) return;
      held.resize(std::max<std::size_t>(held.size(), changed + 1));
      held[changed] = next;
    } else if (random.integer(0, 2) > 0) {
      fail_each([&] { world.replace(id, next); }, same, failures, first);
      held[id] = next;
    } else {
      fail_each([&] { world.remove(id); }, same, failures, first);
      held[id].reset();
    }
    if (!testing::Test::HasFatalFailure()) expect_same(changed);
  }
};

template <class Plan>
void expect_worlds_as_they_were() {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  int failures = 0;
  for (const int count : {0, 60, 250}) {
    SCOPED_TRACE(count);
    Changing<Plan> changing(static_cast<std::uint64_t>(count + 3), count);
    for (int i = 0; i < scaled(100); ++i) {
      changing.change(failures);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(failures, 0);
}
TEST(SceneMemory, ChangesOfWorldsThatThrowChangeNothingInThePlane) {
  expect_worlds_as_they_were<InThePlane<false>>();
  expect_worlds_as_they_were<InThePlane<true>>();
}
TEST(SceneMemory, ChangesOfWorldsThatThrowChangeNothingInSpace) { expect_worlds_as_they_were<InSpace>(); }

// All that a scene says about itself.
std::string written(const Scene& scene) {
  std::string all = scene.validate() + " version " + std::to_string(scene.version());
  scene.visit_objects([&](const SceneObject& o) {
    all += "\n" + std::string(o.name) + " " + std::to_string(o.id) + " in " + std::string(o.group) + " on " +
           std::to_string(o.parent) + " " + std::to_string(o.margin) + " " + std::to_string(o.padding) + " at";
    for (int k = 0; k < 3; ++k) all += " " + std::to_string(o.placed->pose.translation()[k]);
    scene.visit_objects([&](const SceneObject& other) { all += scene.allowed(o.name, other.name) ? " +" : " -"; });
  });
  return all;
}

TEST(SceneMemory, ChangesOfScenesThatThrowChangeNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(9);
  SceneEditor editor;
  for (int i = 0; i < 30; ++i) {
    editor.add("object" + std::to_string(i), at(Box{.half = Vec3(0.2, 0.2, 0.2)}, random.pose(3)),
               {.group = i % 3 == 0 ? "group" : "", .parent = i % 4 == 1 ? "object" + std::to_string(i - 1) : ""});
  }
  int failures = 0, count = 30;
  for (int i = 0; i < scaled(60); ++i) {
    const auto any = [&] { return "object" + std::to_string(random.integer(0, count - 1)); };
    const std::string name = any(), other = any(), more = "object" + std::to_string(count);
    const Pose pose = random.pose(3);
    const int what = random.integer(0, 9);
    const auto change = [&](SceneEditor& in) {
      const Scene now = in.scene();
      if (!now.contains(name) || !now.contains(other) || what == 0) {
        in.add(more, at(Sphere{.radius = 0.3}, pose), {.group = "group" + std::to_string(count)});
      } else if (what == 1) {
        in.remove(name);
      } else if (what == 2) {
        in.replace(name, Sphere{.radius = 0.2}, pose);
      } else if (what == 3) {
        in.detach(name);
      } else if (what == 4) {
        in.set_group(name, "other");
      } else if (what == 5) {
        in.set_padding(name, 0.01 * i);
      } else if (what == 6) {
        in.allow(name, other);
      } else if (what == 7) {
        in.disallow(name, other);
      } else if (what == 8 && name != other && now.object(other).parent == kNoObject) {
        in.attach(name, other, pose);
      } else {
        in.move(name, pose);
      }
    };
    const std::string before = written(editor.scene());
    SceneEditor done = editor;
    change(done);
    const auto same = [&] { ASSERT_EQ(written(editor.scene()), before) << what; };
    fail_each([&] { change(editor); }, same, failures);
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_EQ(written(editor.scene()), written(done.scene())) << what;
    count += editor.scene().contains(more) ? 1 : 0;
  }
  EXPECT_GT(failures, 0);
}

}  // namespace scene_memory_test
}  // namespace graze_test
