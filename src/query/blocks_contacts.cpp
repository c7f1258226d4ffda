#include "query/blocks.h"
#include "query/blocks_ask.h"
#include "query/contact_query.h"
#include "query/farthest.h"
#include "query/solvers.h"

namespace graze {
namespace {

// Of two bodies that overlap, with the translation that separates them.
class Overlaps {
 public:
  Overlaps(const Relative& relative, const PartsDistance& way, ContactQuery& found)
      : relative_(relative),
        way_(way.distance),
        found_(found),
        rounding_(std::min(way.below, way.distance.tolerance)) {}

  double bound(const Aabb& a, const Aabb& b) const { return gap(a, relative_.box_to_a(b)); }
  double limit() const { return found_.limit(); }
  template <class A, class B>
  void leaf(const A& a, std::size_t i, const B& b, std::size_t j) {
    const auto& part_a = a.primitive(i);
    const auto& part_b = b.primitive(j);
    const PairDistance d = measure_either(part_a, part_b, relative_, {.limit = found_.limit(), .depth = false});
    if (d.beyond || d.value - d.tolerance > found_.limit()) return;
    if (d.value > d.tolerance) return found_.leaf(a, i, b, j);
    if constexpr (!requires { part_a.normal(); }) overlap(part_a, feature_of(a, i), part_b, feature_of(b, j));
  }

 private:
  // Along the translation: how far until the parts leave each other, as corners of the patches that face each other
  // show it, or else where they part.
  template <class A, class B>
  void overlap(const A& a, Feature fa, const B& b, Feature fb) {
    const Vec3& n = way_.normal;
    const double deepest = -way_.value;
    PatchContacts common;
    common_patch(a, b, relative_, n, common);
    bool shown = false;
    for (std::size_t k = 0; k < common.size; ++k) {
      const double depth = common.items[k].depth;
      if (!(depth >= -found_.limit()) || depth > deepest + rounding_) continue;
      found_.add({common.items[k].on_a, n, std::min(depth, deepest), fa, fb});
      shown = true;
    }
    if (shown) return;
    Relative moved = relative_;
    double length = deepest;
    PairDistance last;
    constexpr int kCasts = 16;
    for (int step = 0; step < kCasts; ++step) {
      moved.translation = along(relative_.translation, length, n);
      const PairDistance d = measure_either(a, b, moved, {.depth = false});
      if (!(d.value > 0)) break;
      last = d;
      const double slope = dot(d.normal, n), spare = d.value - d.tolerance;
      constexpr double kMinSlope = 1e-6;
      if (!(spare > rounding_) || !(slope > kMinSlope)) break;
      length = std::max(0.0, length - spare / slope);
      if (length == 0) break;
    }
    found_.add({std::isfinite(last.value) ? last.on_a : farthest(a, n), n, length, fa, fb});
  }

  const Relative& relative_;
  const PairDistance& way_;
  ContactQuery& found_;
  double rounding_;
};

}  // namespace

void blocks_contacts(const Geometry& a, const Geometry& b, const Relative& relative, ContactQuery& query) {
  const PartsDistance way = blocks_distance(a, b, relative, {.limit = std::max(0.0, query.limit())});
  const PairDistance& d = way.distance;
  if (d.beyond) return;
  const auto add_way = [&] { query.add({d.on_a, d.normal, -d.value, way.a, way.b}); };
  // Half-spaces, planes and what no translation is known to separate: where they are deepest.
  const bool unbounded = std::holds_alternative<HalfSpace>(a) || std::holds_alternative<Plane>(a);
  if (unbounded || !std::isfinite(d.value) || !std::isfinite(d.tolerance)) {
    if (!(d.value - d.tolerance > query.limit())) add_way();
    return;
  }
  with_blocks(a, b, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (!Unbounded<A>) {
      if (d.value > d.tolerance) {
        ask_blocks(first, second, relative, query);
      } else {
        Overlaps overlaps(relative, way, query);
        ask_blocks(first, second, relative, overlaps);
      }
    }
  });
  if (query.empty() || (d.value <= d.tolerance &&
                        !query.reaches(-d.value - 1e-9 * std::abs(d.value) - 64 * std::min(way.below, d.tolerance))))
    if (!(d.value - d.tolerance > query.limit())) add_way();
}

}  // namespace graze
