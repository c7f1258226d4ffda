// Spheres on straight ways: against exact times, dense samples and thin walls far away.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/query/sweep_sphere.h"
#include "support/generator.h"
#include "support/scale.h"
#include "support/solids.h"

namespace graze_test {
namespace sweep_sphere_test {

using namespace graze;

Geometry any_body(Generator& random, int kind) {
  const auto length = [&] { return random.uniform(0.05, 1); };
  switch (kind) {
    case 0:
      return Sphere{.radius = length()};
    case 1:
      return Capsule{.radius = length(), .half_length = length()};
    case 2:
      return Box{.half = Vec3(length(), length(), length())};
    case 3:
      return Triangle(random.in_cube(1), random.in_cube(1), random.in_cube(1));
    case 4:
      return Cylinder{.radius = length(), .half_length = length()};
    case 5:
      return Cone{.radius = length(), .half_length = length()};
    case 6:
      return Ellipsoid{.radii = Vec3(length(), length(), length())};
    case 7: {
      std::vector<Vec3> points;
      for (int i = 0; i < 10; ++i) points.push_back(random.in_cube(1));
      return Convex::hull_of(points);
    }
    case 8:
      return HalfSpace(random.direction(), -1);
    case 9:
      return Plane(random.direction(), random.uniform(-1, 1));
    case 10:
      return Mesh(letter_l().vertices, letter_l().triangles);
    case 11:
      return Mesh(letter_u().vertices, letter_u().triangles, {.solid = true});
    default: {
      std::vector<Vec3> points;
      for (int i = 0; i < 30; ++i) points.push_back(random.in_cube(1));
      return Cloud(std::span<const Vec3>(points), {.radius = random.integer(0, 1) * 0.1});
    }
  }
}

// Free before the time, in contact at the time, and free means free everywhere.
void expect_first_contact(const Placed& body, const SphereMove& move, double margin) {
  const SphereHit hit = sweep_sphere(body, move, margin);
  const Sphere sphere{.radius = move.radius()};
  const double until = hit.found() ? hit.fraction : 1;
  constexpr int kSamples = 200;
  for (int i = 0; i <= kSamples; ++i) {
    const double t = until * i / kSamples;
    const Distance d = distance(at(sphere, Pose::at(move.at(t))), body);
    const double rounding = 1e-12 * (1 + move.from().norm() + move.to().norm());
    if (hit.found() && i == kSamples) {
      EXPECT_LE(d.value, margin + 1e-9 * (1 + move.from().norm())) << "at " << t;
      EXPECT_TRUE(hit.certain);
    } else if (!hit.found() || t < hit.fraction) {
      EXPECT_GE(d.value, margin - rounding) << "before " << until << " at " << t;
    }
  }
}

TEST(SweepSphere, IsFreeBeforeTheContactAndTouchesThen) {
  Generator random(1);
  for (int run = 0; run < scaled(40); ++run) {
    for (int kind = 0; kind <= 12; ++kind) {
      const Vec3 origin = run % 4 == 3 ? Vec3(1e5, -3e5, 20) : Vec3::Zero();
      const Placed body = at(any_body(random, kind), random.pose(1).moved_to(origin));
      const Vec3 from = origin + 4 * random.direction(), to = origin + random.in_cube(3);
      SCOPED_TRACE(testing::Message() << "run " << run << " kind " << kind);
      expect_first_contact(body, SphereMove(from, to, random.integer(0, 2) * 0.2), random.integer(0, 1) * 0.1);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(SweepSphere, MeetsASphereAtTheRootOfItsQuadratic) {
  Generator random(2);
  for (int run = 0; run < scaled(2000); ++run) {
    const double radius = random.uniform(0, 1), other = random.uniform(0.01, 1);
    const Vec3 from = random.in_cube(4), to = random.in_cube(4), center = random.in_cube(4);
    const Vec3 way = to - from, off = from - center;
    const double a = way.squaredNorm(), b = way.dot(off), c = off.squaredNorm() - (radius + other) * (radius + other);
    const double root = b * b - a * c;
    const SphereHit hit = sweep_sphere(at(Sphere{.radius = other}, Pose::at(center)), SphereMove(from, to, radius));
    if (c <= 0) {
      EXPECT_EQ(hit.fraction, 0);
    } else if (root < -1e-9 || b >= 0 || (-b - std::sqrt(std::max(root, 0.0))) / a > 1 + 1e-9) {
      EXPECT_FALSE(hit.found());
    } else if (root > 1e-6) {
      const double exact = (-b - std::sqrt(root)) / a;
      EXPECT_LE(hit.fraction, exact + 1e-15);
      EXPECT_NEAR(hit.fraction, exact, 1e-9);
    }
  }
}

TEST(SweepSphere, GrazesByANanometreInFewSteps) {
  // Beside a wall, an edge and a ball, a kilometre long.
  const double gap = 1e-9;
  for (const double r : {0.0, 0.5}) {
    const SphereMove along({-500, 0, r}, {500, 0, r}, r);
    const auto above = [&](const Geometry& g, double top) {
      return sweep_sphere(at(g, Pose::at({0, 0, -top})), along);
    };
    EXPECT_TRUE(above(Box{.half = {600, 1, 1}}, 1).found());
    EXPECT_FALSE(above(Box{.half = {600, 1, 1}}, 1 + gap).found());
    EXPECT_TRUE(above(HalfSpace({0, 0, 1}, 0), 0).found());
    EXPECT_FALSE(above(HalfSpace({0, 0, 1}, 0), gap).found());
    EXPECT_TRUE(above(Plane({0, 0, 1}, 0), 0).found());
    EXPECT_FALSE(above(Plane({0, 0, 1}, 0), gap).found());
    EXPECT_TRUE(above(Sphere{.radius = 1}, 1).found());
    EXPECT_FALSE(above(Sphere{.radius = 1}, 1 + gap).found());
    EXPECT_TRUE(above(Capsule{.radius = 1, .half_length = 2}, 3).found());
    EXPECT_FALSE(above(Capsule{.radius = 1, .half_length = 2}, 3 + gap).found());
    const Soup box = box_soup({-600, -1, -1}, {600, 1, 1}, 3);
    EXPECT_TRUE(above(Mesh(box.vertices, box.triangles), 1).found());
    EXPECT_FALSE(above(Mesh(box.vertices, box.triangles), 1 + gap).found());
    const std::vector<Vec3> points{{0, 0, 0}, {100, 0, 0}};
    EXPECT_FALSE(above(Cloud(std::span<const Vec3>(points)), gap).found());
  }
}

TEST(SweepSphere, DoesNotTunnelThroughAThinWallFarAway) {
  for (const double radius : {0.0, 1e-9, 0.2}) {
    const SphereMove move({0, 0, 0}, {1000, 0.3, 0.1}, radius);
    const double wall = 987.654;
    const auto expect_wall = [&](const Geometry& g, const char* what) {
      const SphereHit hit = sweep_sphere(at(g, Pose::at({wall, 0, 0})), move);
      ASSERT_TRUE(hit.found()) << what;
      EXPECT_NEAR(hit.center.x(), wall - radius, 1e-6) << what;
      EXPECT_LE(hit.center.x(), wall - radius + 1e-9) << what;
      EXPECT_NEAR(hit.normal.x(), -1, 1e-6) << what;
    };
    expect_wall(Box{.half = {0.5e-9, 2, 2}}, "box");
    expect_wall(Box{.half = {0, 2, 2}}, "rectangle");
    expect_wall(Triangle({0, -9, -9}, {0, 9, -9}, {0, 0, 20}), "triangle");
    expect_wall(Plane({1, 0, 0}, 0), "plane");
    const Soup sheet = box_soup({-0.5e-9, -2, -2}, {0.5e-9, 2, 2}, 4);
    expect_wall(Mesh(sheet.vertices, sheet.triangles), "shell");
    expect_wall(Mesh(sheet.vertices, sheet.triangles, {.solid = true}), "solid");
  }
}

TEST(SweepSphere, StartsAtOnceInContactOrInsideASolid) {
  const SphereMove out({0, 0, 0}, {9, 0, 0}, 0.1), still({0, 0, 0}, {0, 0, 0}, 0.1);
  const Soup box = box_soup({-1, -1, -1}, {1, 1, 1}, 1);
  EXPECT_EQ(sweep_sphere(at(Box{.half = {1, 1, 1}}), out).fraction, 0);
  EXPECT_EQ(sweep_sphere(at(Mesh(box.vertices, box.triangles, {.solid = true})), out).fraction, 0);
  EXPECT_NEAR(sweep_sphere(at(Mesh(box.vertices, box.triangles)), out).fraction, 0.1, 1e-12);
  EXPECT_EQ(sweep_sphere(at(Box{.half = {1, 1, 1}}), still).fraction, 0);
  EXPECT_FALSE(sweep_sphere(at(Box{.half = {1, 1, 1}}, Pose::at({1.2, 0, 0})), still).found());
  EXPECT_FALSE(sweep_sphere(at(Mesh()), out).found());
  EXPECT_EQ(sweep_sphere(at(Sphere{.radius = 1}, Pose::at({50, 0, 0})), out, std::nan("")).fraction, 0);
}

TEST(SweepSphere, OfPointsTouchedTogetherReportsTheLowest) {
  Generator random(4);
  for (int run = 0; run < scaled(50); ++run) {
    std::vector<std::array<float, 3>> points;
    for (int i = 0; i < 400; ++i) {
      const Vec3 p = random.in_cube(1);
      points.push_back({static_cast<float>(p.x()), static_cast<float>(p.y()), 1 + static_cast<float>(std::abs(p.z()))});
    }
    // Equal points, all over the order.
    std::size_t lowest = points.size();
    for (int i = 0; i < 30; ++i) {
      const auto k = static_cast<std::size_t>(random.integer(0, 399));
      points[k] = {0.25F, 0.5F, 0.5F};
      lowest = std::min(lowest, k);
    }
    const Cloud cloud(std::span<const float>(points.front().data(), 3 * points.size()));
    const SphereHit hit = sweep_sphere(at(cloud), SphereMove({0.25, 0.5, -1}, {0.25, 0.5, 2}, 0.125));
    EXPECT_EQ(hit.feature, lowest);
    EXPECT_NEAR(hit.fraction, (0.5 - 0.125 + 1) / 3, 1e-12);
  }
}

TEST(SweepSphere, WithoutLengthIsACheckAmongManyPointsFarAway) {
  Generator random(5);
  std::vector<float> points;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p = Vec3(1000, -1000, 5) + 0.1 * random.in_cube(1);
    for (int axis = 0; axis < 3; ++axis) points.push_back(static_cast<float>(p[axis]));
  }
  const Placed cloud = at(Cloud(std::span<const float>(points), {.radius = 0.001}));
  int hits = 0;
  constexpr int kSpheres = 300;
  for (int i = 0; i < kSpheres; ++i) {
    const Vec3 p = Vec3(1000, -1000, 5) + 0.15 * random.in_cube(1);
    const double radius = random.uniform(0, 0.02);
    const bool collides = collide(at(Sphere{.radius = radius}, Pose::at(p)), cloud);
    EXPECT_EQ(sweep_sphere(cloud, SphereMove(p, p, radius)).found(), collides) << i;
    hits += collides ? 1 : 0;
  }
  EXPECT_GT(hits, kSpheres / 4);
  EXPECT_LT(hits, kSpheres - kSpheres / 4);
}

TEST(SweepSphere, RefusesNumbersThatAreNotFinite) {
  const double nan = std::nan("");
  EXPECT_THROW(SphereMove({nan, 0, 0}, {0, 0, 0}, 1), Error);
  EXPECT_THROW(SphereMove({0, 0, 0}, {kInfinity, 0, 0}, 1), Error);
  EXPECT_THROW(SphereMove({0, 0, 0}, {0, 0, 0}, -1), Error);
  EXPECT_THROW(SphereMove({0, 0, 0}, {0, 0, 0}, nan), Error);
  EXPECT_THROW(SphereMove({0, 1e60, 0}, {0, 0, 0}, 1), Error);
}

}  // namespace sweep_sphere_test
}  // namespace graze_test
