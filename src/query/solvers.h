// The solvers of all pairs of shapes without a closed form, compiled once, in solvers_flat.cpp and solvers_curved.cpp:
// they take long to compile, and every verb asks for them. Whoever includes this refers to these. `collide` and
// `distance` of two shapes do not and have their own, which are a little faster to ask, except in builds with
// sanitizers.
#pragma once

#include <utility>

#include "query/pair.h"

namespace graze {

template <class S>
using CoreOf = decltype(core(std::declval<const S&>()));

}  // namespace graze

// GRAZE_FLAT_PAIRS(X) is X(A, B) for every pair of shapes with flat faces that needs a solver, GRAZE_CURVED_PAIRS(X)
// for every pair with a curved one.
// clang-format off
#define GRAZE_FLAT_PAIRS(X) \
  X(Sphere, Convex) \
  X(Capsule, Box) X(Capsule, Triangle) X(Capsule, Convex) \
  X(Box, Triangle) X(Box, Convex) \
  X(Triangle, Triangle) X(Triangle, Convex) \
  X(Convex, Convex)
#define GRAZE_CURVED_PAIRS(X) \
  X(Capsule, Cylinder) X(Capsule, Cone) X(Capsule, Ellipsoid) \
  X(Box, Cylinder) X(Box, Cone) X(Box, Ellipsoid) \
  X(Triangle, Cylinder) X(Triangle, Cone) X(Triangle, Ellipsoid) \
  X(Cylinder, Cylinder) X(Cylinder, Cone) X(Cylinder, Ellipsoid) X(Cylinder, Convex) \
  X(Cone, Cone) X(Cone, Ellipsoid) X(Cone, Convex) \
  X(Ellipsoid, Ellipsoid) X(Ellipsoid, Convex)
// clang-format on

// The instances for one pair. NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define GRAZE_SOLVERS(EXTERN, A, B)                                                                              \
  EXTERN template Gjk gjk(const CorePair<CoreOf<A>, CoreOf<B>>& pair, const Vec3& first, const GjkGoal& goal,    \
                          PairMemory* cache);                                                                    \
  EXTERN template PairDistance measure_cores(const A& a, const B& b, const CorePair<CoreOf<A>, CoreOf<B>>& pair, \
                                             const Vec3& first, const PairQuestion& question);                   \
  EXTERN template PairDistance measure<A, B>(const A& a, const B& b, const Relative& relative,                   \
                                             const PairQuestion& question);                                      \
  EXTERN template bool touch<A, B>(const A& a, const B& b, const Relative& relative, double margin, PairMemory* cache);
#define GRAZE_REFINE(EXTERN, A, B)                                                          \
  EXTERN template Refined refine(const CorePair<CoreOf<A>, CoreOf<B>>& pair, const Vec3& n, \
                                 std::span<const Vec3> points_a, std::span<const Vec3> points_b, bool checked);
// NOLINTEND(bugprone-macro-parentheses)
// Their declarations: compiled elsewhere.
#define GRAZE_EXTERN_SOLVERS(A, B) GRAZE_SOLVERS(extern, A, B)
#define GRAZE_EXTERN_REFINE(A, B) GRAZE_REFINE(extern, A, B)

namespace graze {

GRAZE_FLAT_PAIRS(GRAZE_EXTERN_SOLVERS)
GRAZE_CURVED_PAIRS(GRAZE_EXTERN_SOLVERS)
GRAZE_CURVED_PAIRS(GRAZE_EXTERN_REFINE)

}  // namespace graze
