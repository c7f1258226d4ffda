#include "graze/motion/spline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/motion/motion.h"
#include "support/generator.h"
#include "support/refusal.h"

namespace graze_test {
namespace spline_test {

using graze::AnyMotion;
using graze::Pose;
using graze::Spline;
using graze::Vec3;

std::vector<Pose> random_poses(Generator& random, int count) {
  std::vector<Pose> poses;
  for (int i = 0; i < count; ++i) poses.push_back(random.pose(3));
  return poses;
}

TEST(Spline, PassesThroughItsPoses) {
  Generator random(1);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Pose> poses = random_poses(random, random.integer(1, 6));
    const Spline spline(poses);
    EXPECT_EQ(spline.at(0), poses.front());
    EXPECT_EQ(spline.at(1), poses.back());
    EXPECT_EQ(spline.at(std::nan("")), poses.front());
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const double t = poses.size() > 1 ? static_cast<double>(k) / static_cast<double>(poses.size() - 1) : 0;
      const Pose at = spline.at(t);
      EXPECT_LT((at.translation() - poses[k].translation()).norm(), 1e-12);
      EXPECT_LT((at.rotation() - poses[k].rotation()).norm(), 1e-12);
    }
  }
}

TEST(Spline, OfTwoPosesIsTheMotionBetweenThem) {
  Generator random(2);
  for (int i = 0; i < 100; ++i) {
    const std::vector<Pose> poses = random_poses(random, 2);
    const Spline spline(poses);
    const graze::Motion motion(poses[0], poses[1]);
    for (const double t : {0.2, 0.5, 0.9}) {
      EXPECT_LT((spline.at(t).translation() - motion.at(t).translation()).norm(), 1e-12);
      EXPECT_LT((spline.at(t).rotation() - motion.at(t).rotation()).norm(), 1e-12);
    }
  }
}

// Paths are no longer than the reach, velocities do not jump, and points stray from chords as far as the bend allows.
TEST(Spline, KeepsWithinItsReachAndBend) {
  Generator random(3);
  double closest = 0;
  for (int i = 0; i < 300; ++i) {
    const Spline spline(random_poses(random, random.integer(1, 6)));
    const double radius = random.uniform(0, 2), begin = random.uniform(0, 1), end = random.uniform(begin, 1);
    const Vec3 point = radius * random.direction();
    const double reach = spline.reach(radius, begin, end), bend = spline.bend(radius, begin, end);
    EXPECT_EQ(AnyMotion(spline).bend(radius, begin, end), bend);
    EXPECT_EQ(AnyMotion(spline).smooth_until(begin), 1);
    const Vec3 from = spline.at(begin) * point, to = spline.at(end) * point;
    constexpr int kSteps = 200;
    Vec3 last = from;
    double path = 0;
    for (int k = 1; k <= kSteps; ++k) {
      const double s = static_cast<double>(k) / kSteps, length = end - begin;
      const Vec3 at = spline.at(begin + s * length) * point;
      path += (at - last).norm();
      last = at;
      const double sag = (at - (from + s * (to - from))).norm(), allowed = bend * length * length * s * (1 - s) / 2;
      EXPECT_LE(sag, allowed + 1e-12) << i;
      if (allowed > 1e-9) closest = std::max(closest, sag / allowed);
    }
    EXPECT_LE(path, reach + 1e-12) << i;
  }
  EXPECT_GT(closest, 0.3);  // the bound is not an idle one
}

TEST(Spline, TurnsOnWithoutTurningBack) {
  // Four thirds of a turn in steps of a third: the same axis all the time.
  std::vector<Pose> poses;
  for (int i = 0; i < 5; ++i) poses.push_back(Pose::from_rpy({}, 0, 0, i * 2.0943951023931953));
  const Spline spline(poses);
  for (int i = 0; i <= 100; ++i) {
    const double t = i / 100.0;
    const Vec3 x = spline.at(t).rotation().col(0);
    EXPECT_NEAR(x.x(), std::cos(t * 8.377580409572781), 1e-9) << t;
    EXPECT_NEAR(x.y(), std::sin(t * 8.377580409572781), 1e-9) << t;
  }
}

TEST(Spline, RefusesNoPoses) {
  EXPECT_NE(refusal([] { Spline(std::vector<Pose>()); }), "");
}

}  // namespace spline_test
}  // namespace graze_test
