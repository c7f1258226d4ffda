// Cases that no test covered until a mutant of the library (`./dev mutate`) passed all tests.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "query/facet.h"
#include "query/placed_of.h"
#include "query/point_depth.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace mutants_test {

using graze::Capsule;
using graze::Distance;
using graze::HalfSpace;
using graze::Mesh;
using graze::Placed;
using graze::Plane;
using graze::Pose;
using graze::Ray;
using graze::RayHit;
using graze::Sphere;
using graze::Triangle;
using graze::Vec3;
using graze_oracle::Random;

// Their lines pass each other at points that are nowhere near the middle of either, at angles below and above that at
// which segments count as nearly parallel.
TEST(Capsules, PassEachOtherWhereTheirLinesDoHoweverNearlyParallel) {
  Random random(1);
  for (int i = 0, n = scaled(2000); i < n && !HasFailure(); ++i) {
    const double half_a = random.uniform(5, 10), half_b = random.uniform(1, 10), radius = random.uniform(0, 0.01);
    const double angle = std::pow(10, random.uniform(-4, -0.5)), gap = random.uniform(0.02, 0.05);
    const double s = random.uniform(-half_a, half_a), t = random.uniform(-half_b, half_b);
    const Pose base = random_pose_near(random, Vec3::Zero(), 2);
    const Vec3 axis_b(std::sin(angle), 0, std::cos(angle));
    const Placed a = at(Capsule{.radius = radius, .half_length = half_a}, base);
    const Placed b =
        at(Capsule{.radius = radius, .half_length = half_b},
           base * Pose::from_wxyz(Vec3(0, gap, s) - t * axis_b, std::cos(angle / 2), 0, std::sin(angle / 2), 0));
    const Distance d = distance(a, b);
    EXPECT_NEAR(d.value, gap - 2 * radius, 1e-12 + d.tolerance) << "angle " << angle << ", at " << s << " and " << t;
    EXPECT_LT(d.tolerance, 1e-9);
    EXPECT_NEAR(std::abs(d.normal.dot(base.rotation() * Vec3::UnitY())), 1, 1e-6);
  }
}

// The centre lies in the triangle itself, to the last bit: the shortest path out is along the normal.
TEST(Triangles, LetABallOutAlongTheNormalWhereItsCentreIsOnThem) {
  Random random(2);
  for (int i = 0, n = scaled(500); i < n && !HasFailure(); ++i) {
    const auto lattice = [&] { return Vec3(random.integer(-8, 8), random.integer(-8, 8), random.integer(-8, 8)); };
    const Vec3 a = lattice(), b = lattice(), c = lattice();
    const Vec3 normal = (b - a).cross(c - a);
    if (!(normal.norm() > 0)) continue;
    const Vec3 center = (2 * a + b + c) / 4;  // exact
    const double radius = 0.25;
    const Placed ball = at(Sphere{.radius = radius}, Pose::at(center)), triangle = at(Triangle(a, b, c));
    for (const bool swapped : {false, true}) {
      const Distance d = swapped ? distance(triangle, ball) : distance(ball, triangle);
      EXPECT_NEAR(d.value, -radius, 1e-12);
      EXPECT_NEAR(std::abs(d.normal.dot(normal.normalized())), 1, 1e-12) << d.normal.transpose();
    }
  }
}

// Something inside a solid, far from its surface, queried without the depth: both points lie in both bodies.
TEST(SolidMeshes, ReportPointsOfBothBodiesWithoutTheDepth) {
  Random random(3);
  const Mesh solid = closed(4, false).mesh(true),
             small = closed(2, true, 0.2).moved(Vec3(0.2, 0.3, -0.1), 0.1).mesh(true);
  for (int i = 0, n = scaled(50); i < n && !HasFailure(); ++i) {
    const Placed outer = at(solid, random_pose_near(random, Vec3(1, 2, 3), 3));
    const Placed inner = at(small, random_pose_near(random, outer.pose.translation(), 0.3));
    for (const bool swapped : {false, true}) {
      const Distance d = swapped ? distance(inner, outer, {.depth = false}) : distance(outer, inner, {.depth = false});
      EXPECT_EQ(d.value, 0);
      const double far = std::max(closest_point(inner, d.on_a).distance, closest_point(inner, d.on_b).distance);
      EXPECT_LE(far, 1e-9) << (swapped ? "second" : "first") << " is the solid around, scene " << i;
      EXPECT_TRUE(contains(outer, d.on_a) && contains(outer, d.on_b));
    }
  }
}

// Without the depth, the tolerance must cover it: exactly known for half-spaces and planes with any offset.
TEST(SolidMeshes, AllowForTheirDepthInHalfSpacesWithoutMeasuringIt) {
  Random random(4);
  for (int i = 0, n = scaled(100); i < n && !HasFailure(); ++i) {
    const Soup soup = closed(2, true, 0.2);
    const Placed ball = at(soup.mesh(i % 2 == 0), random_pose_near(random, Vec3::Zero(), 3));
    const Vec3 normal = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).normalized();
    double low = graze::kInfinity, high = -graze::kInfinity;
    for (const Vec3& v : soup.vertices) {
      low = std::min(low, normal.dot(ball.pose * v)), high = std::max(high, normal.dot(ball.pose * v));
    }
    const double offset = random.uniform(low, high + 5);
    const Distance half = distance(at(HalfSpace(normal, offset)), ball, {.depth = false});
    EXPECT_LE(std::abs(half.value - (low - offset)), half.tolerance + 1e-9) << "offset " << offset;
    if (offset > high) continue;
    const Distance plane = distance(ball, at(Plane(normal, offset)), {.depth = false});
    const double depth = std::min(offset - low, high - offset);
    EXPECT_LE(std::abs(plane.value + depth), plane.tolerance + 1e-9) << "offset " << offset;
  }
}

// What a cache kept of an overlap must not affect bodies that separate, in any direction.
TEST(PairCache, OfAnOverlapDoesNotAffectSeparation) {
  Random random(5);
  const auto hull = [&] {
    std::vector<Vec3> points(12);
    for (Vec3& p : points) p = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    return graze::Shape(graze::Convex::hull_of(points));
  };
  int apart = 0, met = 0;
  for (int i = 0, n = std::max(scaled(600), 200); i < n && !HasFailure(); ++i) {
    const graze::Shape curved[] = {graze::Cylinder{.radius = 0.6, .half_length = 0.7},
                                   graze::Cone{.radius = 0.8, .half_length = 0.9},
                                   graze::Box{.half = Vec3(0.5, 0.7, 0.9)}};
    const Placed a = at(i % 4 == 3 ? hull() : curved[i % 4], random_pose_near(random, Vec3::Zero(), 0.5));
    Placed b = at(hull(), random_pose_near(random, a.pose.translation(), 0.3));
    graze::PairCache cache;
    if (!collide(a, b, {.cache = &cache})) continue;
    const graze::PairCache full = cache;
    const Vec3 start = b.pose.translation();
    for (int k = 0; k < 20; ++k) {
      const auto direction = random.direction();
      b.pose = b.pose.moved_to(start + random.uniform(0.2, 3) * vec3(direction));
      const bool cold = collide(a, b);
      cache = full;
      EXPECT_EQ(collide(a, b, {.cache = &cache}), cold) << "round " << i;
      cache = full;
      const Distance far = distance(a, b), warm = distance(a, b, {.cache = &cache});
      EXPECT_NEAR(far.value, warm.value, far.tolerance + warm.tolerance) << "round " << i;
      ++(cold ? met : apart);
    }
  }
  EXPECT_GT(apart, 500);
  EXPECT_GT(met, 500);
}

// A traversal that ends with the first hit keeps what it had not visited: the next hit may be there. Queried in either
// order.
TEST(MeshFront, KeepsWhatAHitLeftUnvisited) {
  Random random(9);
  for (int round = 0, n = std::max(scaled(20), 8); round < n && !HasFailure(); ++round) {
    const auto row = [](int fineness, double size) {
      Soup soup;
      for (int k = 0; k < 6; ++k) soup.add(closed(fineness, false).moved(Vec3(2.5 * k - 6.25, 0, 0), size));
      return soup.mesh();
    };
    // One row above the other, or each cube in one of the other row: then either order has nearly the same pose.
    const bool nested = round % 4 == 3;
    const Mesh a = row(3 + round % 4, 1), b = row(2 + round % 3, nested ? 0.996 : 1);
    graze::PairCache cache;
    cache.keep_front();
    int hits = 0, misses = 0;
    for (int i = 0; i < 200 && !HasFailure(); ++i) {
      // All cubes of the rows meet, those at one end, or none: by moves so small that the front is worth keeping.
      const double tilt = i % 4 == 0 ? 0 : random.uniform(-1e-3, 1e-3), up = random.uniform(-1e-3, 8e-3);
      const Pose pose =
          Pose::from_wxyz(nested ? Vec3(0, 0, up) : Vec3(0.1, 0.05, 2 + (i % 4 == 0 ? -1e-3 : up)), 1, 0, tilt / 2, 0);
      const Placed x = at(a), y = at(b, pose);
      const bool swapped = round % 2 == 1 && i / 4 % 2 == 1, cold = collide(x, y);
      const bool warm = swapped ? collide(y, x, {.cache = &cache}) : collide(x, y, {.cache = &cache});
      EXPECT_EQ(warm, cold) << "round " << round << ", step " << i;
      ++(cold ? hits : misses);
      if (i % 5 != 4 || round % 4 < 2) continue;
      const Distance d = swapped ? distance(y, x, {.cache = &cache}) : distance(x, y, {.cache = &cache});
      EXPECT_EQ(d.value, distance(x, y).value) << "round " << round << ", step " << i;
    }
    EXPECT_GT(hits, 50);
    EXPECT_GT(misses, 10);
  }
}

// Boxes that touch with edges or corners, to within rounding: the points are there, and on both.
TEST(Boxes, TouchAtPointsOfBothWhereverTheirRimsMeet) {
  Random random(10);
  for (int i = 0, n = std::max(scaled(2000), 400); i < n && !HasFailure(); ++i) {
    const auto half = [&] { return 0.1 * random.integer(1, 9); };
    const Vec3 ha(half(), half(), half()), hb(half(), half(), half());
    // Side by side along one axis at least; along the others beside, level or anywhere.
    Vec3 off;
    for (int k = 0; k < 3; ++k) {
      const double reach = ha[k] + hb[k];
      const int how = k == i % 3 ? 0 : random.integer(0, 2);
      off[k] = (how == 0 ? reach : how == 1 ? 0 : random.uniform(-reach, reach)) * (random.chance(0.5) ? 1 : -1);
    }
    const Pose base = i % 2 == 0 ? Pose() : random_pose_near(random, Vec3::Zero(), 1);
    // The second is rotated by quarter turns about the first axis, which only changes which faces meet.
    const bool quarter = i % 4 > 1;
    const Vec3 turned = quarter ? Vec3(hb.x(), hb.z(), hb.y()) : hb;
    const Placed a = at(graze::Box{.half = ha}, base);
    const Placed b =
        at(graze::Box{.half = turned}, base * (quarter ? Pose::from_wxyz(off, 1, 1, 0, 0) : Pose::at(off)));
    const Distance d = distance(a, b);
    EXPECT_NEAR(d.value, 0, 1e-12) << "round " << i;
    for (const Placed* body : {&a, &b}) {
      EXPECT_LE(std::abs(closest_point(*body, d.on_a).distance), 1e-9) << "round " << i << ", " << d.on_a.transpose();
      EXPECT_LE(std::abs(closest_point(*body, d.on_b).distance), 1e-9) << "round " << i << ", " << d.on_b.transpose();
    }
  }
}

Vec3 any_point(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// The depth of a point in a geometry of any kind is minus its distance, and the shortest exit is along the normal.
TEST(PointDepth, IsMinusTheDistanceForEveryKind) {
  Random random(11);
  for (int i = 0, n = std::max(scaled(400), 100); i < n && !HasFailure(); ++i) {
    const graze_oracle::Kind kind = graze_oracle::kKinds[static_cast<std::size_t>(i) % graze_oracle::kKinds.size()];
    graze::Geometry g = placed_of(random_spec(kind, 0.5, random)).geometry;
    if (i % 11 == 10) g = graze::Cloud(std::vector<Vec3>{any_point(random, 1), any_point(random, 1)}, {.radius = 0.3});
    const Vec3 p = any_point(random, 1);
    const graze::PointDepth depth = point_depth(g, p);
    const graze::ClosestPoint closest = closest_point(at(g), p);
    const double slack = depth.tolerance + closest.tolerance + 1e-12;
    EXPECT_NEAR(depth.depth, -closest.distance, slack) << "round " << i;
    if (std::abs(closest.distance) < 1e-3) continue;
    // Moved out by the depth, or in to the surface, the point is on it.
    EXPECT_NEAR(point_depth(g, p + depth.depth * depth.out).depth, 0, 1e-9) << "round " << i;
    EXPECT_NEAR(depth.out.norm(), 1, 1e-12);
  }
  EXPECT_EQ(point_depth(graze::Geometry(graze::Cloud()), Vec3::Zero()).depth, graze::PointDepth().depth);
}

// On the surface itself, the outside is the empty side: for bodies of any size and either orientation.
TEST(SolidMeshes, FindTheirOutsideOnTheSurfaceAtAnySize) {
  Random random(12);
  for (const double size : {1e-7, 1e-3, 1.0, 1e3, 1e7}) {
    const Soup cube = closed(3, false).moved(Vec3::Zero(), size);
    for (const Mesh& solid : {cube.mesh(true), cube.turned_inside_out().mesh(true)}) {
      for (int i = 0; i < 60; ++i) {
        Vec3 p = size * any_point(random, 0.9), out = Vec3::Zero();
        out[i % 3] = i % 2 == 0 ? 1 : -1;
        p[i % 3] = size * out[i % 3];
        EXPECT_NEAR((point_depth(solid, p).out - out).norm(), 0, 1e-9) << "size " << size << ", " << p.transpose();
      }
    }
  }
}

// Balls in convex solids: the reported triangle is the one through which the ball leaves.
TEST(SolidMeshes, ReportTheTriangleThroughWhichABallLeaves) {
  Random random(13);
  const Mesh solid = closed(4, false).mesh(true);
  for (int i = 0, n = std::max(scaled(200), 50); i < n && !HasFailure(); ++i) {
    const Vec3 p = any_point(random, 0.9);
    for (const double radius : {0.0, 0.05}) {
      const Placed ball = at(Sphere{.radius = radius}, Pose::at(p));
      const Distance d = distance(at(solid), ball);
      EXPECT_NEAR(d.value, p.cwiseAbs().maxCoeff() - 1 - radius, 1e-12);
      EXPECT_LE(distance(at(solid.triangle(d.a)), at(Sphere{.radius = 0}, Pose::at(d.on_a))).value, 1e-9);
      EXPECT_EQ(distance(ball, at(solid)).b, d.a);
    }
  }
}

// The tolerance covers the error, for shapes and convex solids too: it is never negative.
TEST(SolidMeshes, AllowForRoundingWhenConvex) {
  Random random(14);
  const Mesh solid = closed(4, false).mesh(true);
  for (int i = 0, n = std::max(scaled(200), 50); i < n && !HasFailure(); ++i) {
    const Vec3 half(random.uniform(0.1, 0.9), random.uniform(0.1, 0.9), random.uniform(0.1, 0.9));
    const Vec3 p = any_point(random, 1);
    const Pose base = random_pose_near(random, Vec3::Zero(), 1);
    const Placed a = at(graze::Box{.half = half}, base * Pose::at(p)), b = at(solid, base);
    const double exact = (p.cwiseAbs() - half).maxCoeff() - 1;
    for (const Distance& d : {distance(a, b), distance(b, a)}) {
      EXPECT_NEAR(d.value, exact, std::min(d.tolerance, 1e-9)) << "round " << i;
      EXPECT_GE(d.tolerance, 256 * graze::kEpsilon) << "round " << i;
    }
  }
}

// Crossing facets of solids in either orientation: after a move along the normal by the depth, they are apart.
TEST(Facets, AreApartAfterTheirDepthInEitherOrientation) {
  Random random(6);
  int overlaps = 0;
  for (int i = 0, n = std::max(scaled(3000), 500); i < n && !HasFailure(); ++i) {
    const auto triangle = [&] { return Triangle(any_point(random, 1), any_point(random, 1), any_point(random, 1)); };
    const graze::Facet a{triangle(), i % 3 != 0, random.chance(0.5) ? 1.0 : -1.0};
    const graze::Facet b{triangle(), i % 3 != 1, random.chance(0.5) ? 1.0 : -1.0};
    const Pose pose = random_pose_near(random, Vec3::Zero(), 0.2);
    const Distance plain = distance(at(a.triangle), at(b.triangle, pose));
    if (!(plain.value < -1e-9)) continue;
    ++overlaps;
    const graze::PairDistance d = measure(a, b, graze::Relative(Pose(), pose), {});
    ASSERT_FALSE(d.beyond);
    EXPECT_LE(d.value, plain.value + 1e-12) << "round " << i;
    const Pose moved = pose.moved_to(pose.translation() - d.value * d.normal);
    const Distance after = distance(at(a.triangle), at(b.triangle, moved));
    EXPECT_GE(after.value, -1e-12) << "round " << i << ", depth " << -d.value;
    EXPECT_NEAR(d.normal.norm(), 1, 1e-12);
  }
  EXPECT_GT(overlaps, 50);
}

// Directions with a single non-zero coordinate, and with others that are tiny.
TEST(Raycast, HitsTrianglesAlongEveryAxis) {
  Random random(7);
  for (int i = 0, n = std::max(scaled(600), 120); i < n && !HasFailure(); ++i) {
    const Vec3 a = any_point(random, 1), b = any_point(random, 1), c = any_point(random, 1);
    const Vec3 inside = 0.25 * a + 0.25 * b + 0.5 * c, normal = (b - a).cross(c - a).normalized();
    Vec3 direction = Vec3::Zero();
    direction[i % 3] = i % 2 == 0 ? 1 : -1;
    if (i % 4 == 3) direction[(i + 1) % 3] = 1e-200;
    if (std::abs(normal.dot(direction)) < 0.01) continue;
    const Ray ray(inside - 2 * direction, direction);
    const RayHit hit = raycast(at(Triangle(a, b, c)), ray);
    ASSERT_TRUE(hit.found()) << "axis " << i % 3;
    EXPECT_NEAR(hit.distance, 2, 1e-12);
    EXPECT_NEAR(std::abs(hit.normal.dot(normal)), 1, 1e-9);
    EXPECT_FALSE(raycast(at(Triangle(a, b, c)), Ray(inside - 2 * direction, -direction)).found());
    EXPECT_FALSE(raycast(at(Triangle(a, b, c)), Ray(2 * a - inside - 2 * direction, direction)).found());
  }
}

// A hull without volume is hit where its triangles are.
TEST(Raycast, HitsFlatHullsWhereTheirTrianglesAre) {
  Random random(8);
  int hits = 0, misses = 0;
  for (int i = 0, n = std::max(scaled(600), 200); i < n && !HasFailure(); ++i) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 5; ++k) {
      const double angle = 1.2566370614359172 * k;
      corners.emplace_back(1.5 * std::cos(angle), std::sin(angle), 0.25);
    }
    const graze::Convex hull = graze::Convex::hull_of(corners);
    ASSERT_TRUE(hull.flat());
    const Pose pose = random_pose_near(random, Vec3::Zero(), 2);
    const Vec3 from = pose * any_point(random, 3), toward = pose * (Vec3(0, 0, 0.25) + any_point(random, 1.2));
    const Ray ray(from, toward - from);
    const RayHit found = raycast(at(hull, pose), ray);
    double expected = graze::kInfinity, margin = graze::kInfinity;
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      const RayHit one = raycast(at(Triangle(corners[0], corners[k], corners[k + 1]), pose), ray);
      if (one.found()) expected = one.distance;
    }
    for (const Vec3& corner : corners) margin = std::min(margin, (pose * corner - from).norm());
    if (margin < 1e-3) continue;
    ASSERT_EQ(found.found(), expected < graze::kInfinity) << "round " << i;
    ++(found.found() ? hits : misses);
    if (!found.found()) continue;
    EXPECT_NEAR(found.distance, expected, 1e-9) << "round " << i;
    RayHit all[4];
    EXPECT_EQ(raycast_all(at(hull, pose), ray, all).size(), 1u);
    EXPECT_TRUE(meets(at(hull, pose), ray));
  }
  EXPECT_GT(hits, 20);
  EXPECT_GT(misses, 20);
}

TEST(Raycast, AcceptsOriginsUpToTheLimit) {
  EXPECT_NO_THROW(Ray(Vec3(1e50, -1e50, 0), Vec3::UnitX()));
  EXPECT_NE(refusal([] { Ray(Vec3(std::nextafter(1e50, 1e51), 0, 0), Vec3::UnitX()); }), "");
}

// Meshes too far apart for lanes of float32 have the same contacts, within a margin that is as large, on several
// threads.
TEST(ConcurrentMeshes, TooFarApartForLanesHaveTheSameContacts) {
  const Mesh a = closed(3, false).mesh(), b = closed(2, true).mesh();
  for (const double far : {1.8, 1e10, 5e17, 1e30}) {
    const Pose pose = Pose::at(Vec3(0, 0, far));
    std::vector<graze::Contact> alone(50), together(50);
    const auto one = contacts(at(a), at(b, pose), alone, {.max = 50, .margin = 2 * far});
    const auto more = contacts(at(a), at(b, pose), together, {.max = 50, .margin = 2 * far, .threads = 2});
    ASSERT_GT(one.size(), 0u) << far;
    ASSERT_EQ(one.size(), more.size()) << far;
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].point, more[i].point) << far;
  }
}

}  // namespace mutants_test
}  // namespace graze_test
