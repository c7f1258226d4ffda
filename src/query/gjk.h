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

/// One run of the algorithm. v is the point of the difference nearest to the origin that the simplex reaches; until the
/// simplex holds anything, only a direction to look along.
template <class A, class B>
class GjkRun {
 public:
  GRAZE_INLINE GjkRun(const CorePair<A, B>& pair, const Vec3& first, const GjkGoal& goal, Gjk& result)
      : pair_(pair),
        goal_(goal),
        r_(result),
        v_(copied(first)),
        vv_(norm_sq(v_)),
        rounding_sq_(pair.rounding * pair.rounding),
        refine_from_(goal.boolean ? -1
                     : kSmooth    ? kRefineSmoothFrom
                                  : kRefineFrom),
        may_center_(goal.centers && pair.a.holds_center() && pair.b.holds_center()),
        inner_(may_center_ ? (pair.a.inner() + pair.b.inner()) * (1 - 16 * kEpsilon) : 0) {}

  GRAZE_INLINE void run(PairMemory* cache) {
    if (cache != nullptr && recalls(*cache, pair_) && settled_from(*cache)) return;
    if (may_center_ && !reached_ && norm_sq(pair_.offset) > rounding_sq_) start_between_centers();
    for (int i = 0; i < kGjkIterations; ++i) {
      if (!step()) break;
    }
    conclude();
    if (cache != nullptr) keep_in(*cache);
  }

 private:
  static constexpr bool kCurved = A::kCurved || B::kCurved;
  static constexpr double kTolerance = kCurved ? kGjkTolerance : kGjkToleranceFlat;
  // Without edges on either side Newton hardly ever strays and may start early.
  static constexpr bool kSmooth = (A::kSmooth || A::kLine) && (B::kSmooth || B::kLine);

  GRAZE_INLINE bool is_below(double distance_sq) const {
    const double below = goal_.below + r_.center_weight * inner_;
    return distance_sq <= below * below;
  }
  GRAZE_INLINE void reach(const Vec3& point, double distance_sq) { put(v_, point), vv_ = distance_sq, reached_ = true; }

  // Starts with the simplex of an earlier query. True if that settles this one.
  GRAZE_INLINE bool settled_from(const PairMemory& cache) {
    Simplex& s = r_.simplex;
    const bool centered = size_of(cache.a[0]) + size_of(cache.b[0]) == 0;
    const auto count = static_cast<std::size_t>(centered && !may_center_ ? 0 : cache.size);
    for (std::size_t i = 0; i < count; ++i) {
      s.push(pair_.difference(cache.a[i], cache.b[i]), cache.a[i], cache.b[i]);
    }
    if (count == 0) return false;
    const Nearest nearest = nearest_to_origin(s, true, pair_.rounding);
    if (nearest.size == 4) {
      shrink(s, nearest);
      r_.end = Gjk::End::overlap, r_.upper = 0;
      return true;
    }
    if (!(nearest.distance_sq > rounding_sq_)) {
      s.size = 0;
      return false;
    }
    shrink(s, nearest);
    reach(nearest.point, nearest.distance_sq);
    center_counts_ = centered && nearest.corner[0] == 0;
    if (!center_counts_) return false;
    r_.center_weight = nearest.weight[0];
    if (!is_below(vv_)) return false;
    r_.end = Gjk::End::below;
    return true;
  }

  GRAZE_INLINE void start_between_centers() {
    r_.simplex.push(pair_.offset, {0, 0, 0}, {0, 0, 0});
    r_.simplex.weight[0] = 1;
    reach(pair_.offset, norm_sq(pair_.offset));
    center_counts_ = true;
  }

  // Adds the support point along v and moves v nearer to the origin. False when there is nothing to gain or to know.
  GRAZE_INLINE bool step() {
    Simplex& s = r_.simplex;
    const auto last = static_cast<std::size_t>(s.size);
    Vec3 &w = s.w[last], &on_a = s.a[last], &on_b = s.b[last];
    pair_.support(v_, w, on_a, on_b);
    const double vw = dot(v_, w);
    if (proves_above(vw)) return false;
    if (reached_ && (vv_ - vw <= kTolerance * vv_ || s.holds(w))) return false;
    if constexpr (kCurved) {
      if (reached_ && !center_counts_ && vv_ - vw <= refine_from_ * vv_) {
        if (finish_by_newton(pair_, v_, vv_, s, kInfinity, r_)) return false;
        refine_from_ /= kRefineAgain;
      }
    }
    ++s.size;
    const Nearest nearest = nearest_to_origin(s, false, pair_.rounding);
    if (reached_ && nearest.distance_sq >= vv_) {  // rounding leaves nothing to gain
      --s.size;
      if constexpr (kCurved) {
        if (!goal_.boolean && !center_counts_)
          finish_at_last(pair_, v_, vv_, std::max(pair_.rounding, best_vw_ / std::sqrt(best_vv_)), r_);
      }
      return false;
    }
    const bool meets = nearest.size == 4 || nearest.distance_sq <= rounding_sq_;
    // Some direction keeps them apart: a simplex of huge and tiny edges has been misjudged. The one before stands.
    if (meets && reached_ && best_vw_ > 0 && best_vw_ * best_vw_ > rounding_sq_ * best_vv_) {
      --s.size;
      return false;
    }
    shrink(s, nearest);
    center_counts_ = center_counts_ && nearest.corner[0] == 0;
    r_.center_weight = center_counts_ ? nearest.weight[0] : 0;
    if (meets) {
      r_.end = Gjk::End::overlap, r_.upper = std::sqrt(nearest.distance_sq), r_.certain = nearest.size == 4;
      return false;
    }
    reach(nearest.point, nearest.distance_sq);
    if (!is_below(vv_)) return true;
    r_.end = Gjk::End::below;
    return false;
  }

  // The separation along v is vw / |v|. Compared by squares, the root is left for the end. Of directions as good as
  // each other the last is nearest to the simplex. Returns whether the goal's `above` is proven.
  GRAZE_INLINE bool proves_above(double vw) {
    const bool best = vw > 0 && (best_vw_ <= 0 || vw * vw * best_vv_ >= best_vw_ * best_vw_ * vv_ * (1 - 4 * kEpsilon));
    if (!best) return false;
    best_vw_ = vw, best_vv_ = vv_, put(r_.toward, v_);
    if (!(goal_.above < 0 || vw * vw > goal_.above * goal_.above * vv_)) return false;
    r_.end = Gjk::End::above;
    return true;
  }

  GRAZE_INLINE void conclude() {
    const Simplex& s = r_.simplex;
    if (best_vw_ > 0) r_.lower = std::max(r_.lower, best_vw_ / std::sqrt(best_vv_));
    if (r_.end != Gjk::End::measured || r_.refined) return;
    r_.upper = std::sqrt(vv_);
    // Of a small simplex near the origin rounding spoils the distance; its points still show how near it comes.
    if (r_.upper <= kNear * pair_.reach) r_.upper = std::sqrt(norm_sq(pair_.difference(s.mean_a(), s.mean_b())));
    // Not even the sign is proven: as good as touching.
    if (!(r_.lower > pair_.rounding)) r_.end = Gjk::End::overlap, r_.certain = false;
  }

  GRAZE_INLINE void keep_in(PairMemory& cache) const {
    const Simplex& s = r_.simplex;
    cache.size = s.size, cache.stamp_a = pair_.a.stamp(), cache.stamp_b = pair_.b.stamp();
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.size); ++i) cache.a[i] = s.a[i], cache.b[i] = s.b[i];
  }

  const CorePair<A, B>& pair_;
  const GjkGoal& goal_;
  Gjk& r_;
  Vec3 v_;
  double vv_;
  double best_vw_ = 0, best_vv_ = 1;  // of the direction with the largest separation so far
  bool reached_ = false;              // v is a point of the difference, not only a direction
  double rounding_sq_;
  [[maybe_unused]] double refine_from_;  // the gap between the bounds, relative to |v|², at which Newton is tried next
  bool may_center_;  // the first corner may be made of the centres: no support points of a common feature then
  bool center_counts_ = false;
  // Balls inside of both cores about their centres, together. Where the centres carry some of v, so much of the balls
  // lies about v in the difference.
  double inner_;
};

/// `first` is the direction from a to b to try first (not zero).
template <class A, class B>
Gjk gjk(const CorePair<A, B>& pair, const Vec3& first, const GjkGoal& goal, PairMemory* cache) {
  Gjk result;
  GjkRun<A, B>(pair, first, goal, result).run(cache);
  return result;
}

}  // namespace graze
