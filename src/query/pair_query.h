// The questions about two geometries, as the traversal sees them. Primitives are shapes; b stands at `relative` in a's
// frame.
#pragma once

#include "graze/query/distance.h"
#include "query/ball.h"
#include "query/dispatch.h"

namespace graze {

/// The kernels' answer for any order of kinds.
template <class A, class B>
PairDistance measure_either(const A& a, const B& b, const Relative& relative, const PairQuestion& question) {
  if constexpr (kind_of<A> <= kind_of<B>) {
    return measure(a, b, relative, question);
  } else {
    PairDistance r = measure(b, a, relative.inverse(), question);
    if (r.beyond) return r;
    const Vec3 on_b = std::isfinite(r.value) ? Vec3(r.on_a + r.value * r.normal) : r.on_a;
    r.on_a = relative.to_a(on_b);
    r.normal = -(relative.rotation * r.normal);
    return r;
  }
}

template <class A, class B>
bool touch_either(const A& a, const B& b, const Relative& relative, double margin, PairMemory* cache) {
  if constexpr (kind_of<A> <= kind_of<B>) {
    return touch(a, b, relative, margin, cache);
  } else {
    return touch(b, a, relative.inverse(), margin, cache);
  }
}

/// The caller's name for a primitive.
template <class H>
Feature feature_of(const H& h, std::size_t i) {
  if constexpr (requires { h.feature(i); }) return h.feature(i);
  else return i;
}

/// Is anything nearer than the margin? After the first hit nothing is of interest any more.
class CollideQuery {
 public:
  CollideQuery(const Relative& relative, double margin, PairMemory* cache)
      : relative_(relative), margin_(margin), limit_(margin), cache_(cache) {}

  double bound(const Aabb& a, const Aabb& b) const { return gap(a, relative_.box_to_a(b)); }
  double limit() const { return limit_; }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    if (!hit_ && touch_either(a.primitive(i), b.primitive(j), relative_, margin_, cache_))
      hit_ = true, limit_ = -kInfinity, a_ = feature_of(a, i), b_ = feature_of(b, j);
  }

  /// Something is known to be within the margin; which parts it is stays unknown.
  void hit_something() { hit_ = true, limit_ = -kInfinity; }
  bool hit() const { return hit_; }
  /// Of the first hit.
  Feature a() const { return a_; }
  Feature b() const { return b_; }

 private:
  const Relative& relative_;
  double margin_, limit_;
  PairMemory* cache_;
  bool hit_ = false;
  Feature a_ = 0, b_ = 0;
};

/// The smallest signed distance. Ties go to the lower primitives, so that the order of visits does not show.
class DistanceQuery {
 public:
  DistanceQuery(const Relative& relative, const PairQuestion& question) : relative_(relative), question_(question) {
    best_.beyond = true;
  }

  double bound(const Aabb& a, const Aabb& b) const { return separation(a, relative_.box_to_a(b)); }
  double limit() const { return best_.beyond ? question_.limit : best_.value; }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    const Feature fa = feature_of(a, i), fb = feature_of(b, j);
    if (best_.beyond) {
      best_ = measure_either(a.primitive(i), b.primitive(j), relative_, question_);
      a_ = fa, b_ = fb;
      if (!best_.beyond) lower_ = best_.value - best_.tolerance;
      return;
    }
    PairQuestion question = question_;
    question.limit = limit();
    const PairDistance d = measure_either(a.primitive(i), b.primitive(j), relative_, question);
    if (d.beyond) return;
    lower_ = std::min(lower_, d.value - d.tolerance);
    const bool better = d.value < best_.value || (d.value == best_.value && (fa < a_ || (fa == a_ && fb < b_)));
    if (better) best_ = d, a_ = fa, b_ = fb;
  }

  /// Nothing further can change the answer.
  bool done() const { return !question_.depth && !best_.beyond && best_.value <= 0; }

  const PairDistance& so_far() const { return best_; }
  /// Its tolerance covers the other primitives, too: one of them may be nearer by as much as its own leaves open.
  PairDistance best() const {
    PairDistance r = best_;
    if (!r.beyond) r.tolerance = std::max(r.tolerance, r.value - lower_);
    return r;
  }
  Feature a() const { return a_; }
  Feature b() const { return b_; }

 private:
  const Relative& relative_;
  PairQuestion question_;
  PairDistance best_;
  double lower_ = kInfinity;  // nothing measured can be nearer
  Feature a_ = 0, b_ = 0;
};

}  // namespace graze
