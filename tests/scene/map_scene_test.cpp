// Scenes against maps, judged by every pair by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graze/base/simd.h"
#include "graze/graze.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/random_leaves.h"
#include "support/scale.h"

namespace graze_test {
namespace map_scene_test {

struct Thing {
  std::string name;
  Placed placed = at(Sphere{.radius = 1});
  double margin = 0, padding = 0;
};

struct Case {
  std::vector<Thing> things;
  std::optional<Placed> map;
  double resolution = 0;
};

Case random_case(Generator& random) {
  Case c;
  const Leaves leaves = random.integer(0, 3) == 0 ? coarse_leaves(random) : random_leaves(random);
  c.resolution = leaves.resolution;
  const Aabb box = leaves.map.bounds().empty() ? Aabb{Vec3::Zero(), Vec3::Ones()} : leaves.map.bounds();
  Pose pose = random.pose(3);
  if (random.integer(0, 1)) pose = Pose::at(random.integer(0, 1) ? Vec3::Zero() : pose.translation());
  c.map = at(MapView(leaves.map, UnknownSpace::free, 0.5), pose);
  const double far = random.integer(0, 2) == 0 ? 1.0 : 3.0, scale = random.magnitude(-0.3, 1.2);
  for (int i = 0, n = random.integer(0, 60); i < n; ++i) {
    Thing t;
    t.name = std::to_string(i);
    Vec3 where = box.center();
    for (int a = 0; a < 3; ++a) where[a] += far * random.uniform(-1, 1) * box.half()[a];
    if (!leaves.all.empty() && random.integer(0, 2) == 0) {
      const auto k = static_cast<std::size_t>(random.integer(0, static_cast<int>(leaves.all.size()) - 1));
      where = leaves.map.box(leaves.all[k]).center() + 5 * leaves.resolution * random.in_cube(1);
    }
    const Pose turned = random.integer(0, 2) == 0 ? Pose() : random.pose(0);
    t.placed = at(random_body(random, leaves.resolution * scale * random.uniform(0.3, 1)),
                  Pose::from_matrix(pose * where, turned.rotation()));
    if (random.integer(0, 40) == 0) t.placed = at(HalfSpace({0, 0, 1}, -5), t.placed.pose);
    if (random.integer(0, 5) == 0) t.margin = leaves.resolution * random.uniform(0, 2);
    if (random.integer(0, 5) == 0) t.padding = leaves.resolution * random.uniform(0, 2);
    c.things.push_back(t);
  }
  return c;
}

/// The same objects in the same order; others come and go in between, so that the tree is another one.
Scene scene_of(const Case& c, Generator* others = nullptr) {
  SceneEditor editor;
  int count = 0;
  for (const Thing& t : c.things) {
    editor.add(t.name, t.placed, {.margin = t.margin, .padding = t.padding});
    while (others != nullptr && others->integer(0, 1)) {
      editor.add("other " + std::to_string(count++), at(Sphere{.radius = 0.1}, others->pose(5)));
    }
  }
  while (count > 0) editor.remove("other " + std::to_string(--count));
  return editor.scene();
}

TEST(MapScene, SaysWhatEveryPairByItselfSays) {
  int hits = 0, free = 0, apart = 0, overlaps = 0;
  for (int seed = 0; seed < scaled(250) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    const Case c = random_case(random);
    const Scene scene = scene_of(c);
    const double margin = random.integer(0, 1) ? 0 : c.resolution * random.uniform(0, 4);
    std::set<std::string> touching;
    for (const Thing& t : c.things) {
      if (collide(t.placed, *c.map, {.margin = margin + t.margin + t.padding})) touching.insert(t.name);
    }
    EXPECT_EQ(collide(scene, *c.map, {.margin = margin}), !touching.empty());
    std::set<std::string> visited;
    visit_collisions(scene, *c.map, {.margin = margin},
                     [&](const ObjectPair& pair) { EXPECT_TRUE(visited.emplace(pair.name_a).second); });
    EXPECT_EQ(visited, touching);
    (touching.empty() ? free : hits) += 1;

    const SceneDistance d = distance(scene, *c.map, {.depth = false});
    double best = kInfinity, deepest = kInfinity;
    std::string name;
    for (const Thing& t : c.things) {
      const Distance own = distance(t.placed, *c.map, {.depth = false});
      if (own.beyond) continue;
      if (own.value - t.padding < best) best = own.value - t.padding, name = t.name;
      // No translation that separates is shorter.
      if (own.value <= 0) deepest = std::min(deepest, distance(t.placed, *c.map).value - t.padding);
    }
    EXPECT_EQ(d.beyond, name.empty());
    if (name.empty()) continue;
    EXPECT_EQ(d.value, best);
    EXPECT_EQ(d.pair.name_a, name);
    EXPECT_GE(d.tolerance, 0);
    if (best <= 0) {
      ++overlaps;
      EXPECT_LE(d.value - d.tolerance, deepest + 1e-6);
    } else {
      ++apart;
      EXPECT_LE(d.tolerance, 1e-6);
    }
    const double limit = std::max(best, 0.0) * random.uniform(0.5, 2) + 1e-6;
    const SceneDistance limited = distance(scene, *c.map, {.limit = limit, .depth = false});
    if (best <= limit) {
      EXPECT_EQ(limited.value, best);
    } else if (best - d.tolerance > limit * (1 + 1e-9)) {
      EXPECT_TRUE(limited.beyond);
    }
    if (best > 0) {
      const SceneDistance deep = distance(scene, *c.map);
      EXPECT_EQ(deep.value, best);
      EXPECT_EQ(deep.pair.name_a, name);
    }
  }
  EXPECT_GT(hits, scaled(40));
  EXPECT_GT(free, scaled(20));
  EXPECT_GT(apart, scaled(20));
  EXPECT_GT(overlaps, scaled(40));
}

TEST(MapScene, AnswersDoNotDependOnTheTreeOrTheInstructionSet) {
  for (int seed = 0; seed < scaled(60) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 5000);
    const Case c = random_case(random);
    const Scene scene = scene_of(c), other = scene_of(c, &random);
    const SceneDistance d = distance(scene, *c.map, {.depth = false});
    const bool hit = collide(scene, *c.map);
    for (const std::string_view target : simd_targets()) {
      const ForcedSimdTarget forced(target);
      SCOPED_TRACE(target);
      for (const Scene& s : {scene, other}) {
        const SceneDistance same = distance(s, *c.map, {.depth = false});
        EXPECT_EQ(collide(s, *c.map), hit);
        EXPECT_EQ(same.beyond, d.beyond);
        EXPECT_EQ(same.value, d.value);
        EXPECT_EQ(same.pair.name_a, d.pair.name_a);
        EXPECT_EQ(same.on_a, d.on_a);
        EXPECT_EQ(same.b, d.b);
        if (d.value <= 0) {
          EXPECT_EQ(same.tolerance, d.tolerance);
        }
      }
    }
  }
}

TEST(MapScene, QueriesDoNotAllocate) {
  if (!counts_allocations()) GTEST_SKIP();
  Generator random(1);
  const Case c = random_case(random);
  const Scene scene = scene_of(c);
  start_counting_allocations();
  bool hit = collide(scene, *c.map);
  const SceneDistance d = distance(scene, *c.map, {.depth = false});
  const long count = stop_counting_allocations();
  EXPECT_EQ(count, 0) << hit << d.value;
}

}  // namespace map_scene_test
}  // namespace graze_test
