// The errors of graze for a pair of kinds: docs/accuracy.md publishes them and tests compare them with the limits.
#pragma once

#include <algorithm>
#include <cmath>

#include "oracle/cases.h"
#include "query/judge.h"

namespace graze_test {

struct Accuracy {
  graze_oracle::Kind a{}, b{};
  Real separated = 0, overlapping = 0;  ///< worst error relative to the size
  Real tolerance = 0;                   ///< worst stated one
  long cases = 0, missed = 0, overstated = 0, alarms = 0;

  Real worst() const { return std::max(separated, overlapping); }
  /// The max allowed error.
  Real gate() const { return iterative(a, b) ? kIterative : kClosedForm; }
};

/// Pair of poses number i, of any number.
inline graze_oracle::Case published_case(graze_oracle::Kind a, graze_oracle::Kind b, int i) {
  // Those that the page covers; sizes of 0, the last kind, are tested with all pairs.
  constexpr std::size_t kPublished = graze_oracle::kTroubles.size() - 1;
  static_assert(graze_oracle::kTroubles[kPublished] == graze_oracle::Trouble::flat);
  const auto trouble = graze_oracle::kTroubles[static_cast<std::size_t>(i) % kPublished];
  graze_oracle::Random random(0xacc0000u + 100003u * static_cast<std::uint64_t>(i) +
                              1000u * static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  return make_case(a, b, trouble, random);
}

/// Adds it to the row of its kinds.
inline void count_case(Accuracy& row, int i) {
  Judge judge(published_case(row.a, row.b, i));
  const graze::Distance d = distance(judge.a, judge.b);
  judge.find_truth(d);
  ++row.cases;
  if (!collide(judge.a, judge.b) && judge.truth.upper <= 0) ++row.missed;
  if (collide(judge.a, judge.b) && judge.truth.lower > judge.allowed()) ++row.alarms;
  if (d.value - d.tolerance > judge.truth.upper) ++row.overstated;
  if (!std::isfinite(d.value) || !std::isfinite(judge.truth.estimate)) return;
  // Apart, the oracle's own interval is part of the error; in an overlap its value is the best known exit.
  const Real error = d.value > 0 ? std::max(d.value - judge.truth.lower, judge.truth.upper - d.value)
                                 : std::abs(d.value - judge.truth.estimate);
  Real& worst = d.value > 0 ? row.separated : row.overlapping;
  worst = std::max(worst, error / judge.size);
  row.tolerance = std::max(row.tolerance, d.tolerance / judge.size);
}

/// The first `cases` pairs of poses.
inline Accuracy accuracy_of(graze_oracle::Kind a, graze_oracle::Kind b, int cases) {
  Accuracy row{.a = a, .b = b};
  for (int i = 0; i < cases; ++i) count_case(row, i);
  return row;
}

}  // namespace graze_test
