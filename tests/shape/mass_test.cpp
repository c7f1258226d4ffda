// Volumes and inertias against integration by points, known bodies, and laws of mechanics.
#include <gtest/gtest.h>

#include <numbers>

#include "bodies.h"
#include "support/scale.h"

namespace graze_test {
namespace mass_test {

using namespace graze;

constexpr double kPi = std::numbers::pi;

void expect_near(const Mat3& a, const Mat3& b, double tolerance) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance) << a << "\nversus\n" << b;
}

// Sums over points that fill the bounding box evenly (an additive recurrence with the plastic numbers).
template <class Contains>
MassProperties integrated(const Aabb& box, int points, const Contains& contains) {
  double count = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  Vec3 u(0.5, 0.5, 0.5);
  for (int i = 0; i < points; ++i) {
    u += Vec3(0.8191725133961645, 0.6710436067037893, 0.5497004779019703);
    u -= Vec3(u.array().floor());
    const Vec3 p = box.min + u.cwiseProduct(box.max - box.min);
    if (!contains(p)) continue;
    count += 1;
    first += p;
    second += p * p.transpose();
  }
  const double each = (box.max - box.min).prod() / points;
  const Vec3 center = first / count;
  const Mat3 spread = second * each - count * each * center * center.transpose();
  return {count * each, center, spread.trace() * Mat3::Identity() - spread};
}

void expect_alike(const MassProperties& a, const MassProperties& b, double relative, double size) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_LE((a.center - b.center).norm(), relative * size);
  expect_near(a.inertia, b.inertia, relative * b.mass * size * size);
}

TEST(Mass, AgreesWithIntegrationByPoints) {
  for (int kind = 0; kind < kBodies; ++kind) {
    for (int i = 0; i < scaled(3); ++i) {
      Generator random(static_cast<std::uint64_t>(i));
      const Shape shape = random_body(kind, -0.3, 0.3, random);
      SCOPED_TRACE(std::string(name_of(shape)) + ", seed " + std::to_string(i));
      const Aabb box = bounds(shape);
      const MassProperties expected = integrated(box, 200'000, [&](const Vec3& p) {
        return std::visit(
            [&](const auto& s) {
              if constexpr (requires { Inside{p}(s); }) return Inside{p}(s);
              return false;
            },
            shape);
      });
      const auto mass = mass_properties(shape);
      ASSERT_TRUE(mass);
      expect_alike(*mass, expected, 2e-3, box.half().norm());
      EXPECT_EQ(mass->mass, volume(shape));
    }
  }
}

TEST(Mass, OfHullsAgreesWithIntegrationByPoints) {
  for (int i = 0; i < scaled(5); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    SCOPED_TRACE("seed " + std::to_string(i));
    const std::vector<Vec3> points = random_points(random.integer(4, 40), 1, random);
    const Convex hull = Convex::hull_of(points);
    const Aabb box = bounds(hull);
    const MassProperties expected = integrated(box, 200'000, [&](const Vec3& p) {
      for (const auto& [normal, offset] : hull.faces()) {
        if (normal.dot(p) > offset) return false;
      }
      return true;
    });
    const auto mass = mass_properties(hull);
    ASSERT_TRUE(mass);
    expect_alike(*mass, expected, 5e-3, box.half().norm());
    EXPECT_EQ(mass->mass, volume(hull));
  }
}

TEST(Mass, OfABoxAsAHullIsThatOfTheBox) {
  for (int i = 0; i < scaled(200); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    SCOPED_TRACE("seed " + std::to_string(i));
    const Box box{.half = Vec3(random.in_cube(1).cwiseAbs() + Vec3(0.1, 0.1, 0.1))};
    const Pose pose = random.pose(3);
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) {
      corners.push_back(pose * Vec3((k & 1) != 0 ? box.half.x() : -box.half.x(),
                                    (k & 2) != 0 ? box.half.y() : -box.half.y(),
                                    (k & 4) != 0 ? box.half.z() : -box.half.z()));
    }
    const auto of_box = mass_properties(box), of_hull = mass_properties(Convex::hull_of(corners));
    ASSERT_TRUE(of_box && of_hull);
    // Moving keeps the inertia about the centre of mass, turning turns it.
    const Mat3 turned = pose.rotation() * of_box->inertia * pose.rotation().transpose();
    expect_alike(*of_hull, {of_box->mass, pose.translation(), turned}, 1e-13, 4);
  }
}

TEST(Mass, OfKnownBodies) {
  EXPECT_NEAR(volume(Sphere{.radius = 2}), 32 * kPi / 3, 1e-13);
  EXPECT_EQ(volume(Box{.half = {1, 2, 3}}), 48);
  EXPECT_NEAR(volume(Cylinder{.radius = 2, .half_length = 3}), 24 * kPi, 1e-13);
  EXPECT_NEAR(volume(Cone{.radius = 2, .half_length = 3}), 8 * kPi, 1e-13);
  EXPECT_NEAR(volume(Capsule{.radius = 2, .half_length = 3}), 24 * kPi + 32 * kPi / 3, 1e-13);
  EXPECT_NEAR(volume(Ellipsoid{.radii = {1, 2, 3}}), 8 * kPi, 1e-13);

  const std::vector<Vec3> corner{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto tetrahedron = mass_properties(Convex::hull_of(corner));
  ASSERT_TRUE(tetrahedron);
  EXPECT_NEAR(tetrahedron->mass, 1.0 / 6, 1e-15);
  EXPECT_LE((tetrahedron->center - Vec3(0.25, 0.25, 0.25)).norm(), 1e-15);
  // ∫x² = 1/60 and ∫xy = 1/120 about the corner; less mass/16 for the centre of mass.
  const double xx = 1.0 / 60 - 1.0 / 96, xy = 1.0 / 120 - 1.0 / 96;
  Mat3 expected = Mat3::Constant(-xy);
  expected.diagonal().setConstant(2 * xx);
  expect_near(tetrahedron->inertia, expected, 1e-16);

  EXPECT_NEAR(mass_properties(Cone{.radius = 1, .half_length = 2})->center.z(), -1, 1e-15);
  const auto sphere = mass_properties(Sphere{.radius = 2});
  expect_near(sphere->inertia, Mat3::Identity() * (sphere->mass * 0.4 * 4), 1e-12);
  // A long thin capsule is a rod, a short one nearly a sphere.
  const auto rod = mass_properties(Capsule{.radius = 1e-6, .half_length = 1});
  EXPECT_NEAR(rod->inertia(0, 0) / rod->mass, 1.0 / 3, 1e-5);
  const auto ball = mass_properties(Capsule{.radius = 1, .half_length = 1e-9});
  EXPECT_NEAR(ball->inertia(0, 0) / ball->mass, 0.4, 1e-8);
}

TEST(Mass, ScalesWithThirdAndFifthPowers) {
  for (int kind = 0; kind < kBodies; ++kind) {
    const auto sized = [&](double scale) {
      Generator random(7);
      return random_body(kind, std::log10(scale), std::log10(scale), random);
    };
    for (const double scale : {1e-50, 1e-4, 1e6, 1e50}) {
      const auto one = mass_properties(sized(1)), big = mass_properties(sized(scale));
      ASSERT_TRUE(one && big) << scale;
      EXPECT_NEAR(big->mass / std::pow(scale, 3) / one->mass, 1, 1e-11);
      EXPECT_NEAR(big->inertia(0, 0) / std::pow(scale, 5) / one->inertia(0, 0), 1, 1e-11);
    }
  }
}

TEST(Mass, IsNoneWithoutAFiniteVolume) {
  const std::vector<Vec3> point{{1, 2, 3}}, segment{{0, 0, 0}, {1, 0, 0}};
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  for (const Shape& thin :
       {Shape(Sphere{.radius = 0}), Shape(Triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0})), Shape(Plane({0, 0, 1}, 0)),
        Shape(Convex::hull_of(point)), Shape(Convex::hull_of(segment)), Shape(Convex::hull_of(square)),
        Shape(Box{.half = {1, 0, 2}}), Shape(Box{.half = {0, 0, 0}}), Shape(Capsule{.radius = 0, .half_length = 1}),
        Shape(Capsule{.radius = 0, .half_length = 0}), Shape(Cylinder{.radius = 1, .half_length = 0}),
        Shape(Cylinder{.radius = 0, .half_length = 1}), Shape(Cone{.radius = 1, .half_length = 0}),
        Shape(Cone{.radius = 0, .half_length = 1}), Shape(Cone{.radius = 0, .half_length = 0})}) {
    EXPECT_EQ(volume(thin), 0) << name_of(thin);
    EXPECT_FALSE(mass_properties(thin)) << name_of(thin);
  }
  const auto ball = mass_properties(Capsule{.radius = 2, .half_length = 0}),
             same = mass_properties(Sphere{.radius = 2});
  ASSERT_TRUE(ball && same);
  EXPECT_NEAR(ball->mass, same->mass, 1e-13 * same->mass);
  EXPECT_NEAR((ball->inertia - same->inertia).norm(), 0, 1e-13 * same->mass);
  EXPECT_EQ(volume(HalfSpace({0, 0, 1}, 0)), kInfinity);
  EXPECT_FALSE(mass_properties(HalfSpace({0, 0, 1}, 0)));
}

}  // namespace mass_test
}  // namespace graze_test
