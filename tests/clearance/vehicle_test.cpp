// A vehicle on two bogies against the geometry of circles.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "apps/synthetic/tunnel.h"
#include "clearance/tracks.h"
#include "graze/base/error.h"
#include "graze/clearance/vehicle.h"
#include "graze/motion/motion.h"
#include "support/refusal.h"

namespace graze::clearance {
namespace vehicle_test {

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
      // Exact, except for the chords of 10 mm that the track consists of …
      EXPECT_NEAR(inwards, radius - std::sqrt(radius * radius - a * a / 4), 2e-7);
      EXPECT_NEAR(outwards, std::sqrt(radius * radius + (length * length - a * a) / 4) - radius, 3e-7);
      EXPECT_NEAR(outwards, (pose * Vec3(-length / 2, 0, 0) - center).norm() - radius, 3e-7);
      // … and by the usual formulas, up to the next order.
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
    const Track track(synthetic::Tunnel({.points = 0, .origin = origin}).track(0.5));
    const VehicleRun run = run_along(track, vehicle, {.step = 3.3});
    // The last digit of 4.5e6 m is 9e-10 m; each of three coordinates is rounded by half of that, several times.
    const double rounding = origin.isZero(0) ? 1e-12 : 3e-9;
    for (std::size_t i = 0; i < run.body.size(); ++i) {
      const Vec3 rear = run.body.poses[i] * vehicle.rear_bogie(), front = run.body.poses[i] * vehicle.front_bogie();
      EXPECT_LE(line_distance(rear, track.trajectory()), rounding);
      EXPECT_LE(line_distance(front, track.trajectory()), rounding);
      EXPECT_LE((rear - track.position_at(run.rear[i]).position).norm(), rounding);
      EXPECT_LE((front - track.position_at(run.front[i]).position).norm(), rounding);
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
    EXPECT_NEAR(std::asin(pose.rotation()(2, 1)), cant, 1e-8);
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

// A track with everything at once: bends of changing radius, cant that comes and goes, slopes, unequal steps.
Trajectory alignment(double length, double step, bool backwards) {
  Trajectory track;
  Vec3 p(1000, -500, 30);
  double yaw = 0.3;
  for (int i = 0; i * step <= length; ++i) {
    const double s = i * step;
    const double curvature = std::sin(s / 60) / 150, pitch = -0.03 * std::sin(s / 80), cant = 0.07 * std::sin(s / 45);
    track.poses.push_back(Pose::from_rpy(p, cant, pitch, yaw));
    if (backwards) {  // facing backwards, with the same up-axis
      const Mat3& r = track.poses.back().rotation();
      Mat3 turned;
      turned << -r.col(0), -r.col(1), r.col(2);
      track.poses.back() = Pose::from_matrix(p, turned);
    }
    const double ds = step * (i % 3 == 0 ? 0.5 : 1);
    yaw += curvature * ds;
    p += ds * Vec3(std::cos(pitch) * std::cos(yaw), std::cos(pitch) * std::sin(yaw), -std::sin(pitch));
  }
  return track;
}

// The kinematics as the header states them, with arcs, sines and a dense walk along the track instead of unit vectors
// and the track's own searches.
Pose sampled_body(const Trajectory& t, const Vehicle& vehicle, double rear_chainage) {
  const double span = (vehicle.front_bogie() - vehicle.rear_bogie()).norm();
  struct Bogie {
    Vec3 position;
    double cant;
  };
  const auto bogie = [&](std::size_t i, double f) {
    const Vec3 a = t.poses[i].translation(), b = t.poses[i + 1].translation(), chord = b - a;
    const double heading = std::atan2(chord.y(), chord.x()), slope = std::asin(chord.z() / chord.norm());
    // Undo heading and slope: what is left of the up-axis is the roll.
    const Mat3 level = (Eigen::AngleAxisd(heading, Vec3::UnitZ()) * Eigen::AngleAxisd(-slope, Vec3::UnitY())).matrix();
    const Eigen::Quaterniond from(t.poses[i].rotation()), to(t.poses[i + 1].rotation());
    const Vec3 up = level.transpose() * (from.slerp(f, to) * Vec3::UnitZ());
    return Bogie{a + f * chord, std::atan2(-up.y(), up.z())};
  };
  std::size_t i = 0;
  double s = rear_chainage;
  for (;; ++i) {
    const double length = (t.poses[i + 1].translation() - t.poses[i].translation()).norm();
    if (s <= length || i + 2 == t.poses.size()) {
      s /= length;
      break;
    }
    s -= length;
  }
  const Bogie rear = bogie(i, s);
  // Every piece in 64 parts, then bisection where the distance is first reached.
  for (std::size_t k = i; k + 1 < t.poses.size(); ++k) {
    for (int part = 0; part < 64; ++part) {
      double low = part / 64.0, high = (part + 1) / 64.0;
      if (k == i && high <= s) continue;
      if ((bogie(k, high).position - rear.position).norm() < span) continue;
      for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        ((bogie(k, middle).position - rear.position).norm() < span ? low : high) = middle;
      }
      const Bogie front = bogie(k, high);
      const Vec3 chord = front.position - rear.position;
      // Where the bogie centres are at different heights, the body is pitched against the line between them.
      const Vec3 own = vehicle.front_bogie() - vehicle.rear_bogie();
      const Mat3 rotation = (Eigen::AngleAxisd(std::atan2(chord.y(), chord.x()), Vec3::UnitZ()) *
                             Eigen::AngleAxisd(-std::asin(chord.z() / chord.norm()), Vec3::UnitY()) *
                             Eigen::AngleAxisd((rear.cant + front.cant) / 2, Vec3::UnitX()) *
                             Eigen::AngleAxisd(std::atan2(own.z(), own.x()), Vec3::UnitY()))
                                .matrix();
      return Pose::from_matrix(rear.position - rotation * vehicle.rear_bogie(), rotation);
    }
  }
  ADD_FAILURE() << "no location for the front bogie";
  return {};
}

TEST(Vehicle, MovesAsDenseSamplingOfTheStatedFormula) {
  double worst = 0;
  for (const bool backwards : {false, true}) {
    for (const double step : {0.1, 0.7, 5.0}) {
      const Track track(alignment(300, step, backwards));
      for (const double height : {0.0, 0.5}) {
        Vehicle vehicle = coach();
        vehicle.bogie_middle = 0.4;
        vehicle.front_axis_height = height;
        const VehicleRun run = run_along(track, vehicle, {.step = 2.7});
        ASSERT_GT(run.body.size(), 60U);
        // Not the last one, whose front bogie is at the end of the track, or beyond it by rounding.
        for (std::size_t i = 0; i + 1 < run.body.size(); ++i) {
          const Pose expected = sampled_body(track.trajectory(), vehicle, run.rear[i]);
          for (const Vec3& corner : {Vec3(12.3, 1.5, 4), Vec3(-12.3, -1.5, 4), Vec3(0, 1.5, 0), Vec3(0, 0, 0)}) {
            worst = std::max(worst, (run.body.poses[i] * corner - expected * corner).norm());
          }
        }
      }
    }
  }
  EXPECT_LT(worst, 1e-7);
  // In a curve of constant cant the body has this cant, and its corners are at the constructed positions.
  const double radius = 150, cant = 0.04, half = 10;
  const Track curve(circle(radius, 80, 0.005, {0, 0, 0}, cant));
  const VehicleRun run = run_along(curve, coach(), {.step = 10});
  for (std::size_t i = 0; i < run.body.size(); ++i) {
    const double middle = (run.rear[i] + run.front[i]) / 2 / radius;
    const Vec3 forward(std::cos(middle), std::sin(middle), 0), inwards(-std::sin(middle), std::cos(middle), 0);
    const Vec3 origin = Vec3(0, radius, 0) - std::sqrt(radius * radius - half * half) * inwards;
    const Vec3 left = std::cos(cant) * inwards + std::sin(cant) * Vec3::UnitZ(),
               up = std::cos(cant) * Vec3::UnitZ() - std::sin(cant) * inwards;
    for (const Vec3& corner : {Vec3(12.3, 1.5, 4), Vec3(-12.3, -1.5, 4), Vec3(0, 0, 4)}) {
      const Vec3 expected = origin + corner.x() * forward + corner.y() * left + corner.z() * up;
      EXPECT_LT((run.body.poses[i] * corner - expected).norm(), 1e-7) << i;
    }
  }
}

TEST(ConcurrentVehicle, IsTheSameForAnyNumberOfThreads) {
  const Track track(synthetic::Tunnel({.points = 0}).track(0.5));
  const VehicleRun one = run_along(track, coach(), {.step = 0.5, .threads = 1});
  for (const int threads : {2, 3, 7}) {
    const VehicleRun many = run_along(track, coach(), {.step = 0.5, .threads = threads});
    EXPECT_EQ(many.body.poses, one.body.poses);
    EXPECT_EQ(many.body.times, one.body.times);
    EXPECT_EQ(many.front, one.front);
  }
}

TEST(Vehicle, RejectsInvalidInput) {
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

TEST(Vehicle, FitsOnATrackThatEndsUnderBothBogies) {
  const Trajectory straight{{}, {Pose::at({0, 0, 0}), Pose::at({20, 0, 0})}};
  const Trajectory body = follow(Track(straight), coach());
  ASSERT_EQ(body.size(), 1U);
  EXPECT_EQ(body.poses[0].translation(), Vec3(10, 0, 0));
}

}  // namespace vehicle_test
}  // namespace graze::clearance
