// How deep a point lies in a solid made of blocks.
#pragma once

#include "query/point_depth.h"

namespace graze {

/// `p` in the field's frame: to the nearest triangle or wall, exact but for rounding; minus the distance outside.
PointDepth point_depth(const HeightField& field, const Vec3& p);
/// `p` in the map's frame: to the border of the deepest cell that it is in, which is no more than the depth; outside
/// minus the distance.
PointDepth point_depth(const MapView& view, const Vec3& p);

}  // namespace graze
