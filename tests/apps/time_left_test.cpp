#include "apps/graze/time_left.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace graze_test {
namespace time_left_test {

using graze::app::TimeLeft;

struct Step {
  double seconds, share;  // of the time of all phases, and of the bar
};

// Simulates work with an artificial clock and compares the estimates with the truth, from a fifth of the time on.
struct Simulation {
  std::vector<Step> phases;
  double misjudged = 1;  // how far off the prediction of later phases is
  double uneven = 0;     // how much the pace differs within a phase
  bool declared = true;
  int estimated = 0, moments = 0;
  double worst = 1;

  void run(std::mt19937_64& random) {
    double total = 0, now = 0, start = 0;
    for (const Step& phase : phases) total += phase.seconds;
    TimeLeft left;
    for (std::size_t k = 0; k < phases.size(); ++k) {
      const Step& phase = phases[k];
      double later = 0;
      for (std::size_t j = k + 1; j < phases.size(); ++j) later += phases[j].seconds * misjudged;
      if (declared) left.start_phase({.now = now, .begin = start, .end = start + phase.share, .later = later});
      // A hundred pieces that take different times.
      std::vector<double> pieces(100, 1.0);
      std::uniform_real_distribution<double> draw(1 - uneven, 1 + uneven);
      double sum = 0;
      for (double& piece : pieces) sum += piece = draw(random);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        now += pieces[i] / sum * phase.seconds;
        const auto estimate = left.seconds(now, start + phase.share * static_cast<double>(i + 1) / 100);
        const double truth = total - now;
        if (now < total / 5 || truth < total / 50) continue;
        ++moments;
        if (!estimate) continue;
        ++estimated;
        worst = std::max({worst, *estimate / truth, truth / *estimate});
      }
      start += phase.share;
    }
  }
};

TEST(TimeLeft, IsExactForSteadyWork) {
  std::mt19937_64 random(1);
  Simulation work{.phases = {{100, 1}}, .declared = false};
  work.run(random);
  EXPECT_LT(work.worst, 1.001);
  EXPECT_EQ(work.estimated, work.moments);
}

// Reading, measuring and writing, whose shares of the bar are not those of the time.
TEST(TimeLeft, IsWithinAFactorOfTwoInPhasesOfAnySpeed) {
  int estimated = 0, moments = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> draw(-1.5, 1.5), off(0.75, 1.33);
    Simulation work{.phases = {{30 * std::pow(10, draw(random)), 0.12},
                               {30 * std::pow(10, draw(random)), 0.58},
                               {30 * std::pow(10, draw(random)), 0.3}},
                    .misjudged = off(random),
                    .uneven = 0.5};
    work.run(random);
    EXPECT_LT(work.worst, 2) << "seed " << seed;
    estimated += work.estimated;
    moments += work.moments;
  }
  EXPECT_GT(estimated, moments / 2) << "there is an estimate most of the time";
}

// A run of 107 s whose bar was at a fifth when it showed 0:17.
TEST(TimeLeft, IsSilentWhileTheRestIsUnknown) {
  TimeLeft left;
  left.start_phase({.now = 0, .begin = 0, .end = 0.2, .later = std::nullopt});
  for (int i = 1; i <= 40; ++i) EXPECT_EQ(left.seconds(0.1 * i, 0.005 * i), std::nullopt);
  left.start_phase({.now = 4, .begin = 0.2, .end = 0.9, .later = 3});
  EXPECT_EQ(left.seconds(5, 0.207), std::nullopt) << "too early for an estimate";
  std::optional<double> estimate;
  for (int i = 2; i <= 50; ++i) estimate = left.seconds(4 + i, 0.2 + 0.007 * i);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(*estimate, 53, 0.5);
}

// There is no estimate soon after a change of pace, and later ones are within a factor of two.
TEST(TimeLeft, NoticesThatThePaceChanges) {
  for (const double slower : {0.1, 0.2, 5.0, 10.0}) {
    TimeLeft left;
    const double change = 20, rest = 80 * slower;
    for (double now = 0.1; now < change; now += 0.1) left.seconds(now, 0.2 * now / change);
    int estimated = 0;
    for (double now = 0.1; now < rest * 0.97; now += 0.1) {
      const auto estimate = left.seconds(change + now, 0.2 + 0.8 * now / rest);
      if (!estimate || now < change / 5) continue;
      ++estimated;
      EXPECT_LT(*estimate, 2 * (rest - now)) << slower << " at " << now;
      EXPECT_GT(*estimate, (rest - now) / 2) << slower << " at " << now;
    }
    EXPECT_TRUE(estimated > 0 || slower < 1) << slower;
  }
}

}  // namespace time_left_test
}  // namespace graze_test
