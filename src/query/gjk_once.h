// The solvers of all pairs of cores, compiled once: sanitizers need minutes for them, and every verb asks for them.
// gjk_flat.cpp and gjk_curved.cpp compile those listed here, all other files refer to these. Builds without sanitizers
// do not include this: there each verb has its own, which is a little faster to ask.
#pragma once

#include "query/gjk.h"

// GRAZE_FLAT_PAIRS(X) is X(A, B) for every pair of cores with flat faces that needs a solver, GRAZE_CURVED_PAIRS(X) for
// every pair with a curved one. The others have closed forms.
// clang-format off
#define GRAZE_FLAT_PAIRS(X) \
  X(PointCore, ConvexCore) \
  X(SegmentCore, BoxCore) X(SegmentCore, TriangleCore) X(SegmentCore, ConvexCore) \
  X(BoxCore, BoxCore) X(BoxCore, TriangleCore) X(BoxCore, ConvexCore) \
  X(TriangleCore, TriangleCore) X(TriangleCore, ConvexCore) \
  X(ConvexCore, ConvexCore)
#define GRAZE_CURVED_PAIRS(X) \
  X(SegmentCore, CylinderCore) X(SegmentCore, ConeCore) X(SegmentCore, EllipsoidCore) \
  X(BoxCore, CylinderCore) X(BoxCore, ConeCore) X(BoxCore, EllipsoidCore) \
  X(TriangleCore, CylinderCore) X(TriangleCore, ConeCore) X(TriangleCore, EllipsoidCore) \
  X(CylinderCore, CylinderCore) X(CylinderCore, ConeCore) X(CylinderCore, EllipsoidCore) X(CylinderCore, ConvexCore) \
  X(ConeCore, ConeCore) X(ConeCore, EllipsoidCore) X(ConeCore, ConvexCore) \
  X(EllipsoidCore, EllipsoidCore) X(EllipsoidCore, ConvexCore)
// clang-format on

// The instances of gjk() and refine() for one pair.
#define GRAZE_GJK(A, B) \
  template Gjk gjk(const CorePair<A, B>& pair, const Vec3& first, const GjkGoal& goal, PairMemory* cache);
#define GRAZE_REFINE(A, B)                                                                           \
  template Refined refine(const CorePair<A, B>& pair, const Vec3& n, std::span<const Vec3> points_a, \
                          std::span<const Vec3> points_b, bool checked);

// Their declarations: compiled elsewhere.
#define GRAZE_EXTERN_GJK(A, B) extern GRAZE_GJK(A, B)
#define GRAZE_EXTERN_REFINE(A, B) extern GRAZE_REFINE(A, B)

namespace graze {

GRAZE_FLAT_PAIRS(GRAZE_EXTERN_GJK)
GRAZE_CURVED_PAIRS(GRAZE_EXTERN_GJK)
GRAZE_CURVED_PAIRS(GRAZE_EXTERN_REFINE)

}  // namespace graze
