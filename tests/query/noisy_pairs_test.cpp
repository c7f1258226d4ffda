// The pairs of noisy points: their probabilities against integrals, their draws against moments, and the search for
// them against every pair.
#include "query/noisy_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "graze/query/probability.h"
#include "query/noisy_clouds.h"
#include "query/pair_probability.h"
#include "support/scale.h"

namespace graze_test {
namespace noisy_pairs_test {

using graze::Cloud;
using graze::Pose;
using graze::Probability;
using graze::Vec3;

// By the trapezoidal rule over the sphere's slices, across which the Gaussian has a closed form.
long double slices(long double distance, long double reach) {
  constexpr int kSteps = 8000;
  long double sum = 0;
  for (int k = 0; k <= kSteps; ++k) {
    const long double angle = 3.14159265358979323846L * k / kSteps, y = -reach * std::cos(angle), off = y - distance;
    const long double across = -std::expm1(-(reach * reach - y * y) / 2);
    sum += std::exp(-off * off / 2) * across * reach * std::sin(angle);
  }
  return sum * 3.14159265358979323846L / kSteps / std::sqrt(2 * 3.14159265358979323846L);
}

TEST(PairProbability, IsTheIntegralOverTheBall) {
  for (const double reach : {1e-6, 0.01, 0.2, 0.499, 0.5, 0.7, 1.0, 3.0, 20.0}) {
    for (const double distance : {0.0, 1e-9, 1e-3, 0.3, 1.0, 2.5, 6.0, 15.0, 30.0}) {
      const auto exact = static_cast<double>(slices(distance, reach));
      EXPECT_NEAR(graze::ball_probability(distance, reach), exact, 1e-7 * exact + 1e-300) << distance << " " << reach;
      EXPECT_LE(graze::ball_probability(distance, reach), graze::side_probability(distance, reach) * (1 + 1e-12));
    }
  }
  EXPECT_EQ(graze::ball_probability(1, 0), 0);
  EXPECT_EQ(graze::ball_probability(1e80, 1), 0);
  EXPECT_EQ(graze::ball_probability(1, 1e80), 1);
}

struct Moments {
  double along = 0, along_sq = 0, across_sq = 0;
};

// Of a difference no longer than `reach`, by slices, across which the square has a truncated exponential distribution.
Moments in_ball(double distance, double reach) {
  Moments m;
  double all = 0;
  for (double y = -reach + reach * 1e-4; y < reach; y += reach * 2e-4) {
    const double room = reach * reach - y * y, inside = -std::expm1(-room / 2);
    const double shortest = std::max(0.0, distance - reach);
    const double density = std::exp((shortest * shortest - (distance - y) * (distance - y)) / 2) * inside;
    all += density, m.along += density * y, m.along_sq += density * y * y;
    m.across_sq += density * (room < 1e-3 ? room / 2 : 2 - room * std::exp(-room / 2) / inside);
  }
  return {m.along / all, m.along_sq / all, m.across_sq / all};
}

TEST(PairProbability, DrawsMeetingsAsOftenAsTheyHappen) {
  graze::NoiseSource noise(1);
  const Vec3 n = Vec3(1, -2, 2) / 3;
  const int draws = std::max(scaled(20000), 1000);
  for (const std::array<double, 2>& each :
       {std::array{0.0, 1.0}, std::array{0.5, 0.2}, std::array{1.5, 1.0}, std::array{2.0, 0.3}, std::array{3.0, 1.5},
        std::array{2.0, 2.5}, std::array{10.0, 0.05}, std::array{10.0, 1.0}, std::array{30.0, 4.0}}) {
    const double distance = each[0], reach = each[1];
    const Moments expected = in_ball(distance, reach);
    double along = 0, along_sq = 0, along_4 = 0, across_sq = 0, across_4 = 0;
    for (int k = 0; k < draws; ++k) {
      const Vec3 x =
          distance * n +
          graze::draw_meeting({.toward = distance * n, .reach = reach, .probability = 1, .i = 0, .j = 0}, false, noise);
      ASSERT_LE(x.norm(), reach * (1 + 1e-12));
      // Without a distance there is no direction.
      const double y = distance > 0 ? x.dot(n) : x.x(), t = std::max(0.0, x.squaredNorm() - y * y);
      along += y / draws, along_sq += y * y / draws, along_4 += y * y * y * y / draws;
      across_sq += t / draws, across_4 += t * t / draws;
    }
    const auto five_sigma = [&](double mean, double square) {
      return 5 * std::sqrt(std::max(0.0, square - mean * mean) / draws) + 1e-4 * reach;
    };
    EXPECT_NEAR(along, expected.along, five_sigma(along, along_sq)) << distance << " " << reach;
    EXPECT_NEAR(along_sq, expected.along_sq, five_sigma(along_sq, along_4)) << distance << " " << reach;
    EXPECT_NEAR(across_sq, expected.across_sq, five_sigma(across_sq, across_4)) << distance << " " << reach;
  }
  for (const double gap : {-2.0, 0.0, 0.4, 0.6, 3.0, 20.0}) {
    double mean = 0, square = 0;
    for (int k = 0; k < draws; ++k) {
      const Vec3 w = graze::draw_meeting({.toward = n, .reach = -gap, .probability = 1, .i = 0, .j = 0}, true, noise);
      ASSERT_LE(w.dot(n), -gap * (1 - 1e-12) + 1e-12);
      mean -= w.dot(n) / draws, square += w.dot(n) * w.dot(n) / draws;
    }
    const double density = std::exp(-gap * gap / 2) / std::sqrt(2 * 3.14159265358979);
    EXPECT_NEAR(mean, density / phi(-gap), 5 * std::sqrt(std::max(0.0, square - mean * mean) / draws)) << gap;
  }
}

TEST(NoisyPairs, CountsWhatItLeavesOut) {
  // All pairs have the same distance, so what is left out is known exactly.
  for (const auto& [count_a, count_b] : {std::pair(1, 1), std::pair(17, 300), std::pair(1000, 129)}) {
    const Cloud a = cloud_of(std::vector<Vec3>(static_cast<std::size_t>(count_a), Vec3(0, 0, 0)));
    const Cloud b = cloud_of(std::vector<Vec3>(static_cast<std::size_t>(count_b), Vec3(0, 4, 3)));
    const graze::Relative relative{Vec3(Vec3::Zero())};
    const graze::NoisyMeeting meeting{.relative = relative, .sigma = 1, .radius = 0, .sides = true, .slack = 0};
    const graze::CloudTree tree_a(a), tree_b(b);
    std::vector<graze::NoisyPair> kept;
    graze::NoisyPairSearch search(tree_a, tree_b, meeting, kept);
    search.run(4.5);
    EXPECT_TRUE(kept.empty());
    EXPECT_NEAR(search.left_out(), count_a * count_b * phi(-5), 1e-12 * count_a * count_b);
  }
}

TEST(NoisyPairs, LeavesOutTheLeastLikelyPairs) {
  Generator random(81);
  std::vector<Vec3> a, b;
  for (int i = 0; i < 120; ++i) a.push_back(random.in_cube(1)), b.push_back(random.in_cube(1) + Vec3(3, 0, 0));
  const Cloud cloud_a = cloud_of(a), cloud_b = cloud_of(b);
  const graze::Relative relative{Vec3(Vec3::Zero())};
  const graze::NoisyMeeting meeting{.relative = relative, .sigma = 1, .radius = 0, .sides = true, .slack = 0};
  const graze::CloudTree tree_a(cloud_a), tree_b(cloud_b);
  std::vector<graze::NoisyPair> kept;
  graze::NoisyPairSearch search(tree_a, tree_b, meeting, kept);
  const auto sum = [&] {
    double all = 0;
    for (const graze::NoisyPair& pair : kept) all += pair.probability;
    return all;
  };
  search.run(9);
  ASSERT_EQ(kept.size(), a.size() * b.size());
  const double before = sum(), left = search.left_out();
  search.trim(before / 10);
  const double after = sum();
  EXPECT_LT(kept.size(), a.size() * b.size());
  EXPECT_GE(after, 0.9 * before);
  EXPECT_LE(after, 0.95 * before);
  EXPECT_NEAR(search.left_out() - left, before - after, 1e-9 * before);
  for (const graze::NoisyPair& pair : kept) EXPECT_GE(pair.probability, kept.back().probability);
}

TEST(NoisyPairs, LosesNoPairInItsTrees) {
  Generator random(21);
  for (int i = 0; i < scaled(120); ++i) {
    const auto spread = static_cast<Spread>(i % 6);
    const std::vector<Vec3> a = points_of(spread, 1 + i * 7 % 300, random),
                            b = points_of(spread, 1 + i * 11 % 400, random);
    const Cloud cloud_a = cloud_of(a, i % 3 == 0 ? 0 : 0.01), cloud_b = cloud_of(b, i % 3 == 0 ? 0 : 0.02);
    const Pose pose_a = spread == Spread::far ? Pose() : random.pose(0.5);
    const Pose pose_b = spread == Spread::far ? Pose::at({random.uniform(0, 3), 0, 0}) : random.pose(3);
    const graze::Relative relative(pose_a, pose_b);
    const double sigma = random.magnitude(-3, 0), limit = random.uniform(0, 9);
    const graze::NoisyMeeting meeting{.relative = relative,
                                      .sigma = sigma,
                                      .radius = cloud_a.radius() + cloud_b.radius(),
                                      .sides = i % 3 == 0,
                                      .slack = 1e-8 * (spread == Spread::far)};
    const graze::CloudTree tree_a(cloud_a), tree_b(cloud_b);
    std::vector<graze::NoisyPair> kept;
    graze::NoisyPairSearch search(tree_a, tree_b, meeting, kept);
    search.run(limit);
    ASSERT_FALSE(search.overflow());

    double within = 0, beyond = 0;
    std::size_t count = 0;
    const double min_probability = meeting.max_probability(limit), reach = meeting.radius / sigma;
    for (const Vec3& p : a) {
      for (const Vec3& q : b) {
        if (std::isnan(p.y()) || std::isnan(q.y())) continue;
        const double length = (pose_b * q - pose_a * p).norm() / sigma;
        const double each =
            i % 3 == 0 ? graze::side_probability(length, reach) : graze::ball_probability(length, reach);
        (each >= min_probability ? within : beyond) += each;
        count += each >= min_probability ? 1 : 0;
      }
    }
    const double rounding = spread == Spread::far ? 1e-3 : 1e-9;
    EXPECT_NEAR(static_cast<double>(kept.size()), static_cast<double>(count), rounding * static_cast<double>(count));
    EXPECT_NEAR(search.sum(), within, rounding * within + 1e-12);
    EXPECT_GE(search.left_out(), beyond * (1 - rounding));

    // The answer is between the likeliest pair and all of them.
    const double sigma_a = sigma * random.uniform(0, 1);
    const Probability p =
        probability(at(cloud_a, pose_a), at(cloud_b, pose_b),
                    {.sigma_a = sigma_a, .sigma_b = std::sqrt(sigma * sigma - sigma_a * sigma_a), .samples = 500});
    EXPECT_LE(p.value, std::min(1.0, within + beyond) * (1 + rounding));
    EXPECT_GE(p.high * (1 + rounding), std::min(1.0, search.max_probability()));
    EXPECT_GE(p.value, 0);
    EXPECT_LE(p.low, p.value);
    EXPECT_LE(p.value, p.high);
  }
}

}  // namespace noisy_pairs_test
}  // namespace graze_test
