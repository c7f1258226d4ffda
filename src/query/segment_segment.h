// Distance of two segments.
#pragma once

#include "graze/base/vec.h"

namespace graze {

struct SegmentDistance {
  double value;  ///< >= 0
  Vec3 on_a;
  Vec3 normal;  ///< unit, from a to b; where they cross, orthogonal to both
};

/// Segment a runs along z about the origin, segment b along the unit `axis_b` about `center_b`.
SegmentDistance segment_distance(double half_a, const Vec3& axis_b, double half_b, const Vec3& center_b);

}  // namespace graze
