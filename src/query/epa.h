// EPA: the depth of an overlap by growing a polytope inside the difference of two convex sets until its nearest face
// lies on the boundary (van den Bergen's expanding polytope algorithm), with both bounds kept.
#pragma once

#include <span>

#include "query/refined.h"
#include "query/simplex.h"

namespace graze {

/// The difference b − a of two convex sets, known by its support function only. One compiled EPA serves all pairs.
struct Difference {
  const void* pair;
  double rounding;  ///< no computed separation is wrong by more than this
  /// The point w of b − a nearest along −direction, and the points it comes from (that of b in b's frame).
  void (*support)(const void* pair, const Vec3& direction, Vec3& w, Vec3& on_a, Vec3& on_b);
  bool smooth;  ///< neither shape has edges or corners, nor rims as sharp
  /// Newton from a direction and support points near it; null where neither shape is curved.
  Refined (*refine)(const void* pair, const Vec3& n, std::span<const Vec3> points_a, std::span<const Vec3> points_b);
};

struct Depth {
  double upper = kInfinity;     ///< moving b this far along `toward` separates: never less than the true depth.
                                ///< Negative: the sets are apart by at least minus this
  double lower = 0;             ///< no shorter translation separates (of curved pairs: as far as Newton saw)
  Vec3 toward = Vec3::UnitX();  ///< unit
  Vec3 on_a = Vec3::Zero();     ///< the deepest point of a, if known
  bool points_known = false;    ///< on_a was found: b's deepest point is on_a − upper · toward
};

/// `start` comes from GJK: a tetrahedron around the origin, or fewer points whose hull touches it. Ends when the bounds
/// agree to the relative `tolerance`, or at a fixed number of steps with what is known then.
Depth epa(const Difference& difference, const Simplex& start, double tolerance);

}  // namespace graze
