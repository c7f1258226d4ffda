// The surface of a convex hull: the only place that knows qhull.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "graze/base/vec.h"

namespace graze {

/// A triangulated surface.
struct HullSurface {
  struct Triangle {
    std::array<int, 3> corners;  ///< indices of the points, counter-clockwise from outside
    int face;                    ///< index of the face that it is part of
  };
  std::vector<Triangle> triangles;  ///< face by face
  std::vector<Vec3> normals;        ///< outward, one per face, to within rounding; triangles in one plane share a face
};

enum class HullMethod {
  merged,   ///< faces that rounding cannot distinguish from one plane are one face
  joggled,  ///< of points moved by a tiny random amount, the same in every run; all faces are triangles
};

/// What qhull takes for the hull's surface, of distinct points of about unit size around the origin. No triangles if it
/// finds the points coplanar, nothing at all if it fails. Throws std::bad_alloc and nothing else.
std::optional<HullSurface> hull_surface(std::span<const Vec3> points, HullMethod method);

}  // namespace graze
