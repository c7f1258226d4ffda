#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "geometry/occupancy_data.h"
#include "graze/base/error.h"

namespace graze {
namespace {

using detail::OctreeNode;

[[noreturn]] void fail(const CellKey& key, int level, const char* why) {
  throw Error(fmt::format("octree node ({}, {}, {}) of level {}", key.x, key.y, key.z, level), why);
}

/// What a node must say about itself to its parent.
struct Summary {
  float value = detail::kNothingKnown;
  bool known = false, unknown = false;
};

Summary check(const detail::OccupancyData& data, const OctreeNode& node, int level, const CellKey& key,
              std::span<const OctreeNode> pool, bool is_root) {
  if (level < 1) fail(key, level, "is below the cells");
  if (node.in_chunks != 0 && level != detail::kChunkLevel + 1) fail(key, level, "has chunks of another level");
  Summary all;
  bool same = node.inner == 0;
  for (int i = 0; i < 8; ++i) {
    const float value = node.value[static_cast<std::size_t>(i)];
    const bool known = (node.known >> i & 1) != 0, unknown = (node.unknown >> i & 1) != 0;
    const CellKey corner = detail::child_key(key, level, i);
    if ((node.inner >> i & 1) == 0) {
      if (known == unknown) fail(corner, level - 1, "is a leaf that is neither known nor unknown, or both");
      if (!known && value != detail::kNothingKnown) fail(corner, level - 1, "is unknown but has a value");
      if (known && !std::isfinite(value)) fail(corner, level - 1, "has a value that is not finite");
    } else {
      Summary below;
      const std::uint32_t index = node.index(i);
      if (node.in_chunks != 0) {
        if (index >= data.chunks.size()) fail(corner, level - 1, "is a chunk that is not there");
        const detail::OctreeChunk& chunk = *data.chunks[index];
        if (!(chunk.key == corner)) fail(corner, level - 1, "is the chunk of another location");
        below = check(data, chunk.root, level - 1, corner, chunk.nodes, false);
      } else {
        if (index >= pool.size()) fail(corner, level - 1, "is a node that is not there");
        below = check(data, pool[index], level - 1, corner, pool, false);
      }
      if (below.value != value || below.known != known || below.unknown != unknown) {
        fail(corner, level - 1, "has other values below than its parent says");
      }
    }
    all.value = std::max(all.value, value);
    all.known = all.known || known;
    all.unknown = all.unknown || unknown;
    same = same && value == node.value[0] && known == ((node.known & 1) != 0);
  }
  if (same && !is_root) fail(key, level, "has eight equal leaves");
  return all;
}

}  // namespace

void OccupancyMap::validate() const {
  detail::checked_resolution(data_->resolution);
  detail::OccupancyData again;
  for (std::size_t octant = 0; octant < 8; ++octant) {
    const detail::OctreeRoot& root = data_->roots[octant];
    if (!root.exists) continue;
    if (root.level < 1 || root.level >= kTopLevel) fail(root.key, root.level, "is a root of another level");
    if (!(detail::corner_of(root.key, root.level) == root.key) ||
        detail::child_of(root.key, kTopLevel) != static_cast<int>(octant)) {
      fail(root.key, root.level, "is a root of another octant");
    }
    if (!check(*data_, root.node, root.level, root.key, data_->nodes, true).known) {
      fail(root.key, root.level, "is a root below which nothing is known");
    }
  }
  again.resolution = data_->resolution;
  again.roots = data_->roots;
  again.nodes = data_->nodes;
  for (const auto& chunk : data_->chunks) {
    detail::OctreeChunk fresh = *chunk;
    fresh.known = detail::known_part(fresh.root, detail::kChunkLevel, fresh.key, fresh.nodes.data());
    again.chunks.push_back(std::make_shared<const detail::OctreeChunk>(std::move(fresh)));
  }
  const OccupancyMap derived = detail::OccupancyData::finish(std::move(again));
  if (derived.leaves() != leaves() || !(derived.bounds() == bounds()) || derived.stamp() != stamp()) {
    throw Error("occupancy map", "its leaves, bounds or stamp are those of another map");
  }
}

}  // namespace graze
