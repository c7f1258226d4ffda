// A vehicle on two bogies against the geometry of circles.
#include <gtest/gtest.h>

#include "clearance/tracks.h"
#include "graze/base/error.h"
#include "graze/base/motion.h"
#include "graze/clearance/tunnel.h"
#include "graze/clearance/vehicle.h"
#include "support/refusal.h"

namespace graze {
namespace {

using namespace graze_test;

Vehicle coach() {
  Vehicle vehicle;
  vehicle.bogie_distance = 20;
  vehicle.length = 24.6;
  return vehicle;
}

TEST(Vehicle, ThrowsAgreeWithTheFormulas) {
  for (const double radius : {150.0, 300.0, 1000.0}) {
    const Vehicle vehicle = coach();
    const double a = vehicle.bogie_distance, length = vehicle.length;
    const Track track(circle(radius, 100, 0.01));
    const Trajectory body = follow(track, vehicle, {.step = 1});
    ASSERT_GT(body.size(), 70U);
    const Vec3 center(0, radius, 0);
    for (const Pose& pose : body.poses) {
      const double inwards = radius - (pose * Vec3(0, 0, 0) - center).norm();
      const double outwards = (pose * Vec3(length / 2, 0, 0) - center).norm() - radius;
      // Exactly, but for the chords of 10 mm that the track is made of …
      EXPECT_NEAR(inwards, radius - std::sqrt(radius * radius - a * a / 4), 2e-7);
      EXPECT_NEAR(outwards, std::sqrt(radius * radius + (length * length - a * a) / 4) - radius, 3e-7);
      EXPECT_NEAR(outwards, (pose * Vec3(-length / 2, 0, 0) - center).norm() - radius, 3e-7);
      // … and as the trade has it, up to the next order.
      const double rest = std::pow(length, 4) / (128 * std::pow(radius, 3));
      EXPECT_NEAR(inwards, a * a / (8 * radius), rest);
      EXPECT_NEAR(outwards, (length * length - a * a) / (8 * radius), rest);
    }
    EXPECT_DOUBLE_EQ(center_throw(vehicle, radius), a * a / (8 * radius));
    EXPECT_NEAR(end_throw(vehicle, radius), (length * length - a * a) / (8 * radius), 1e-15);
  }
  EXPECT_NEAR(center_throw(coach(), 300), 0.167, 5e-4);
  EXPECT_NEAR(end_throw(coach(), 300), 0.0855, 5e-4);
}

TEST(Vehicle, BogieCentresStayOnTheTrack) {
  Vehicle vehicle = coach();
  vehicle.bogie_middle = 0.7;
  vehicle.rear_axis_height = -0.4;
  vehicle.front_axis_height = 0.3;
  for (const Vec3& origin : {Vec3(0, 0, 0), kFar}) {
    const Track track(Tunnel({.points = 0, .origin = origin}).track(0.5));
    const VehicleRun run = run_along(track, vehicle, {.step = 3.3});
    // The last digit of 4.5e6 m is 9e-10 m; each of three coordinates is rounded by half of that, some times over.
    const double rounding = origin.isZero(0) ? 1e-12 : 3e-9;
    for (std::size_t i = 0; i < run.body.size(); ++i) {
      const Vec3 rear = run.body.poses[i] * vehicle.rear_bogie(), front = run.body.poses[i] * vehicle.front_bogie();
      EXPECT_LE(line_distance(rear, track.trajectory()), rounding);
      EXPECT_LE(line_distance(front, track.trajectory()), rounding);
      EXPECT_LE((rear - track.place_at(run.rear[i]).position).norm(), rounding);
      EXPECT_LE((front - track.place_at(run.front[i]).position).norm(), rounding);
    }
    EXPECT_EQ(run.rear.front(), 0);
    EXPECT_EQ(run.front.back(), track.length());
    run.body.check();
    EXPECT_EQ(run.body.times.front(), 0);
  }
}

TEST(Vehicle, FarCoordinatesChangeNothing) {
  const Vehicle vehicle = coach();
  const Trajectory near = follow(Track(circle(300, 80, 0.1)), vehicle);
  const Trajectory far = follow(Track(circle(300, 80, 0.1, kFar)), vehicle);
  ASSERT_EQ(near.size(), far.size());
  for (std::size_t i = 0; i < near.size(); ++i) {
    EXPECT_LE((near.poses[i].translation() + kFar - far.poses[i].translation()).norm(), 1e-8);
    EXPECT_LE(Motion(near.poses[i], far.poses[i]).turn(), 1e-9);
  }
}

TEST(Vehicle, KeepsCantAndClimbsWithTheTrack) {
  const double cant = 0.07;
  for (const Pose& pose : follow(Track(circle(300, 60, 0.05, {0, 0, 0}, cant)), coach(), {.step = 5}).poses) {
    // The up-axes of both ends lean by the cant, each towards its own centre; their mean leans by cos(a / 2R) less.
    EXPECT_NEAR(std::asin(pose.rotation()(2, 1)), cant, 1e-4);
    EXPECT_NEAR(pose.rotation()(2, 0), 0, 1e-9);
  }
  // A ramp: the cant of the body is the mean of both ends.
  Trajectory ramp;
  for (int i = 0; i <= 100; ++i)
    ramp.poses.push_back(Pose::from_rpy({1.0 * i, 0, 0.1 * i}, 0.002 * i, -std::atan(0.1), 0));
  const VehicleRun run = run_along(Track(ramp), coach(), {.step = 7});
  for (std::size_t i = 0; i < run.body.size(); ++i) {
    const Mat3& r = run.body.poses[i].rotation();
    EXPECT_NEAR(std::atan2(r(2, 1), r(2, 2)), 0.002 * (run.rear[i] + run.front[i]) / 2 / std::sqrt(1.01), 1e-6);
    EXPECT_NEAR(std::asin(r(2, 0)), std::atan(0.1), 1e-9);
  }
}

TEST(ConcurrentVehicle, IsTheSameForAnyNumberOfThreads) {
  const Track track(Tunnel({.points = 0}).track(0.5));
  const VehicleRun one = run_along(track, coach(), {.step = 0.5, .threads = 1});
  for (const int threads : {2, 3, 7}) {
    const VehicleRun many = run_along(track, coach(), {.step = 0.5, .threads = threads});
    EXPECT_EQ(many.body.poses, one.body.poses);
    EXPECT_EQ(many.body.times, one.body.times);
    EXPECT_EQ(many.front, one.front);
  }
}

TEST(Vehicle, RefusesWhatCannotBe) {
  const auto along = [](const Trajectory& t) { return refusal([&] { follow(Track(t), coach()); }); };
  EXPECT_EQ(along(circle(300, 10, 1)), "track: is 10.000 m long, too short for bogies 20.000 m apart");
  Trajectory up;
  for (int i = 0; i < 50; ++i) up.poses.push_back(Pose::at({0, 0, 1.0 * i}));
  EXPECT_EQ(along(up), "track: climbs vertically or turns over at chainage 0.000; is z up in its poses?");
  Trajectory back;  // a hairpin: forwards, back beside it, forwards again
  for (int i = 0; i <= 30; ++i) back.poses.push_back(Pose::at({1.0 * i, 0, 0}));
  for (int i = 30; i >= 15; --i) back.poses.push_back(Pose::at({1.0 * i, 3, 0}));
  for (int i = 15; i <= 60; ++i) back.poses.push_back(Pose::at({1.0 * i, 6, 0}));
  EXPECT_TRUE(along(back).starts_with("track: doubles back")) << along(back);
  Vehicle bad = coach();
  bad.bogie_distance = 0;
  EXPECT_EQ(refusal([&] { bad.check(); }), "bogie_distance: must be positive and finite, got 0");
  EXPECT_EQ(refusal([] { follow(Track(circle(300, 50, 1)), coach(), {.step = -1}); }),
            "step: must be positive and finite, got -1");
}

TEST(Vehicle, MayStandWithItsTrackUnderBothBogiesJustSo) {
  const Trajectory straight{{}, {Pose::at({0, 0, 0}), Pose::at({20, 0, 0})}};
  const Trajectory body = follow(Track(straight), coach());
  ASSERT_EQ(body.size(), 1U);
  EXPECT_EQ(body.poses[0].translation(), Vec3(10, 0, 0));
}

}  // namespace
}  // namespace graze
