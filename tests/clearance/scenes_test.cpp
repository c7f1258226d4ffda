// The generated scenes: the same on every machine, and as documented.
#include <gtest/gtest.h>

#include "apps/synthetic/assembly_line.h"
#include "apps/synthetic/tunnel.h"
#include "clearance/tracks.h"
#include "graze/clearance/track.h"
#include "graze/motion/motion.h"
#include "support/refusal.h"

namespace graze::synthetic {
namespace scenes_test {

using namespace graze_test;

template <class Scene>
std::vector<Vec3> all_of(const Scene& scene, int threads = 0) {
  std::vector<Vec3> points(static_cast<std::size_t>(scene.size()));
  scene.make(0, points, {.threads = threads});
  return points;
}

template <class Scene>
void expect_same_in_parts(const Scene& scene) {
  const std::vector<Vec3> whole = all_of(scene, 1);
  EXPECT_EQ(all_of(scene, 2), whole);
  EXPECT_EQ(all_of(scene, 5), whole);
  for (const std::size_t part : {1U, 7U, 331U, 1000U}) {
    std::vector<Vec3> points(part);
    for (std::size_t first = 0; first < whole.size(); first += 37 * part) {
      scene.make(first, points);
      for (std::size_t i = 0; i < part; ++i) {
        if (first + i < whole.size()) {
          ASSERT_EQ(points[i], whole[first + i]) << first << " + " << i;
        } else {
          ASSERT_TRUE(std::isnan(points[i].x()));
        }
      }
    }
  }
  std::vector<Vec3> beyond(2, Vec3::Zero());
  scene.make(~std::uint64_t{0}, beyond);
  EXPECT_TRUE(std::isnan(beyond[0].x()) && std::isnan(beyond[1].x()));
}

TEST(ConcurrentScenes, AreTheSameForAnyNumberOfThreadsAndInParts) {
  expect_same_in_parts(Tunnel({.points = 20'011}));
  expect_same_in_parts(AssemblyLine({.points = 20'011, .stations = 5}));
}

TEST(Scenes, DependOnTheirSeed) {
  EXPECT_NE(all_of(Tunnel({.points = 5000})), all_of(Tunnel({.points = 5000, .seed = 2})));
  EXPECT_NE(all_of(AssemblyLine({.points = 5000})), all_of(AssemblyLine({.points = 5000, .seed = 2})));
  EXPECT_NE(wagon_points(1000), wagon_points(1000, 2));
}

TEST(Scenes, MayBeFarFromTheOrigin) {
  const std::vector<Vec3> near = all_of(Tunnel({.points = 5000}));
  const std::vector<Vec3> far = all_of(Tunnel({.points = 5000, .origin = kFar}));
  for (std::size_t i = 0; i < near.size(); ++i) EXPECT_LE((near[i] + kFar - far[i]).norm(), 2e-9);
  const clearance::Trajectory track = Tunnel({.points = 0}).track(1),
                              away = Tunnel({.points = 0, .origin = kFar}).track(1);
  for (std::size_t i = 0; i < track.size(); ++i) {
    EXPECT_LE((track.poses[i].translation() + kFar - away.poses[i].translation()).norm(), 2e-9);
    EXPECT_EQ(track.poses[i].rotation(), away.poses[i].rotation());
  }
}

TEST(Tunnel, TrackHasItsCurvesCantAndSlopes) {
  const clearance::Trajectory track = Tunnel({.points = 0}).track(0.1);
  track.check();
  EXPECT_NEAR(track.length(), 1144, 0.1);
  const auto curvature_at = [&](double s) {
    const auto i = static_cast<std::size_t>(s / 0.1);
    const Vec3 a = track.poses[i - 50].translation(), b = track.poses[i].translation(),
               c = track.poses[i + 50].translation();
    const Vec3 u = b - a, v = c - b;
    return (u.x() * v.y() - u.y() * v.x()) / (u.norm() * v.norm() * u.norm());
  };
  EXPECT_NEAR(curvature_at(70), 0, 1e-6);
  EXPECT_NEAR(curvature_at(300), -1.0 / 300, 1e-5);
  EXPECT_NEAR(curvature_at(800), 1.0 / 300, 1e-5);
  EXPECT_NEAR(curvature_at(1100), 0, 1e-6);
  for (std::size_t i = 1; i < track.size(); ++i) {
    const Vec3 travel = (track.poses[i].translation() - track.poses[i - 1].translation()).normalized();
    EXPECT_NEAR((travel - track.poses[i].rotation().col(0)).norm(), 0, 1e-3) << "x points forward";
  }
  // In the curve to the left (s = 800) the right rail is 100 mm higher than the left one.
  const Pose& pose = track.poses[8000];
  EXPECT_NEAR((pose * Vec3(0, -0.75, 0)).z() - (pose * Vec3(0, 0.75, 0)).z(), 0.1, 3e-4);
}

TEST(Tunnel, ScanHasRailsWallsAndNoHoles) {
  const Tunnel tunnel({.points = 300'000});
  const std::vector<Vec3> points = all_of(tunnel);
  const clearance::Track track(tunnel.track(0.2));
  std::size_t rails = 0, inside = 0, walls = 0;
  std::vector<int> per_metre(1145);
  for (const Vec3& p : points) {
    ASSERT_TRUE(is_finite(p));
    const clearance::TrackPosition place = track.nearest(p, 40);
    ASSERT_LE(place.distance, 17);
    ++per_metre[static_cast<std::size_t>(place.chainage)];
    const Vec3 local = track.pose_at(place).inverse() * p;
    rails += std::abs(std::abs(local.y()) - 0.7525) < 0.06 && std::abs(local.z()) < 0.02;
    walls += std::abs(std::abs(local.y()) - 1.8) < 0.3 && local.z() > 0.5 && local.z() < 2;
    inside += std::abs(local.y()) < 1 && local.z() > 0.3 && local.z() < 3;
  }
  EXPECT_GT(rails, 1000U);
  EXPECT_GT(walls, 20'000U);
  EXPECT_EQ(inside, 0U) << "nothing is in the middle of the track";
  for (std::size_t s = 0; s < 1143; ++s) EXPECT_GT(per_metre[s], 50) << s;
}

TEST(Wagon, IsClosedAndOnItsWheels) {
  for (const bool wheels : {false, true}) {
    const WagonMesh triangles = wagon_mesh({.wheels = wheels});
    const Mesh mesh(triangles.vertices, triangles.triangles, {.solid = true});
    EXPECT_TRUE(mesh.report().watertight);
    EXPECT_GT(mesh.report().volume, 70);
    EXPECT_EQ(mesh.bounds().min.z(), wheels ? 0 : 0.35);
    EXPECT_DOUBLE_EQ(mesh.bounds().max.x() - mesh.bounds().min.x(), 25.8);
    for (const Vec3& p : wagon_points(20'000, 1, {.wheels = wheels})) {
      EXPECT_TRUE(mesh.bounds().grown(0.011).contains(p));
    }
  }
  EXPECT_EQ(wagon_points(0).size(), 0U);
}

TEST(AssemblyLine, TurnsInSmallSteps) {
  const AssemblyLine line({.points = 0, .stations = 5});
  const clearance::Trajectory path = line.path();
  path.check();
  double turned = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Motion motion(path.poses[i - 1], path.poses[i]);
    ASSERT_LE(motion.travel(), 0.02);
    ASSERT_LE(motion.turn(), 0.01);
    turned += motion.turn();
  }
  EXPECT_GT(turned, 2 * 3.14 + 3) << "over and around";
  const Mesh body(line.body_vertices(), line.body_triangles(), {.solid = true});
  EXPECT_TRUE(body.report().watertight);
  EXPECT_GT(body.report().volume, 6);
}

TEST(Scenes, RejectInvalidOptions) {
  EXPECT_EQ(refusal([] { Tunnel({.points = 2'000'000'000'000}); }), "points: must be at most 1e12, got 2000000000000");
  EXPECT_EQ(refusal([] {
              Tunnel({.origin = {kInfinity, 0, 0}});
            }),
            "origin: must be finite and within 1e9 m, got (inf, 0, 0)");
  EXPECT_EQ(refusal([] { Tunnel({.half_width = 0.5}); }), "half_width: must be from 1 to 5 m, got 0.5");
  EXPECT_EQ(refusal([] { AssemblyLine({.stations = 0}); }), "stations: must be from 1 to 10000, got 0");
}

}  // namespace scenes_test
}  // namespace graze::synthetic
