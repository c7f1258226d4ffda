// The probability that at least one of many events happens, each of which needs one point of each of two noisy clouds.
// Lengths are in units of the standard deviation of the difference of two points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/vec.h"
#include "query/noise.h"

namespace graze {

/// Point i of one cloud and j of the other, and how likely they meet.
struct NoisyPair {
  Vec3 toward;         ///< balls: from i to j as measured; sides: the unit vector along it
  double reach;        ///< balls: of their radii; sides: that minus the distance measured
  double probability;  ///< that the two meet
  std::uint32_t i, j;
};

/// The shares of the two clouds in the variance of a difference; their sum is 1.
struct NoiseShares {
  double a, b;
};

/// An estimate and what surely, or all but surely, encloses it.
struct Enclosed {
  double value = 0, low = 0, high = 0;
};

/// The input of one union. The noise of point i is kept at `noise_a[i]`, of point j at `noise_b[j]`.
struct CoverageQuestion {
  std::span<const NoisyPair> pairs;
  std::span<const std::uint32_t> points_a, points_b;  ///< the indices that occur in `pairs`, each once
  NoiseShares shares;
  bool sides = false;
  double tolerance = 0;
  std::size_t samples = 0;
  std::uint64_t seed = 0;
};

struct CoverageMemory {
  std::vector<Vec3> noise_a, noise_b;
  std::vector<double> up_to;  ///< sums of the probabilities
};

/// The noise of a pair's difference, drawn given that the two meet.
Vec3 draw_meeting(const NoisyPair& pair, bool sides, NoiseSource& noise);

/// The probability that any of the pairs meets. `known` encloses it for sure and the answer keeps within; it is not
/// sampled where that is exact or `samples` is 0.
///
/// The coverage estimator of Karp and Luby (1983): draw a pair by its probability, then the noise given that this pair
/// meets, then that of all other points, and count the pairs that meet, N >= 1. The union has the probability S ·
/// E[1/N] with S the sum of the pairs'. 1/N is between 0 and 1: the relative error does not grow where the event is
/// rare. The enclosure is the empirical Bernstein bound (Audibert, Munos and Szepesvári 2009) at one in ten million.
Enclosed coverage(const CoverageQuestion& question, const Enclosed& known, CoverageMemory& memory);

}  // namespace graze
