// GJK: distance of two cores by walking the support points of their difference towards the origin.
// Gilbert, Johnson and Keerthi's algorithm, with both bounds kept: any direction proves a lower bound for the
// distance, any simplex an upper one, so that the answer carries its own error.
#pragma once

#include "query/gjk_pair.h"
#include "query/pair_memory.h"
#include "query/refine.h"
#include "query/simplex.h"

namespace graze {

struct GjkGoal {
  double above = kInfinity;  ///< stop as soon as the cores are proven farther apart than this
  double below = 0;          ///< stop as soon as they are known to be this close or closer
  bool boolean = false;      ///< only which of the two matters, not the distance
  bool centers = false;      ///< start between the centres, which belong to the cores: not where a depth is to follow
};

struct Gjk {
  enum class End { measured, above, below, overlap };
  End end = End::measured;
  Vec3 toward = Vec3::UnitX();  ///< from a's core to b's, not normalised: the direction that proves `lower`
  bool certain = true;          ///< of an overlap: not only for want of a proof that they are apart
  double upper = kInfinity;     ///< the simplex reaches this near to the origin
  double center_weight = 0;     ///< of the centres in the simplex, which carry the balls inside of the cores with them
  double lower = -kInfinity;    ///< the largest separation seen along any direction, right to the pair's rounding
  bool refined = false;         ///< the points were found by Newton, beside the simplex
  Vec3 refined_a, refined_b;    ///< then: the nearest points of the cores
  Simplex simplex;

  /// The nearest points of the cores, that of b in b's frame.
  Vec3 on_a() const { return refined ? refined_a : simplex.mean_a(); }
  Vec3 on_b() const { return refined ? refined_b : simplex.mean_b(); }
};

// Relative gap between the bounds at which a distance counts as measured: polytopes end in a corner, an edge or a face,
// curved shapes only come nearer.
inline constexpr double kGjkTolerance = 1e-10, kGjkToleranceFlat = 1e-14;
inline constexpr int kGjkIterations = 96;
// Newton is tried on curved pairs when the bounds are this close, and again when they are closer by that factor.
inline constexpr double kRefineSmoothFrom = 0.7, kRefineFrom = 0.2, kRefineAgain = 4;
// Distances below this, relative to the lengths of the pair, are measured between the points themselves.
inline constexpr double kNear = 1e-4;

/// Whether the cache holds points of this pair; turns it round where it was filled in the other order.
template <class A, class B>
bool recalls(PairMemory& cache, const CorePair<A, B>& pair) {
  if (cache.size == 0) return false;
  const std::uint64_t a = pair.a.stamp(), b = pair.b.stamp();
  if (cache.stamp_a == a && cache.stamp_b == b) return true;
  if (cache.stamp_a != b || cache.stamp_b != a) return false;
  std::swap(cache.a, cache.b);
  std::swap(cache.stamp_a, cache.stamp_b);
  return true;
}

/// Newton from the nearest point v of the simplex `s`. True if that gives the answer, which is then in `r`. Bounds that
/// do not meet, but are better than |v|, `lower` and those of `r`, are put there too.
template <class A, class B>
bool finish_by_newton(const CorePair<A, B>& pair, const Vec3& v, double vv, const Simplex& s, double lower, Gjk& r) {
  const auto count = static_cast<std::size_t>(s.size);
  const double length = std::sqrt(vv);
  const Refined best = refine(pair, times(1 / length, v), {s.a.data(), count}, {s.b.data(), count}, true);
  if (!best.found) return false;
  const double reached = std::sqrt(norm_sq(pair.difference(best.on_a, best.on_b)));
  const bool known = reached - best.value <= kGjkTolerance * reached + pair.rounding;
  if (!known && !(best.value > lower && best.value > r.lower && reached < length && reached < r.upper)) return false;
  r.lower = best.value, r.upper = reached, put(r.toward, best.n);
  r.refined = true, put(r.refined_a, best.on_a), put(r.refined_b, best.on_b);
  return known;
}

/// The same where rounding leaves the simplex nothing to gain. It cannot decide then whether a corner that carries next
/// to nothing belongs to the nearest features: Newton is tried without the lightest ones too.
template <class A, class B>
void finish_at_last(const CorePair<A, B>& pair, const Vec3& v, double vv, double lower, Gjk& r) {
  Simplex s = r.simplex;
  while (!finish_by_newton(pair, v, vv, s, lower, r) && s.size > 1) {
    std::size_t lightest = 0, last = static_cast<std::size_t>(s.size) - 1;
    for (std::size_t i = 1; i <= last; ++i) {
      if (s.weight[i] < s.weight[lightest]) lightest = i;
    }
    s.a[lightest] = s.a[last], s.b[lightest] = s.b[last], s.weight[lightest] = s.weight[last];
    --s.size;
  }
}

/// `first` is the direction from a to b to try first (not zero).
template <class A, class B>
Gjk gjk(const CorePair<A, B>& pair, const Vec3& first, const GjkGoal& goal, PairMemory* cache) {
  Gjk r;
  Simplex& s = r.simplex;
  Vec3 v = copied(first);
  double vv = norm_sq(v);
  double best_vw = 0, best_vv = 1;  // of the direction with the largest separation so far
  bool inside = false;              // v is a point of the difference, not only a direction
  const double rounding_sq = pair.rounding * pair.rounding;
  constexpr bool kCurved = A::kCurved || B::kCurved;
  constexpr double kTolerance = kCurved ? kGjkTolerance : kGjkToleranceFlat;
  // Without edges on either side Newton hardly ever strays and may start early.
  constexpr bool kSmooth = (A::kSmooth || A::kLine) && (B::kSmooth || B::kLine);
  [[maybe_unused]] double refine_from = goal.boolean ? -1 : kSmooth ? kRefineSmoothFrom : kRefineFrom;
  // Whether the first corner is made of the centres: no support points of a common feature then.
  const bool may_center = goal.centers && pair.a.holds_center() && pair.b.holds_center();
  bool center_counts = false;
  // Balls inside of both cores about their centres, together. Where the centres carry some of v, so much of the balls
  // lies about v in the difference.
  const double inner = may_center ? (pair.a.inner() + pair.b.inner()) * (1 - 16 * kEpsilon) : 0;
  const auto is_below = [&](double distance_sq) {
    const double below = goal.below + r.center_weight * inner;
    return distance_sq <= below * below;
  };
  if (cache != nullptr && recalls(*cache, pair)) {
    const bool centered = size_of(cache->a[0]) + size_of(cache->b[0]) == 0;
    const auto count = static_cast<std::size_t>(centered && !may_center ? 0 : cache->size);
    for (std::size_t i = 0; i < count; ++i) {
      s.push(pair.difference(cache->a[i], cache->b[i]), cache->a[i], cache->b[i]);
    }
    if (count > 0) {
      const Nearest nearest = nearest_to_origin(s, true, pair.rounding);
      if (nearest.size == 4) {
        shrink(s, nearest);
        r.end = Gjk::End::overlap, r.upper = 0;
        return r;
      }
      if (nearest.distance_sq > rounding_sq) {
        shrink(s, nearest);
        put(v, nearest.point), vv = nearest.distance_sq, inside = true;
        center_counts = centered && nearest.corner[0] == 0;
        if (center_counts) r.center_weight = nearest.weight[0];
        if (center_counts && is_below(vv)) {
          r.end = Gjk::End::below;
          return r;
        }
      } else {
        s.size = 0;
      }
    }
  }
  if (may_center && !inside && norm_sq(pair.offset) > rounding_sq) {
    s.push(pair.offset, {0, 0, 0}, {0, 0, 0});
    s.weight[0] = 1;
    put(v, pair.offset), vv = norm_sq(v), inside = true, center_counts = true;
  }
  for (int i = 0; i < kGjkIterations; ++i) {
    const auto last = static_cast<std::size_t>(s.size);
    Vec3 &w = s.w[last], &on_a = s.a[last], &on_b = s.b[last];
    pair.support(v, w, on_a, on_b);
    const double vw = dot(v, w);
    // The separation along v is vw / |v|. Compared by squares, the root is left for the end.
    // Of directions as good as each other the last is nearest to the simplex.
    if (vw > 0 && (best_vw <= 0 || vw * vw * best_vv >= best_vw * best_vw * vv * (1 - 4 * kEpsilon))) {
      best_vw = vw, best_vv = vv, put(r.toward, v);
      if (goal.above < 0 || vw * vw > goal.above * goal.above * vv) {
        r.end = Gjk::End::above;
        break;
      }
    }
    if (inside && (vv - vw <= kTolerance * vv || s.holds(w))) break;
    if constexpr (kCurved) {
      if (inside && !center_counts && vv - vw <= refine_from * vv) {
        if (finish_by_newton(pair, v, vv, s, kInfinity, r)) break;
        refine_from /= kRefineAgain;
      }
    }
    ++s.size;
    const Nearest nearest = nearest_to_origin(s, false, pair.rounding);
    if (inside && nearest.distance_sq >= vv) {  // rounding leaves nothing to gain
      --s.size;
      if constexpr (kCurved) {
        if (!goal.boolean && !center_counts)
          finish_at_last(pair, v, vv, std::max(pair.rounding, best_vw / std::sqrt(best_vv)), r);
      }
      break;
    }
    const bool meets = nearest.size == 4 || nearest.distance_sq <= rounding_sq;
    // Some direction keeps them apart: a simplex of huge and tiny edges has been misjudged. The one before stands.
    if (meets && inside && best_vw > 0 && best_vw * best_vw > rounding_sq * best_vv) {
      --s.size;
      break;
    }
    shrink(s, nearest);
    center_counts = center_counts && nearest.corner[0] == 0;
    r.center_weight = center_counts ? nearest.weight[0] : 0;
    if (meets) {
      r.end = Gjk::End::overlap, r.upper = std::sqrt(nearest.distance_sq), r.certain = nearest.size == 4;
      break;
    }
    put(v, nearest.point), vv = nearest.distance_sq, inside = true;
    if (is_below(vv)) {
      r.end = Gjk::End::below;
      break;
    }
  }
  if (best_vw > 0) r.lower = std::max(r.lower, best_vw / std::sqrt(best_vv));
  if (r.end == Gjk::End::measured && !r.refined) {
    r.upper = std::sqrt(vv);
    // Of a small simplex near the origin rounding spoils the distance; its points still show how near it comes.
    if (r.upper <= kNear * pair.reach) r.upper = std::sqrt(norm_sq(pair.difference(s.mean_a(), s.mean_b())));
    // Not even the sign is proven: as good as touching.
    if (!(r.lower > pair.rounding)) r.end = Gjk::End::overlap, r.certain = false;
  }
  if (cache != nullptr) {
    cache->size = s.size, cache->stamp_a = pair.a.stamp(), cache->stamp_b = pair.b.stamp();
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.size); ++i) cache->a[i] = s.a[i], cache->b[i] = s.b[i];
  }
  return r;
}

}  // namespace graze
