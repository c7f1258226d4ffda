// Bodies that move through scenes, and objects of scenes that move, against loops over all pairs and against samples.
#include "graze/scene/scene_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "graze/base/error.h"
#include "graze/scene/scene_editor.h"
#include "graze/scene/scene_query.h"
#include "scene_model.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace scene_sweep_test {

using namespace graze;
using scene_model::Side;
using scene_model::sides_of;

Mesh tetrahedron(double size) {
  const std::vector<Vec3> corners{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
  const std::vector<MeshTriangle> triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return Mesh(corners, triangles);
}

Geometry any_geometry(Generator& random, double size) {
  const auto length = [&] { return size * random.uniform(0.1, 1); };
  switch (random.integer(0, 6)) {
    case 0:
      return Capsule{.radius = length(), .half_length = length()};
    case 1:
      return Sphere{.radius = random.integer(0, 1) * length()};
    case 2:
      return tetrahedron(length());
    case 3: {
      std::vector<Vec3> points;
      for (int i = random.integer(0, 12); i > 0; --i) points.push_back(random.in_cube(size));
      return Cloud(std::span<const Vec3>(points), {.radius = 0.05 * size});
    }
    case 4:
      if (random.integer(0, 3) == 0) return HalfSpace(random.direction(), -3 * size);
      [[fallthrough]];
    default:
      return Box{.half = Vec3(length(), length(), length())};
  }
}

// Where things are: spread, on a lattice where boxes touch, far away.
Pose any_pose(Generator& random, int kind) {
  if (kind == 1) return Pose::at(Vec3(random.integer(-2, 2), random.integer(-2, 2), random.integer(-1, 1)));
  const Pose pose = random.pose(4);
  return kind == 2 ? pose.moved_to(pose.translation() + Vec3(1e6, -4e6, 50)) : pose;
}

AnyMotion any_motion(Generator& random, int kind) {
  const Pose from = any_pose(random, kind), to = any_pose(random, kind);
  switch (random.integer(0, 3)) {
    case 0:
      return Motion(from, Pose::at(to.translation()), from.rotation().isIdentity() ? 0 : random.integer(-2, 2));
    case 1:
      return Screw::between(from, to);
    case 2:
      return PosePath(std::vector<Pose>{from, to, any_pose(random, kind)});
    default:
      return Motion(from, to);
  }
}

SceneEditor any_scene(Generator& random, int kind, int count) {
  SceneEditor editor;
  for (int i = 0; i < count; ++i) {
    ObjectOptions options{.group = random.integer(0, 2) == 0 ? "some" : ""};
    options.margin = random.integer(0, 3) == 0 ? 0.1 : 0;
    options.padding = random.integer(0, 3) == 0 ? 0.2 : 0;
    if (random.integer(0, 2) == 0) options.local = random.pose(1);
    editor.add("o" + std::to_string(i), at(any_geometry(random, 1), any_pose(random, kind)), options);
  }
  for (int i = 1; i < count; i += 3) editor.attach("o" + std::to_string(i), "o" + std::to_string(i / 2));
  if (count > 1) {
    editor.set_group("o1", "some");
    editor.allow("some", "o0");
  }
  return editor;
}

double thickness(const Side& side) { return scene_model::added(side.margin, side.padding); }

// The earliest of all objects, one by one.
SceneSweep first_of_all(const Scene& scene, const Moving& body, double margin, const std::string& as) {
  SceneSweep first;
  for (const Side& o : sides_of(scene)) {
    if (!as.empty() && (as == o.name || scene.allowed(as, o.name))) continue;
    const double all = scene_model::added(scene_model::added(margin, o.margin), o.padding);
    const Sweep s = sweep(body, *o.placed, {.margin = all});
    if (s.hit && (!first.hit || s.time < first.time))
      static_cast<Sweep&>(first) = s, first.pair = {kNoObject, o.id, {}, o.name};
  }
  return first;
}

void expect_same(const SceneSweep& given, const SceneSweep& expected) {
  ASSERT_EQ(given.hit, expected.hit);
  EXPECT_EQ(given.certain, expected.certain);
  EXPECT_EQ(given.time, expected.time);
  if (!given.hit) return;
  EXPECT_EQ(given.pair, expected.pair);
  EXPECT_EQ(given.contact.on_a, expected.contact.on_a);
  EXPECT_EQ(given.contact.on_b, expected.contact.on_b);
  EXPECT_EQ(given.contact.b, expected.contact.b);
  EXPECT_EQ(given.last_free, expected.last_free);
  EXPECT_EQ(given.pose_a, expected.pose_a);
}

TEST(SceneSweep, IsTheEarliestOfAllObjects) {
  int hits = 0;
  for (int run = 0; run < scaled(150); ++run) {
    SCOPED_TRACE(run);
    Generator random(static_cast<std::uint64_t>(run));
    const int kind = run % 3;
    const Scene scene = any_scene(random, kind, random.integer(0, 14)).scene();
    Moving body{any_geometry(random, 0.5), any_motion(random, kind)};
    if (random.integer(0, 1) == 0) body.local = random.pose(1);
    const double margin = random.integer(0, 1) * 0.05;
    const std::string as = scene.size() > 2 && random.integer(0, 1) == 0 ? "o1" : "";
    const SceneSweep found = sweep(body, scene, {.margin = margin, .as = as});
    expect_same(found, first_of_all(scene, body, margin, as));
    EXPECT_EQ(sweep_hits(body, scene, {.margin = margin, .as = as}), found.hit);
    EXPECT_EQ(sweep_hits(scene, body, {.margin = margin, .as = as}), found.hit);
    const SceneSweep back = sweep(scene, body, {.margin = margin, .as = as});
    EXPECT_EQ(back.time, found.time);
    EXPECT_EQ(back.contact.on_b, found.contact.on_a);
    EXPECT_EQ(back.pair.name_a, found.pair.name_b);
    hits += found.hit ? 1 : 0;
    // No sample before the time touches.
    for (int i = 0; i <= 40; ++i) {
      const double t = i / 40.0;
      if (found.hit && t >= found.time) break;
      ASSERT_FALSE(collide(scene, at(body.geometry, body.motion.at(t), body.local), {.margin = margin, .as = as})) << t;
    }
  }
  EXPECT_GT(hits, scaled(150) / 3);
}

TEST(SceneSweep, DoesNotDependOnTheHistoryOfTheScene) {
  Generator random(5);
  for (int run = 0; run < scaled(20); ++run) {
    // The same objects, one scene built in order, one after many moves.
    const SceneEditor plain = any_scene(random, 1, 12);
    SceneEditor moved = plain;
    std::vector<Pose> poses;
    plain.scene().visit_objects([&](const SceneObject& o) { poses.push_back(o.pose); });
    for (int i = 0; i < 40; ++i) moved.move("o" + std::to_string(random.integer(0, 11)), random.pose(5));
    for (std::size_t i = 0; i < poses.size(); ++i) moved.move("o" + std::to_string(i), poses[i]);
    const Moving body{any_geometry(random, 0.5), any_motion(random, 1)};
    const SceneSweep a = sweep(body, plain.scene()), b = sweep(body, moved.scene());
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.pair.id_b, b.pair.id_b);
  }
}

TEST(SceneSweep, MovesAnObjectWithAllThatIsAttachedToIt) {
  int hits = 0;
  for (int run = 0; run < scaled(120); ++run) {
    SCOPED_TRACE(run);
    Generator random(static_cast<std::uint64_t>(1000 + run));
    const int kind = run % 3;
    SceneEditor editor = any_scene(random, kind, 10);
    const Scene scene = editor.scene();
    const std::string name = "o" + std::to_string(random.integer(0, 9));
    const AnyMotion motion = any_motion(random, kind);
    const double margin = random.integer(0, 1) * 0.05;
    const SceneSweep found = sweep(scene, name, motion, {.margin = margin});
    EXPECT_EQ(sweep_hits(scene, name, motion, {.margin = margin}), found.hit);
    hits += found.hit ? 1 : 0;
    // What moves, and pairs of it with the others in the scene where the object is moved.
    const auto moves = [&](std::string_view part) {
      for (SceneObject o = scene.object(part);; o = scene.object(o.parent)) {
        if (o.name == name) return true;
        if (o.parent == kNoObject) return false;
      }
    };
    const auto touches = [&](double t) {
      editor.move(name, motion.at(t));
      bool touching = false;
      visit_self_collisions(editor.scene(), {.margin = margin}, [&](const ObjectPair& pair) {
        touching = touching || moves(pair.name_a) != moves(pair.name_b);
      });
      return touching;
    };
    for (int i = 0; i <= 40; ++i) {
      const double t = i / 40.0;
      if (found.hit && t >= found.time) break;
      ASSERT_FALSE(touches(t)) << t;
    }
    if (!found.hit) continue;
    EXPECT_TRUE(moves(found.pair.name_a));
    EXPECT_FALSE(moves(found.pair.name_b));
    EXPECT_FALSE(scene.allowed(found.pair.name_a, found.pair.name_b));
    // And then the two are as near as they may be. Far from the origin attached objects are known up to rounding only.
    editor.move(name, motion.at(found.time));
    const Scene there = editor.scene();
    const SceneObject a = there.object(found.pair.name_a), b = there.object(found.pair.name_b);
    const double near = margin + a.margin + b.margin + a.padding + b.padding + (kind == 2 ? 1e-4 : 2e-6);
    EXPECT_TRUE(!found.certain || collide(*a.placed, *b.placed, {.margin = near}));
  }
  EXPECT_GT(hits, scaled(120) / 4);
}

TEST(SceneSweep, IsRelativeToTheParentAsMoveIs) {
  SceneEditor editor;
  editor.add("table", at(Box{.half = {1, 1, 0.1}}, Pose::from_rpy({5, 0, 0}, 0, 0, std::acos(-1) / 2)));
  editor.add("cup", at(Sphere{.radius = 0.25}, Pose::at({0, 0, 1})), {.parent = "table"});
  editor.add("wall", at(Box{.half = {0.5, 5, 5}}, Pose::at({1, 0, 0})));
  // Along the table's y: towards the wall, whose face is at x = 1.5.
  const SceneSweep s = sweep(editor.scene(), "cup", Motion(Pose::at({0, 0, 1}), Pose::at({0, 5, 1})));
  ASSERT_TRUE(s.hit);
  EXPECT_EQ(s.pair.name_a, "cup");
  EXPECT_EQ(s.pair.name_b, "wall");
  EXPECT_NEAR(s.time, 0.65, 1e-6);
  // The table takes the cup along; table and cup never count.
  const SceneSweep both = sweep(editor.scene(), "table", Motion(Pose::at({5, 0, 0}), Pose::at({-5, 0, 0})));
  ASSERT_TRUE(both.hit);
  EXPECT_EQ(both.pair.name_a, "table");
  EXPECT_NEAR(both.time, 0.25, 1e-6);
}

TEST(SceneSweep, FindsWhatIsThinAndFarOut) {
  SceneEditor editor;
  for (int i = 0; i < 200; ++i)
    editor.add("post" + std::to_string(i), at(Capsule{.radius = 0.1, .half_length = 1}, Pose::at({5.0 * i, 9, 0})));
  editor.add("sheet", at(Box{.half = {1e-9, 1, 1}}, Pose::at({900, 0, 0})));
  const Moving bullet = at(Sphere{.radius = 1e-3}, Motion(Pose::at({-10, 0, 0}), Pose::at({990, 0, 0})));
  const SceneSweep s = sweep(bullet, editor.scene(), {.tolerance = 1e-9});
  ASSERT_TRUE(s.hit);
  EXPECT_EQ(s.pair.name_b, "sheet");
  EXPECT_NEAR(s.time, 0.91, 1e-5);
  EXPECT_LE(s.time, (910 - 1e-3 - 1e-9) / 1000);
  editor.remove("sheet");
  EXPECT_FALSE(sweep_hits(bullet, editor.scene()));
}

TEST(SceneSweep, SeesWhatTurnsFasterThanItsStretches) {
  // A blade that is back where it was after every eighth of the motion, and posts beside it.
  SceneEditor editor;
  editor.add("far", at(Sphere{.radius = 0.5}, Pose::at({0, 4, 0})));
  const Motion turns = Motion::turning(Pose(), Vec3::Zero(), Vec3::UnitZ(), 16 * std::acos(-1));
  const Moving blade = at(Box{.half = {3, 0.05, 0.05}}, turns);
  EXPECT_FALSE(sweep_hits(blade, editor.scene()));
  editor.add("post", at(Sphere{.radius = 0.1}, Pose::at({0, 2.5, 0})));
  EXPECT_TRUE(sweep_hits(blade, editor.scene()));
  const SceneSweep s = sweep(blade, editor.scene());
  ASSERT_TRUE(s.hit);
  EXPECT_EQ(s.pair.name_b, "post");
  EXPECT_NEAR(s.time, (0.25 - std::asin(0.15 / 2.5) / (2 * std::acos(-1))) / 8, 1e-3);
}

TEST(SceneSweep, TakesMeshesThatBend) {
  const Mesh mesh = tetrahedron(1);
  std::vector<Vec3> lower(mesh.vertices().begin(), mesh.vertices().end());
  for (Vec3& v : lower) v.z() -= 4;
  SceneEditor editor;
  editor.add("floor", at(HalfSpace(Vec3::UnitZ(), -3)));
  editor.add("ball", at(Sphere{.radius = 0.5}, Pose::at({9, 0, -2})));
  const Deforming falling = at(MovingMesh(mesh, lower));
  const SceneSweep s = sweep(falling, editor.scene());
  ASSERT_TRUE(s.hit);
  EXPECT_EQ(s.pair.name_b, "floor");
  EXPECT_NEAR(s.time, 0.75, 1e-6);
  EXPECT_EQ(sweep(editor.scene(), falling).pair.name_a, "floor");
  editor.remove("floor");
  EXPECT_FALSE(sweep(falling, editor.scene()).hit);
}

TEST(SceneSweep, BatchesAnswerLikeOneByOne) {
  Generator random(3);
  const Scene scene = any_scene(random, 0, 40).scene();
  const Geometry tool = Capsule{.radius = 0.2, .half_length = 0.5};
  std::vector<Motion> motions;
  for (int i = 0; i < 60; ++i) motions.emplace_back(random.pose(5), random.pose(5));
  for (const int threads : {1, 3}) {
    std::vector<SceneSweep> sweeps(motions.size());
    sweep_each(tool, motions, scene, sweeps, {.margin = 0.01, .threads = threads});
    std::vector<char> bytes(motions.size());
    const std::span<bool> hits(reinterpret_cast<bool*>(bytes.data()), bytes.size());
    sweep_hits_each(tool, motions, scene, hits, {.margin = 0.01, .threads = threads});
    for (std::size_t i = 0; i < motions.size(); ++i) {
      expect_same(sweeps[i], sweep(at(tool, motions[i]), scene, {.margin = 0.01}));
      EXPECT_EQ(hits[i], sweeps[i].hit);
    }
  }
  std::vector<SceneSweep> few(3);
  EXPECT_EQ(refusal([&] { sweep_each(tool, motions, scene, few); }),
            "sweeps: needs room for one answer each: 60, got 3");
}

TEST(SceneSweep, NamesWhatItRefuses) {
  const Scene empty;
  const Moving body = at(Sphere{.radius = 1}, Motion({}, Pose::at({1, 0, 0})));
  EXPECT_FALSE(sweep(body, empty).hit);
  EXPECT_EQ(sweep(body, empty).time, 1);
  EXPECT_EQ(refusal([&] { sweep(body, empty, {.margin = -1}); }), "margin: must be 0 or more, got -1");
  EXPECT_EQ(refusal([&] { sweep(empty, "cup", body.motion); }), "scene: has no object 'cup'");
}

}  // namespace scene_sweep_test
}  // namespace graze_test
