// A hull with faces that is proven to hold all of its points.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "graze/base/vec.h"

namespace graze {

struct SolidHull {
  std::vector<char> is_vertex;                ///< per point
  std::vector<std::array<int, 3>> triangles;  ///< indices of points, counter-clockwise from outside: a closed surface
  std::vector<int> face_of;                   ///< per triangle
  std::vector<Vec3> normals;                  ///< per face; unit, outward
  Vec3 center;                                ///< inside, among the scaled points
  bool merged_by_qhull = false;               ///< which takes time with the square of the corners of a face
};

/// A point that stands out of the hull of the others by no more than this, in the unit of the scaled points, may be
/// left out.
inline constexpr double kDropTolerance = 32 * kEpsilon;

/// The solid hull of `points`, which are distinct and shifted and scaled to [-1, 1] (not less than half of it);
/// `originals` are the same before that, `size` times larger. None if the hull is flat: if no ball of radius
/// `thickness` about the mean of its corners is proven to lie inside.
std::optional<SolidHull> solid_hull(const std::vector<Vec3>& points, const std::vector<Vec3>& originals, double size,
                                    double thickness);

}  // namespace graze
