#include "query/approach.h"

#include "base/overloads.h"
#include "query/blocks_ask.h"
#include "query/cloud_tree.h"
#include "query/farthest.h"
#include "query/mesh_ask.h"
#include "query/solvers.h"

namespace graze {
namespace {

// How far apart the two are along n, rounded down. The less there is between them, the more rounding turns the line
// between their nearest points, and what is long may reach over the plane across it. Planes have their own normal.
template <class A, class B>
double gap_along(const A& a, const B& b, const Relative& relative, const Vec3& n) {
  if constexpr (Unbounded<A> || Unbounded<B>) {
    return kInfinity;
  } else {
    const Vec3 p = farthest(a, n), q = relative.to_a(farthest(b, times(-1, turned_back(relative.rotation, n))));
    return dot(n, minus(q, p)) - 16 * kEpsilon * (size_of(p) + size_of(q) + size_of(relative.translation));
  }
}

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
    const auto& part_a = a.primitive(i);
    const auto& part_b = b.primitive(j);
    const PairDistance d = measure_either(part_a, part_b, relative_, {.limit = limit(), .depth = false});
    if (d.beyond) return;
    const double off = d.tolerance + off_, left = std::max(0.0, d.value - off);
    const double across = std::clamp(gap_along(part_a, part_b, relative_, d.normal) - off, 0.0, left);
    const Vec3 n = times(pair_.swapped ? -1 : 1, turned(pair_.frame, d.normal));
    time_ = std::min(time_, approach_.time_apart(left, across, n));
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

bool is_shape(const Geometry& geometry) {
  return std::visit(Overloads{[](const Mesh&) { return false; }, [](const Cloud&) { return false; },
                              [](const BlockKind auto&) { return false; }, [](const Bounded auto&) { return true; },
                              [](const Unbounded auto&) { return true; }},
                    geometry);
}

double gap_across(const Placed& a, const Placed& b, const Vec3& n) {
  const CanonicalPair pair(a, b);
  const Relative relative = pair.relative();
  const Vec3 along_n = turned_back(pair.frame, times(pair.swapped ? -1 : 1, n));
  return with_kinds<double>(pair, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (Composite<A> || Composite<B> || BlockKind<B>) return -kInfinity;
    else return gap_along(first, second, relative, along_n);
  });
}

double time_apart(const Placed& a, const Placed& b, const Approach& approach, double margin, double horizon, int budget,
                  int& pairs) {
  const CanonicalPair pair(a, b);
  const Relative relative = pair.relative();
  EarliestQuery query(pair, relative, approach, margin, horizon, budget);
  with_kinds<void>(pair, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (BlockKind<B>) ask_blocks(first, second, relative, query);
    else if constexpr (Composite<B>) ask_parts(first, second, relative, query);
    else query.leaf(ShapeLeaf<A>(first), 0, ShapeLeaf<B>(second), 0);
  });
  pairs = query.pairs();
  return query.time();
}

}  // namespace graze
