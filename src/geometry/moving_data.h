// What a moving mesh has beside the mesh it starts from.
#pragma once

#include <vector>

#include "geometry/mesh_data.h"
#include "graze/geometry/moving_mesh.h"

namespace graze::mesh {

struct Sweep {
  std::vector<Vec3> to;
  bvh::Tree tree;            // the mesh's, with bounds over the move
  Buffer<bvh::Node> leaves;  // by leaf: the boxes of its triangles over the move, grown as those of the tree are
};

}  // namespace graze::mesh

namespace graze {

inline const mesh::Sweep& sweep_of(const MovingMesh& mesh) { return detail::Access::sweep(mesh); }

}  // namespace graze
