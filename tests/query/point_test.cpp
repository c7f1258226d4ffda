#include "graze/query/point.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "oracle/cases.h"
#include "query/placed_of.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace point_test {

using namespace graze;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;

TEST(Points, AreInsideShapesExactlyIfTheirSignedDistanceSaysSo) {
  Random random(41);
  int inside = 0;
  for (int i = 0, n = scaled(2000); i < n && !HasFailure(); ++i) {
    auto spec = random_spec(kKinds[static_cast<std::size_t>(i) % kKinds.size()], 0.5, random);
    const bool flat = random.chance(0.4);
    if (flat) flatten(spec, random);
    const bool thin = flat || spec.kind == Kind::plane || spec.kind == Kind::triangle;
    const Placed body = placed_of(spec);
    const Vec3 p = body.pose * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const ClosestPoint c = closest_point(body, p);
    ASSERT_TRUE(c.found());
    if (std::abs(c.distance) > c.tolerance) {
      EXPECT_EQ(contains(body, p), c.distance < 0) << name_of(body.geometry);
    }
    EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
    // From the surface along the normal to the point.
    EXPECT_LE((c.point + c.distance * c.normal - p).norm(), 1e-9) << name_of(body.geometry);
    // For a body without thickness, rounding moves the point beside it, by no more than the stated tolerances.
    const ClosestPoint again = closest_point(body, c.point);
    EXPECT_TRUE(contains(body, c.point) || (thin && again.distance <= c.tolerance + again.tolerance))
        << name_of(body.geometry) << ": the surface belongs to the body, off by " << again.distance;
    inside += c.distance < 0 ? 1 : 0;
  }
  EXPECT_GT(inside, scaled(50));
}

TEST(Points, AreInsideSolidsButNotShells) {
  const Mesh solid = closed(10, true, 0).mesh(true), shell = closed(10, true, 0).mesh(false);
  const Vec3 center = solid.bounds().center();
  EXPECT_TRUE(contains(at(solid), center));
  EXPECT_FALSE(contains(at(shell), center));
  EXPECT_TRUE(contains(at(shell), shell.vertices()[3]));
  EXPECT_LT(closest_point(at(solid), center).distance, -0.1);
  EXPECT_GT(closest_point(at(shell), center).distance, 0.1);
  EXPECT_FALSE(contains(at(Mesh()), {0, 0, 0}));
  EXPECT_FALSE(closest_point(at(Mesh()), {0, 0, 0}).found());
  EXPECT_FALSE(closest_point(at(Box{.half = {1, 1, 1}}), {5, 0, 0}, 3).found());
  EXPECT_EQ(closest_point(at(Box{.half = {1, 1, 1}}), {5, 0, 0}, 4).point, Vec3(1, 0, 0));
}

TEST(ConcurrentPoints, EqualSingleQueries) {
  Random random(42);
  std::vector<Vec3> points;
  for (int i = 0; i < 300; ++i)
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  points[17].x() = std::nan("");
  const std::size_t count = points.size();
  for (const Placed& body : {at(closed(8, true, 0.2).mesh(true)), at(Ellipsoid{.radii = {0.5, 0.7, 0.9}})}) {
    for (const int threads : {1, 3, 0}) {
      const std::unique_ptr<bool[]> inside(new bool[count]);
      std::vector<double> distances(count);
      std::vector<ClosestPoint> closest(count);
      const PointsEachOptions options{.threads = threads};
      contains_each(body, points, {inside.get(), count}, options);
      signed_distance_each(body, points, distances, options);
      closest_point_each(body, points, closest, options);
      for (std::size_t i = 0; i < count; ++i) {
        if (i == 17) {
          EXPECT_TRUE(inside[i]);
          EXPECT_TRUE(std::isnan(distances[i]) && std::isnan(closest[i].distance));
          continue;
        }
        const ClosestPoint c = closest_point(body, points[i]);
        ASSERT_EQ(inside[i], contains(body, points[i]));
        ASSERT_EQ(distances[i], c.distance);
        ASSERT_EQ(closest[i].point, c.point);
      }
    }
  }
}

TEST(Points, AreRejectedWithoutRoomOrIfNotFinite) {
  const Placed box = at(Box{.half = {1, 1, 1}});
  const std::vector<Vec3> points(3, Vec3(0, 0, 0));
  std::vector<double> two(2);
  EXPECT_EQ(refusal([&] { signed_distance_each(box, points, two); }),
            "distances: needs room for one answer each: 3, got 2");
  EXPECT_NE(refusal([&] { contains(box, {std::nan(""), 0, 0}); }), "");
}

}  // namespace point_test
}  // namespace graze_test
