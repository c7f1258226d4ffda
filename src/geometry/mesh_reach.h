// Which triangles of a mesh reach a box along its axes: in lanes of float32 that leave out only what is certain.
#pragma once

#include "geometry/mesh_data.h"

namespace graze::mesh {

/// From `low` to `high` about the tree's origin; sides may be infinite.
struct Reach {
  float low[3], high[3];

  /// Of numbers about the tree's origin, rounded outwards.
  Reach(const Vec3& low, const Vec3& high);
};

/// Called with a triangle; false ends the walk.
struct ReachVisitor {
  void* self;
  bool (*call)(void* self, std::uint32_t triangle);
};

/// In the same order on every machine. No allocation.
void visit_reach(const Data& data, const Reach& reach, const ReachVisitor& visitor);

}  // namespace graze::mesh
