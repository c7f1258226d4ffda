// The probability that two noisy clouds collide, beside simulation: clouds with new noise each time, and `collide`.
//
//     bench_probability [--json PATH]

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/geometry/cloud.h"
#include "graze/query/collide.h"
#include "graze/query/probability.h"
#include "tests/support/generator.h"

namespace {

using graze::Cloud;
using graze::Placed;
using graze::Pose;
using graze::Probability;
using graze::Vec3;
using graze::bench::time_of;
using graze_test::Generator;

constexpr double kSigmaA = 0.002, kSigmaB = 0.004, kRadius = 0.003;
constexpr int kTrials = 1000;  // a standard error of up to 0.016

// A held ball of radius 0.1 m and a table of 1 m × 1 m below it, with the same number of points each.
struct Scene {
  std::vector<Vec3> ball, table;
  double height = 0.2;  // of the ball's centre

  Placed a() const { return at(Cloud(std::span(ball), {.radius = kRadius}), Pose::at({0.5, 0.5, height})); }
  Placed b() const { return at(Cloud(std::span(table), {.radius = kRadius})); }
};

// Lowered until a collision has some probability.
Scene make_scene(std::size_t count) {
  Generator random(count);
  Scene scene;
  for (std::size_t i = 0; i < count; ++i) {
    scene.ball.push_back(0.1 * random.direction());
    const double x = random.uniform(0, 1), y = random.uniform(0, 1);
    scene.table.emplace_back(x, y, 0);
  }
  double low = 0.08, high = 0.2;
  for (int i = 0; i < 8; ++i) {
    scene.height = (low + high) / 2;
    const double p = probability(scene.a(), scene.b(), {.sigma_a = kSigmaA, .sigma_b = kSigmaB, .samples = 500}).value;
    (p > 0.3 ? low : high) = scene.height;
  }
  return scene;
}

double normal(Generator& random) {
  const double u = 1 - random.uniform(0, 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * random.uniform(0, 1));
}

Cloud measured_anew(const std::vector<Vec3>& points, double sigma, Generator& random) {
  std::vector<Vec3> moved = points;
  for (Vec3& p : moved) {
    for (double& x : p) x += sigma * normal(random);
  }
  return Cloud(std::span<const Vec3>(moved), {.radius = kRadius});
}

void measure(graze::bench::Claims& claims, std::size_t count) {
  const Scene scene = make_scene(count);
  const Placed a = scene.a(), b = scene.b();
  graze::ProbabilityScratch scratch;
  Probability p;
  double ours = graze::kInfinity;
  for (int round = 0; round < 3; ++round) {
    ours = std::min(ours, time_of([&] { p = probability(a, b, {.sigma_a = kSigmaA, .sigma_b = kSigmaB}, scratch); }));
  }
  // Fewer trials where they take long; the time is scaled to kTrials.
  const int trials = count < 20000 ? kTrials : kTrials / 5;
  Generator random(7);
  int hits = 0;
  const double simulated = time_of([&] {
    for (int t = 0; t < trials; ++t) {
      hits += collide(at(measured_anew(scene.ball, kSigmaA, random), a.pose),
                      at(measured_anew(scene.table, kSigmaB, random)))
                  ? 1
                  : 0;
    }
  });
  const double q = static_cast<double>(hits) / trials, sigma = std::sqrt(std::max(q * (1 - q), 0.01) / trials);
  fmt::print("{} points: {:.4f} in [{:.4f}, {:.4f}]; {} trials say {:.4f} ± {:.4f}\n", count, p.value, p.low, p.high,
             trials, q, sigma);
  claims.add({.id = fmt::format("probability/ball on table, {} points", count),
              .ours = ours * 1e-6,
              .peer_name = fmt::format("{} trials", kTrials),
              .peer = simulated / trials * kTrials * 1e-6,
              .unit = "ms",
              .goal = 10,
              .agree = std::abs(p.value - q) <= 4 * sigma + p.error()});
}

}  // namespace

int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
  for (const std::size_t count : {1000U, 3000U, 10000U, 30000U, 100000U}) measure(claims, count);
  return claims.finish();
}
