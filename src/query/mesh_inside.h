// What lies inside of a solid mesh without meeting its surface.
#pragma once

#include <optional>

#include "query/parts_pair.h"

namespace graze {

/// Whether a part of one lies inside of the other, given that their surfaces do not meet. The pair is in canonical
/// order and has a mesh. If so: how deep the point lies that shows it, and where in the first one's frame.
bool any_inside(const PartsBody& first, const PartsBody& second, const Relative& relative, double* depth = nullptr,
                Vec3* where = nullptr);

/// Whether the first is a point and the second a solid mesh.
bool is_point_and_solid(const PartsBody& first, const PartsBody& second);

/// Whether a point of the mesh's frame is inside of the solid, for one that is surely farther than the margin (m) from
/// all triangles; nothing for others, and for some that are farther, too.
std::optional<bool> inside_by_cells(const Mesh& solid, const Vec3& p, double margin);

/// The nearest triangle to a point of the mesh's frame; on_a is the point.
PairDistance surface_distance(const Vec3& p, const Mesh& mesh, Feature& triangle);

/// No translation longer than this is needed to separate two geometries along the unit `n` of the first one's frame,
/// which the second is moved along.
double separation_bound(const PartsBody& first, const PartsBody& second, const Relative& relative, const Vec3& n);

}  // namespace graze
