// Many points against one mesh: neighbours together, with the bits of single questions.
#pragma once

#include <span>

#include "graze/query/point.h"

namespace graze {

/// As contains_each and signed_distance_each (point.h), of a body that is `mesh`, which has triangles. Allocates some
/// 40 bytes per point, for a million of points at a time at most.
void mesh_contains_each(const Placed& body, const Mesh& mesh, const PointView& points, std::span<bool> inside,
                        const PointsEachOptions& options);
void mesh_signed_distance_each(const Placed& body, const Mesh& mesh, const PointView& points,
                               std::span<double> distances, const PointsEachOptions& options);

}  // namespace graze
