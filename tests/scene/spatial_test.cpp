// Worlds in space: bodies and obstacles of one's own, beside closed forms, loops and samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/point.h"
#include "graze/scene/spatial_world.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace spatial_test {

using namespace graze;
using namespace graze::spatial;

// Balls and boxes of which graze knows the nearest points only.
struct OwnBall {
  Vec3 center;
  double radius;
  NearestPoint nearest(const Vec3& q) const {
    const Vec3 out = q - center;
    const double far = out.norm();
    return {far - radius, center + radius * (far > 0 ? Vec3(out / far) : Vec3::UnitX()),
            1e-15 * (far + radius + q.norm() + center.norm())};
  }
};
struct ConvexBall : OwnBall {
  static constexpr bool kConvex = true;
  Aabb bounds() const { return Aabb::around(center, Vec3::Constant(radius * (1 + 1e-12))); }
};
struct OwnBox {
  Vec3 half;
  static constexpr bool kConvex = true;
  NearestPoint nearest(const Vec3& q) const {
    const Vec3 p = q.cwiseMax(-half).cwiseMin(half), out = q.cwiseAbs() - half;
    if (out.maxCoeff() > 0) return {(q - p).norm(), p, 1e-15 * q.norm()};
    int k = 0;
    out.maxCoeff(&k);
    Vec3 on = q;
    on[k] = q[k] < 0 ? -half[k] : half[k];
    return {out[k], on, 0};
  }
};
struct Helix {
  Vec3 center;
  double radius, pitch, turns;
  Vec3 at(double f) const {
    const double angle = 2 * std::numbers::pi * turns * f;
    return center + Vec3(radius * std::cos(angle), radius * std::sin(angle), pitch * turns * f);
  }
  double length() const { return turns * std::hypot(2 * std::numbers::pi * radius, pitch) * (1 + 1e-12); }
};

// When a point on a path first is within reach of another one, by sampling and halving; infinite if never.
double entry_of(const Path& path, const Vec3& center, double reach) {
  constexpr int kSamples = 4000;
  const auto gap = [&](double f) { return (path.at(f) - center).norm() - reach; };
  if (gap(0) <= 0) return 0;
  for (int i = 1; i <= kSamples; ++i) {
    double low = (i - 1.0) / kSamples, high = i / double{kSamples};
    if (gap(high) > 0) continue;
    for (int k = 0; k < 60; ++k) (gap((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
    return high;
  }
  return kInfinity;
}

Path any_path(Generator& random) {
  const Vec3 from = random.in_cube(5);
  switch (random.integer(0, 2)) {
    case 0:
      return Path::arc(random.in_cube(5), from, random.direction(), random.uniform(-9, 9));
    case 1:
      return Path::curve(Helix{from, random.uniform(0.1, 3), random.uniform(-1, 1), random.uniform(0.2, 3)});
    default:
      return Path::line(from, random.in_cube(5));
  }
}

TEST(SpatialWorld, FindsTheFirstContactWithBallsOnEveryPath) {
  int hits = 0;
  for (int run = 0; run < scaled(600); ++run) {
    SCOPED_TRACE(run);
    Generator random(static_cast<std::uint64_t>(run));
    const Path path = any_path(random);
    const double size = random.uniform(0.1, 2), radius = random.integer(0, 1) * random.uniform(0, 0.5);
    const Vec3 center = random.in_cube(2.5);
    const double truth = entry_of(path, center, size + radius);
    const Obstacle kinds[] = {Custom(OwnBall{center, size}), Custom(ConvexBall{{center, size}}),
                              at(Sphere{.radius = size}, Pose::at(center))};
    for (const Obstacle& ball : kinds) {
      const Hit hit = sweep(ball, path, radius);
      // Samples may step over contacts that are shorter than a sample: then both answers are right.
      if (hit.found() && truth == kInfinity) {
        EXPECT_LE((path.at(hit.fraction) - center).norm(), size + radius + 2e-9);
        continue;
      }
      ASSERT_EQ(hit.found(), truth < kInfinity);
      if (!hit.found()) continue;
      ++hits;
      EXPECT_TRUE(hit.certain);
      EXPECT_LE(hit.fraction, truth + 1e-13);
      EXPECT_LE((path.at(hit.fraction) - center).norm(), std::max(size + radius + 2e-9, (path.at(0) - center).norm()));
      EXPECT_LE((hit.center - path.at(hit.fraction)).norm(), 1e-9);
      EXPECT_NEAR((hit.point - center).norm(), size, 1e-9);
    }
  }
  EXPECT_GT(hits, scaled(600) / 8);
}

TEST(SpatialWorld, PassesByANanometreAndTunnelsThroughNothing) {
  const Obstacle thin = Custom(OwnBox{{5e-10, 50, 50}}), same = at(Box{.half = {5e-10, 50, 50}});
  for (const Obstacle& sheet : {thin, same}) {
    const Hit hit = sweep(sheet, Path::line({-900, 1, 2}, {100, 1, 2}), 0);
    ASSERT_TRUE(hit.found());
    EXPECT_NEAR(hit.fraction, 0.9, 1e-9);
    EXPECT_LE(hit.fraction, 0.9);
  }
  // A kilometre along a face, a nanometre above it, and a nanometre into it.
  const Obstacle wall = Custom(OwnBox{{1000, 1, 1}}), body = at(Box{.half = {1000, 1, 1}});
  for (const Obstacle& face : {wall, body}) {
    EXPECT_FALSE(sweep(face, Path::line({-500, 0, 1.25 + 1e-9}, {500, 0, 1.25 + 1e-9}), 0.25).found());
    EXPECT_EQ(sweep(face, Path::line({-500, 0, 1.25 - 1e-9}, {500, 0, 1.25 - 1e-9}), 0.25).fraction, 0);
    const Hit slanting = sweep(face, Path::line({-500, 0, 1.25 + 1e-9}, {500, 0, 1.25 - 1e-9}), 0.25);
    ASSERT_TRUE(slanting.found());
    EXPECT_LE(slanting.fraction, 0.5 + 1e-6);
  }
  // The end of the path counts, which Table 3.7 forgets, and so does a radius of 0, for which it does not end.
  const Obstacle point = at(Sphere{.radius = 0}, Pose::at({1.45, 0, 0}));
  EXPECT_TRUE(sweep(point, Path::line({0, 0, 0}, {1, 0, 0}), 0.5).found());
  EXPECT_FALSE(sweep(point, Path::line({0, 0, 0}, {1, 0, 0}), 0.4499).found());
  EXPECT_TRUE(sweep(Obstacle(Custom(OwnBall{{1, 0, 0}, 0.25})), Path::line({0, 0, 0}, {2, 0, 0}), 0).found());
}

Geometry terrain() {
  std::vector<double> heights;
  for (int j = 0; j < 12; ++j)
    for (int i = 0; i < 12; ++i) heights.push_back(std::sin(i) + std::cos(0.7 * j));
  return HeightField({.columns = 12, .rows = 12, .dx = 1, .dy = 1}, std::span<const double>(heights));
}
Geometry soup(Generator& random) {
  std::vector<Vec3> corners;
  std::vector<MeshTriangle> triangles;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Vec3 at = random.in_cube(3);
    for (int k = 0; k < 3; ++k) corners.push_back(at + random.in_cube(0.7));
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return Mesh(corners, triangles);
}
Obstacle any_obstacle(Generator& random) {
  switch (random.integer(0, 6)) {
    case 0:
      return at(terrain(), Pose::at(random.in_cube(5) - Vec3(5, 5, 7)));
    case 1:
      return at(soup(random), random.pose(3));
    case 2:
      return Custom(OwnBall{random.in_cube(5), random.uniform(0.1, 1)});
    case 3:
      return Custom(ConvexBall{{random.in_cube(5), random.uniform(0.1, 1)}});
    case 4:
      return at(Sphere{.radius = random.uniform(0, 1)}, random.pose(5));
    default:
      return at(Box{.half = Vec3(random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1))},
                random.pose(5));
  }
}

TEST(SpatialWorld, AnswersAsItsObstaclesOneByOne) {
  for (int run = 0; run < scaled(10); ++run) {
    SCOPED_TRACE(run);
    Generator random(static_cast<std::uint64_t>(100 + run));
    std::vector<Obstacle> obstacles;
    for (int i = random.integer(0, 12); i > 0; --i) obstacles.push_back(any_obstacle(random));
    World world(obstacles);
    std::vector<std::optional<Obstacle>> known(obstacles.begin(), obstacles.end());
    for (int step = 0; step < 8; ++step) {
      const Vec3 q = random.in_cube(6);
      const double radius = random.integer(0, 2) * 0.2, limit = random.integer(0, 1) == 0 ? kInfinity : 1;
      const Path path = any_path(random);
      bool touches = false;
      NearestPoint nearest_one;
      Hit first;
      ObstacleId near_id = kNoObstacle, first_id = kNoObstacle;
      for (ObstacleId id = 0; id < known.size(); ++id) {
        if (!known[id]) continue;
        touches = touches || collide(*known[id], q, radius);
        const NearestPoint near = nearest(*known[id], q);
        if (near.distance <= limit && near.distance < nearest_one.distance) nearest_one = near, near_id = id;
        const Hit hit = sweep(*known[id], path, radius);
        if (hit.fraction < first.fraction) first = hit, first_id = id;
        // No sample before touches; certain hits touch.
        for (int i = 0; i <= 30; ++i) {
          if (hit.found() && i / 30.0 >= hit.fraction) break;
          ASSERT_FALSE(collide(*known[id], path.at(i / 30.0), radius));
        }
        EXPECT_TRUE(!hit.found() || !hit.certain || collide(*known[id], hit.center, radius + 2e-9));
      }
      EXPECT_EQ(collide(world, q, radius), touches);
      const WorldNearest near = nearest(world, q, limit);
      EXPECT_EQ(near.obstacle, near_id);
      EXPECT_EQ(near.distance, nearest_one.distance);
      EXPECT_EQ(near.point, nearest_one.point);
      const WorldHit hit = sweep(world, path, radius);
      EXPECT_EQ(hit.obstacle, first_id);
      EXPECT_EQ(hit.fraction, first.fraction);
      EXPECT_EQ(hit.point, first.point);
      // And a change.
      const auto id = static_cast<ObstacleId>(random.integer(0, static_cast<int>(known.size())));
      if (id == known.size() || !known[id]) {
        const Obstacle more = any_obstacle(random);
        const ObstacleId given = world.add(more);
        known.resize(std::max<std::size_t>(known.size(), given + 1));
        known[given] = more;
      } else if (random.integer(0, 1) == 0) {
        known[id] = any_obstacle(random);
        world.replace(id, *known[id]);
      } else {
        known[id].reset();
        world.remove(id);
      }
      ASSERT_EQ(world.validate(), "");
    }
  }
}

TEST(SpatialWorld, TakesWhatAnObstacleDoesItself) {
  struct Door : OwnBall {
    bool collide(const Vec3&, double) const { return false; }
    Hit sweep(const Path& path, double) const { return {.fraction = 0.125, .center = path.at(0.125)}; }
  };
  const Obstacle door = Custom(Door{{{0, 0, 0}, 1}});
  EXPECT_FALSE(collide(door, {0, 0, 0}, 1));
  EXPECT_EQ(sweep(door, Path::line({0, 0, 0}, {8, 0, 0}), 0).center, Vec3(1, 0, 0));
  EXPECT_EQ(nearest(door, {3, 0, 0}).distance, 2);
}

TEST(SpatialWorld, StopsWhereStepsRunOut) {
  // A path that never leaves the surface of a ball of one's own by more than ten micrometres.
  const Obstacle ball = Custom(OwnBall{{0, 0, 0}, 1});
  const Hit hit = sweep(ball, Path::arc({0, 0, 0}, {1 + 1e-5, 0, 0}, Vec3::UnitZ(), 3), 0);
  ASSERT_TRUE(hit.found());
  EXPECT_FALSE(hit.certain);
  EXPECT_GT(hit.fraction, 1e-3);
  // Bodies turn instead.
  EXPECT_FALSE(
      sweep(Obstacle(at(Sphere{.radius = 1})), Path::arc({0, 0, 0}, {1 + 1e-5, 0, 0}, Vec3::UnitZ(), 3), 0).found());
}

TEST(SpatialWorld, IsCautiousWithWhatIsNoNumber) {
  World world({at(Sphere{.radius = 1})});
  const double nan = std::nan("");
  EXPECT_TRUE(collide(world, {nan, 0, 9}, 0));
  EXPECT_TRUE(collide(world, {0, 0, 9}, -1));
  EXPECT_TRUE(collide(world, {0, 0, 9}, kInfinity));
  EXPECT_TRUE(std::isnan(nearest(world, {nan, 0, 0}).distance));
  EXPECT_EQ(sweep(world, Path::line({0, 0, 9}, {0, 0, 10}), nan).fraction, 0);
  EXPECT_FALSE(nearest(World(), {0, 0, 0}).found());
  struct Broken {
    NearestPoint nearest(const Vec3&) const { return {std::nan("")}; }
  };
  EXPECT_TRUE(collide(Obstacle(Custom(Broken())), {0, 0, 0}, 0));
  EXPECT_EQ(sweep(Obstacle(Custom(Broken())), Path::line({0, 0, 0}, {1, 0, 0}), 0).fraction, 0);
  EXPECT_EQ(refusal([&] {
              Path::line({nan, 0, 0}, {0, 0, 0});
            }),
            "from: coordinates must be finite and at most 1e50, got (nan, 0, 0)");
  EXPECT_EQ(refusal([&] { Path::arc({0, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1); }), "axis: must have a length");
  EXPECT_EQ(refusal([&] {
              Path::curve(Helix{{0, 0, 0}, 1, 0, nan});
            }),
            "curve: coordinates must be finite and at most 1e50, got (nan, nan, nan)");
  EXPECT_EQ(refusal([&] { world.remove(7); }), "id: there is no obstacle 7");
}

TEST(SpatialWorld, QueriesDoNotAllocate) {
  Generator random(1);
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < 20; ++i) obstacles.push_back(any_obstacle(random));
  const World world(std::move(obstacles));
  const Path arc = Path::arc({0, 0, 0}, {3, 0, 0}, Vec3::UnitZ(), 2), line = Path::line({-6, 0, 0}, {6, 1, 0});
  const auto ask = [&] {
    return collide(world, {1, 2, 3}, 0.1) || nearest(world, {1, 2, 3}).found() || sweep(world, line, 0.1).found();
  };
  ask();
  EXPECT_EQ(allocations_of([&] {
              ask();
              sweep(world, line, 0.1);
            }),
            0);
  EXPECT_TRUE(sweep(world, arc, 5).found());
}

}  // namespace spatial_test
}  // namespace graze_test
