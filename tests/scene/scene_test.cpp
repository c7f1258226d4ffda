// Scenes against loops over all pairs, through long sequences of changes.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <map>
#include <string>
#include <vector>

#include "graze/base/error.h"
#include "scene_model.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test {
namespace scene_test {

using namespace graze;
using namespace scene_model;

Mesh tetrahedron(double size, bool solid) {
  const std::vector<Vec3> corners{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
  const std::vector<MeshTriangle> triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return Mesh(corners, triangles, {.solid = solid});
}

Geometry any_geometry(Generator& random, double size) {
  const auto length = [&] { return size * random.uniform(0.1, 1); };
  switch (random.integer(0, 13)) {
    case 0:
      return Capsule{.radius = length(), .half_length = length()};
    case 1:
      return Cylinder{.radius = length(), .half_length = length()};
    case 2:
      return Cone{.radius = length(), .half_length = length()};
    case 3:
      return Ellipsoid{.radii = Vec3(length(), length(), length())};
    case 4:
      return Triangle(random.in_cube(size), random.in_cube(size), random.in_cube(size));
    case 5: {
      std::vector<Vec3> points;
      for (int i = 0; i < 8; ++i) points.push_back(random.in_cube(size));
      return Convex::hull_of(points);
    }
    case 6:
      return tetrahedron(length(), false);
    case 7:
      return tetrahedron(length(), true);
    case 8: {
      std::vector<Vec3> points;
      for (int i = random.integer(0, 12); i > 0; --i) points.push_back(random.in_cube(size));
      return Cloud(std::span<const Vec3>(points), {.radius = random.integer(0, 1) * 0.1 * size});
    }
    case 9:
      return random.integer(0, 3) == 0 ? Geometry(Plane(random.direction(), random.uniform(-3, 3) * size))
                                       : Geometry(Sphere{.radius = 0});
    case 10:
      return random.integer(0, 3) == 0 ? Geometry(HalfSpace(random.direction(), -3 * size)) : Geometry(Mesh());
    case 11:
      return Sphere{.radius = length()};
    default:
      return Box{.half = Vec3(length(), length(), length())};
  }
}

// What kinds of places there are: spread, all in one, on a lattice where boxes touch, of all sizes, far away.
struct Places {
  int kind;
  double scale;
  Pose pose(Generator& random) const {
    switch (kind) {
      case 0:
        return random.pose(4 * scale);
      case 1:
        return Pose::at(0.5 * scale * random.in_cube(1));
      case 2:
        return Pose::at(scale * Vec3(random.integer(-2, 2), random.integer(-2, 2), random.integer(-1, 1)));
      case 3:
        return random.pose(scale * random.magnitude(-3, 1));
      default:
        return Pose::at(Vec3(1e6, -4e6, 50) + random.in_cube(4 * scale));
    }
  }
  // Of coordinates, relative ones and those of chains of objects included.
  double reach() const { return 100 * (scale + (kind == 4 ? 1e7 : 0)); }
  double size(Generator& random) const {
    return kind == 3 ? scale * random.magnitude(-3, 0.5) : kind == 2 ? scale : scale * random.uniform(0.2, 1.2);
  }
};

// A scene and what is known of it, changed at random.
struct Changing {
  Model model;
  SceneEditor editor;
  Generator random;
  Places places;
  int count = 0;

  Changing(std::uint64_t seed, Places where) : random(seed), places(where) {}

  std::string any_name() {
    const std::vector<std::string> names = model.names();
    return names.empty() ? "" : names[static_cast<std::size_t>(random.integer(0, static_cast<int>(names.size()) - 1))];
  }
  std::string any_group() { return random.integer(0, 2) == 0 ? "" : "group" + std::to_string(random.integer(0, 2)); }
  double any_length() { return random.integer(0, 2) > 0 ? 0 : places.scale * random.uniform(0, 0.3); }
  Pose pose() { return places.pose(random); }

  void add() {
    const std::string name = "object" + std::to_string(count++);
    const Geometry geometry = any_geometry(random, places.size(random));
    Item item{.id = model.next++, .group = any_group(), .parent = random.integer(0, 3) == 0 ? any_name() : ""};
    item.local = random.integer(0, 2) == 0 ? random.pose(places.scale) : Pose();
    item.margin = any_length();
    item.padding = any_length();
    const Pose p = pose();
    item.world = item.parent.empty() ? p : model.items.at(item.parent).world * p;
    const ObjectId id = editor.add(name, at(geometry, p),
                                   {.group = item.group,
                                    .parent = item.parent,
                                    .local = item.local,
                                    .margin = item.margin,
                                    .padding = item.padding});
    EXPECT_EQ(id, item.id);
    model.items[name] = item;
  }
  void change() {
    const std::string name = any_name(), other = any_name();
    if (name.empty()) return add();
    Item& item = model.items.at(name);
    switch (random.integer(0, 10)) {
      case 0:
        return add();
      case 1:
      case 2:
      case 3: {
        const Pose p = pose();
        editor.move(name, p);
        return model.move_to(name, item.parent.empty() ? p : model.items.at(item.parent).world * p);
      }
      case 4:
        item.local = random.integer(0, 1) == 0 ? random.pose(places.scale) : Pose();
        return editor.replace(name, any_geometry(random, places.size(random)), item.local);
      case 5:
        if (model.items.size() < 4) return;
        editor.remove(name);
        return model.remove(name);
      case 6:
        if (model.is_above(name, other)) {
          EXPECT_THROW(editor.attach(name, other), Error);
          return;
        }
        item.parent = other;
        if (random.integer(0, 1) == 0) return editor.attach(name, other);
        {
          const Pose p = pose();
          editor.attach(name, other, p);
          return model.move_to(name, model.items.at(other).world * p);
        }
      case 7: {
        const Pose before = editor.scene().object(name).placed->pose;
        editor.detach(name);
        EXPECT_EQ(editor.scene().object(name).placed->pose, before);
        item.parent.clear();
        return;
      }
      case 8: {
        item.group = any_group();
        editor.set_group(name, item.group);
        item.margin = any_length(), item.padding = any_length();
        editor.set_margin(name, item.margin);
        return editor.set_padding(name, item.padding);
      }
      default: {
        std::string x = name, y = other;
        if (random.integer(0, 1) == 0 && !item.group.empty()) x = item.group;
        if (random.integer(0, 1) == 0 && !model.items.at(other).group.empty()) y = model.items.at(other).group;
        if (random.integer(0, 3) == 0) {
          editor.disallow(x, y);
          model.allowed.erase({x, y});
          model.allowed.erase({y, x});
        } else {
          editor.allow(x, y);
          model.allowed.insert({x, y});
        }
      }
    }
  }
};

// Whether the scene has the objects of the model where they have to be.
void expect_state(const Scene& scene, const Model& model, double reach) {
  ASSERT_EQ(scene.validate(), "");
  const std::vector<std::string> names = model.names();
  std::vector<std::string> found;
  scene.visit_objects([&](const SceneObject& o) { found.emplace_back(o.name); });
  ASSERT_EQ(found, names);
  for (const std::string& name : names) {
    const SceneObject o = scene.object(name);
    const Item& item = model.items.at(name);
    EXPECT_EQ(o.id, item.id);
    EXPECT_EQ(o.group, item.group);
    EXPECT_EQ(o.margin, item.margin);
    EXPECT_EQ(o.padding, item.padding);
    EXPECT_EQ(o.parent == kNoObject ? "" : std::string(scene.object(o.parent).name), item.parent);
    const Pose world = item.world * item.local;
    EXPECT_LE((o.placed->pose.translation() - world.translation()).norm(), 1e-12 * reach) << name;
    EXPECT_LE((o.placed->pose.rotation() - world.rotation()).norm(), 1e-9) << name;
    // What rounding has moved is stated, and little.
    EXPECT_LE(o.placed->uncertainty, 1e-10 * reach) << name;
  }
}

Pairs self_pairs(const Scene& scene, const Model& model) {
  const std::vector<Side> all = sides_of(scene);
  Pairs pairs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const std::string a(all[i].name), b(all[j].name);
      EXPECT_EQ(scene.allowed(a, b), model.passes_over(a, b)) << a << ' ' << b;
      if (!model.passes_over(a, b)) pairs.emplace_back(all[i], all[j]);
    }
  }
  return pairs;
}

// Rays, spheres on their way and points, object by object.
void expect_rays(const Scene& scene, const Model& model, Generator& random, const Places& places,
                 const std::string& as) {
  const Vec3 from = places.pose(random).translation(), to = places.pose(random).translation();
  if (from != to) {
    const Ray ray = Ray::between(from, to);
    SceneRayHit first;
    for (const Side& o : sides_of(scene)) {
      const RayHit hit = raycast(*o.placed, ray);
      if (hit.found() && hit.distance < first.distance) static_cast<RayHit&>(first) = hit, first.id = o.id;
    }
    const SceneRayHit hit = raycast(scene, ray);
    EXPECT_EQ(hit.distance, first.distance);
    EXPECT_EQ(hit.id, first.id);
    EXPECT_EQ(hit.feature, first.feature);
    EXPECT_EQ(hit.normal, first.normal);
    EXPECT_EQ(hit.name, hit.found() ? scene.object(hit.id).name : "");
  }
  {
    SceneClosestPoint nearest;
    for (const Side& o : sides_of(scene)) {
      ClosestPoint c = closest_point(*o.placed, from);
      c.distance -= o.padding;
      if (c.found() && c.distance < nearest.distance) static_cast<ClosestPoint&>(nearest) = c, nearest.id = o.id;
    }
    const SceneClosestPoint c = closest_point(scene, from);
    EXPECT_EQ(c.distance, nearest.distance);
    EXPECT_EQ(c.id, nearest.id);
    EXPECT_EQ(c.feature, nearest.feature);
    if (c.found() && std::isfinite(c.distance)) {
      EXPECT_EQ(closest_point(scene, from, c.distance).id, c.id);
      const double less = 0.99 * c.distance - 1e-6 * places.scale;
      EXPECT_FALSE(c.distance > 0 && closest_point(scene, from, less).found());
    }
  }
  const SphereMove move(from, to, random.integer(0, 1) * 0.2 * places.scale);
  const double margin = random.integer(0, 1) * 0.05 * places.scale;
  SceneSphereHit first;
  for (const Side& o : sides_of(scene)) {
    if (model.passes_over_as(as, std::string(o.name))) continue;
    const SphereHit hit = sweep_sphere(*o.placed, move, added(added(margin, o.margin), o.padding));
    if (hit.found() && hit.fraction < first.fraction) static_cast<SphereHit&>(first) = hit, first.id = o.id;
  }
  const SceneSphereHit hit = sweep_sphere(scene, move, {.margin = margin, .as = as});
  EXPECT_EQ(hit.fraction, first.fraction);
  EXPECT_EQ(hit.id, first.id);
  EXPECT_EQ(hit.normal, first.normal);
}

void expect_answers(const Scene& scene, const Model& model, Generator& random, const Places& places) {
  const double margins[] = {0, 0.1 * places.scale, -0.05 * places.scale};
  const double margin = margins[random.integer(0, 2)];
  const double limit = random.integer(0, 1) == 0 ? kInfinity : places.scale * random.uniform(-0.1, 1);
  const auto max = static_cast<std::size_t>(random.integer(1, 16));
  EXPECT_EQ(difference(about_itself(scene, margin, max, limit), self_pairs(scene, model), margin, max, limit), "");

  const Geometry geometry = any_geometry(random, places.size(random));
  const Placed body = at(geometry, places.pose(random));
  std::string as;
  const std::vector<std::string> names = model.names();
  if (!names.empty() && random.integer(0, 1) == 0)
    as = names[static_cast<std::size_t>(random.integer(0, static_cast<int>(names.size()) - 1))];
  else if (random.integer(0, 1) == 0) as = "group1";
  Pairs pairs;
  for (const Side& o : sides_of(scene)) {
    if (!model.passes_over_as(as, std::string(o.name))) pairs.push_back({o, {.placed = &body}});
  }
  EXPECT_EQ(difference(about(scene, body, margin, max, limit, as), pairs, margin, max, limit), "") << "as " << as;
  const SceneDistance d = distance(scene, body), back = distance(body, scene);
  EXPECT_EQ(d.value, back.value);
  EXPECT_EQ(d.on_a, back.on_b);
  EXPECT_EQ(d.pair.name_a, back.pair.name_b);
  EXPECT_EQ(collide(scene, body, {.margin = margin}), collide(body, scene, {.margin = margin}));
  if (!d.beyond) {
    const double value = std::isfinite(d.value) ? d.value : 0;
    EXPECT_LE((d.on_b - d.on_a - value * d.normal).norm(), 1e-9 * (places.scale + d.on_a.norm()));
    EXPECT_EQ(distance(scene, d.pair.name_a, body).value, d.value);
    const std::string& other = names.front();
    const SceneDistance two = distance(scene, d.pair.name_a, other), owt = distance(scene, other, d.pair.name_a);
    EXPECT_EQ(two.value, owt.value);
    EXPECT_EQ(two.pair.name_a, owt.pair.name_b);
  }
  expect_rays(scene, model, random, places, as);
}

TEST(Scene, AnswersAsAllPairsDoThroughLongSequencesOfChanges) {
  for (int kind = 0; kind < 5; ++kind) {
    for (int run = 0; run < scaled(3); ++run) {
      for (const double scale : {1.0, 1e-3, 1e3}) {
        SCOPED_TRACE(testing::Message() << "kind " << kind << " run " << run << " scale " << scale);
        Changing changing(static_cast<std::uint64_t>(100 * kind + run) + (scale > 1 ? 7U : 0U), {kind, scale});
        for (int i = 0; i < 12; ++i) changing.add();
        for (int step = 0; step < 60; ++step) {
          changing.change();
          if (step % 6 != 5) continue;
          const Scene scene = changing.editor.scene();
          expect_state(scene, changing.model, changing.places.reach());
          expect_answers(scene, changing.model, changing.random, changing.places);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Scene, AnswersAboutTwoScenesAsAllPairsDo) {
  for (int run = 0; run < scaled(10); ++run) {
    SCOPED_TRACE(run);
    Changing a(static_cast<std::uint64_t>(run), {run % 4, 1}), b(static_cast<std::uint64_t>(run) + 1000, {run % 3, 1});
    for (int i = 0; i < 10; ++i) a.add(), b.add();
    for (int i = 0; i < 20; ++i) a.change(), b.change();
    const Scene one = a.editor.scene(), two = b.editor.scene();
    Pairs pairs;
    for (const Side& x : sides_of(one)) {
      for (const Side& y : sides_of(two)) pairs.emplace_back(x, y);
    }
    EXPECT_EQ(difference(about(one, two, 0.05, 8, kInfinity, ""), pairs, 0.05, 8, kInfinity), "");
    const SceneDistance d = distance(one, two), back = distance(two, one);
    EXPECT_EQ(d.value, back.value);
    EXPECT_EQ(collide(one, two), collide(two, one));
  }
}

TEST(Scene, DoesNotShowHowItCameAbout) {
  for (int run = 0; run < scaled(20); ++run) {
    SCOPED_TRACE(run);
    Changing changing(static_cast<std::uint64_t>(run) + 77, {run % 5, 1});
    for (int i = 0; i < 15; ++i) changing.add();
    for (int i = 0; i < 40; ++i) changing.change();
    const Scene scene = changing.editor.scene();
    // The same objects, at their places in the world, added in the same order and then moved there: another tree.
    SceneEditor editor;
    scene.visit_objects([&](const SceneObject& o) {
      editor.add(o.name, at(Sphere{.radius = 1}, Pose::at({static_cast<double>(o.id % 3), 0, 0})),
                 {.margin = o.margin, .padding = o.padding});
    });
    scene.visit_objects([&](const SceneObject& o) {
      editor.remove(o.name);
      Placed there = *o.placed;
      editor.add(o.name, there, {.margin = o.margin, .padding = o.padding});
    });
    const Scene other = editor.scene();
    EXPECT_EQ(other.validate(), "");
    for (int i = 0; i < 20; ++i) {
      const Placed body = at(any_geometry(changing.random, 1), changing.pose());
      const SceneDistance a = distance(scene, body), b = distance(other, body);
      EXPECT_EQ(a.value, b.value);
      EXPECT_EQ(a.tolerance, b.tolerance);
      EXPECT_EQ(a.pair.name_a, b.pair.name_a);
      EXPECT_EQ(a.on_a, b.on_a);
      const Ray ray(body.pose.translation(), changing.random.direction());
      EXPECT_EQ(raycast(scene, ray).distance, raycast(other, ray).distance);
      EXPECT_EQ(raycast(scene, ray).name, raycast(other, ray).name);
    }
  }
}

TEST(Scene, KeepsEveryVersionAsItWas) {
  Changing changing(5, {0, 1});
  for (int i = 0; i < 10; ++i) changing.add();
  std::vector<std::pair<Scene, Model>> versions;
  for (int i = 0; i < 60; ++i) {
    changing.change();
    versions.emplace_back(changing.editor.scene(), changing.model);
  }
  Generator random(1);
  for (const auto& [scene, model] : versions) {
    expect_state(scene, model, 100);
    expect_answers(scene, model, random, {0, 1});
  }
}

TEST(Scene, WithoutObjectsIsFree) {
  const Scene scene;
  EXPECT_TRUE(scene.empty());
  EXPECT_TRUE(scene.bounds().empty());
  EXPECT_FALSE(self_collide(scene));
  EXPECT_FALSE(collide(scene, at(Sphere{.radius = 1e40})));
  EXPECT_FALSE(collide(scene, scene));
  EXPECT_TRUE(distance(scene, at(Sphere{.radius = 1})).beyond);
  EXPECT_EQ(distance(scene, at(Sphere{.radius = 1})).value, kInfinity);
  EXPECT_TRUE(self_distance(scene).beyond);
  EXPECT_FALSE(raycast(scene, Ray({0, 0, 0}, {1, 0, 0})).found());
  EXPECT_FALSE(closest_point(scene, {0, 0, 0}).found());
  EXPECT_FALSE(sweep_sphere(scene, SphereMove({0, 0, 0}, {1, 0, 0}, 1)).found());
  EXPECT_EQ(scene.validate(), "");
  SceneEditor editor;
  editor.add("nothing", at(Mesh()));
  editor.add("none", at(Cloud(std::span<const Vec3>())));
  EXPECT_FALSE(self_collide(editor.scene(), {.margin = 1e30}));
  EXPECT_TRUE(self_distance(editor.scene()).beyond);
  EXPECT_EQ(editor.scene().validate(), "");
}

TEST(Scene, MarginsOfAPairAddAndTouchingCounts) {
  // 0.1 + 0.7 rounds down: the exact sum is what counts.
  SceneEditor editor;
  editor.add("a", at(Sphere{.radius = 1}), {.margin = 0.1});
  editor.add("b", at(Sphere{.radius = 1}, Pose::at({2.8, 0, 0})), {.margin = 0.7});
  EXPECT_TRUE(self_collide(editor.scene()));
  EXPECT_FALSE(self_collide(editor.scene(), {.margin = -1e-9}));
  editor.move("b", Pose::at({2.8 + 1e-9, 0, 0}));
  EXPECT_FALSE(self_collide(editor.scene()));
  EXPECT_TRUE(self_collide(editor.scene(), {.margin = 2e-9}));
  EXPECT_NEAR(self_distance(editor.scene()).value, 0.8, 1e-8);
  editor.set_margin("b", 0);
  editor.set_padding("b", 0.7);
  EXPECT_FALSE(self_collide(editor.scene()));
  EXPECT_NEAR(self_distance(editor.scene()).value, 0.1, 1e-8);
  EXPECT_NEAR(self_distance(editor.scene()).on_b.x(), 1.1, 1e-8);
  editor.set_padding("b", 0.9);
  std::vector<SceneContact> found(4);
  ASSERT_EQ(self_contacts(editor.scene(), found), 1U);
  EXPECT_NEAR(found[0].depth, 0.1, 1e-8);
  EXPECT_NEAR(found[0].point.x(), 0.95, 1e-8);
  EXPECT_EQ(found[0].pair.name_a, "a");
  EXPECT_EQ(found[0].pair.name_b, "b");
  // In doubt there is a collision.
  EXPECT_TRUE(self_collide(editor.scene(), {.margin = std::nan("")}));
}

TEST(Scene, RefusesWhatItDoesNotKnowAndChangesNothing) {
  SceneEditor editor;
  editor.add("table", at(Box{.half = {1, 1, 1}}), {.group = "furniture"});
  editor.add("chair", at(Box{.half = {1, 1, 1}}, Pose::at({1, 0, 0})));
  editor.attach("chair", "table");
  const std::uint64_t version = editor.scene().version();
  const auto refused = [&](const auto& change, const std::string& what) {
    try {
      change();
      ADD_FAILURE() << what;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
    EXPECT_EQ(editor.scene().version(), version);
    EXPECT_EQ(editor.scene().validate(), "");
  };
  refused([&] { editor.move("tabel", {}); }, "did you mean 'table'?");
  refused([&] { editor.add("table", at(Sphere{.radius = 1})); }, "already");
  refused([&] { editor.add("furniture", at(Sphere{.radius = 1})); }, "name of a group");
  refused([&] { editor.add("", at(Sphere{.radius = 1})); }, "empty");
  refused([&] { editor.add("x", at(Sphere{.radius = 1}), {.group = "table"}); }, "name of an object");
  refused([&] { editor.add("x", at(Sphere{.radius = 1}), {.group = "x"}); }, "object itself");
  refused([&] { editor.add("x", at(Sphere{.radius = 1}), {.parent = "sofa"}); }, "no object 'sofa'");
  refused([&] { editor.add("x", at(Sphere{.radius = 1}), {.margin = -1}); }, "margin");
  refused([&] { editor.attach("table", "chair"); }, "attached to it");
  refused([&] { editor.attach("table", "table"); }, "attach");
  refused([&] { editor.set_padding("chair", kInfinity); }, "padding");
  refused([&] { editor.set_group("chair", "table"); }, "name of an object");
  refused([&] { editor.allow("chair", "sofa"); }, "no object 'sofa'");
  refused([&] { editor.remove("sofa"); }, "no object 'sofa'");
  EXPECT_THROW(distance(editor.scene(), "table", "sofa"), Error);
  EXPECT_THROW(editor.scene().object(ObjectId{9}), Error);
}

TEST(Scene, ForgetsWithAnObjectWhatItsNameWasAllowed) {
  SceneEditor editor;
  editor.add("a", at(Sphere{.radius = 1}));
  editor.add("b", at(Sphere{.radius = 1}));
  editor.allow("a", "b");
  EXPECT_FALSE(self_collide(editor.scene()));
  editor.remove("a");
  editor.add("a", at(Sphere{.radius = 1}));
  EXPECT_TRUE(self_collide(editor.scene()));
}

TEST(Scene, ChildrenFollowAChainOfParents) {
  SceneEditor editor;
  editor.add("base", at(Sphere{.radius = 0.1}));
  editor.add("arm", at(Sphere{.radius = 0.1}, Pose::at({1, 0, 0})), {.parent = "base"});
  editor.add("hand", at(Sphere{.radius = 0.1}, Pose::at({1, 0, 0})), {.parent = "arm"});
  editor.move("base", Pose::from_wxyz({0, 0, 1}, 3, 0, 0, 1));  // by a little more than a third of a right angle
  EXPECT_LE((editor.scene().object("hand").placed->pose.translation() - Vec3(1.6, 1.2, 1)).norm(), 1e-15);
  EXPECT_GT(editor.scene().object("hand").placed->uncertainty, 0);
  editor.move("base", Pose::from_rpy({0, 0, 1}, 0, 0, 1.5707963267948966));
  const Scene scene = editor.scene();
  EXPECT_LE((scene.object("hand").placed->pose.translation() - Vec3(0, 2, 1)).norm(), 1e-15);
  editor.remove("arm");
  editor.move("base", Pose());
  EXPECT_EQ(editor.scene().object("hand").placed->pose, scene.object("hand").placed->pose);
}

// A pose in more digits than those of the scene.
struct FinePose {
  Eigen::Matrix<long double, 3, 3> rotation = Eigen::Matrix<long double, 3, 3>::Identity();
  Eigen::Matrix<long double, 3, 1> translation = Eigen::Matrix<long double, 3, 1>::Zero();

  FinePose() = default;
  explicit FinePose(const Pose& p)
      : rotation(p.rotation().cast<long double>()), translation(p.translation().cast<long double>()) {}
  FinePose operator*(const FinePose& inner) const {
    FinePose r;
    r.rotation = rotation * inner.rotation;
    r.translation = rotation * inner.translation + translation;
    return r;
  }
  FinePose inverse() const {
    FinePose r;
    r.rotation = rotation.inverse();
    r.translation = -(r.rotation * translation);
    return r;
  }
  Eigen::Matrix<long double, 3, 1> of(const Vec3& p) const { return rotation * p.cast<long double>() + translation; }
};

TEST(Scene, StatesHowFarRoundingMovesWhatIsAttached) {
  Generator random(8);
  int moved = 0;
  for (int run = 0; run < scaled(300); ++run) {
    const double scale = random.magnitude(0, 7);
    SceneEditor editor;
    std::map<std::string, FinePose> world, relative;
    std::vector<std::string> names;
    const Pose local = random.pose(scale);
    for (int i = 0; i < 5; ++i) {
      const std::string name = "o" + std::to_string(i), parent = i == 0 ? "" : names.back();
      const Pose pose = random.pose(scale);
      editor.add(name, at(Box{.half = {1, 2, 3}}, pose), {.parent = i % 2 == 1 ? parent : "", .local = local});
      world[name] = i % 2 == 1 ? world[parent] * FinePose(pose) : FinePose(pose);
      relative[name] = FinePose(pose);
      if (i > 0 && i % 2 == 0) {
        editor.attach(name, parent);
        relative[name] = world[parent].inverse() * world[name];
      }
      names.push_back(name);
    }
    // Far and back again: what cancels stays off by what was rounded.
    for (const Pose& pose : {random.pose(100 * scale), Pose::at(random.in_cube(1))}) {
      editor.move("o0", pose);
      world["o0"] = FinePose(pose);
      for (std::size_t i = 1; i < names.size(); ++i) world[names[i]] = world[names[i - 1]] * relative[names[i]];
      for (const std::string& name : names) {
        const Placed& placed = *editor.scene().object(name).placed;
        for (const Vec3& corner : {Vec3(1, 2, 3), Vec3(-1, -2, 3)}) {
          const FinePose where(placed.pose), exact = world[name] * FinePose(local);
          const auto off = static_cast<double>((where.of(corner) - exact.of(corner)).norm());
          EXPECT_LE(off, placed.uncertainty) << name << " at scale " << scale;
          EXPECT_LE(placed.uncertainty, 1e-12 * 1e3 * scale);
          moved += off > 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(moved, 100);
}

TEST(Scene, QueriesDoNotAllocate) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Changing changing(3, {0, 1});
  for (int i = 0; i < 40; ++i) changing.add();
  const Scene scene = changing.editor.scene();
  scene.visit_objects([](const SceneObject& o) {
    if (const auto* cloud = std::get_if<Cloud>(&o.placed->geometry)) cloud->prepare();
  });
  const Placed body = at(Box{.half = {0.5, 0.5, 0.5}}, Pose::at({0.1, 0.2, 0}));
  std::vector<SceneContact> buffer(100);
  std::vector<ObjectPair> pairs(100);
  EXPECT_EQ(allocations_of([&] {
              (void)self_collide(scene);
              (void)self_collisions(scene, pairs);
              (void)self_contacts(scene, buffer);
              (void)self_distance(scene);
              (void)collide(scene, body);
              (void)distance(scene, body);
              (void)contacts(scene, body, buffer);
              (void)raycast(scene, Ray({-9, 0, 0}, {1, 0, 0}));
              (void)closest_point(scene, {0, 0, 9});
              (void)sweep_sphere(scene, SphereMove({-9, 0, 0}, {9, 0, 0}, 0.1));
            }),
            0);
}

}  // namespace scene_test
}  // namespace graze_test
