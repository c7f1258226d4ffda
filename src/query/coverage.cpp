#include "query/coverage.h"

#include <algorithm>
#include <cmath>

#include "graze/base/elementary.h"
#include "query/products.h"

namespace graze {
namespace {

// The coordinate, along the direction of the measured difference, of a difference that is no longer than the reach; the
// other two coordinates are then `across` long. Given the coordinate y, those are within sqrt(reach² − y²) with the
// probability 1 − exp(−(reach² − y²) / 2), by which a normal coordinate is accepted.
struct InBall {
  double along, across;
};

InBall draw_in_ball(double distance, double reach, NoiseSource& noise) {
  const double gap = distance - reach;  // of the balls; in front of the ball if positive
  // Where the normal density is nearly the same all over the ball, and where only a narrow ball accepts its tail.
  const bool narrow = reach * std::max(1.0, gap) < 1;
  const double best = -elementary::expm1(-reach * reach / 2);
  // One in ten or more is accepted, unless the noise is lost in the rounding of a ball 1e15 times as large.
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    double y = 0;
    if (narrow) {
      y = reach * (2 * noise.uniform() - 1);
      const double off = y - distance, lowest = std::max(0.0, gap);
      if (noise.uniform() > elementary::exp((lowest * lowest - off * off) / 2)) continue;
    } else {
      y = distance - noise.normal_above(gap);
      if (y < -reach) continue;
    }
    const double room = (reach - y) * (reach + y), inside = -elementary::expm1(-room / 2);
    if (noise.uniform() * best > inside) continue;
    return {y, std::sqrt(-2 * elementary::log1p(-noise.uniform() * inside))};
  }
  return {std::min(distance, reach), 0};
}

}  // namespace

Vec3 draw_meeting(const NoisyPair& pair, bool sides, NoiseSource& noise) {
  const double distance = sides ? 1 : pair.toward.norm();
  const Vec3 n = distance > 0 ? Vec3(pair.toward / distance) : Vec3(Vec3::UnitX());
  const Vec3 u = any_orthogonal(n), v = cross(n, u);
  if (sides) {
    const double along = -noise.normal_above(-pair.reach), x = noise.normal();
    return along * n + x * u + noise.normal() * v;
  }
  const InBall drawn = draw_in_ball(distance, pair.reach, noise);
  const double angle = 6.283185307179586 * noise.uniform();
  return (drawn.along - distance) * n + drawn.across * (elementary::cos(angle) * u + elementary::sin(angle) * v);
}

namespace {

template <bool kSides>
bool meets(const NoisyPair& pair, const Vec3& difference) {
  if (kSides) return dot(pair.toward, difference) <= pair.reach;
  const Vec3 moved = plus(pair.toward, difference);
  return dot(moved, moved) <= pair.reach * pair.reach;
}

template <bool kSides>
std::size_t count_meeting(std::span<const NoisyPair> pairs, const CoverageMemory& memory) {
  std::size_t count = 0;
  for (const NoisyPair& pair : pairs) {
    count += meets<kSides>(pair, minus(memory.noise_b[pair.j], memory.noise_a[pair.i])) ? 1 : 0;
  }
  return count;
}

/// One in how many of the pairs that meet.
double draw(const CoverageQuestion& q, CoverageMemory& memory, NoiseSource& noise) {
  const auto& up_to = memory.up_to;
  const double at = noise.uniform() * up_to.back();
  const auto chosen = static_cast<std::size_t>(std::lower_bound(up_to.begin(), up_to.end() - 1, at) - up_to.begin());
  const NoisyPair& pair = q.pairs[chosen];

  const double a = std::sqrt(q.shares.a), b = std::sqrt(q.shares.b);
  if (a > 0) {
    for (const std::uint32_t i : q.points_a) memory.noise_a[i] = a * noise.normals();
  }
  if (b > 0) {
    for (const std::uint32_t j : q.points_b) memory.noise_b[j] = b * noise.normals();
  }
  // Given the difference, the two points are displaced against each other by their shares of it, and together.
  const Vec3 difference = draw_meeting(pair, q.sides, noise), together = a * b * noise.normals();
  memory.noise_a[pair.i] = together - q.shares.a * difference;
  memory.noise_b[pair.j] = together + q.shares.b * difference;

  // The chosen pair is among them, or left out by rounding.
  const std::size_t meeting = q.sides ? count_meeting<true>(q.pairs, memory) : count_meeting<false>(q.pairs, memory);
  return 1 / static_cast<double>(std::max<std::size_t>(1, meeting));
}

}  // namespace

Enclosed coverage(const CoverageQuestion& q, const Enclosed& known, CoverageMemory& memory) {
  constexpr double kKnown = 1e-9;
  if (known.high - known.low <= kKnown * known.high || q.samples == 0) return known;
  memory.up_to.clear();
  double sum = 0;
  for (const NoisyPair& pair : q.pairs) memory.up_to.push_back(sum += pair.probability);
  for (const std::uint32_t i : q.points_a) memory.noise_a[i].setZero();
  for (const std::uint32_t j : q.points_b) memory.noise_b[j].setZero();

  constexpr double kLogThreeOverChance = 17.2;  // ln(3 / 1e-7)
  constexpr std::size_t kFirstBatch = 64;
  NoiseSource noise(q.seed);
  double mean = 0, squares = 0;  // of the deviations from the mean (Welford)
  Enclosed answer = known;
  for (std::size_t drawn = 0, batch = std::min(kFirstBatch, q.samples); batch > 0;) {
    for (const std::size_t end = drawn + batch; drawn < end;) {
      const double weight = draw(q, memory, noise), off = weight - mean;
      mean += off / static_cast<double>(++drawn);
      squares += off * (weight - mean);
    }
    const auto count = static_cast<double>(drawn);
    const double error =
        sum * (std::sqrt(2 * squares / count * kLogThreeOverChance / count) + 3 * kLogThreeOverChance / count);
    answer.low = std::max(known.low, sum * mean - error);
    answer.high = std::min(known.high, sum * mean + error);
    answer.value = std::clamp(sum * mean, known.low, known.high);
    if (std::max(answer.value - answer.low, answer.high - answer.value) <= q.tolerance) break;
    batch = std::min(drawn, q.samples - drawn);  // twice as many in all
  }
  return answer;
}

}  // namespace graze
