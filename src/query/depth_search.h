// The depth of an overlap that is not convex, between two bounds.
#pragma once

#include "query/solid_depth.h"

namespace graze {

/// Of a pair with a solid mesh or a cloud that overlaps. `deepest`: see solid_depth.
PartsDistance search_depth(const BoundedPair& pair, const Relative& relative, const PartsDistance* deepest);

/// The depth of the convex hulls: an upper bound, and the depth itself where both are convex.
PairDistance depth_of_hulls(const BoundedPair& pair, const Relative& relative);

/// Sets the features from the points of a result.
void find_features(const BoundedPair& pair, const Relative& relative, PartsDistance& r);

/// The part next to a point of the geometry's frame.
Feature nearest_feature(const Mesh& mesh, const Vec3& p);
Feature nearest_feature(const Cloud& cloud, const Vec3& p);

}  // namespace graze
