// Every pair of shapes of every kind of difficulty, against oracles that share no code with the library.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "query/judge.h"
#include "support/scale.h"

namespace graze_test {
namespace pairs_test {

using graze_oracle::Kind;
using graze_oracle::kKinds;
using graze_oracle::kTroubles;
using graze_oracle::Random;
using graze_oracle::Trouble;

using Kinds = std::pair<Kind, Kind>;

std::vector<Kinds> unordered_pairs() {
  std::vector<Kinds> list;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    for (std::size_t j = i; j < kKinds.size(); ++j) list.push_back({kKinds[i], kKinds[j]});
  }
  return list;
}

// Answers on the safe side that miss the accuracy gates (1e-12 of the size for closed forms, 1e-9 for iterative ones)
// but keep the coarse one: at most one in this many, of each kind of difficulty. To be raised until none is left.
constexpr int kInexactOneIn = 300;

class ShapePairs : public testing::TestWithParam<Kinds> {
 protected:
  // Calls check(judge) for `count` pairs of each kind of difficulty and reports the first few that are wrong.
  template <class Check>
  void for_each_case(int count, std::uint64_t salt, const Check& check) {
    constexpr int kShown = 3;
    const auto [kind_a, kind_b] = GetParam();
    for (const Trouble trouble : kTroubles) {
      int wrong = 0, inexact = 0;
      std::string first_inexact;
      for (int i = 0; i < count; ++i) {
        const std::uint64_t seed =
            salt + 1000003u * static_cast<std::uint64_t>(i) + 100u * static_cast<std::uint64_t>(kind_a) +
            10u * static_cast<std::uint64_t>(kind_b) + 7919u * static_cast<std::uint64_t>(trouble);
        Random random(seed);
        Judge judge(make_case(kind_a, kind_b, trouble, random));
        check(judge);
        if (judge.complaints.empty()) continue;
        Judge coarse = judge.coarse();
        check(coarse);
        if (!judge.promise_broken() && coarse.complaints.empty()) {
          ++inexact;
          first_inexact = first_inexact.empty() ? judge.report() : first_inexact;
        } else if (++wrong <= kShown) {
          ADD_FAILURE() << name_of(trouble) << ", seed " << seed << ":\n" << judge.report();
        }
      }
      EXPECT_EQ(wrong, 0) << "of " << count << " pairs, " << name_of(trouble);
      EXPECT_LE(inexact, (count + kInexactOneIn / 2) / kInexactOneIn)
          << "of " << count << " pairs, " << name_of(trouble) << "; the first:\n"
          << first_inexact;
    }
  }
};

TEST_P(ShapePairs, NeverMissACollisionOrMisstateADistance) {
  for_each_case(scaled(330), 1, [](Judge& judge) { judge.check_distance(); });
}

TEST_P(ShapePairs, RespectLimits) {
  for_each_case(scaled(30), 2, [](Judge& judge) {
    const graze::Distance d = distance(judge.a, judge.b);
    judge.find_truth(d);
    judge.check_limit(d);
  });
}

TEST_P(ShapePairs, PenetrateByTheShortestExit) {
  for_each_case(scaled(30), 3, [](Judge& judge) {
    const graze::Distance d = distance(judge.a, judge.b);
    judge.find_truth(d);
    judge.check_penetration(d);
  });
}

TEST_P(ShapePairs, TouchWhereContactsSay) {
  for_each_case(scaled(30), 4, [](Judge& judge) {
    const graze::Distance d = distance(judge.a, judge.b);
    judge.find_truth(d);
    judge.check_contacts(d);
  });
}

// Hulls of so many vertices that SIMD lanes and hill climbing matter; only proofs are affordable for these.
TEST(LargeHulls, AreAsAccurateAsSmallOnes) {
  Random random(64);
  for (const int count : {33, 64, 200, 600}) {
    for (const Kind other : kKinds) {
      for (int i = 0, n = scaled(count > 100 ? 4 : 12); i < n && !HasFailure(); ++i) {
        graze_oracle::Case c = make_case(Kind::convex, other, i % 4 == 0 ? Trouble::nested : Trouble::generic, random);
        c.a.points.clear();
        for (int k = 0; k < count; ++k) {
          const auto d = random.direction();
          const double stretch = random.chance(0.9) ? 1 : random.uniform(0.2, 1);
          c.a.points.push_back({0.9 * stretch * d[0], 0.6 * stretch * d[1], 0.4 * stretch * d[2]});
        }
        if (other == Kind::convex && i % 2 == 0) c.b.points = c.a.points;
        Judge judge(c);
        judge.check_distance();
        const graze::Distance d = distance(judge.a, judge.b);
        judge.check_contacts(d);
        if (d.value < -1e-3 && !unbounded(other)) {
          certify(judge.body_a, judge.body_b, judge.truth, 1e-4L, 20000);
          judge.expect(judge.truth.upper - d.value < 1e-3, "distance: ", d.value, " is deeper than the proven ",
                       judge.truth.upper);
        }
        EXPECT_TRUE(judge.complaints.empty()) << count << " points\n" << judge.report().substr(0, 2000);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShapePairs, testing::ValuesIn(unordered_pairs()), [](const auto& pair) {
  return std::string(name_of(pair.param.first)) + "_" + name_of(pair.param.second);
});

}  // namespace pairs_test
}  // namespace graze_test
