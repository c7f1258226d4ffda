// GJK: distance of two cores by walking the support points of their difference towards the origin.
// Gilbert, Johnson and Keerthi's algorithm, with both bounds kept: any direction proves a lower bound for the
// distance, any simplex an upper one, so that the answer carries its own error.
#pragma once

#include "graze/query/pair_cache.h"
#include "query/core.h"
#include "query/relative.h"
#include "query/simplex.h"

namespace graze {

/// Two cores with b placed in a's frame, both about their centres. Points of a are in a's centred frame.
template <class A, class B>
struct CorePair {
  const A& a;
  const B& b;
  Mat3 rotation;    // b to a
  Vec3 offset;      // from a's centre to b's, in a's frame
  double rounding;  // no computed separation is wrong by more than this

  CorePair(const A& a_, const B& b_, const Relative& relative)
      : a(a_),
        b(b_),
        rotation(relative.rotation),
        offset((relative.rotation * b.center() + relative.translation) - a.center()) {
    // Sixteen roundings of every length that enters a separation. A far centre matters only where a rotation mixes
    // its coordinates: without one, the differences above are as good as exact.
    double reach = a.extent() + b.extent() + offset.norm();
    if (relative.rotation != Mat3::Identity()) reach += b.center().norm() + relative.translation.norm();
    rounding = 16 * kEpsilon * reach;
  }

  /// The point of b − a nearest along −direction, with the points it comes from (that of b in b's frame).
  void support(const Vec3& direction, Vec3& w, Vec3& on_a, Vec3& on_b) const {
    on_a = a.support(direction);
    on_b = b.support(rotation.transpose() * -direction);
    w = (rotation * on_b + offset) - on_a;
  }
};

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
  Simplex simplex;
};

// Relative gap between the bounds at which a distance counts as measured.
inline constexpr double kGjkTolerance = 1e-12;
inline constexpr int kGjkIterations = 96;

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
