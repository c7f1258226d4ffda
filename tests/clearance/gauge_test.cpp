// The structure gauge, and what it misses.
#include <gtest/gtest.h>

#include <limits>

#include "apps/synthetic/tunnel.h"
#include "clearance/tracks.h"
#include "graze/clearance/gauge.h"
#include "graze/clearance/vehicle.h"
#include "support/refusal.h"

namespace graze::clearance {
namespace gauge_test {

using namespace graze_test;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Gauge, MeasuresSignedDistance) {
  for (const bool reversed : {false, true}) {
    std::vector<Vec2> corners = {{-1, 0}, {1, 0}, {1, 4}, {0, 3}, {-1, 4}};
    if (reversed) std::reverse(corners.begin(), corners.end());
    const Gauge gauge(corners);
    EXPECT_DOUBLE_EQ(gauge.clearance({0, 1}), -1);
    EXPECT_DOUBLE_EQ(gauge.clearance({0, 3.5}), std::sqrt(0.125)) << "in the notch";
    EXPECT_DOUBLE_EQ(gauge.clearance({2, 1}), 1);
    EXPECT_DOUBLE_EQ(gauge.clearance({4, -4}), 5);
    EXPECT_EQ(gauge.clearance({1, 2}), 0);
    EXPECT_EQ(gauge.clearance({1, 4}), 0);
    EXPECT_TRUE(std::isnan(gauge.clearance({kNan, 0})));
    EXPECT_DOUBLE_EQ(gauge.reach(), std::sqrt(17));
  }
}

// Whether a point is inside, by the angle that the outline subtends.
TEST(Gauge, DistinguishesInsideFromOutside) {
  Generator random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec2> star;  // around the origin, so that its edges do not cross
    const int corners = random.integer(3, 12);
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * 3.14159265358979 * (i + 0.8 * random.uniform(0, 1)) / corners;
      star.emplace_back(random.uniform(0.5, 2) * Vec2(std::cos(angle), std::sin(angle)));
    }
    const Gauge gauge(star);
    for (int k = 0; k < 50; ++k) {
      const Vec2 p(random.uniform(-2, 2), random.uniform(-2, 2));
      double seen = 0;
      for (std::size_t i = 0; i < star.size(); ++i) {
        const Vec2 a = star[i] - p, b = star[(i + 1) % star.size()] - p;
        seen += std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b));
      }
      EXPECT_EQ(gauge.clearance(p) < 0, std::abs(seen) > 3) << p.transpose();
    }
  }
}

TEST(Gauge, RejectsOutlinesWithoutAnInside) {
  const auto of = [](std::vector<Vec2> corners) { return refusal([&] { Gauge{std::move(corners)}; }); };
  EXPECT_EQ(of({{0, 0}, {1, 0}}), "gauge: has 2 corners; an outline needs three");
  EXPECT_EQ(of({{0, 0}, {1, 0}, {kNan, 1}}), "gauge: corner 2 is (nan, 1); it must be finite");
  EXPECT_EQ(of({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), "gauge: the edges from corner 0 and from corner 2 meet");
  EXPECT_EQ(of({{0, 0}, {1, 0}, {1, 0}, {0, 1}}), "gauge: corners 1 and 2 are the same");
  EXPECT_NE(of({{0, 0}, {1, 0}, {2, 0}}), "");
  EXPECT_EQ(of({{0, 0}, {1, 0}, {0, 1}}), "");
}

TEST(Gauge, EnclosesPoints) {
  Generator random(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<Vec3> points(static_cast<std::size_t>(random.integer(3, 50)));
    for (Vec3& p : points) p = random.in_cube(2);
    points.emplace_back(kNan, 0, 0);
    const double margin = random.uniform(0, 0.5);
    const Gauge gauge = Gauge::around(points, margin);
    double nearest = kInfinity;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const double inside = -gauge.clearance({points[i].y(), points[i].z()});
      EXPECT_GE(inside, margin - 1e-12);
      nearest = std::min(nearest, inside);
    }
    EXPECT_NEAR(nearest, margin, 1e-12);
  }
  const std::vector<Vec3> flat = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}};
  EXPECT_EQ(refusal([&] { Gauge::around(flat); }), "gauge: the points have no area across the track");
}

TEST(CheckGauge, MeasuresEveryPointAtItsOwnChainage) {
  const Gauge gauge({{-1, 0}, {1, 0}, {1, 3}, {-1, 3}});
  for (const Vec3& origin : {Vec3(0, 0, 0), kFar}) {
    const double cant = 0.1, radius = 300;
    const Track track(circle(radius, 100, 0.05, origin, cant));
    Generator random(3);
    std::vector<Vec3> points;
    std::vector<GaugePoint> want;
    for (int i = 0; i < 2000; ++i) {
      const double angle = random.uniform(0.01, 100 / radius - 0.01);
      const Vec2 section(random.uniform(-3, 3), random.uniform(-1, 5));
      const Vec3 on(radius * std::sin(angle), radius * (1 - std::cos(angle)), 0);
      points.push_back(Pose::from_rpy(origin + on, cant, 0, angle) * Vec3(0, section.x(), section.y()));
      want.push_back({gauge.clearance(section), radius * angle, section, GaugeState::clear});
    }
    points.emplace_back(kNan, 0, 0);
    points.push_back(origin + Vec3(-0.5, 0, 1));
    points.push_back(origin + Vec3(1000, 0, 0));
    std::vector<GaugePoint> got(points.size());
    check_gauge(gauge, track, points, got, {.limit = 0.5});
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (want[i].clearance > 0.5 + 1e-4) {
        EXPECT_EQ(got[i].clearance, kInfinity);
        EXPECT_EQ(got[i].state, GaugeState::clear);
      } else if (want[i].clearance < 0.5 - 1e-4) {
        EXPECT_NEAR(got[i].clearance, want[i].clearance, 1e-4);
        EXPECT_NEAR(got[i].chainage, want[i].chainage, 1e-2);
        EXPECT_NEAR((got[i].section - want[i].section).norm(), 0, 1e-4);
        if (std::abs(want[i].clearance) > 1e-4) {
          EXPECT_EQ(got[i].state, want[i].clearance < 0 ? GaugeState::inside : GaugeState::clear);
        }
      }
    }
    EXPECT_EQ(got[2000].state, GaugeState::nothing);
    EXPECT_EQ(got[2001].state, GaugeState::beyond);
    EXPECT_EQ(got[2002].state, GaugeState::clear);
  }
  std::vector<GaugePoint> few(1);
  const std::vector<Vec3> two(2, Vec3::Zero());
  EXPECT_EQ(refusal([&] { check_gauge(gauge, Track(circle(9, 1, 1)), two, few); }),
            "results: must be as many as the 2 points, got 1");
}

TEST(CheckGauge, IsTheSameForAnyNumberOfThreads) {
  const synthetic::Tunnel tunnel({.points = 20'000});
  std::vector<Vec3> points(20'000);
  tunnel.make(0, points);
  const Track track(tunnel.track(1));
  const Gauge gauge = Gauge::around(synthetic::wagon_mesh().vertices, 0.1);
  std::vector<GaugePoint> one(points.size()), two(points.size());
  check_gauge(gauge, track, points, one, {.threads = 1});
  check_gauge(gauge, track, points, two, {.threads = 2});
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].clearance, two[i].clearance);
    EXPECT_EQ(one[i].chainage, two[i].chainage);
  }
}

// Why a gauge is not enough: in a curve the middle of the wagon leaves the section that contains it on straight track,
// and hits the wall.
TEST(CheckGauge, MissesCollisionsInCurves) {
  const synthetic::Tunnel tunnel({.points = 150'000});
  std::vector<Vec3> points(150'000);
  tunnel.make(0, points);
  const Track track(tunnel.track(0.5));
  const synthetic::WagonMesh wagon_triangles = synthetic::wagon_mesh();
  const Gauge gauge = Gauge::around(wagon_triangles.vertices);
  std::vector<GaugePoint> seen(points.size());
  check_gauge(gauge, track, points, seen);
  const VehicleRun run = run_along(track, synthetic::wagon(), {.step = 1});
  std::size_t missed = 0, missed_on_straight = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (seen[i].state != GaugeState::clear || !std::isfinite(seen[i].clearance)) continue;
    for (std::size_t k = 0; k < run.body.size(); ++k) {
      if (run.front[k] < seen[i].chainage - 5 || run.rear[k] > seen[i].chainage + 5) continue;
      const Vec3 p = run.body.poses[k].inverse() * points[i];
      // The box between the ends of the wagon.
      if (std::abs(p.x()) > 12.3 || std::abs(p.y()) > 1.45 || p.z() < 0.95 || p.z() > 2) continue;
      ++missed;
      missed_on_straight += run.front[k] < 140;
      break;
    }
  }
  EXPECT_GT(missed, 100U);
  EXPECT_EQ(missed_on_straight, 0U);
}

}  // namespace gauge_test
}  // namespace graze::clearance
