// A point of a cloud as a primitive: a sphere somewhere in the cloud's frame.
#pragma once

#include "query/pair.h"

namespace graze {

struct Ball {
  static constexpr bool kPart = true;
  Vec3 center;
  Sphere sphere;
};

template <class A>
PairDistance measure(const A& a, const Ball& b, const Relative& relative, const PairQuestion& question) {
  const Vec3 center = relative.to_a(b.center);
  const double error = relative.placing_error(b.center);
  // The kernels know the sphere as the first of the two.
  PairDistance r;
  if constexpr (PointMeasurable<A>) {
    r = measure_at(b.sphere, center, a, question.limit + error);
  } else if constexpr (std::same_as<A, Sphere>) {
    r = measure_at(b.sphere, a, times(-1, center), question.limit + error);
  } else {
    r = measure(b.sphere, a, Relative(times(-1, center)), {.limit = question.limit + error, .depth = question.depth});
  }
  if (r.beyond) return r;
  r.on_a = plus(center, along(r.on_a, r.value, r.normal));
  r.normal = times(-1, r.normal);
  r.tolerance += error;
  return r;
}

inline PairDistance measure(const Ball& a, const Ball& b, const Relative& relative, const PairQuestion& question) {
  const double error = relative.placing_error(b.center) + 2 * kEpsilon * size_of(a.center);
  PairDistance r = measure_at(a.sphere, b.sphere, minus(relative.to_a(b.center), a.center), question.limit + error);
  r.on_a = plus(r.on_a, a.center);
  r.tolerance += error;
  return r;
}

template <class A>
bool touch(const A& a, const Ball& b, const Relative& relative, double margin, PairMemory*) {
  const Vec3 center = relative.to_a(b.center);
  return touch(b.sphere, a, Relative(times(-1, center)), margin + relative.placing_error(b.center), nullptr);
}

inline bool touch(const Ball& a, const Ball& b, const Relative& relative, double margin, PairMemory*) {
  const double error = relative.placing_error(b.center) + 2 * kEpsilon * size_of(a.center);
  return touch(a.sphere, b.sphere, Relative(minus(relative.to_a(b.center), a.center)), margin + error, nullptr);
}

}  // namespace graze
