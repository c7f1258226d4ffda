#include "graze/query/distance.h"

#include "query/cloud_tree.h"
#include "query/mesh_pairs.h"
#include "query/pair_query.h"

namespace graze {
namespace {

// Spheres have no axes: in the world's, and the same either way round, nothing needs to be ordered or turned.
Distance between_spheres(const Sphere& a, const Vec3& at_a, const Sphere& b, const Vec3& at_b, double limit) {
  const PairDistance best = measure_at(a, b, minus(at_b, at_a), limit);
  Distance d;
  d.beyond = best.beyond;
  if (best.beyond) return d;
  d.value = best.value;
  d.tolerance = best.tolerance;
  d.normal = best.normal;
  d.on_a = along(at_a, a.radius, best.normal);
  d.on_b = along(at_b, -b.radius, best.normal);
  return d;
}

// All pairs but two spheres. It returns one variable only, so that this is made in the caller's place: to copy what was
// just written in parts costs more than most kernels.
Distance between(const Placed& a, const Placed& b, const DistanceOptions& options, PairQuestion& question) {
  const CanonicalPair pair(a, b);
  question.depth = options.depth;
  question.cache = options.cache;
  Feature feature_first = 0, feature_second = 0;
  const auto of_meshes = [&] {
    const MeshDistance found = mesh_distance(pair.first.geometry, pair.second.geometry, pair.relative(), question);
    feature_first = found.a, feature_second = found.b;
    return found.distance;
  };
  const auto of_kinds = [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (std::same_as<A, Sphere> && PointMeasurable<B>) {
      return measure_at(first, pair.center_in_second(), second, question.limit);
    } else if constexpr (std::same_as<B, Cloud>) {
      const Relative relative = pair.relative();
      DistanceQuery query(relative, question);
      ask(first, second, query);
      feature_first = query.a(), feature_second = query.b();
      return query.best();
    } else {
      return measure(first, second, pair.relative(), question);
    }
  };
  // Made in its place, too.
  const PairDistance best =
      has_mesh(pair) ? of_meshes() : with_kinds<PairDistance>(pair.first.geometry, pair.second.geometry, of_kinds);

  Distance d;
  d.beyond = best.beyond;
  if (best.beyond) return d;
  d.value = best.value;
  d.tolerance = best.tolerance;
  // Each place is written once: to exchange what was just written costs more than all the rest.
  const double sign = pair.swapped ? -1 : 1;
  const Vec3 normal = turned(pair.frame, best.normal), on_first = pair.to_world(best.on_a);
  d.normal = times(sign, normal);
  d.a = pair.swapped ? feature_second : feature_first;
  d.b = pair.swapped ? feature_first : feature_second;
  (pair.swapped ? d.on_b : d.on_a) = on_first;
  (pair.swapped ? d.on_a : d.on_b) = std::isfinite(best.value) ? along(on_first, best.value, normal) : on_first;
  return d;
}

}  // namespace

Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  PairQuestion question;
  if (!std::isnan(options.limit)) question.limit = options.limit;
  const auto* const sphere_a = std::get_if<Sphere>(&a.geometry);
  const auto* const sphere_b = std::get_if<Sphere>(&b.geometry);
  if (sphere_a != nullptr && sphere_b != nullptr)
    return between_spheres(*sphere_a, a.pose.translation(), *sphere_b, b.pose.translation(), question.limit);
  return between(a, b, options, question);
}

}  // namespace graze
