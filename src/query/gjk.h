// GJK: distance of two cores by walking the support points of their difference towards the origin.
// Gilbert, Johnson and Keerthi's algorithm, with both bounds kept: any direction proves a lower bound for the
// distance, any simplex an upper one, so that the answer carries its own error.
#pragma once

#include "graze/query/pair_cache.h"
#include "query/gjk_pair.h"
#include "query/refine.h"
#include "query/simplex.h"

namespace graze {

struct GjkGoal {
  double above = kInfinity;  ///< stop as soon as the cores are proven farther apart than this
  double below = 0;          ///< stop as soon as they are known to be this close or closer
};

struct Gjk {
  enum class End { measured, above, below, overlap };
  End end = End::measured;
  Vec3 toward = Vec3::UnitX();  ///< from a's core to b's, not normalised
  double upper = kInfinity;     ///< the simplex reaches this near to the origin
  double lower = 0;             ///< proven separation, before the pair's rounding is taken off
  bool refined = false;         ///< on_a was found by Newton, beside the simplex
  Vec3 on_a;
  Simplex simplex;
};

// Relative gap between the bounds at which a distance counts as measured.
inline constexpr double kGjkTolerance = 1e-12;
inline constexpr int kGjkIterations = 96;
// Newton is tried on curved pairs when the bounds are this close, and again when they are closer by that factor.
inline constexpr double kRefineFrom = 0.1, kRefineAgain = 8;

/// Whether the cache holds points of this pair; turns it round where it was filled in the other order.
template <class A, class B>
bool recalls(PairCache& cache, const CorePair<A, B>& pair) {
  if (cache.size == 0) return false;
  const std::uint64_t a = pair.a.stamp(), b = pair.b.stamp();
  if (cache.stamp_a == a && cache.stamp_b == b) return true;
  std::swap(cache.a, cache.b);
  return cache.stamp_a == b && cache.stamp_b == a;
}

/// `first` is the direction from a to b to try first (not zero).
template <class A, class B>
Gjk gjk(const CorePair<A, B>& pair, const Vec3& first, const GjkGoal& goal, PairCache* cache) {
  Gjk r;
  Simplex& s = r.simplex;
  Vec3 v = first;
  bool have_upper = false;
  double try_refine = goal.below > 0 || goal.above == 0 ? 0 : kRefineFrom;
  if (cache != nullptr && recalls(*cache, pair)) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(cache->size); ++i) {
      s.push((pair.rotation * cache->b[i] + pair.offset) - cache->a[i], cache->a[i], cache->b[i]);
    }
    const Vec3 nearest = reduce(s, true);
    if (s.size == 4) {
      r.end = Gjk::End::overlap, r.upper = 0;
      return r;
    }
    if (nearest.squaredNorm() > pair.rounding * pair.rounding) v = nearest, have_upper = true, r.upper = v.norm();
    else s.size = 0;
  }
  for (int i = 0; i < kGjkIterations; ++i) {
    const double vv = v.squaredNorm();
    Vec3 w, on_a, on_b;
    pair.support(v, w, on_a, on_b);
    const double vw = v.dot(w), length = std::sqrt(vv);
    if (vw > r.lower * length) r.lower = vw / length, r.toward = v;
    if (r.lower > goal.above) {
      r.end = Gjk::End::above;
      break;
    }
    if (have_upper && (vv - vw <= kGjkTolerance * vv || s.holds(w))) break;
    if constexpr (A::kCurved || B::kCurved) {
      if (have_upper && vv - vw <= try_refine * vv) {
        const auto count = static_cast<std::size_t>(s.size);
        const Refined best = refine(pair, v / length, {s.a.data(), count}, {s.b.data(), count});
        if (best.found) {
          const double reached = ((pair.rotation * best.on_b + pair.offset) - best.on_a).norm();
          if (reached - best.value <= kGjkTolerance * reached + pair.rounding) {
            r.lower = std::max(r.lower, best.value), r.upper = reached, r.on_a = best.on_a, r.refined = true;
            v = best.n;
            break;
          }
        }
        try_refine /= kRefineAgain;
      }
    }
    const Simplex before = s;
    s.push(w, on_a, on_b);
    const Vec3 nearest = reduce(s, false);
    if (s.size == 4) {
      r.end = Gjk::End::overlap, r.upper = 0;
      break;
    }
    const double nn = nearest.squaredNorm();
    if (nn <= pair.rounding * pair.rounding) {
      r.end = Gjk::End::overlap, r.upper = std::sqrt(nn);
      break;
    }
    if (have_upper && nn >= vv) {  // rounding leaves nothing to gain
      s = before;
      break;
    }
    v = nearest, have_upper = true, r.upper = std::sqrt(nn);
    if (r.upper <= goal.below) {
      r.end = Gjk::End::below;
      break;
    }
  }
  if (r.end == Gjk::End::measured) r.toward = v;
  if (cache != nullptr) {
    cache->size = s.size, cache->stamp_a = pair.a.stamp(), cache->stamp_b = pair.b.stamp();
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.size); ++i) cache->a[i] = s.a[i], cache->b[i] = s.b[i];
  }
  return r;
}

}  // namespace graze
