// The true signed distance of any two bodies, as an interval that contains it.
#pragma once

#include <span>

#include "oracle/body.h"
#include "oracle/min_norm.h"

namespace graze_oracle {

struct Bounds {
  /// The true signed distance lies in [lower, upper]; rounding of the oracle itself is included. Overlapping curved
  /// pairs have an upper bound of about 0 (a common point was found) until certify() spends more work on them.
  Real lower = -kRealInfinity, upper = kRealInfinity;
  /// The value itself: the middle of a tight interval, or lower where the search for the exit is the answer.
  Real estimate = 0;
  /// Unit, from a to b, and s(normal) is `lower`, up to rounding.
  Vec normal{0, 0, 1};
  /// Points of a and of b: at least `lower` apart; about `upper` apart if the bodies are.
  Vec on_a, on_b;
};

/// Both bodies must be made with the same origin. `hints` are further directions to try, `starts` further points to
/// look for nearest ones from; neither is trusted.
Bounds signed_distance(const Body& a, const Body& b, std::span<const Vec> hints = {}, std::span<const Vec> starts = {});

/// Raises the proven depth of an overlap: narrows `upper`.
void certify(const Body& a, const Body& b, Bounds& bounds, Real accuracy = 1e-6L, int max_cells = 4000);

/// The error of one evaluation in the oracle's own arithmetic.
Real oracle_rounding(const Body& a, const Body& b);

}  // namespace graze_oracle
