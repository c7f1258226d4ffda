// How an occupancy map is stored: octree nodes with the values of their children.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "graze/geometry/occupancy_map.h"

namespace graze::detail {

inline constexpr float kNothingKnown = -std::numeric_limits<float>::infinity();

/// The eight children of one cube. Child i = x + 2y + 4z is the upper half along the axes whose bit is set.
struct OctreeNode {
  std::array<float, 8> value{};  // of a leaf; the maximum below an inner child; kNothingKnown where nothing is known
  std::uint32_t first = 0;       // index of the first inner child's node; the others follow
  std::uint8_t inner = 0;        // child i has a node of its own
  std::uint8_t known = 0;        // something in child i is known
  std::uint8_t unknown = 0xFF;   // something in child i is unknown
  std::uint8_t in_chunks = 0;    // the inner children are chunks rather than nodes of the same array

  std::uint32_t index(int child) const {
    return first + static_cast<std::uint32_t>(std::popcount(inner & ((1U << static_cast<unsigned>(child)) - 1U)));
  }
};
static_assert(sizeof(OctreeNode) == 40);

/// What there is to say about one cube to whoever is above it.
struct OctreeSlot {
  float value = kNothingKnown;
  bool known = false, unknown = true, inner = false;
  OctreeNode node;  // if it is inner

  static OctreeSlot leaf(float value) { return {value, true, false, false, {}}; }
  bool is_known_leaf() const { return known && !inner; }
};

/// The cube of eight: a leaf if they are leaves of one value (or all unknown), otherwise a node whose inner children
/// are put at the end of `nodes`.
OctreeSlot join(const std::array<OctreeSlot, 8>& children, std::vector<OctreeNode>& nodes);

inline constexpr int kBrickLevel = 3, kChunkLevel = 6;
inline constexpr int kMaxLeafLevel = 30;

/// How much is known, and where.
struct KnownPart {
  std::size_t leaves = 0;
  std::array<std::int64_t, 3> low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};  // cells from low up to, not with, high

  static constexpr std::int64_t kFar = std::int64_t{1} << 40U;
  void add_leaf(const CellKey& key, int level);
  void add(const KnownPart& other);
};
/// Of everything below a node of this level at `key` whose nodes are in one array.
KnownPart known_part(const OctreeNode& node, int level, const CellKey& key, const OctreeNode* pool);

/// A cube of 64 × 64 × 64 cells that versions of a map share as long as nothing in it changes.
struct OctreeChunk {
  CellKey key;
  OctreeNode root;
  std::vector<OctreeNode> nodes;
  KnownPart known;
  std::uint64_t stamp = 0;  // of the content
};

/// When frames last changed the cube of a chunk.
struct ChunkTimes {
  CellKey key;
  std::array<double, 512> bricks{};  // of 8 × 8 × 8 cells, in the order of the curve; −infinity: no frame
};

/// What is stored of one octant of key space: the smallest cube around all that is known in it.
struct OctreeRoot {
  bool exists = false;
  std::int8_t level = 0;
  CellKey key;
  OctreeNode node;
};

/// The root of an octant in which only the cube of this level at `key` has something known: the smallest that will do.
OctreeRoot root_of(OctreeSlot slot, int level, CellKey key, const std::vector<OctreeNode>& nodes);

struct OccupancyData {
  double resolution = 0.05;
  std::array<OctreeRoot, 8> roots;
  std::vector<OctreeNode> nodes;
  std::vector<std::shared_ptr<const OctreeChunk>> chunks;
  std::vector<std::shared_ptr<const ChunkTimes>> times;
  std::optional<double> newest;
  // Derived from the above by finish().
  std::size_t leaves = 0;
  Aabb bounds;
  std::uint64_t stamp = 0;

  /// Derives the rest, and makes the map.
  static OccupancyMap finish(OccupancyData&& data);
  static const OccupancyData& of(const OccupancyMap& map) { return *map.data_; }
};

// --- keys
// -------------------------------------------------------------------------------------------------------------

/// Keys in the order of their bits: the lowest is 0.
inline std::uint32_t biased(std::int32_t key) { return static_cast<std::uint32_t>(key) ^ 0x80000000U; }

/// Which child of a cube of this level (1 … 32) a cell is in.
inline int child_of(const CellKey& key, int level) {
  const auto shift = static_cast<unsigned>(level - 1);
  return static_cast<int>((biased(key.x) >> shift & 1U) | (biased(key.y) >> shift & 1U) << 1U |
                          (biased(key.z) >> shift & 1U) << 2U);
}

/// The lower corner of the cube of this level (0 … 32) that a cell is in.
inline CellKey corner_of(const CellKey& key, int level) {
  const auto axis = [&](std::int32_t k) {
    const std::uint32_t mask = level >= 32 ? 0U : ~0U << static_cast<unsigned>(level);
    return static_cast<std::int32_t>((biased(k) & mask) ^ 0x80000000U);
  };
  return {axis(key.x), axis(key.y), axis(key.z)};
}

/// The lower corner of child `child` of the cube of this level at `key`.
inline CellKey child_key(const CellKey& key, int level, int child) {
  const std::uint32_t half = 1U << static_cast<unsigned>(level - 1);
  const auto axis = [&](std::int32_t k, int bit) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(k) + ((child >> bit & 1) != 0 ? half : 0U));
  };
  return {axis(key.x, 0), axis(key.y, 1), axis(key.z, 2)};
}

/// The smallest level (0 … 32) at which both are in one cube.
inline int common_level(const CellKey& a, const CellKey& b) {
  const std::uint32_t differ = (biased(a.x) ^ biased(b.x)) | (biased(a.y) ^ biased(b.y)) | (biased(a.z) ^ biased(b.z));
  return static_cast<int>(std::bit_width(differ));
}

/// Whether a comes before b along the curve: by the highest bit in which they differ, z before y before x.
inline bool before(const CellKey& a, const CellKey& b) {
  const std::uint32_t x = biased(a.x) ^ biased(b.x), y = biased(a.y) ^ biased(b.y), z = biased(a.z) ^ biased(b.z);
  // u < v in their highest bit: u < (u xor v)
  const auto lower = [](std::uint32_t u, std::uint32_t v) { return u < v && u < (u ^ v); };
  if (lower(y, x) && lower(z, x)) return a.x < b.x;
  if (lower(z, y)) return a.y < b.y;
  return a.z < b.z;
}

/// The cell of a coordinate, by the boxes of cells as they are rounded; none if it is out of the range of keys.
std::optional<std::int32_t> key_of(double coordinate, double resolution);

/// Mixes a number into a stamp.
inline std::uint64_t mixed(std::uint64_t stamp, std::uint64_t word) {
  stamp = (stamp ^ word) * 0x9E3779B97F4A7C15U;
  return stamp ^ stamp >> 29U;
}
/// The content of nodes as a stamp.
std::uint64_t stamp_of(std::uint64_t stamp, const OctreeNode& node);

/// Throws Error for a resolution that no map can have.
double checked_resolution(double resolution);

}  // namespace graze::detail
