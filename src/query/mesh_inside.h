// What lies inside of a solid mesh without meeting its surface.
#pragma once

#include "query/pair_query.h"

namespace graze {

/// Whether a part of one lies inside of the other, given that their surfaces do not meet. The pair is in canonical
/// order and has a mesh.
bool any_inside(const Geometry& first, const Geometry& second, const Relative& relative);

/// Turns the distance of the surfaces, which do not meet, into that of the solids, given that one is inside of the
/// other: the way out past the nearest surface.
void measure_inside(const Geometry& first, const Geometry& second, const Relative& relative, PairDistance& d,
                    Feature& a, Feature& b);

/// The nearest triangle to a point of the mesh's frame; on_a is the point.
PairDistance surface_distance(const Vec3& p, const Mesh& mesh, Feature& triangle);

/// No translation longer than this is needed to part two geometries along the unit `n` of the first one's frame, which
/// the second is moved along.
double parting(const Geometry& first, const Geometry& second, const Relative& relative, const Vec3& n);

}  // namespace graze
