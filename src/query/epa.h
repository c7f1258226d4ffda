// EPA: the depth of an overlap by growing a polytope inside the difference of two convex sets until its nearest face
// lies on the boundary (van den Bergen's expanding polytope algorithm), with both bounds kept.
#pragma once

#include "query/simplex.h"

namespace graze {

/// The difference b − a of two convex sets, known by its support function only. One compiled EPA serves all pairs.
struct Difference {
  const void* pair;
  /// The point w of b − a nearest along −direction, and the point of a it comes from.
  void (*support)(const void* pair, const Vec3& direction, Vec3& w, Vec3& on_a);
  double rounding;  ///< no computed separation is wrong by more than this
};

struct Depth {
  double upper = kInfinity;       ///< moving b this far along `toward` separates: never less than the true depth
  double lower = 0;               ///< no shorter translation separates
  Vec3 toward = Vec3::UnitX();    ///< unit
  Vec3 on_a = Vec3::Zero();       ///< the deepest point of a
};

/// `start` comes from GJK: a tetrahedron around the origin, or fewer points whose hull touches it. Ends when the bounds
/// are within `tolerance` of each other, or at a fixed number of steps with what is known then.
Depth epa(const Difference& difference, const Simplex& start, double tolerance);

}  // namespace graze
