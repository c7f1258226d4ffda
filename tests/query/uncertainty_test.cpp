// The position of a body may be uncertain: every verb must allow for any position within the stated uncertainty.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/distance.h"
#include "graze/query/penetration.h"
#include "graze/query/probability.h"
#include "query/noisy_clouds.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace uncertainty_test {

using graze::Cloud;
using graze::Distance;
using graze::Geometry;
using graze::Meeting;
using graze::Placed;
using graze::Probability;
using graze::Vec3;

std::vector<Geometry> every_kind(Generator& random) {
  const Vec3 corner = random.in_cube(1);
  return {graze::Sphere{.radius = 0.5},
          graze::Capsule{.radius = 0.25, .half_length = 0.5},
          graze::Box{.half = {0.5, 0.25, 1}},
          graze::Triangle(Vec3(0, 0, 0), Vec3(1, 0, 0), corner),
          graze::Cylinder{.radius = 0.5, .half_length = 0.5},
          graze::Cone{.radius = 0.5, .half_length = 0.5},
          graze::Ellipsoid{.radii = {0.5, 0.25, 0.75}},
          graze::Convex::hull_of(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}),
          graze::HalfSpace(random.direction(), 0),
          graze::Plane(random.direction(), 0),
          closed(2, false).mesh(false),
          closed(2, false).mesh(true),
          cloud_of(points_of(Spread::uniform, 20, random), 0.1)};
}

TEST(Uncertainty, OfAPositionFreesNothing) {
  Generator random(77);
  for (int round = 0, n = scaled(12); round < n; ++round) {
    const std::vector<Geometry> kinds = every_kind(random);
    for (const Geometry& first : kinds) {
      for (const Geometry& second : kinds) {
        const double u = random.magnitude(-6, -1);
        Placed a = at(first, random.pose(1)), b = at(second, random.pose(1));
        Placed moved = a;
        const Vec3 position = a.pose.translation() + random.uniform(0, 0.999) * u * random.direction();
        moved.pose = graze::Pose::from_matrix(position, a.pose.rotation());
        (round % 2 == 0 ? a : b).uncertainty = u;
        const Distance truth = distance(moved, b.uncertainty > 0 ? at(second, b.pose) : b), d = distance(a, b);
        if (!std::isfinite(truth.value) || !std::isfinite(d.value)) continue;
        const std::string pair = std::string(name_of(first)) + " and " + std::string(name_of(second));
        EXPECT_LE(d.value - d.tolerance, truth.value + truth.tolerance) << pair;
        const double margin = truth.value + truth.tolerance;
        EXPECT_TRUE(collide(a, b, {.margin = margin})) << pair << " at margin " << margin;
        EXPECT_TRUE(collide(b, a, {.margin = margin})) << pair << " at margin " << margin << ", other order";
        EXPECT_FALSE(distance(a, b, {.limit = margin}).beyond) << pair;
        EXPECT_FALSE(margin >= 0 && contacts(a, b, {.margin = margin}).empty()) << pair;
        EXPECT_TRUE(margin > 0 || penetration(a, b).overlapping) << pair;
      }
    }
  }
}

TEST(Uncertainty, CountsWhereADepthIsRequired) {
  // A cloud 1 m deep in the ground, and a mesh 0.25 m.
  const Placed ground = at(graze::HalfSpace(Vec3(0, 0, 1), 0));
  Placed cloud = at(cloud_of({{0, 0, -1}})), cube = at(closed(1, false).mesh(true), graze::Pose::at({0, 0, 0.75}));
  for (const double u : {0.0, 1e-9, 0.125}) {
    cloud.uncertainty = cube.uncertainty = u;
    EXPECT_TRUE(collide(cloud, ground, {.margin = -1 - u / 2}));
    EXPECT_TRUE(collide(ground, cube, {.margin = -0.25 - u / 2}));
    EXPECT_FALSE(collide(ground, cloud, {.margin = -1 - 2 * u - 1e-9}));
    EXPECT_FALSE(collide(cube, ground, {.margin = -0.25 - 2 * u - 1e-9}));
  }
}

TEST(Uncertainty, IsWithinTheBoundsOfAProbability) {
  Generator random(78);
  for (int i = 0, n = scaled(200); i < n; ++i) {
    const double radius = i % 2 == 0 ? 0.1 : 0, u = random.magnitude(-4, -1), sigma = random.magnitude(-3, -1);
    const auto points = points_of(Spread::uniform, i % 4 < 2 ? 1 : 8, random);
    const Placed b = at(cloud_of({{0, 0, 0}}, radius), random.pose(1));
    Placed a = at(cloud_of(points, radius), random.pose(0.5));
    Placed moved = a;
    const Vec3 position = a.pose.translation() + random.uniform(0, 0.999) * u * random.direction();
    moved.pose = graze::Pose::from_matrix(position, a.pose.rotation());
    a.uncertainty = u;
    std::vector<double> of_a(points.size()), of_moved(points.size());
    const Probability p = probability(a, b, {.sigma_b = sigma, .of_a = of_a});
    const Probability truth = probability(moved, b, {.sigma_b = sigma, .of_a = of_moved});
    EXPECT_LE(truth.low, p.high + 1e-9) << i;
    EXPECT_GE(truth.high, p.low - 1e-9) << i;
    EXPECT_GE(p.value, truth.low - 0.01 - 1e-9) << i << ": nearer is the safe side";
    for (std::size_t k = 0; k < points.size(); ++k)
      EXPECT_NEAR(of_a[k], of_moved[k], p.points_error + truth.points_error + 1e-9) << i;
  }
  // Without noise it is what collide says.
  Placed a = at(cloud_of({{0, 0, 0}}, 0.25)), b = at(cloud_of({{1, 0, 0}}, 0.25));
  EXPECT_EQ(probability(a, b).value, 0);
  b.uncertainty = 0.5;
  EXPECT_EQ(probability(a, b).value, 1);
  EXPECT_EQ(probability(b, a).value, 1);
  // A point that may be at the other: one half at least, however little noise there is.
  EXPECT_GE(probability(a, b, {.sigma_a = 1e-6, .meeting = Meeting::sides}).value, 0.5 - 1e-6);
  EXPECT_LT(probability(a, b, {.sigma_a = 1e-6, .meeting = Meeting::sides}).low, 1e-9);
}

}  // namespace uncertainty_test
}  // namespace graze_test
