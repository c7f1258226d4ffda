#include "oracle/signed_distance.h"

#include <algorithm>

#include "oracle/certify.h"
#include "oracle/search.h"

namespace graze_oracle {
namespace {

Bounds exactly(Real value, const Vec& normal, Real rounding) {
  Bounds r;
  r.lower = value - rounding;
  r.upper = value + rounding;
  r.estimate = value;
  r.normal = normal;
  return r;
}

// At least one of the two is a half-space or a plane.
Bounds unbounded_pair(const Body& a, const Body& b, Real rounding) {
  Vec n;
  if (unbounded(a.kind) && unbounded(b.kind)) {
    // Normals that differ by rounding alone mean parallel faces, or faces that cross somewhere: both are possible.
    constexpr Real kUndecided = 64 * static_cast<Real>(std::numeric_limits<double>::epsilon());
    const Real off = norm(cross(a.normal, b.normal));
    if (off > 4 * kRealEpsilon) {
      Bounds r = exactly(-kRealInfinity, a.normal, 0);
      if (off < kUndecided) r.upper = kRealInfinity;
      return r;
    }
    n = a.normal;
    const Real sign = dot(a.normal, b.normal) > 0 ? 1 : -1;
    const bool a_below = a.kind == Kind::half_space, b_below = b.kind == Kind::half_space;
    const Real at_a = a.offset, at_b = sign * b.offset;
    // Along n, a reaches from a_low to at_a and b from b_low to b_high.
    const Real a_low = a_below ? -kRealInfinity : at_a;
    const Real b_low = b_below && sign > 0 ? -kRealInfinity : at_b;
    const Real b_high = b_below && sign < 0 ? kRealInfinity : at_b;
    const Real forward = b_low - at_a, backward = a_low - b_high;
    return forward >= backward ? exactly(forward, n, rounding) : exactly(backward, -n, rounding);
  }
  n = unbounded(a.kind) ? a.normal : b.normal;
  const Extent ea =
      unbounded(a.kind) ? Extent{a.kind == Kind::plane ? a.offset : -kRealInfinity, a.offset} : extent(a, n);
  const Extent eb =
      unbounded(b.kind) ? Extent{b.kind == Kind::plane ? b.offset : -kRealInfinity, b.offset} : extent(b, n);
  const Real forward = eb.low - ea.high, backward = ea.low - eb.high;
  Bounds r = forward >= backward ? exactly(forward, n, rounding) : exactly(backward, -n, rounding);
  if (!unbounded(a.kind)) {
    r.on_a = support(a, r.normal);
    r.on_b = project(b, r.on_a);
  } else {
    r.on_b = support(b, -r.normal);
    r.on_a = project(a, r.on_b);
  }
  return r;
}

// Projects back and forth between two bodies that are apart: the points only come nearer.
void approach(const Body& a, const Body& b, Vec x, Bounds& r) {
  Real length = kRealInfinity;
  Vec y;
  for (int step = 0; step < 50; ++step) {
    y = project(b, x);
    x = project(a, y);
    const Real now = norm(y - x);
    if (!(now < length)) break;
    length = now;
  }
  const Real upper = norm(y - x) + oracle_rounding(a, b);
  if (upper >= r.upper) return;
  r.upper = upper;
  r.on_a = x;
  r.on_b = y;
}

}  // namespace

Real oracle_rounding(const Body& a, const Body& b) {
  const auto size = [](const Body& x, const Body& other) {
    if (!unbounded(x.kind)) return norm(middle(x)) + reach(x);
    return std::abs(x.offset) + (unbounded(other.kind) ? 0 : norm(middle(other)));
  };
  return 32 * kRealEpsilon * (size(a, b) + size(b, a));
}

Bounds signed_distance(const Body& a, const Body& b, std::span<const Vec> hints, std::span<const Vec> starts) {
  const Real rounding = oracle_rounding(a, b);
  if (unbounded(a.kind) || unbounded(b.kind)) return unbounded_pair(a, b, rounding);
  const NearestPair near = nearest_pair(a, b);
  Bounds r;
  r.on_a = near.on_a;
  r.on_b = near.on_b;
  r.normal = near.normal;
  r.lower = near.lower;
  r.upper = near.upper + rounding;
  // Apart: s has a single maximum, and the nearest points are almost there. The same if cores are apart within the
  // radii.
  const Real core_gap = near.upper + a.radius + b.radius;
  const bool apart = near.lower > rounding || (core_gap > 4 * rounding && near.upper - near.lower <= 4 * rounding);
  Direction best = apart ? climb(a, b, near.normal) : best_direction(a, b, hints);
  if (apart && near.upper - std::max(near.lower, best.separation) > 64 * rounding) {
    // Rounding stopped the nearest points early, or the maximum lies on a crease: an edge along a side.
    const Vec start[] = {near.normal, best.normal};
    const Direction other = best_direction(a, b, start);
    if (other.separation > best.separation) best = other;
  }
  if (best.separation > r.lower) {
    r.lower = best.separation;
    r.normal = best.normal;
  }
  if (r.upper > 64 * rounding && r.upper - r.lower > 64 * rounding) {
    for (const Vec& x : {near.on_a, support(a, r.normal), project(a, support(b, -r.normal))}) approach(a, b, x, r);
    for (const Vec& x : starts) approach(a, b, x, r);
  }
  // Two polytopes with a common point: every facet was tried.
  const bool exact = a.rounded_polytope() && b.rounded_polytope() && a.all_features && b.all_features;
  if (core_gap <= 4 * rounding && exact) r.upper = r.lower + rounding;
  r.estimate = apart ? (r.lower + r.upper) / 2 : r.lower;
  r.lower -= rounding;
  return r;
}

void certify(const Body& a, const Body& b, Bounds& bounds, Real accuracy, int max_cells) {
  if (unbounded(a.kind) || unbounded(b.kind) || bounds.lower >= 0) return;
  const Real proven = depth_at_least(a, b, -bounds.lower, accuracy, max_cells);
  bounds.upper = std::min(bounds.upper, -proven + oracle_rounding(a, b));
}

}  // namespace graze_oracle
