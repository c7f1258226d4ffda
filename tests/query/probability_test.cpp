// Probabilities of collision against simulation, and properties that must hold.
#include "graze/query/probability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "query/noisy_clouds.h"
#include "query/pair_probability.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace probability_test {

using graze::Cloud;
using graze::Meeting;
using graze::Placed;
using graze::Pose;
using graze::Probability;
using graze::ProbabilityOptions;
using graze::Vec3;

TEST(Probability, OfOnePairIsExact) {
  const Placed a = at(cloud_of({{0, 0, 0}}, 0.1)), b = at(cloud_of({{1, 2, 2}}, 0.3), Pose::at({0, 0, 0}));
  const auto ask = [&](double sa, double sb, Meeting meeting) {
    const Probability p = probability(a, b, {.sigma_a = sa, .sigma_b = sb, .meeting = meeting});
    EXPECT_NEAR(p.low, p.value, 1e-12);
    EXPECT_NEAR(p.high, p.value, 1e-12);
    return p.value;
  };
  EXPECT_NEAR(ask(3, 4, Meeting::balls), graze::ball_probability(3.0 / 5, 0.4 / 5), 1e-14);
  EXPECT_NEAR(ask(3, 4, Meeting::automatic), graze::ball_probability(3.0 / 5, 0.4 / 5), 1e-14);
  EXPECT_NEAR(ask(0, 5, Meeting::balls), graze::ball_probability(3.0 / 5, 0.4 / 5), 1e-14);
  EXPECT_NEAR(ask(3, 4, Meeting::sides), phi(-2.6 / 5), 1e-14);
  EXPECT_NEAR(ask(0.1, 0, Meeting::sides), phi(-26), 1e-150);
  // Points without a radius: one half where they coincide, however large the noise.
  const Placed c = at(cloud_of({{0, 0, 0}})), d = at(cloud_of({{0, 0, 2}}), Pose::at({0, 0, -2}));
  EXPECT_NEAR(probability(c, d, {.sigma_a = 0.1, .sigma_b = 7}).value, 0.5, 1e-12);
  EXPECT_NEAR(probability(c, at(cloud_of({{0, 3, 4}})), {.sigma_a = 3, .sigma_b = 4}).value, phi(-1), 1e-14);
  EXPECT_LT(probability(c, d, {.sigma_a = 0.1, .meeting = Meeting::balls}).value, 1e-30);
}

struct Simulation {
  double all = 0;
  std::vector<double> of_a, of_b;
};

// Moves every point by random noise, many times. Works in the world frame and without trees.
Simulation simulate(const std::vector<Vec3>& a, const std::vector<Vec3>& b, double radius, double sigma_a,
                    double sigma_b, bool sides, int trials, std::uint64_t seed) {
  Generator random(seed);
  const auto normals = [&](double sigma) {
    Vec3 v;
    for (int k = 0; k < 3; ++k) {
      const double u = 1 - random.uniform(0, 1);
      v[k] = sigma * std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * random.uniform(0, 1));
    }
    return v;
  };
  Simulation simulated{0, std::vector<double>(a.size()), std::vector<double>(b.size())};
  std::vector<Vec3> e(a.size()), f(b.size());
  std::vector<bool> hit_a, hit_b;
  for (int t = 0; t < trials; ++t) {
    for (Vec3& v : e) v = normals(sigma_a);
    for (Vec3& v : f) v = normals(sigma_b);
    hit_a.assign(a.size(), false), hit_b.assign(b.size(), false);
    bool hit = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        const Vec3 measured = b[j] - a[i], moved = measured + f[j] - e[i];
        const double length = measured.norm();
        const bool meets = !sides        ? moved.norm() <= radius
                           : length == 0 ? moved.x() <= radius
                                         : moved.dot(measured) <= radius * length;
        if (meets) hit = hit_a[i] = hit_b[j] = true;
      }
    }
    simulated.all += hit ? 1.0 / trials : 0;
    for (std::size_t i = 0; i < a.size(); ++i) simulated.of_a[i] += hit_a[i] ? 1.0 / trials : 0;
    for (std::size_t j = 0; j < b.size(); ++j) simulated.of_b[j] += hit_b[j] ? 1.0 / trials : 0;
  }
  return simulated;
}

struct Pair {
  const char* name;
  std::vector<Vec3> a, b;
};

std::vector<Pair> small_clouds() {
  Generator random(11);
  const auto some = [&](int count, const Vec3& middle, double size) {
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(middle + random.in_cube(size));
    return points;
  };
  std::vector<Pair> pairs;
  pairs.push_back({"two of two", {{0, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {1, 1, 0}}});
  pairs.push_back({"one between two", {{0, 0, 0}}, {{1.2, 0, 0}, {-1.2, 0, 0}}});
  pairs.push_back({"one against many", {{0, 0, 0}}, some(14, {1.5, 0, 0}, 0.3)});
  pairs.push_back({"uniform", some(9, {0, 0, 0}, 1.5), some(12, {2, 0, 0}, 1.5)});
  pairs.push_back({"clustered", some(8, {0, 0, 0}, 0.1), some(8, {2.2, 0, 0}, 0.1)});
  pairs.push_back({"duplicates", std::vector<Vec3>(7, Vec3(0, 0, 0)), std::vector<Vec3>(5, Vec3(1.6, 0, 0))});
  std::vector<Vec3> row_a, row_b;
  for (int i = 0; i < 8; ++i) row_a.emplace_back(i, 0, 0), row_b.emplace_back(i + 0.5, 1.8, 0);
  pairs.push_back({"rows", row_a, row_b});
  pairs.push_back({"rows far apart along themselves", {{0, 0, 0}, {90, 0, 0}}, {{0, 2, 0}, {90, 1, 0}, {90, -1, 0}}});
  return pairs;
}

TEST(Probability, AgreesWithSimulation) {
  std::uint64_t seed = 100;
  const int trials = std::max(scaled(100000), 1000);
  for (const Pair& pair : small_clouds()) {
    for (const auto& [sigma_a, sigma_b, radius] :
         {std::array{0.5, 0.5, 0.3}, std::array{0.6, 0.0, 0.4}, std::array{0.2, 0.6, 0.0}}) {
      const Placed a = at(cloud_of(pair.a, radius / 4)), b = at(cloud_of(pair.b, radius * 3 / 4));
      std::vector<double> of_a(pair.a.size(), kNaN), of_b(pair.b.size(), kNaN);
      const Probability p = probability(
          a, b,
          {.sigma_a = sigma_a, .sigma_b = sigma_b, .tolerance = 0.002, .samples = 40000, .of_a = of_a, .of_b = of_b});
      const Simulation simulated = simulate(pair.a, pair.b, radius, sigma_a, sigma_b, radius == 0, trials, ++seed);
      const auto four_sigma = [&](double q) { return 4 * std::sqrt(std::max(q * (1 - q), 1e-3) / trials); };
      SCOPED_TRACE(testing::Message() << pair.name << ", radius " << radius << ": " << p.low << " " << p.value << " "
                                      << p.high << ", simulated " << simulated.all);
      EXPECT_LE(p.low, p.value);
      EXPECT_LE(p.value, p.high);
      EXPECT_NEAR(p.value, simulated.all, four_sigma(simulated.all) + 0.006);
      EXPECT_LE(p.low, simulated.all + four_sigma(simulated.all));
      EXPECT_GE(p.high, simulated.all - four_sigma(simulated.all));
      EXPECT_LT(p.error(), 0.08);
      for (std::size_t i = 0; i < of_a.size(); ++i)
        EXPECT_NEAR(of_a[i], simulated.of_a[i], four_sigma(of_a[i]) + 0.006);
      for (std::size_t j = 0; j < of_b.size(); ++j)
        EXPECT_NEAR(of_b[j], simulated.of_b[j], four_sigma(of_b[j]) + 0.006);
    }
  }
}

TEST(Probability, AgreesWithSimulationOfDenseClouds) {
  // Two plates of 14 by 14 points, nearer to each other in one corner: so many pairs that the least likely are left
  // out.
  std::vector<Vec3> a, b;
  for (int i = 0; i < 196; ++i) {
    const double x = 0.1 * (i / 14), y = 0.1 * (i % 14);
    a.emplace_back(x, y, 0), b.emplace_back(x + 0.03, y + 0.05, 0.55 + 0.1 * (x + y));
  }
  const int trials = std::max(scaled(2000), 500);
  for (const auto& [sigma_a, sigma_b, radius] : {std::array{0.1, 0.1, 0.1}, std::array{0.02, 0.13, 0.15}}) {
    const Probability p =
        probability(at(cloud_of(a, radius)), at(cloud_of(b)), {.sigma_a = sigma_a, .sigma_b = sigma_b});
    const double simulated = simulate(a, b, radius, sigma_a, sigma_b, false, trials, 5).all;
    EXPECT_GT(simulated, 0.01);
    EXPECT_LT(simulated, 0.99);
    const double four_sigma = 4 * std::sqrt(simulated * (1 - simulated) / trials);
    EXPECT_NEAR(p.value, simulated, four_sigma + 0.01);
    EXPECT_LE(p.low, simulated + four_sigma);
    EXPECT_GE(p.high, simulated - four_sigma);
  }
}

TEST(Probability, UsesTheIndicesOfTheCaller) {
  Generator random(91);
  const std::vector<Vec3> many = points_of(Spread::holes, 100, random);
  const Placed a = at(cloud_of(many, 0.3)), b = at(cloud_of({{0, 0, 0}}));
  std::vector<double> first(many.size()), second(many.size());
  (void)probability(a, b, {.sigma_a = 0.1, .of_a = first});
  (void)probability(b, a, {.sigma_b = 0.1, .of_b = second});
  for (std::size_t i = 0; i < many.size(); ++i) {
    const double each = std::isnan(many[i].y()) ? 0 : graze::ball_probability(many[i].norm() / 0.1, 3);
    EXPECT_NEAR(first[i], each, 1e-3) << i;
    EXPECT_EQ(first[i], second[i]);
  }
}

TEST(Probability, IsTheSameInBothOrdersAndAtAnyPose) {
  Generator random(31);
  for (int i = 0; i < scaled(20); ++i) {
    const Cloud a = cloud_of(points_of(static_cast<Spread>(i % 4), 40, random), 0.02 * (i % 2));
    const Cloud b = cloud_of(points_of(Spread::uniform, 60, random), 0.03 * (i % 2));
    const Pose pose_a = random.pose(1), pose_b = random.pose(1.5);
    std::vector<double> a1(a.size()), b1(b.size()), a2(a.size()), b2(b.size());
    const Probability p = probability(at(a, pose_a), at(b, pose_b),
                                      {.sigma_a = 0.02, .sigma_b = 0.01, .samples = 2000, .of_a = a1, .of_b = b1});
    const Probability q = probability(at(b, pose_b), at(a, pose_a),
                                      {.sigma_a = 0.01, .sigma_b = 0.02, .samples = 2000, .of_a = b2, .of_b = a2});
    EXPECT_EQ(p.value, q.value);
    EXPECT_EQ(p.low, q.low);
    EXPECT_EQ(p.high, q.high);
    EXPECT_EQ(a1, a2);
    EXPECT_EQ(b1, b2);
    for (std::size_t k = 0; k < a.size(); k += 7) {  // each point by itself
      const Probability one = probability(at(cloud_of({a.point(k)}, a.radius()), pose_a), at(b, pose_b),
                                          {.sigma_a = 0.02, .sigma_b = 0.01, .samples = 2000});
      EXPECT_NEAR(a1[k], one.value, p.points_error + one.error() + 1e-9);
      EXPECT_GE(p.high, one.low);
    }
    const Pose moved = random.pose(5);
    const Probability r =
        probability(at(a, moved * pose_a), at(b, moved * pose_b), {.sigma_a = 0.02, .sigma_b = 0.01, .samples = 2000});
    EXPECT_NEAR(p.value, r.value, p.error() + r.error() + 1e-9);
    // One cloud twice at the same pose.
    EXPECT_EQ(probability(at(a), at(a), {.sigma_a = 0.1, .sigma_b = 0.2, .samples = 100}).value,
              probability(at(a), at(a), {.sigma_a = 0.2, .sigma_b = 0.1, .samples = 100}).value);
  }
}

TEST(Probability, FallsWithTheDistanceAndGrowsWithTheRadiusAndThePoints) {
  Generator random(41);
  const std::vector<Vec3> a = points_of(Spread::uniform, 50, random), b = points_of(Spread::uniform, 70, random);
  for (const double radius : {0.0, 0.05}) {
    double before = 1;
    for (const double x : {2.0, 2.1, 2.2, 2.4, 2.8, 5.0}) {
      const Probability p = probability(at(cloud_of(a, radius)), at(cloud_of(b), Pose::at({x, 0, 0})),
                                        {.sigma_a = 0.05, .sigma_b = 0.05});
      EXPECT_LE(p.value, before + p.error()) << x;
      EXPECT_TRUE(x < 5 || p.high < 1e-12);
      before = p.value;
    }
    // Interleaved lattices.
    std::vector<Vec3> lattice;
    for (int i = 0; i < 216; ++i) lattice.emplace_back(0.2 * (i / 36), 0.2 * (i / 6 % 6), 0.2 * (i % 6));
    const Cloud grid = cloud_of(lattice, radius);
    const Probability p =
        probability(at(grid), at(grid, Pose::at({0.1, 0.1, 0.1})), {.sigma_a = 0.05, .sigma_b = 0.05});
    EXPECT_GT(p.value, 0.99);
    EXPECT_GT(p.low, 0.9);
  }
  double before = 0;
  for (const double radius : {0.01, 0.03, 0.1, 0.2, 0.4, 0.8}) {
    const Probability p =
        probability(at(cloud_of(a, radius)), at(cloud_of(b), Pose::at({2.2, 0, 0})), {.sigma_a = 0.05});
    EXPECT_GE(p.value, before - p.error());
    EXPECT_LE(p.value, probability(at(cloud_of(a, radius)), at(cloud_of(b), Pose::at({2.2, 0, 0})),
                                   {.sigma_a = 0.05, .meeting = Meeting::sides})
                           .high);
    before = p.value;
  }
  EXPECT_GT(before, 0.99);
  // A duplicate point with its own noise increases the probability; a point that meets none changes nothing.
  const Placed one = at(cloud_of({{0, 0, 0}})), other = at(cloud_of({{0, 0, 1}}));
  const double once = probability(one, other, {.sigma_a = 0.5}).value;
  EXPECT_NEAR(once, phi(-2), 1e-14);
  EXPECT_NEAR(probability(at(cloud_of({{0, 0, 0}, {0, 0, 0}})), other, {.sigma_a = 0.5, .tolerance = 1e-4}).value,
              1 - (1 - once) * (1 - once), 2e-4);
  EXPECT_NEAR(probability(at(cloud_of({{0, 0, 0}, {0, 0, 0}})), other, {.sigma_b = 0.5, .tolerance = 1e-4}).value, once,
              2e-4);
  EXPECT_NEAR(probability(at(cloud_of({{0, 0, 0}, {900, 0, 0}})), other, {.sigma_a = 0.5}).value, once, 1e-14);
}

TEST(Probability, WithoutNoiseIsCollide) {
  Generator random(51);
  for (int i = 0; i < scaled(60); ++i) {
    const Cloud a = cloud_of(points_of(static_cast<Spread>(i % 6), 30, random), 0.1);
    const Cloud b = cloud_of(points_of(static_cast<Spread>(i % 6), 40, random), 0.1);
    const Placed pa = at(a), pb = at(b, Pose::at({random.uniform(0, 3), 0, 0}));
    std::vector<double> of_a(a.size(), kNaN);
    const Probability p = probability(pa, pb, {.of_a = of_a});
    EXPECT_EQ(p.value, collide(pa, pb) ? 1 : 0);
    EXPECT_EQ(p.low, p.high);
    EXPECT_EQ(*std::max_element(of_a.begin(), of_a.end()), p.value);
    // Little noise gives the same answer, except for pairs that nearly touch.
    const double gap = distance(pa, pb).value;
    if (std::abs(gap) > 1e-6) {
      EXPECT_EQ(std::round(probability(pa, pb, {.sigma_b = 1e-8}).value), p.value);
    }
  }
  const Placed left = at(cloud_of({{0, 0, 0}}, 0.25)), right = at(cloud_of({{0.75, 0, 0}}, 0.5));
  EXPECT_EQ(probability(left, right).value, 1) << "touching is a collision";
  EXPECT_EQ(probability(left, at(cloud_of({{0.7500001, 0, 0}}, 0.5))).value, 0);
  EXPECT_EQ(probability(at(cloud_of({{1, 2, 3}})), at(cloud_of({{1, 2, 3}}))).value, 1);
}

TEST(Probability, OfNoPointsIsZero) {
  const Placed some = at(cloud_of({{0, 0, 0}}, 1)), none = at(Cloud()), holes = at(cloud_of({{kNaN, 0, 0}}, 1));
  std::vector<double> room(1, kNaN);
  for (const Placed& empty : {none, holes}) {
    const Probability p = probability(empty, some, {.sigma_a = 1, .sigma_b = 1, .of_b = room});
    EXPECT_EQ(p.value, 0);
    EXPECT_EQ(p.high, 0);
    EXPECT_EQ(room[0], 0);
    EXPECT_EQ(probability(some, empty).high, 0);
  }
}

TEST(Probability, KeepsItsPromisesWithTooManyPairs) {
  Generator random(61);
  std::vector<Vec3> a, b;
  for (int i = 0; i < 3000; ++i) a.push_back(random.in_cube(1)), b.push_back(random.in_cube(1));
  // Nine million pairs, all of which matter.
  const Probability near = probability(at(cloud_of(a)), at(cloud_of(b)), {.sigma_a = 1, .sigma_b = 1});
  EXPECT_GT(near.low, 1 - 1e-9);
  const Probability far =
      probability(at(cloud_of(a)), at(cloud_of(b), Pose::at({12, 0, 0})), {.sigma_a = 1, .sigma_b = 1});
  EXPECT_LE(far.low, far.value);
  EXPECT_GE(far.high, far.value);
  EXPECT_GT(far.high, 1e-5);
}

TEST(Probability, HandlesNoiseAndSizesOfDifferentMagnitudes) {
  Generator random(71);
  for (int i = 0; i < scaled(300); ++i) {
    const double size = random.magnitude(-20, 20), radius = random.magnitude(-40, 40);
    const double gap = i % 2 == 0 ? 2 * radius : random.magnitude(-20, 20);
    const std::vector<Vec3> points = {size * random.direction(), Vec3(0, 0, 0), Vec3(0, 0, 0)};
    const Placed a = at(cloud_of(points, radius)),
                 b = at(cloud_of(points, radius), Pose::at({std::min(gap, 1e40), 0, 0}));
    const Probability p = probability(a, b,
                                      {.sigma_a = random.magnitude(-45, 45),
                                       .sigma_b = i % 3 == 0 ? 0 : random.magnitude(-45, 45),
                                       .meeting = i % 5 == 0 ? Meeting::sides : Meeting::balls,
                                       .samples = 100});
    EXPECT_TRUE(0 <= p.low && p.low <= p.value && p.value <= p.high && p.high <= 1)
        << i << ": " << p.low << " " << p.value << " " << p.high;
  }
}

TEST(Probability, RejectsInvalidOptions) {
  const Placed cloud = at(cloud_of({{0, 0, 0}})), ball = at(graze::Sphere{.radius = 1});
  EXPECT_EQ(refusal([&] { (void)probability(ball, cloud); }), "a: must be a cloud, is a sphere");
  EXPECT_EQ(refusal([&] { (void)probability(cloud, ball); }), "b: must be a cloud, is a sphere");
  EXPECT_EQ(refusal([&] { (void)probability(cloud, cloud, {.sigma_a = -1}); }),
            "sigma_a: must be 0 or between 1e-50 and 1e50, got -1");
  EXPECT_EQ(refusal([&] { (void)probability(cloud, cloud, {.sigma_b = kNaN}); }),
            "sigma_b: must be 0 or between 1e-50 and 1e50, got nan");
  EXPECT_NE(refusal([&] { (void)probability(cloud, cloud, {.sigma_b = graze::kInfinity}); }), "");
  EXPECT_EQ(refusal([&] { (void)probability(cloud, cloud, {.tolerance = kNaN}); }),
            "tolerance: must not be negative, got nan");
  std::vector<double> room(2);
  EXPECT_EQ(refusal([&] { (void)probability(cloud, cloud, {.of_b = room}); }),
            "of_b: needs room for one answer each: 1, got 2");
}

}  // namespace probability_test
}  // namespace graze_test
