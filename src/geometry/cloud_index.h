// The indices of a cloud, for the verbs. The first call builds them.
#pragma once

#include "graze/geometry/cloud_search.h"

namespace graze {

inline const KdTree& search_tree(const Cloud& cloud) { return detail::CloudIndex::tree(cloud); }

/// Null without points, and where they are not float32: the tree then answers alone.
inline const PointGrid* sphere_grid(const Cloud& cloud) { return detail::CloudIndex::grid(cloud); }

}  // namespace graze
