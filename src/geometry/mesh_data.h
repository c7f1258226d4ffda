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

/// The children of a tree's node once more, in boxes along axes of their own: thin where triangles lie side by side,
/// however they are turned. About the tree's origin; the exact triangles lie inside. Lanes without a child have boxes
/// that nothing is near to.
struct alignas(64) Wide {
  float axis[3][3][kWidth];  // by axis (unit; along the mean normal first), coordinate, lane
  float center[3][kWidth], half[3][kWidth];
  std::uint32_t child[kWidth];
};
static_assert(sizeof(Wide) == 8 * 64);

/// A box along axes of its own, with the sum of the normals of what is in it, each as long as twice the area.
struct Oriented {
  float axis[3][3], center[3], half[3], normal[3];
};

struct Data {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
  bool solid = false, all_used = true;  // all_used: every vertex is a triangle's
  Aabb bounds;
  bvh::Tree tree;
  Buffer<Block> blocks;               // one per leaf of the tree
  Buffer<Wide> wide;                  // one per node of the tree
  Wide whole;                         // the first lane: a box around all
  std::vector<std::uint32_t> pieces;  // one vertex of each part that is connected
  double facing = 1;                  // of solids: -1 where the triangles face inwards
  double extent = 0;                  // largest coordinate about the tree's origin
  double radius = 0;                  // no triangle reaches farther from the tree's origin
  std::uint64_t stamp = 0;
  std::uint64_t tree_stamp = 0;  // of how the tree divides the triangles: refits keep it, and equal meshes may differ

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
  Buffer<bvh::Box> fill_blocks(const Buffer<Corner>& corners, Buffer<Oriented>& oriented, int threads);  // of leaves
};

/// Throws Error unless there are `count` vertices, all finite and in range.
void check_vertices(std::size_t count, std::span<const Vec3> vertices);

/// Finds both boxes of each block: along the tree's axes (not grown by the rounding), and along its own.
void fit_blocks(std::span<const Block> blocks, float rounding, bvh::Box* boxes, Oriented* oriented);
/// The boxes of the nodes from those of the leaves, and that around all.
void fit_nodes(const bvh::Tree& tree, std::span<const Oriented> leaves, Buffer<Wide>& wide, Wide& whole);

MeshReport report(const Data& data);
/// One vertex of each connected part, the lowest index of each.
std::vector<std::uint32_t> pieces_of(const Data& data);
int winding(const Data& data, const Vec3& p);

}  // namespace graze::mesh
