// The support function is the highest point of the shape along a direction.
#include <gtest/gtest.h>

#include "bodies.h"
#include "support/scale.h"

namespace graze_test {
namespace support_test {

using namespace graze;

constexpr double kTolerance = 32 * kEpsilon;

template <class S>
double reach_of(const S& s) {
  return std::max({support(s, Vec3(1, 0, 0)).norm(), support(s, Vec3(0, 1, 0)).norm(), support(s, Vec3(0, 0, 1)).norm(),
                   support(s, Vec3(0, 0, -1)).norm()});
}

// `samples` random points of the surface lie no higher than the support point along a random direction of any length.
template <class S>
void expect_highest(const S& s, int samples, Generator& random) {
  const Vec3 direction = random.direction();
  const double highest = support(s, Vec3(direction * random.magnitude(-100, 100))).dot(direction);
  const double reach = reach_of(s);
  for (int k = 0; k < samples; ++k) {
    const double height = SurfacePoint{random}(s).dot(direction);
    EXPECT_LE(height, highest + kTolerance * reach);
  }
}

TEST(Support, IsTheMaximumOverTheSurface) {
  for (int i = 0; i < scaled(300); ++i) {
    for (int kind = 0; kind < kBodies; ++kind) {
      Generator random(static_cast<std::uint64_t>(i * kBodies + kind));
      SCOPED_TRACE("seed " + std::to_string(i * kBodies + kind));
      const Shape shape = random_body(kind, -3, 3, random, true);
      std::visit(
          [&](const auto& s) {
            if constexpr (requires { SurfacePoint{random}(s), support(s, Vec3()); }) expect_highest(s, 100, random);
          },
          shape);
    }
  }
}

TEST(Support, IsTheMaximumOverTrianglesAndHulls) {
  for (int i = 0; i < scaled(300); ++i) {
    Generator random(static_cast<std::uint64_t>(i));
    SCOPED_TRACE("seed " + std::to_string(i));
    const Triangle triangle(random.in_cube(1), random.in_cube(1), random.in_cube(1));
    expect_highest(triangle, 100, random);
    const std::vector<Vec3> points = random_points(random.integer(1, 100), 1, random);
    expect_highest(Convex::hull_of(points), 100, random);
  }
}

TEST(Support, IsAPointOfTheShape) {
  for (int i = 0; i < scaled(1000); ++i) {
    for (int kind = 0; kind < kBodies; ++kind) {
      Generator random(static_cast<std::uint64_t>(i * kBodies + kind));
      const Shape shape = random_body(kind, -3, 3, random, true);
      const Vec3 direction = random.direction() * random.magnitude(-100, 100);
      std::visit(
          [&](const auto& s) {
            if constexpr (requires { Inside{Vec3()}(s); }) {
              const Vec3 p = support(s, direction);
              EXPECT_TRUE((Inside{p, kTolerance * p.norm()}(s))) << name_of(shape) << ", seed " << i * kBodies + kind;
            }
          },
          shape);
    }
  }
}

TEST(Support, OfDirectionsAlongTheAxesIsTheFarthestPoint) {
  EXPECT_EQ(support(Sphere{.radius = 2}, {0, 0, 3}), Vec3(0, 0, 2));
  EXPECT_EQ(support(Capsule{.radius = 2, .half_length = 3}, {0, 0, -1}), Vec3(0, 0, -5));
  EXPECT_EQ(support(Box{.half = {1, 2, 3}}, {-1, 1, -1}), Vec3(-1, 2, -3));
  EXPECT_EQ(support(Cylinder{.radius = 2, .half_length = 3}, {5, 0, 1}), Vec3(2, 0, 3));
  EXPECT_EQ(support(Cone{.radius = 2, .half_length = 3}, {0, 0, 1}), Vec3(0, 0, 3));
  EXPECT_EQ(support(Cone{.radius = 2, .half_length = 3}, {1, 0, 0}), Vec3(2, 0, -3));
  EXPECT_EQ(support(Ellipsoid{.radii = {1, 2, 3}}, {0, -4, 0}), Vec3(0, -2, 0));
  const Triangle triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  EXPECT_EQ(support(triangle, {1, 0, 0}), Vec3(1, 0, 0));
  EXPECT_EQ(support(triangle, {0, 1, 0}), Vec3(0, 1, 0));
  EXPECT_EQ(support(triangle, {-1, -1, 0}), Vec3(0, 0, 0));
}

TEST(Support, OfTheZeroVectorIsSomePointOfTheShape) {
  for (const Vec3& zero : {Vec3(0, 0, 0), Vec3(-0.0, -0.0, -0.0)}) {
    for (int kind = 0; kind < kBodies; ++kind) {
      Generator random(static_cast<std::uint64_t>(kind));
      const Shape shape = random_body(kind, -1, 1, random, true);
      std::visit(
          [&](const auto& s) {
            if constexpr (requires { Inside{Vec3()}(s); }) {
              EXPECT_TRUE((Inside{support(s, zero), kTolerance}(s))) << name_of(shape);
            }
          },
          shape);
    }
    const std::vector<Vec3> points{{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(support(Convex::hull_of(points), zero), points[0]);
    EXPECT_EQ(support(Triangle({1, 2, 3}, {4, 5, 6}, {7, 8, 9}), zero), Vec3(1, 2, 3));
  }
  EXPECT_EQ(support(Sphere{.radius = 0}, {1, 2, 3}), Vec3::Zero());
}

}  // namespace support_test
}  // namespace graze_test
