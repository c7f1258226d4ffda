// The depth of overlaps that are more than two convex bodies: solid meshes and clouds.
#pragma once

#include "query/parts.h"

namespace graze {

/// Max work for one pair that is not convex: pairs of parts that are looked at (a walk through the trees counts as 16),
/// points that are measured.
inline constexpr int kDepthWork = 48000, kDepthPoints = 256, kDepthCloudPoints = 4096;

/// Of a pair with a solid mesh or a cloud that overlaps or touches: minus a translation that separates, checked; the
/// tolerance reaches to the proven minimum, and covers rounding. No allocation. `deepest`: of clouds, what the deepest
/// of their points are known to need.
PartsDistance solid_depth(const PartsPair& pair, const Relative& relative, const PartsDistance* deepest = nullptr);

/// A translation that surely separates, no longer than the shortest one along an axis of either: a bound for the depth
/// that costs next to nothing.
double separating_length(const PartsBody& first, const PartsBody& second, const Relative& relative);

}  // namespace graze
