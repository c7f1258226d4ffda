// The children of a cube of a map beside a body, eight at a time.
#pragma once

#include <array>

#include "graze/base/aabb.h"
#include "graze/index/near_first.h"

namespace graze {

/// A body near a map, in its frame: a box and a ball, each of which has all of it.
struct BesideCubes {
  Aabb near;
  Vec3 center;
  double radius = 0;
  double slack = 0;  ///< what rounding may add to a gap
};

/// The children of a cube whose sides, along each axis, are at its start, middle and end: which are no farther than
/// `reach`, not negative, from the box and the ball; their bounds, and for an `order` the squares of their distances
/// from the center.
unsigned near_cubes(const BesideCubes& body, const std::array<std::array<double, 3>, 3>& sides, double reach,
                    double* bounds, double* order);

}  // namespace graze
