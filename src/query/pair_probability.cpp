#include "query/pair_probability.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/base/elementary.h"

namespace graze {
namespace {

constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kInverseRootTwoPi = 0.39894228040143267794;

double density(double x) { return kInverseRootTwoPi * elementary::exp(-x * x / 2); }

/// (1 − exp(−y)) / y
double mean_decay(double y) { return y > 0 ? -elementary::expm1(-y) / y : 1; }

// The length t of the difference has the density 2 t² φ(t − distance) mean_decay(2 t distance). Nothing cancels in its
// integral, which the closed form below cannot say for a small reach. Gauss and Legendre with 16 nodes: the exponents
// vary by less than 20 over the interval.
double small_ball(double distance, double reach) {
  constexpr std::array<double, 8> kNode = {0.09501250983763744, 0.28160355077925891, 0.45801677765722739,
                                           0.61787624440264375, 0.75540440835500303, 0.86563120238783174,
                                           0.94457502307323258, 0.98940093499164993};
  constexpr std::array<double, 8> kWeight = {0.18945061045506850, 0.18260341504492359, 0.16915651939500254,
                                             0.14959598881657673, 0.12462897125553387, 0.09515851168249278,
                                             0.06225352393864789, 0.02715245941175409};
  double sum = 0;
  for (std::size_t i = 0; i < kNode.size(); ++i) {
    for (const double side : {-1.0, 1.0}) {
      const double t = reach / 2 * (1 + side * kNode[i]);
      sum += kWeight[i] * 2 * t * t * density(t - distance) * mean_decay(2 * t * distance);
    }
  }
  return reach / 2 * sum;
}

}  // namespace

double upper_tail(double x) { return elementary::erfc(kRootHalf * x) / 2; }

double ball_probability(double distance, double reach) {
  constexpr double kSmallReach = 0.5;
  if (!(reach > 0)) return 0;
  if (reach < kSmallReach) return small_ball(distance, reach);
  // The distribution of a noncentral chi variable with three degrees of freedom.
  const double p = upper_tail(distance - reach) - upper_tail(distance + reach) -
                   2 * reach * density(distance - reach) * mean_decay(2 * reach * distance);
  return std::clamp(p, 0.0, 1.0);
}

}  // namespace graze
