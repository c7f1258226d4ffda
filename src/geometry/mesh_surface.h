// The surface of a solid: where inside meets outside. Faces inside of it, where pieces overlap or sheets stand, are
// triangles of the mesh and no surface.
#pragma once

#include <memory>
#include <vector>

#include "graze/geometry/mesh.h"

namespace graze::mesh {

struct Surface {
  /// All triangles are surface, each as a whole (those without area aside).
  bool whole = true;
  /// If not: the surface as a shell, triangles cut where others cross them; and which triangle each is a part of.
  Mesh cut;
  std::vector<std::uint32_t> parent;
  /// Where triangles were cut, the surface is known to this much, in metres.
  double blur = 0;
  /// False: so many triangles meet so many others that it was given up. All triangles are then taken for surface.
  bool certain = true;
  /// The solid is its own hull, to within `blur` and rounding.
  bool convex = false;

  bool operator==(const Surface& other) const;
  std::size_t memory_bytes() const;
};

/// Of closed triangles under a tree: what the winding number says on both sides of each. O(n log n) where little
/// crosses, about 2 µs per triangle on one core; does not depend on the number of threads.
std::shared_ptr<const Surface> surface_of(const Data& data, int threads);

}  // namespace graze::mesh
