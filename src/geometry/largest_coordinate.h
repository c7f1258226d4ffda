// How far the points of a geometry are from its origin at most.
#pragma once

#include "graze/geometry/geometry.h"

namespace graze {

/// No point of a bounded geometry has a larger sum of the sizes of its coordinates, nor has the foot of a plane.
double largest_coordinate(const Geometry& geometry);

}  // namespace graze
