#include "graze/query/distance.h"

#include "query/axial.h"
#include "query/blocks.h"
#include "query/cloud_ask.h"
#include "query/cloud_sphere.h"
#include "query/distance_answer.h"
#include "query/pair_query.h"
#include "query/parts.h"

namespace graze {
namespace {

// Spheres have no axes: in the world's, and the same in either order, nothing needs to be ordered or turned.
Distance between_spheres(const Sphere& a, const Vec3& at_a, const Sphere& b, const Vec3& at_b, double limit,
                         double uncertainty) {
  const PairDistance best = measure_at(a, b, minus(at_b, at_a), limit);
  Distance d;
  d.beyond = best.beyond;
  if (best.beyond) return d;
  d.value = best.value;
  d.tolerance = best.tolerance + uncertainty;
  put(d.normal, best.normal);
  put(d.on_a, along(at_a, a.radius, best.normal));
  put(d.on_b, along(at_b, -b.radius, best.normal));
  return d;
}

// A sphere and a body that its centre is measured from in a few steps: the sphere comes first, and neither the order
// nor the kernel needs to be looked up.
template <class B>
GRAZE_INLINE void from_sphere(const Sphere& a, const Pose& pose_a, const B& b, const Pose& pose_b, double limit,
                              const AskedAs& asked, Distance& d) {
  if constexpr (InWorldAxes<Sphere, B>) {
    const PairDistance best = measure_in_world(a, pose_a, b, pose_b, limit);
    d.beyond = best.beyond;
    if (!best.beyond) write_answer(best, best.normal, plus(pose_a.translation(), best.on_a), asked, d);
  } else {
    const Mat3& frame = pose_b.rotation();
    const Vec3 center = turned_back(frame, minus(pose_a.translation(), pose_b.translation()));
    const PairDistance best = measure_at(a, center, b, limit);
    d.beyond = best.beyond;
    if (!best.beyond)
      write_answer(best, turned(frame, best.normal), plus(turned(frame, best.on_a), pose_a.translation()), asked, d);
  }
}

// All pairs but two spheres. It returns one variable only, so that it is constructed in place for the caller: to copy
// what was just written in parts costs more than most kernels.
Distance between(const Placed& a, const Placed& b, const DistanceOptions& options, PairQuestion& question,
                 double uncertainty) {
  const CanonicalPair pair(a, b);
  const AskedAs asked{pair.swapped, uncertainty};
  question.depth = options.depth;
  question.cache = memory_of(options.cache);
  Distance d;
  const auto answer_in_frame = [&](const PairDistance& best) {
    d.beyond = best.beyond;
    if (!best.beyond) write_answer(best, turned(pair.frame, best.normal), pair.to_world(best.on_a), asked, d);
  };
  const auto name_parts = [&](Feature first, Feature second) {
    d.a = pair.swapped ? second : first;
    d.b = pair.swapped ? first : second;
  };
  with_kinds<void>(pair, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (BlockKind<B>) {
      const PartsDistance found = blocks_distance(pair.first.geometry, pair.second.geometry, pair.relative(), question);
      answer_in_frame(found.distance);
      if (!d.beyond) name_parts(found.a, found.b);
    } else if constexpr (Composite<B>) {
      const Relative relative = pair.relative();
      const auto answer_parts = [&](const PartsDistance& found) {
        answer_in_frame(found.distance);
        if (!d.beyond) name_parts(found.a, found.b);
      };
      if constexpr (NearCore<A> && std::same_as<B, Cloud>) {
        PartsDistance nearest;
        if (cloud_distance(first, second, relative, question, nearest)) return answer_parts(nearest);
      }
      const PartsPair parts(pair.first.geometry, pair.second.geometry, first, second);
      answer_parts(parts_distance(parts, relative, question));
    } else if constexpr (std::same_as<A, Capsule> && std::same_as<B, Capsule>) {
      const PairDistance best = measure_in_world(first, pair.first.pose, second, pair.second.pose, question.limit);
      d.beyond = best.beyond;
      if (best.beyond) return;
      const Vec3 on_first = plus(pair.first.pose.translation(), best.on_a);
      write_answer(best, best.normal, on_first, asked, d);
    } else if constexpr (std::same_as<A, Sphere> && PointMeasurable<B>) {
      from_sphere(first, pair.first.pose, second, pair.second.pose, question.limit, asked, d);
    } else {
      const PairDistance best = measure(first, second, pair.relative(), question);
      answer_in_frame(best);
    }
  });
  return d;
}

}  // namespace

Distance distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  PairQuestion question;
  // What is beyond the limit must be so wherever the two really are.
  const double uncertainty = a.uncertainty + b.uncertainty, limit = options.limit + uncertainty;
  if (!std::isnan(limit)) question.limit = limit;
  const auto* const sphere_a = std::get_if<Sphere>(&a.geometry);
  const auto* const sphere_b = std::get_if<Sphere>(&b.geometry);
  if (sphere_a != nullptr && sphere_b != nullptr)
    return between_spheres(*sphere_a, a.pose.translation(), *sphere_b, b.pose.translation(), question.limit,
                           uncertainty);
  if (sphere_a != nullptr || sphere_b != nullptr) {
    const bool swapped = sphere_a == nullptr;
    const AskedAs asked{swapped, uncertainty};
    const Sphere& sphere = swapped ? *sphere_b : *sphere_a;
    const Pose &pose = swapped ? b.pose : a.pose, &pose_of_body = swapped ? a.pose : b.pose;
    const Geometry& body = swapped ? a.geometry : b.geometry;
    const auto answered = [&]<class B>(const B* kind) {
      Distance d;
      from_sphere(sphere, pose, *kind, pose_of_body, question.limit, asked, d);
      return d;
    };
    if (const auto* const capsule = std::get_if<Capsule>(&body)) return answered(capsule);
    if (const auto* const box = std::get_if<Box>(&body)) return answered(box);
    if (const auto* const cylinder = std::get_if<Cylinder>(&body)) return answered(cylinder);
    if (const auto* const cloud = std::get_if<Cloud>(&body)) {
      question.depth = options.depth;
      Distance d;
      if (!sphere_distance(sphere, pose.translation(), {*cloud, pose_of_body}, question, asked, d))
        d = between(a, b, options, question, uncertainty);
      return d;
    }
  }
  return between(a, b, options, question, uncertainty);
}

}  // namespace graze
