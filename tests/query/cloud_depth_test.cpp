// The depth of clouds in other bodies, by which all points leave. Against the exact union of balls.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <functional>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace cloud_depth_test {

using graze::Cloud;
using graze::Distance;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

Cloud cloud_of(const std::vector<Vec3>& points, double radius = 0) {
  return Cloud(std::span<const Vec3>(points), {.radius = radius});
}

// The shortest path from the origin out of a union of open balls: past one ball, along the circle of two, or to where
// three of them meet.
double exit_depth(const std::vector<Vec3>& centers, double radius) {
  double best = graze::kInfinity;
  const auto offer = [&](const Vec3& t) {
    if (!(t.norm() < best)) return;
    for (const Vec3& c : centers) {
      if ((t - c).norm() < radius * (1 - 1e-12)) return;
    }
    best = t.norm();
  };
  offer(Vec3::Zero());
  for (std::size_t i = 0; i < centers.size(); ++i) {
    const Vec3& a = centers[i];
    offer(a - radius * (a.norm() > 0 ? Vec3(a.normalized()) : Vec3(Vec3::UnitX())));
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 b = centers[j], middle = (a + b) / 2, axis = (b - a).normalized();
      const double half = (b - a).norm() / 2, ring_sq = radius * radius - half * half;
      if (!(ring_sq > 0)) continue;
      Vec3 toward = -(middle - axis * axis.dot(middle));
      if (toward.norm() < 1e-12) toward = axis.unitOrthogonal();
      const double ring = std::sqrt(ring_sq);
      offer(middle + ring * toward.normalized());
      for (std::size_t k = 0; k < j; ++k) {
        // On the ring: |t − c| = radius, with t = middle + ring (cos u + sin v).
        const Vec3 u = axis.unitOrthogonal(), v = axis.cross(u), off = middle - centers[k];
        const double x = 2 * ring * off.dot(u), y = 2 * ring * off.dot(v);
        const double rest = radius * radius - off.squaredNorm() - ring_sq, size = std::hypot(x, y);
        if (!(std::abs(rest) < size)) continue;
        const double turn = std::acos(rest / size), from = std::atan2(y, x);
        for (const double angle : {from + turn, from - turn})
          offer(middle + ring * (std::cos(angle) * u + std::sin(angle) * v));
      }
    }
  }
  return best;
}

void expect_exit_depth(const Placed& a, const Placed& b, double truth, double slack) {
  const Distance d = distance(a, b), e = distance(b, a);
  EXPECT_EQ(d.value, e.value);
  EXPECT_LE(d.value, -truth + 1e-9) << "no shorter translation separates";
  EXPECT_GE(d.value + d.tolerance, -truth - 1e-9) << "the tolerance reaches the truth";
  EXPECT_NEAR(d.value, -truth, slack);
  Placed out = b;
  out.pose = Pose::at(b.pose.translation() + (1e-9 - d.value) * d.normal);
  EXPECT_FALSE(collide(a, out));
  EXPECT_EQ(penetration(a, b).depth, -d.value);
  EXPECT_TRUE(collide(a, b, {.margin = d.value + 1e-6}));
  EXPECT_FALSE(collide(a, b, {.margin = d.value - 1e-6}));
  const Distance quick = distance(a, b, {.depth = false});
  EXPECT_LE(quick.value - quick.tolerance, d.value + 1e-12);
}

TEST(CloudDepth, LeavesNoPointInside) {
  const Placed ball = at(graze::Sphere{.radius = 1});
  expect_exit_depth(ball, at(cloud_of({{0.9, 0, 0}, {-0.9, 0, 0}})), std::sqrt(1 - 0.81), 1e-9);
  expect_exit_depth(ball, at(cloud_of({{0.9, 0, 0}, {0.5, 0, 0}})), 0.5, 1e-9);
  const Soup cube = closed(1, false).moved(Vec3::Zero(), 10);
  const Placed solid = at(cube.mesh(true));
  const Placed pair = at(cloud_of({{10, 0, 0}, {0, 0, 0}}));
  expect_exit_depth(solid, pair, 10, 1e-9);
  double deepest = 0;
  for (const graze::Contact& c : contacts(solid, pair)) deepest = std::max(deepest, c.depth);
  EXPECT_NEAR(deepest, 10, 1e-9) << "among the contacts, too";
}

// Points behind each other have the same nearest point on the other body, but different depths.
TEST(CloudContacts, IncludeEveryPointInside) {
  Random random(31);
  const Soup cube = closed(2, false);
  const std::vector<Placed> bodies{at(graze::Sphere{.radius = 1}), at(graze::Box{.half = {1, 1, 1}}),
                                   at(graze::HalfSpace({1, 0, 0}, 1)), at(cube.mesh(true)),
                                   at(cloud_of({Vec3::Zero()}, 1))};
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    std::vector<Vec3> points;
    std::vector<double> depths;
    const double radius = i % 2 == 0 ? 0 : 0.125;
    for (int x = random.integer(1, 3); x <= 8; x += random.integer(1, 3)) points.emplace_back(x / 8.0, 0, 0);
    for (std::size_t k = points.size(); k > 1; --k)
      std::swap(points[k - 1], points[static_cast<std::size_t>(random.integer(0, static_cast<int>(k) - 1))]);
    for (const Vec3& p : points) depths.push_back(1 - p.x() + radius);
    std::sort(depths.begin(), depths.end(), std::greater<>());
    const Placed cloud = at(cloud_of(points, radius));
    for (const Placed& body : bodies) {
      SCOPED_TRACE(testing::Message() << name_of(body.geometry) << " " << i);
      for (const bool swapped : {false, true}) {
        const auto list = swapped ? contacts(cloud, body, {.max = 16}) : contacts(body, cloud, {.max = 16});
        ASSERT_EQ(list.size(), depths.size());
        for (std::size_t k = 0; k < depths.size(); ++k) {
          EXPECT_NEAR(list[k].depth, depths[k], 1e-9);
          EXPECT_NEAR(list[k].normal.x(), swapped ? -1 : 1, 1e-9);
        }
      }
    }
  }
}

TEST(CloudDepth, OfBallsEnclosesTheExactOne) {
  Random random(5);
  int overlaps = 0, close = 0;
  for (int i = 0, n = scaled(200); i < n && !HasFailure(); ++i) {
    std::vector<Vec3> points;
    for (int k = 0; k <= i % 4; ++k)
      points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const double radius = i % 3 == 0 ? 0 : 0.1;
    const Placed cloud = at(cloud_of(points, radius));
    std::vector<Vec3> centers;
    for (const Vec3& p : points) centers.push_back(-p);
    const double truth = exit_depth(centers, 1 + radius);
    if (!(truth > 1e-6)) continue;
    ++overlaps;
    SCOPED_TRACE(testing::Message() << "cloud " << i);
    expect_exit_depth(at(graze::Sphere{.radius = 1}), cloud, truth, 1);
    expect_exit_depth(at(cloud_of({Vec3::Zero()}, 1)), cloud, truth, 1);
    if (distance(at(graze::Sphere{.radius = 1}), cloud).value > -truth - 1e-3) ++close;
  }
  EXPECT_GE(close, overlaps * 9 / 10);
}

}  // namespace cloud_depth_test
}  // namespace graze_test
