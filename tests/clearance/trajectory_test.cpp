// Trajectories: chainage, resampling and smoothing.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "clearance/smoothing_spline.h"
#include "clearance/tracks.h"
#include "graze/base/error.h"
#include "graze/clearance/track.h"
#include "graze/motion/motion.h"
#include "support/refusal.h"

namespace graze::clearance {
namespace trajectory_test {

using namespace graze_test;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Trajectory corner() {
  return {{0, 1, 2}, {Pose::at({0, 0, 0}), Pose::at({3, 0, 0}), Pose::from_rpy({3, 4, 0}, 0, 0, 1)}};
}

TEST(Trajectory, ChainageIsTheLengthOfThePath) {
  EXPECT_EQ(corner().chainage(), (std::vector<double>{0, 3, 7}));
  EXPECT_EQ(corner().length(), 7);
  EXPECT_EQ(Trajectory{}.length(), 0);
  EXPECT_EQ(corner().pose_at(-1), corner().poses[0]);
  EXPECT_EQ(corner().pose_at(kInfinity), corner().poses[2]);
  EXPECT_EQ(corner().pose_at(5).translation(), Vec3(3, 2, 0));
  EXPECT_NEAR(Motion(corner().pose_at(5), Pose::from_rpy({3, 2, 0}, 0, 0, 0.5)).turn(), 0, 1e-15);
  EXPECT_EQ(refusal([] { Trajectory{}.pose_at(0); }), "trajectory: has no poses");
  EXPECT_EQ(refusal([] { corner().pose_at(kNan); }), "chainage: must be a number, got NaN");
}

TEST(Trajectory, TimesMustIncrease) {
  Trajectory t = corner();
  t.times = {0, 1};
  EXPECT_EQ(refusal([&] { t.check(); }), "trajectory: has 2 times for 3 poses; it needs one each, or none");
  t.times = {0, 1, 1};
  EXPECT_EQ(refusal([&] { t.check("t"); }), "t: the time of pose 2 is 1, not later than 1 of the pose before it");
  t.times = {0, kNan, 1};
  EXPECT_EQ(refusal([&] { t.chainage(); }), "trajectory: the time of pose 1 is nan");
  t.times.clear();
  EXPECT_EQ(refusal([&] { t.check(); }), "");
}

TEST(Trajectory, ResamplesAtEqualChainage) {
  const Trajectory even = corner().resampled(1.1);
  ASSERT_EQ(even.size(), 8U);
  for (std::size_t i = 0; i < even.size(); ++i) {
    const auto s = static_cast<double>(i);
    EXPECT_NEAR((even.poses[i].translation() - corner().pose_at(s).translation()).norm(), 0, 1e-15);
    EXPECT_NEAR(even.times[i], s < 3 ? s / 3 : 1 + (s - 3) / 4, 1e-15);
  }
  EXPECT_EQ(even.poses.front(), corner().poses.front());
  EXPECT_EQ(even.poses.back(), corner().poses.back());
  // A curve is cut by step² / 8R, and by no more.
  const Trajectory fine = circle(100, 50, 0.001), coarse = fine.resampled(2);
  double cut = 0;
  for (const Pose& pose : fine.poses) cut = std::max(cut, line_distance(pose.translation(), coarse));
  EXPECT_NEAR(cut, 2.0 * 2 / (8 * 100), 2e-5);
  EXPECT_EQ(refusal([] { corner().resampled(0); }), "step: must be positive and finite, got 0");
  EXPECT_EQ(refusal([] { corner().resampled(kNan); }), "step: must be positive and finite, got nan");
  EXPECT_NE(refusal([] { corner().resampled(1e-12); }), "");
}

TEST(Trajectory, ResamplingKeepsTurnsOnTheSpot) {
  Trajectory t;
  for (const double yaw : {0.0, 1.0, 2.0, 3.0}) t.poses.push_back(Pose::from_rpy({1, 0, 0}, 0, 0, yaw));
  t.poses.insert(t.poses.begin(), Pose::at({0, 0, 0}));
  const Trajectory even = t.resampled(0.5);
  ASSERT_EQ(even.size(), 6U);  // 0, 0.5, and the four at 1
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(even.poses[2 + i], t.poses[1 + i]);
  EXPECT_EQ(t.pose_at(1), t.poses.back());
}

TEST(Trajectory, ResamplingKeepsThePath) {
  Generator random(1);
  for (int round = 0; round < 200; ++round) {
    const Trajectory t = wandering(random, random.integer(1, 40), round % 2 == 0 ? Vec3(0, 0, 0) : kFar);
    const Trajectory even = t.resampled(random.magnitude(-2, 1));
    for (const Pose& pose : even.poses) EXPECT_LE(line_distance(pose.translation(), t), 2e-9);
    EXPECT_EQ(even.poses.front(), t.poses.front());
    EXPECT_EQ(even.poses.back(), t.poses.back());
  }
}

// The same splines by dense algebra: (W + stiffness · Q R⁻¹ Qᵀ) g = W y.
TEST(SmoothingSpline, EqualsDenseAlgebra) {
  Generator random(2);
  for (int round = 0; round < 100; ++round) {
    const int n = random.integer(3, 30);
    std::vector<double> knots = {0}, weights;
    for (int i = 1; i < n; ++i) knots.push_back(knots.back() + random.magnitude(-1, 0.5));
    SmoothingSpline::Columns y(n, 4);
    Eigen::MatrixXd q = Eigen::MatrixXd::Zero(n, n - 2), r = Eigen::MatrixXd::Zero(n - 2, n - 2), w(n, n);
    w.setZero();
    for (int i = 0; i < n; ++i) {
      weights.push_back(random.integer(1, 3));
      w(i, i) = weights.back();
      for (int k = 0; k < 4; ++k) y(i, k) = random.uniform(-1, 1);
    }
    const auto h = [&](int i) { return knots[static_cast<std::size_t>(i) + 1] - knots[static_cast<std::size_t>(i)]; };
    for (int j = 0; j < n - 2; ++j) {
      q(j, j) = 1 / h(j);
      q(j + 1, j) = -1 / h(j) - 1 / h(j + 1);
      q(j + 2, j) = 1 / h(j + 1);
      r(j, j) = (h(j) + h(j + 1)) / 3;
      if (j > 0) r(j, j - 1) = r(j - 1, j) = h(j) / 6;
    }
    const double stiffness = round % 5 == 0 ? 0 : random.magnitude(-4, 4);
    const Eigen::MatrixXd bend = q * r.inverse() * q.transpose();
    const Eigen::MatrixXd want = (w + stiffness * bend).fullPivLu().solve(w * y);
    SmoothingSpline spline(knots, y, weights);
    spline.fit(stiffness);
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR((spline.at_knot(at) - want.row(i)).norm(), 0, 1e-9) << "stiffness " << stiffness;
      if (stiffness == 0) {
        EXPECT_EQ(spline.at_knot(at), SmoothingSpline::Row(y.row(i)));
      }
      if (i == 0 || i + 1 == n) continue;
      // First and second derivatives agree on both sides of a knot.
      const double e = 1e-4;
      const SmoothingSpline::Row left = spline.at_knot(at) - spline.at(at - 1, 1 - e / h(i - 1));
      const SmoothingSpline::Row right = spline.at(at, e / h(i)) - spline.at_knot(at);
      EXPECT_LE((left - right).norm() / e, 1e-2 * (1 + right.norm() / e));
    }
    for (int i = 0; i + 1 < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (double f = 0; f < 1; f += 0.1) {
        EXPECT_LE((spline.at(at, f + 0.1) - spline.at(at, f)).head<3>().norm(), 0.1 * spline.speed_bound(at) + 1e-12);
      }
    }
  }
}

TEST(Trajectory, SmoothingStaysWithinItsTolerance) {
  Generator random(3);
  for (const Vec3& origin : {Vec3(0, 0, 0), kFar}) {
    const Trajectory truth = circle(300, 200, 0.5, origin);
    Trajectory noisy = truth;
    for (Pose& pose : noisy.poses) {
      const Pose shake = Pose::from_rpy({0, 0, 0}, 0.001 * random.uniform(-1, 1), 0, 0.001 * random.uniform(-1, 1));
      pose = (pose * shake).moved_to(pose.translation() + random.in_cube(0.01));
    }
    const SmoothedTrajectory smooth = noisy.smoothed({.tolerance = 0.015, .turn_tolerance = 0.0015});
    ASSERT_EQ(smooth.trajectory.size(), noisy.size());
    EXPECT_EQ(smooth.trajectory.times, noisy.times);
    EXPECT_LE(smooth.residual, 0.015 + 2e-9);
    EXPECT_GE(smooth.residual, 0.014) << "it uses the tolerance";
    EXPECT_LE(smooth.turn_residual, 0.0015 + 1e-12);
    double largest = 0, before = 0, after = 0;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      const Vec3 p = smooth.trajectory.poses[i].translation();
      largest = std::max(largest, (p - noisy.poses[i].translation()).norm());
      before += (noisy.poses[i].translation() - truth.poses[i].translation()).squaredNorm();
      after += (p - truth.poses[i].translation()).squaredNorm();
    }
    EXPECT_DOUBLE_EQ(smooth.residual, largest);
    EXPECT_LE(smooth.mean_residual, smooth.residual);
    EXPECT_LT(after, before / 2) << "and is nearer to the truth";
  }
}

TEST(Trajectory, SmoothingWithoutToleranceMakesACoarseTrackFine) {
  const Trajectory coarse = circle(300, 200, 2);
  const SmoothedTrajectory fine = coarse.smoothed({.tolerance = 0, .turn_tolerance = 0, .step = 0.1});
  EXPECT_EQ(fine.residual, 0);
  EXPECT_LE(fine.turn_residual, 1e-15);
  for (std::size_t i = 1; i < fine.trajectory.size(); ++i) {
    EXPECT_LE((fine.trajectory.poses[i].translation() - fine.trajectory.poses[i - 1].translation()).norm(),
              0.1 + 1e-12);
  }
  for (const Pose& pose : fine.trajectory.poses) {
    const Vec3 p = pose.translation();
    // Natural splines are straight at their ends, where they are off by some sagittas.
    const bool inner = p.norm() > 20 && (p - coarse.poses.back().translation()).norm() > 20;
    EXPECT_NEAR((p - Vec3(0, 300, 0)).norm(), 300, inner ? 1e-6 : 2e-3);
  }
}

TEST(Trajectory, SmoothingStaysWithinItsToleranceAfterAJump) {
  // Compared with the first step, all others are negligible.
  const Trajectory track{
      {}, {Pose::at({92137, 0, 0}), Pose::at({0, 0, 0}), Pose::at({2, 0, 0.1}), Pose::at({2, 0.5, 1.1})}};
  EXPECT_LE(track.smoothed({.tolerance = 0.1}).residual, 0.1);
  EXPECT_LE(track.smoothed({.tolerance = 0}).residual, 1e-9);
}

TEST(Trajectory, SmoothingAcceptsRestsRepeatsAndTumbling) {
  Generator random(4);
  for (int round = 0; round < 100; ++round) {
    Trajectory t = wandering(random, random.integer(1, 30));
    for (int k = random.integer(0, 5); k > 0; --k) {
      const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(t.size()) - 1));
      t.poses.insert(t.poses.begin() + static_cast<std::ptrdiff_t>(i), t.poses[i]);
    }
    const double tolerance = random.integer(0, 1) * random.magnitude(-3, 1), turn = random.uniform(0, 1);
    const SmoothedTrajectory smooth = t.smoothed({.tolerance = tolerance, .turn_tolerance = turn});
    ASSERT_EQ(smooth.trajectory.size(), t.size());
    EXPECT_LE(smooth.residual, tolerance + 1e-12);
    EXPECT_LE(smooth.turn_residual, turn + 1e-12);
    t.smoothed({.tolerance = tolerance, .turn_tolerance = turn, .step = 0.05}).trajectory.check();
  }
  EXPECT_EQ(refusal([] { corner().smoothed({.tolerance = -1}); }),
            "tolerance: must be finite and not negative, got -1");
  EXPECT_EQ(refusal([] { corner().smoothed({.step = kNan}); }), "step: must be finite and not negative, got nan");
  EXPECT_EQ(Trajectory{}.smoothed().trajectory.size(), 0U);
}

TEST(Track, FindsTheNearestLocation) {
  Generator random(5);
  for (int round = 0; round < 300; ++round) {
    const Vec3 origin = round % 3 == 0 ? kFar : Vec3(0, 0, 0);
    const Track track(wandering(random, random.integer(1, 80), origin));
    for (int k = 0; k < 20; ++k) {
      const Vec3 p = origin + random.in_cube(20);
      const double want = line_distance(p, track.trajectory());
      const TrackPosition place = track.nearest(p);
      EXPECT_NEAR(place.distance, want, 2e-9);
      EXPECT_NEAR((place.position - p).norm(), want, 2e-9);
      EXPECT_NEAR((track.position_at(place.chainage).position - place.position).norm(), 0, 2e-9);
      EXPECT_EQ(track.pose_at(place).translation(), place.position);
      EXPECT_EQ(track.nearest(p, want * (1 + 1e-6) + 1e-8).distance, place.distance);
      EXPECT_EQ(track.nearest(p, want * (1 - 1e-6) - 1e-8).distance, kInfinity);
    }
  }
  const Track track(corner());
  EXPECT_EQ(track.nearest({kNan, 0, 0}).distance, kInfinity);
  EXPECT_EQ(track.nearest({0, 0, 0}, kNan).distance, kInfinity);
  EXPECT_EQ(track.position_at(kNan).chainage, 0);
  EXPECT_EQ(track.time_at(track.position_at(5)), 1.5);
  EXPECT_EQ(refusal([] { Track(Trajectory{}); }), "trajectory: has no poses");
}

TEST(Track, FindsTheFirstLocationAhead) {
  Generator random(6);
  for (int round = 0; round < 300; ++round) {
    const Vec3 origin = round % 3 == 0 ? kFar : Vec3(0, 0, 0);
    const Track track(wandering(random, random.integer(2, 60), origin));
    const TrackPosition from = track.position_at(random.uniform(0, track.length()));
    const double distance = random.uniform(0, 10);
    const TrackPosition ahead = track.ahead(from, distance), behind = track.behind(from, distance);
    const bool found = std::isfinite(ahead.distance), found_behind = std::isfinite(behind.distance);
    if (found) {
      EXPECT_NEAR((ahead.position - from.position).norm(), distance, 2e-9);
    }
    if (found_behind) {
      EXPECT_NEAR((behind.position - from.position).norm(), distance, 2e-9);
    }
    const double end = found ? ahead.chainage : track.length(), start = found_behind ? behind.chainage : 0;
    EXPECT_GE(end, from.chainage - 1e-9);
    EXPECT_LE(start, from.chainage + 1e-9);
    for (double f = 0; f < 1; f += 0.01) {
      const Vec3 before = track.position_at(from.chainage + f * (end - from.chainage)).position;
      EXPECT_LE((before - from.position).norm(), distance + 2e-9);
      const Vec3 after = track.position_at(from.chainage + f * (start - from.chainage)).position;
      EXPECT_LE((after - from.position).norm(), distance + 2e-9);
    }
  }
}

}  // namespace trajectory_test
}  // namespace graze::clearance
