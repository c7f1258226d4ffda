// A cached simplex makes queries faster, but must not change their answers.
#include <gtest/gtest.h>

#include <cmath>

#include "query/judge.h"
#include "query/pair_memory.h"
#include "support/scale.h"

namespace graze_test {
namespace cache_test {

using graze_oracle::Case;
using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::Random;
using graze_oracle::Trouble;

void expect_same_with(graze::PairCache& cache, Judge& judge) {
  const graze::Distance cold = distance(judge.a, judge.b), warm = distance(judge.a, judge.b, {.cache = &cache});
  ASSERT_FALSE(has_nan(warm)) << judge.report();
  if (std::isinf(cold.value) || std::isinf(warm.value)) {
    EXPECT_EQ(cold.value, warm.value) << judge.report();
  } else {
    EXPECT_NEAR(cold.value, warm.value, cold.tolerance + warm.tolerance) << judge.report();
    EXPECT_LE(warm.tolerance, judge.allowed()) << judge.report();
  }
  // A margin that differs from the distance by more than rounding gives the same answer.
  for (const double by : {-0.01, -1e-6, 1e-6, 0.01}) {
    if (!std::isfinite(cold.value)) break;
    const double margin = cold.value + by * static_cast<double>(judge.size);
    graze::PairCache copy = cache;
    EXPECT_EQ(collide(judge.a, judge.b, {.margin = margin}),
              collide(judge.a, judge.b, {.margin = margin, .cache = &copy}))
        << "margin " << margin << "\n"
        << judge.report();
  }
}

TEST(PairCache, ChangesNoAnswerAlongAMotion) {
  Random random(1);
  for (const Kind a : kKinds) {
    for (const Kind b : kKinds) {
      if (unbounded(a) && unbounded(b)) continue;
      for (int path = 0, n = scaled(3); path < n && !HasFailure(); ++path) {
        Case c = make_case(a, b, Trouble::generic, random);
        const auto step = random.direction();
        graze::PairCache cache;
        for (int i = 0; i < 12; ++i) {
          for (std::size_t k = 0; k < 3; ++k) c.b.xyz[k] += 0.02 * step[k];
          c.b.wxyz[1] += 0.01;
          Judge judge(c);
          expect_same_with(cache, judge);
          // The same cache in the other order.
          const graze::Distance back = distance(judge.b, judge.a, {.cache = &cache});
          EXPECT_TRUE(std::isfinite(back.value));
        }
      }
    }
  }
}

TEST(PairCache, OfAnotherPairIsOnlySlower) {
  Random random(2);
  graze::PairCache cache;
  for (int i = 0, n = scaled(4000); i < n && !HasFailure(); ++i) {
    const Kind a = kKinds[static_cast<std::size_t>(random.integer(0, 9))];
    const Kind b = kKinds[static_cast<std::size_t>(random.integer(0, 9))];
    const Trouble trouble = random.chance(0.5) ? Trouble::mixed : Trouble::sliver;
    Judge judge(make_case(a, b, trouble, random));
    expect_same_with(cache, judge);
  }
}

TEST(PairCache, WithRandomContentHidesNoCollision) {
  Random random(3);
  constexpr double kNonsense[] = {
      0, 1, -1, 1e300, -1e300, 1e-300, graze::kInfinity, std::numeric_limits<double>::quiet_NaN()};
  const auto any = [&] { return kNonsense[random.integer(0, 7)]; };
  for (int i = 0, n = scaled(4000); i < n && !HasFailure(); ++i) {
    const Kind a = kKinds[static_cast<std::size_t>(random.integer(0, 7))];
    const Kind b = kKinds[static_cast<std::size_t>(random.integer(0, 7))];
    Judge judge(make_case(a, b, Trouble::generic, random));
    graze::PairCache cache;
    graze::PairMemory& memory = *memory_of(&cache);
    memory.size = random.integer(0, 4);
    for (std::size_t k = 0; k < 4; ++k) {
      memory.a[k] = {any(), any(), any()};
      memory.b[k] = {any(), any(), any()};
    }
    graze::PairCache copy = cache;
    const bool cold = collide(judge.a, judge.b), warm = collide(judge.a, judge.b, {.cache = &cache});
    EXPECT_TRUE(warm || !cold) << judge.report();
    const graze::Distance d = distance(judge.a, judge.b, {.cache = &copy});
    EXPECT_FALSE(has_nan(d)) << judge.report();
  }
}

}  // namespace cache_test
}  // namespace graze_test
