// Sizes of 0: a shape that has lost a dimension answers as another kind of the same points does, to every verb and
// against every geometry.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/query/point.h"
#include "graze/query/raycast.h"
#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace flat_test {

using namespace graze;
using graze_oracle::Random;

Convex hull(const std::vector<Vec3>& points) { return Convex::hull_of(points); }

Convex polygon(double radius) {
  constexpr int kCorners = 256;
  std::vector<Vec3> points;
  for (int i = 0; i < kCorners; ++i) {
    const double angle = i * 2 * std::numbers::pi / kCorners;
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
  }
  return hull(points);
}

// Two kinds that are the same set of points up to `off` metres.
struct Twins {
  Geometry flat, same;
  double off = 0;
};

std::vector<Twins> twins(double r, double h) {
  const Convex segment = hull({{0, 0, -h}, {0, 0, h}});
  return {
      {Capsule{.radius = r, .half_length = 0}, Sphere{.radius = r}},
      {Capsule{.radius = 0, .half_length = h}, segment},
      {Cylinder{.radius = 0, .half_length = h}, segment},
      {Cone{.radius = 0, .half_length = h}, segment},
      {Box{.half = {0, 0, h}}, Capsule{.radius = 0, .half_length = h}},
      {Box{.half = {h, 0, 0}}, hull({{-h, 0, 0}, {h, 0, 0}})},
      {Box{.half = {r, h, 0}}, hull({{-r, -h, 0}, {r, -h, 0}, {r, h, 0}, {-r, h, 0}})},
      {Box{.half = {0, r, h}}, hull({{0, -r, -h}, {0, r, -h}, {0, r, h}, {0, -r, h}})},
      {Cylinder{.radius = r, .half_length = 0}, Cone{.radius = r, .half_length = 0}},
      {Cylinder{.radius = r, .half_length = 0}, polygon(r), 1e-4 * r},
      {Box{.half = {0, 0, 0}}, Sphere{.radius = 0}},
      {Capsule{.radius = 0, .half_length = 0}, Sphere{.radius = 0}},
      {Cylinder{.radius = 0, .half_length = 0}, Sphere{.radius = 0}},
      {Cone{.radius = 0, .half_length = 0}, Sphere{.radius = 0}},
  };
}

// Every kind of geometry, the flat ones too.
std::vector<Geometry> others(Random& random) {
  std::vector<Geometry> list;
  for (const graze_oracle::Kind kind : graze_oracle::kKinds) {
    auto spec = random_spec(kind, 0.7, random);
    list.push_back(placed_of(spec).geometry);
    flatten(spec, random);
    list.push_back(placed_of(spec).geometry);
  }
  list.emplace_back(closed(6, true, 0.2).mesh(false));
  list.emplace_back(closed(6, true, 0.2).mesh(true));
  std::vector<Vec3> points;
  for (int i = 0; i < 40; ++i) {
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  }
  list.emplace_back(Cloud(points));
  list.emplace_back(Cloud(points, {.radius = 0.1}));
  return list;
}

Vec3 random_vec(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

Pose random_pose(Random& random, double reach) {
  const auto q = random.rotation();
  const Vec3 position = random_vec(random, reach);
  return random.chance(0.2) ? Pose::at(position) : Pose::from_wxyz(position, q[0], q[1], q[2], q[3]);
}

void expect_alike(const Twins& t, const Pose& pose, const Placed& other) {
  const Placed flat = at(t.flat, pose), same = at(t.same, pose);
  const Distance d = distance(flat, other), e = distance(same, other), back = distance(other, flat);
  ASSERT_FALSE(std::isnan(d.value) || std::isnan(d.tolerance));
  ASSERT_TRUE(is_finite(d.on_a) && is_finite(d.on_b) && is_finite(d.normal));
  EXPECT_EQ(d.value, back.value);
  EXPECT_EQ(d.tolerance, back.tolerance);
  const double doubt = d.tolerance + e.tolerance + t.off + 1e-12;
  if (std::isfinite(e.value)) {
    EXPECT_NEAR(d.value, e.value, doubt);
  } else {
    EXPECT_EQ(d.value, e.value);
  }
  if (d.value > 0) {
    EXPECT_NEAR((d.on_a - d.on_b).norm(), d.value, 1e-9 + d.tolerance);
  }
  // Touching is a collision, and so is what rounding cannot decide.
  EXPECT_EQ(collide(flat, other), collide(other, flat));
  if (e.value > doubt) {
    EXPECT_FALSE(collide(flat, other));
  }
  if (e.value < -t.off || (e.value <= 0 && t.off == 0)) {
    EXPECT_TRUE(collide(flat, other));
  }

  const Penetration p = penetration(flat, other);
  if (e.value < -doubt) {
    EXPECT_TRUE(p.overlapping);
  }
  if (p.overlapping && std::isfinite(p.depth)) {
    EXPECT_GE(p.depth, 0);
    EXPECT_NEAR(p.depth, std::max(0.0, -e.value), doubt + p.tolerance);
    EXPECT_NEAR(p.direction.norm(), 1, 1e-12);
  }
  const Contacts touching = contacts(flat, other);
  if (e.value < -doubt) {
    EXPECT_FALSE(touching.empty());
  }
  for (const Contact& c : touching) {
    EXPECT_TRUE(is_finite(c.point) && is_finite(c.normal) && !std::isnan(c.depth));
    EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
  }
}

TEST(FlatShapes, AnswerLikeOtherKindsOfTheSamePoints) {
  Random random(51);
  for (int i = 0, n = scaled(24); i < n && !HasFailure(); ++i) {
    const bool lattice = i % 2 == 0;  // often coplanar, collinear or concentric
    const double r = lattice ? random.integer(1, 8) / 8.0 : random.uniform(0.1, 1);
    const double h = lattice ? random.integer(1, 8) / 8.0 : random.uniform(0.1, 1);
    const std::vector<Geometry> bodies = others(random);
    for (const Twins& t : twins(r, h)) {
      for (const Geometry& body : bodies) {
        Pose pose = random_pose(random, 1), other_pose = random_pose(random, 1);
        if (lattice && random.chance(0.5)) {
          pose = Pose::at(random.chance(0.5) ? Vec3(0, 0, 0) : Vec3(0.5, 0, 0)), other_pose = Pose();
        }
        SCOPED_TRACE(std::string(name_of(t.flat)) + " like " + std::string(name_of(t.same)) + " and " +
                     std::string(name_of(body)) + ", round " + std::to_string(i) + ", r " + std::to_string(r) + ", h " +
                     std::to_string(h));
        expect_alike(t, pose, at(body, other_pose));
      }
    }
  }
}

TEST(FlatShapes, ContainTheirPointsAndNothingElse) {
  Random random(52);
  for (int i = 0, n = scaled(200); i < n && !HasFailure(); ++i) {
    for (const Twins& t : twins(random.uniform(0.1, 1), random.uniform(0.1, 1))) {
      SCOPED_TRACE(std::string(name_of(t.flat)) + " like " + std::string(name_of(t.same)));
      const Pose pose = random_pose(random, 1);
      const Vec3 p = random_vec(random, 2);
      const ClosestPoint c = closest_point(at(t.flat, pose), p), e = closest_point(at(t.same, pose), p);
      EXPECT_NEAR(c.distance, e.distance, c.tolerance + e.tolerance + t.off);
      EXPECT_NEAR((c.point + c.distance * c.normal - p).norm(), 0, 1e-12);
      EXPECT_LE(closest_point(at(t.flat, pose), c.point).distance, 1e-14);
      EXPECT_EQ(contains(at(t.flat, pose), p), c.distance <= c.tolerance);
    }
  }
}

// A ray meets a flat body where the first of its points lies on the ray, also within its plane.
TEST(FlatShapes, AreHitByRays) {
  Random random(53);
  int hits = 0;
  for (int i = 0, n = scaled(600); i < n && !HasFailure(); ++i) {
    const double r = random.uniform(0.1, 1), h = random.uniform(0.1, 1);
    const std::vector<Geometry> bodies = {Box{.half = {r, h, 0}},
                                          Box{.half = {0, r, h}},
                                          Box{.half = {0, 0, h}},
                                          Cylinder{.radius = r, .half_length = 0},
                                          Cylinder{.radius = 0, .half_length = h},
                                          Cone{.radius = r, .half_length = 0},
                                          Cone{.radius = 0, .half_length = h},
                                          Capsule{.radius = 0, .half_length = h},
                                          Capsule{.radius = r, .half_length = 0}};
    for (const Geometry& body : bodies) {
      SCOPED_TRACE(std::string(name_of(body)) + ", round " + std::to_string(i));
      const Placed placed = at(body, i % 3 == 0 ? Pose() : random_pose(random, 1));
      // Through a point of the body from anywhere, or from a point of its plane.
      const Aabb box = bounds(body);
      const Vec3 inside = box.center() + random_vec(random, 0.6).cwiseProduct(box.half());
      Vec3 from = random_vec(random, 4);
      if (random.chance(0.4)) {
        for (int k = 0; k < 3; ++k) from[k] = box.half()[k] > 1e-9 ? from[k] : 0;
      }
      const Vec3 start = placed.pose * from, target = placed.pose * inside;
      if ((target - start).norm() < 1e-3) continue;
      const Ray ray(start, target - start);
      const RayHit hit = raycast(placed, ray);
      ASSERT_TRUE(hit.found());
      ASSERT_TRUE(meets(placed, ray));
      EXPECT_NEAR(hit.normal.norm(), 1, 1e-12);
      EXPECT_LE(hit.normal.dot(ray.direction()), 0);
      // Along a segment or a plate almost parallel to the ray, rounding moves the point where they meet.
      EXPECT_LE(hit.distance, (target - start).norm() + 0.01);
      EXPECT_LE(closest_point(placed, hit.point).distance, 1e-12) << "hit at " << hit.distance;
      if (hit.distance > 0.01) {
        EXPECT_GT(closest_point(placed, ray.at(hit.distance - 0.01)).distance, 1e-12)
            << bounds(body).half().transpose() << " from " << from.transpose() << " through " << inside.transpose()
            << ", hit at " << hit.distance;
      }
      ++hits;
      // Past it.
      const Ray beside(start + placed.pose.rotation() * Vec3(5, 6, 7), target - start);
      const double lowest =
          closest_point(placed, beside.at((target - beside.origin()).dot(beside.direction()))).distance;
      if (lowest > 4) {
        EXPECT_FALSE(meets(placed, beside));
      }
    }
  }
  EXPECT_GT(hits, scaled(3000));
}

TEST(FlatShapes, AreHitWithinTheirPlane) {
  const Placed disc = at(Cylinder{.radius = 1, .half_length = 0}), plate = at(Box{.half = {1, 2, 0}});
  EXPECT_EQ(raycast(disc, Ray({-3, 0, 0}, {1, 0, 0})).distance, 2);
  EXPECT_EQ(raycast(plate, Ray({-3, 1, 0}, {1, 0, 0})).distance, 2);
  EXPECT_EQ(raycast(disc, Ray({0.5, 0, 0}, {1, 0, 0})).distance, 0);
  EXPECT_FALSE(raycast(disc, Ray({-3, 1.001, 0}, {1, 0, 0})).found());
  EXPECT_FALSE(raycast(disc, Ray({-3, 0, 1e-9}, {1, 0, 0})).found());
  EXPECT_EQ(raycast(at(Cone{.radius = 1, .half_length = 0}), Ray({0.5, 0, 3}, {0, 0, -1})).distance, 3);
  EXPECT_EQ(raycast(at(Cylinder{.radius = 0, .half_length = 1}), Ray({0, 0, 3}, {0, 0, -1})).distance, 2);
  EXPECT_EQ(raycast(at(Cone{.radius = 0, .half_length = 1}), Ray({2, 0, 0.5}, {-1, 0, 0})).distance, 2);
}

// Coplanar plates that overlap: the shortest translation that separates them leads out of the plane, and is none.
TEST(FlatShapes, TouchWhereTheyOverlapInOnePlane) {
  const std::vector<Geometry> plates = {Box{.half = {1, 2, 0}}, Cylinder{.radius = 1, .half_length = 0},
                                        Cone{.radius = 1, .half_length = 0}, polygon(1),
                                        Triangle({-1, -1, 0}, {2, 0, 0}, {0, 1, 0})};
  for (const Pose& pose : {Pose(), Pose::from_rpy({0.25, 0.5, 0.125}, 0.3, 0.4, 0.5)}) {
    for (const Geometry& a : plates) {
      for (const Geometry& b : plates) {
        for (const double x : {0.0, 0.25, 1.5}) {
          const Placed first = at(a, pose), second = at(b, pose, Pose::at({x, 0, 0}));
          SCOPED_TRACE(std::string(name_of(a)) + " and " + std::string(name_of(b)) + " at " + std::to_string(x));
          EXPECT_TRUE(collide(first, second));
          const Distance d = distance(first, second);
          EXPECT_NEAR(d.value, 0, 1e-12);
          const Penetration p = penetration(first, second);
          if (p.overlapping) {
            EXPECT_NEAR(p.depth, 0, 1e-12);
          }
          EXPECT_NEAR(std::abs(d.normal.dot(pose.rotation().col(2))), 1, 1e-6);
        }
        const Placed first = at(a, pose), apart = at(b, pose, Pose::at({9, 0, 0}));
        EXPECT_FALSE(collide(first, apart));
      }
    }
  }
}

}  // namespace flat_test
}  // namespace graze_test
