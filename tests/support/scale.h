// How many cases a test runs: few on every change, many in a soak.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace graze_test {

/// `n` times the environment's GRAZE_TEST_SCALE (1 if unset or not a positive number), at least 1.
inline int scaled(int n) {
  const char* text = std::getenv("GRAZE_TEST_SCALE");
  const double by = text ? std::atof(text) : 1;
  if (!std::isfinite(by) || by <= 0) return n;
  return static_cast<int>(std::clamp(by * n, 1.0, double(std::numeric_limits<int>::max())));
}

}  // namespace graze_test
