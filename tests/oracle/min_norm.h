// The point nearest to the origin of the hull of points, found by Wolfe's algorithm.
#pragma once

#include <array>
#include <vector>

#include "oracle/body.h"

namespace graze_oracle {

/// A convex combination of at most four points.
struct Corral {
  int size = 0;
  std::array<Vec, 4> point{};
  std::array<Vec, 4> on_a{}, on_b{};  // point[i] = on_b[i] - on_a[i] where two bodies are meant
  std::array<Real, 4> weight{};

  Vec value() const;
};

/// Minimises |x| over the corral's own hull; drops the points that are not needed.
void reduce(Corral& corral);

/// Nearest point of the hull of `points` to p.
Vec nearest_in_hull(const std::vector<Vec>& points, const Vec& p);

struct NearestPair {
  Vec on_a, on_b;
  /// Unit, from a to b, and s(normal): never exceeds the true distance. |on_b - on_a| is never below it.
  Vec normal;
  Real lower = 0, upper = 0;
};

/// Nearest points of two bounded bodies; upper is (nearly) 0 where they overlap. Rounding radii are included.
NearestPair nearest_pair(const Body& a, const Body& b);

}  // namespace graze_oracle
