// Part by part as it is made; tests/geometry/building_bytes_test.cpp measures it.
#include "graze/geometry/building_bytes.h"

#include <algorithm>
#include <bit>

#include "geometry/mesh_data.h"
#include "graze/geometry/cloud.h"
#include "index/kd_tree_data.h"

namespace graze {
namespace {

std::size_t share(std::size_t count, std::size_t percent) {
  return count / 100 * percent + count % 100 * percent / 100 + 1;
}

// What a Buffer of so many values takes from the system: whole huge pages, if it is as large as one.
template <class T>
std::size_t buffer_bytes(std::size_t size) {
  constexpr std::size_t kHuge = std::size_t{1} << 21U;
  const std::size_t bytes = size * sizeof(T);
  return bytes >= kHuge ? (bytes + kHuge - 1) / kHuge * kHuge : bytes;
}

template <class T>
std::size_t tree_bytes(std::size_t points) {
  using namespace kd_tree;
  const std::size_t leaves = (points + kLeaf - 1) / kLeaf;
  std::size_t nodes = 0;
  for (std::size_t level = leaves; level > 1;) nodes += level = (level + kFan - 1) / kFan;
  return 2 * buffer_bytes<Record<T>>(points) + buffer_bytes<Leaf<T>>(leaves) + buffer_bytes<Node<T>>(nodes + 1);
}

// A grid of points, made when the tree is there: blocks near points, with their bounds and what these are computed
// from; all blocks; points and their places; and the same again for those that go into grids within the grid.
std::size_t grid_bytes(std::size_t points) {
  constexpr std::size_t kPerBlock = 430, kPerPoint = 125, kFewBlocks = 16000, kSome = 16384;
  const std::size_t near = std::min(std::max(kFewBlocks, points / 16), 64 * points);
  return kPerBlock * near + kPerPoint * points + kSome;
}

std::size_t tree_bytes_kept(std::size_t points) { return 19 * points + 4096; }

}  // namespace

std::size_t building_bytes_of_cloud(std::size_t points, NumberType coordinates) {
  // The block that is being filled, as doubles and what they leave out; given back before the tree is made.
  constexpr std::size_t kBlock = Cloud::kBlock, kPending = 3 * kBlock * (sizeof(double) + sizeof(float)) + 512,
                        kSome = 2048;
  constexpr std::size_t kRecovery = 32;  // where the rounded-away parts of a block are kept
  const std::size_t blocks = points / kBlock + 2;
  // Lists of the parts that the tree is made of at a time.
  const std::size_t parts = std::min<std::size_t>(points / 2, std::size_t{1} << 15U);
  const std::size_t kept = parts + 3 * sizeof(float) * points + blocks * (sizeof(Cloud::Block) + kRecovery) + kSome;
  if (coordinates == NumberType::float32) {
    return kept + std::max({kPending, tree_bytes<float>(points), tree_bytes_kept(points) + grid_bytes(points)});
  }
  // What rounding leaves out, at most the doubles themselves; while the tree is made the exact points are there, too.
  const std::size_t exact = 3 * sizeof(double) * points;
  return kept + std::max(kPending + exact + exact / 2, 2 * exact + tree_bytes<double>(points));
}

std::size_t building_bytes_of_mesh(std::size_t triangles, std::size_t vertices, bool solid) {
  using namespace mesh;
  // Of the trees seen, the fullest leaves hold 7.4 triangles and the emptiest 5.9; nodes are a third of the leaves and
  // some.
  const std::size_t leaves = share(triangles, 17), nodes = share(triangles, 7);
  std::size_t bytes = triangles * sizeof(MeshTriangle) + vertices * sizeof(Vec3) + buffer_bytes<Corner>(vertices) +
                      buffer_bytes<bvh::Box>(triangles);
  bytes += buffer_bytes<bvh::Node>(nodes) + buffer_bytes<std::uint32_t>(kWidth * leaves);
  bytes += buffer_bytes<Oriented>(leaves) + buffer_bytes<bvh::Box>(leaves) + buffer_bytes<Oriented>(nodes) +
           buffer_bytes<bvh::Box>(nodes);
  bytes += buffer_bytes<Block>(leaves) + buffer_bytes<Wide>(nodes);
  // Vertices at equal places, which are found at the same time: by a table of twice as many and up to a power of two.
  bytes += sizeof(std::uint32_t) * (vertices + std::bit_ceil(std::max<std::size_t>(2 * vertices, 2)));
  // Of a solid also edges, sorted, the lists from which its surface is found, and the cells where there is none.
  constexpr std::size_t kSurface = 160, kEdges = 66, kCells = 11, kSome = 4096;
  return bytes + (solid ? (kSurface + kEdges + kCells) * triangles : 0) + kSome;
}

}  // namespace graze
