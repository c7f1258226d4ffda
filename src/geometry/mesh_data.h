// What a mesh is made of.
#pragma once

#include <vector>

#include "graze/geometry/mesh.h"
#include "index/bvh_data.h"

namespace graze::mesh {

using bvh::kNone;
using bvh::kWidth;

/// The triangles of a leaf side by side, as float32 about the tree's origin, each coordinate within the tree's rounding
/// of the truth. Lanes behind the last triangle repeat it and have no index.
struct alignas(32) Block {
  float at[3][3][kWidth];  // by corner, axis, lane
  std::uint32_t triangle[kWidth];
};
static_assert(sizeof(Block) == 10 * 32);

struct Data {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
  bool solid = false, all_used = true;  // all_used: every vertex is a triangle's
  Aabb bounds;
  bvh::Tree tree;
  Buffer<Block> blocks;               // one per leaf of the tree
  std::vector<std::uint32_t> pieces;  // one vertex of each part that is connected
  double facing = 1;                  // of solids: -1 where the triangles face inwards
  double extent = 0;                  // largest coordinate about the tree's origin
  std::uint64_t stamp = 0;

  const Vec3& corner(std::size_t triangle, std::size_t k) const { return vertices[triangles[triangle][k]]; }
  /// The tree over the triangles where they are now.
  void build(int threads);
  /// The same tree with the bounds of where they are now.
  void refit(int threads);

 private:
  struct Corner {
    float at[4];  // the fourth is not used
  };
  Buffer<Corner> place();  // bounds, origin and stamp; gives the vertices as float32 about the origin
  void fill_blocks(const Buffer<Corner>& corners, Buffer<bvh::Box>* leaf_boxes, int threads);
};

MeshReport report(const Data& data);
/// One vertex of each connected part, the lowest index of each.
std::vector<std::uint32_t> pieces_of(const Data& data);
int winding(const Data& data, const Vec3& p);

}  // namespace graze::mesh
