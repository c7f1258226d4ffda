// What a mesh is made of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/access.h"
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

/// A vertex as float32 about the tree's origin; the fourth number is not used.
struct Corner {
  float at[4];
};

/// Memory that a refit needs. Whoever refits again and again keeps it.
struct Scratch {
  Buffer<Corner> corners;
  Buffer<Oriented> leaves, nodes;
  Buffer<bvh::Box> leaf_boxes, node_boxes;
  Buffer<std::uint32_t> table;
  std::size_t bytes() const {
    return corners.bytes() + leaves.bytes() + nodes.bytes() + leaf_boxes.bytes() + node_boxes.bytes() + table.bytes();
  }
};

/// How the triangles are connected. Vertices at equal places count as one, so this may change when they move, except
/// where the indices alone connect (or close) everything: welding more vertices can neither divide nor open that.
struct Connection {
  bool connected = true, closed = true;  // by the indices alone; `closed` is known of solids only
  std::vector<std::uint32_t> weld;       // the lowest index at the same place, by vertex; empty if the indices suffice
  std::vector<std::uint32_t> pieces;     // one vertex of each part that is connected, the lowest after welding
};

struct Surface;  // geometry/mesh_surface.h
struct Cells;    // geometry/mesh_cells.h

/// Everything but the vertices and triangles (and whether they are solid) is derived from them. All of it is derived
/// by build() and again by move(); validate() derives it anew and compares.
struct Data : Connection {
  std::vector<Vec3> vertices;
  std::vector<MeshTriangle> triangles;
  bool solid = false, all_used = true;  // all_used: every vertex is a triangle's
  Aabb bounds;
  bvh::Tree tree;
  Buffer<Block> blocks;                    // one per leaf of the tree
  Buffer<Wide> wide;                       // one per node of the tree
  Wide whole{};                            // the first lane: a box around all
  double facing = 1;                       // of solids: -1 where the triangles face inwards
  std::shared_ptr<const Surface> surface;  // of solids: where inside meets outside
  std::shared_ptr<const Cells> cells;      // of solids: where no surface is; may be null
  double extent = 0;                       // largest coordinate about the tree's origin
  double radius = 0;                       // no triangle reaches farther from the tree's origin
  std::uint64_t stamp = 0;
  std::uint64_t tree_stamp = 0;  // of how the tree divides the triangles: refits keep it, and equal meshes may differ

  const Vec3& corner(std::size_t triangle, std::size_t k) const { return vertices[triangles[triangle][k]]; }

  /// Derives everything from the vertices and triangles. Throws Error for a solid that is not closed.
  void build(int threads);
  /// The same where the connection is there already.
  void build_connected(int threads);
  /// The same triangles and the same division by the tree as another one's; the rest is not there until move().
  void divide_as(const Data& other);
  /// Puts the vertices elsewhere and derives everything again; the tree keeps how it divides the triangles. Throws
  /// Error for a solid that would open. Changes nothing if it throws, whatever it throws.
  void move(std::span<const Vec3> to, Scratch& scratch, int threads);

 private:
  void reserve(Scratch& scratch) const;             // what a refit needs
  void place(Buffer<Corner>& corners);              // bounds, origin, orientation, stamp; and the vertices as float32
  void fill_blocks(Scratch& scratch, int threads);  // and the boxes of the leaves
  // All but connection, surface and cells, from the vertices; throws nothing.
  void refit(Scratch& scratch, int threads);
};

/// Throws Error unless there are `count` vertices, all finite and in range.
void check_vertices(std::size_t count, std::span<const Vec3> vertices);

/// Finds both boxes of each block: along the tree's axes (not grown by the rounding), and along its own.
void fit_blocks(std::span<const Block> blocks, float rounding, bvh::Box* boxes, Oriented* oriented);
/// The boxes of the nodes from those of the leaves, and that around all. `scratch` is memory for one box per node.
void fit_nodes(const bvh::Tree& tree, std::span<const Oriented> leaves, Buffer<Oriented>& scratch, Buffer<Wide>& wide,
               Wide& whole);

/// Throws Error for a solid that is not closed.
Connection connection_of(const Data& data);
/// The connection once the vertices are elsewhere; nothing if it is that of `data`. Throws Error for a solid that would
/// open.
std::optional<Connection> changed_connection(const Data& data, std::span<const Vec3> to, Buffer<std::uint32_t>& table);
/// Signed, and negative where the triangles face inwards; summed about `origin`, so that meshes far out lose nothing.
double volume_of(const Data& data, const Vec3& origin);

MeshReport report(const Data& data);
/// Of how a tree divides its primitives.
std::uint64_t stamp_of(const bvh::Tree& tree);
/// Derives everything again and compares: empty if all is the same, else what differs.
std::string validate(const Data& data);
int winding(const Data& data, const Vec3& p);
/// The same by rays alone, without the cells: what the cells are made with.
int winding_by_rays(const Data& data, const Vec3& p);

}  // namespace graze::mesh

namespace graze {

inline const mesh::Data& data_of(const Mesh& mesh) { return detail::Access::data(mesh); }

}  // namespace graze
