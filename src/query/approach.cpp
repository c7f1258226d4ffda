#include "query/approach.h"

#include "query/cloud_tree.h"
#include "query/mesh_ask.h"

namespace graze {
namespace {

// The earliest of all pairs of parts; what is farther apart than anything moves until then is of no interest.
class EarliestQuery {
 public:
  EarliestQuery(const CanonicalPair& pair, const Relative& relative, const Approach& approach, double margin,
                double horizon, int budget)
      : pair_(pair),
        relative_(relative),
        approach_(approach),
        off_(margin + approach.rounding + pair.first.uncertainty + pair.second.uncertainty),
        budget_(budget),
        time_(horizon) {}

  double bound(const Aabb& a, const Aabb& b) const { return gap(a, relative_.box_to_a(b)); }
  double limit() const { return done() ? -kInfinity : off_ + time_ * approach_.speed() * (1 + 1e-12); }
  bool done() const { return pairs_ > budget_ || time_ <= 0; }
  int pairs() const { return pairs_; }
  double time() const { return pairs_ > budget_ ? 0 : time_; }

  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    ++pairs_;
    const PairDistance d =
        measure_either(a.primitive(i), b.primitive(j), relative_, {.limit = limit(), .depth = false});
    if (d.beyond) return;
    const Vec3 n = times(pair_.swapped ? -1 : 1, turned(pair_.frame, d.normal));
    time_ = std::min(time_, Approach::time_of(std::max(0.0, d.value - d.tolerance - off_), approach_.speed_along(n)));
  }

 private:
  const CanonicalPair& pair_;
  const Relative& relative_;
  const Approach& approach_;
  double off_;  // that much of a distance is margin, or not certain
  int budget_, pairs_ = 0;
  double time_;
};

}  // namespace

double time_apart(const Placed& a, const Placed& b, const Approach& approach, double margin, double horizon, int budget,
                  int& pairs) {
  const CanonicalPair pair(a, b);
  const Relative relative = pair.relative();
  EarliestQuery query(pair, relative, approach, margin, horizon, budget);
  with_kinds<void>(pair, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (Composite<B>) ask_parts(first, second, relative, query);
    else query.leaf(ShapeLeaf<A>(first), 0, ShapeLeaf<B>(second), 0);
  });
  pairs = query.pairs();
  return query.time();
}

}  // namespace graze
