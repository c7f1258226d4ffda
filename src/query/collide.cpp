#include "graze/query/collide.h"

#include "graze/query/distance.h"
#include "query/axial.h"
#include "query/blocks.h"
#include "query/cloud_ask.h"
#include "query/cloud_sphere.h"
#include "query/cloud_tree.h"
#include "query/pair_query.h"
#include "query/parts.h"

namespace graze {
namespace {

// For margins below 0. Free only if even the largest depth that the answer allows is too little; NaN never is.
bool overlap_deeper(const CanonicalPair& pair, const CollideOptions& options) {
  const double uncertainty = pair.first.uncertainty + pair.second.uncertainty;
  const auto may_reach = [&](const PairDistance& d, double below) {
    return !(d.value - (std::min(below, d.tolerance) + uncertainty) > options.margin);
  };
  const PairQuestion question{.cache = memory_of(options.cache)};
  return with_kinds<bool>(pair, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (BlockKind<B>) {
      return !(blocks_distance(pair.first.geometry, pair.second.geometry, pair.relative(), question).lower() -
                   uncertainty >
               options.margin);
    } else if constexpr (Composite<B>) {
      const PartsPair parts(pair.first.geometry, pair.second.geometry, first, second);
      const PartsDistance r = parts_distance(parts, pair.relative(), question);
      return may_reach(r.distance, r.below);
    } else {
      static_assert(ShapeKind<A> && ShapeKind<B>);
      const Distance d = distance(pair.first, pair.second, {.cache = options.cache});
      return !(d.value - d.tolerance > options.margin);
    }
  });
}

}  // namespace

bool collide(const Placed& a, const Placed& b, const CollideOptions& options) {
  const double margin = options.margin + (a.uncertainty + b.uncertainty);
  const auto* const sphere_a = std::get_if<Sphere>(&a.geometry);
  const auto* const sphere_b = std::get_if<Sphere>(&b.geometry);
  if (sphere_a != nullptr && sphere_b != nullptr && options.margin >= 0)
    return touch_at(*sphere_a, *sphere_b, minus(b.pose.translation(), a.pose.translation()), margin);
  if (options.margin >= 0) {
    const auto* const cloud_a = std::get_if<Cloud>(&a.geometry);
    const auto* const cloud_b = std::get_if<Cloud>(&b.geometry);
    if (sphere_a != nullptr && cloud_b != nullptr)
      return sphere_collides(*sphere_a, a.pose.translation(), {*cloud_b, b.pose}, margin);
    if (sphere_b != nullptr && cloud_a != nullptr)
      return sphere_collides(*sphere_b, b.pose.translation(), {*cloud_a, a.pose}, margin);
  }
  const CanonicalPair pair(a, b);
  if (!(options.margin >= 0)) return overlap_deeper(pair, options);
  return with_kinds<bool>(pair, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (BlockKind<B>) {
      return blocks_collide(pair.first.geometry, pair.second.geometry, pair.relative(), margin);
    } else if constexpr (WithMesh<A, B>) {
      const PartsPair parts(pair.first.geometry, pair.second.geometry, first, second);
      return parts_collide(parts, pair.relative(), margin, memory_of(options.cache));
    } else if constexpr (InWorldAxes<A, B>) {
      return touch_in_world(first, pair.first.pose, second, pair.second.pose, margin);
    } else if constexpr (std::same_as<A, Sphere> && PointMeasurable<B>) {
      return touch_at(first, pair.center_in_second(), second, margin);
    } else if constexpr (ShapeKind<A> && ShapeKind<B>) {
      return touch(first, second, pair.relative(), margin, memory_of(options.cache));
    } else if constexpr (NearCore<A> && std::same_as<B, Cloud>) {
      return cloud_collides(first, second, pair.relative(), margin);
    } else {
      const Relative relative = pair.relative();
      CollideQuery query(relative, margin, memory_of(options.cache));
      ask(first, second, relative, query);
      return query.hit();
    }
  });
}

}  // namespace graze
