#include "graze/geometry/occupancy_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "geometry/occupancy_data.h"
#include "graze/base/error.h"

namespace graze {

using detail::OctreeChunk;
using detail::OctreeNode;
using detail::OctreeRoot;

OccupancyMap::OccupancyMap() : OccupancyMap(detail::OccupancyData::finish({})) {}

double OccupancyMap::resolution() const { return data_->resolution; }
std::size_t OccupancyMap::leaves() const { return data_->leaves; }
const Aabb& OccupancyMap::bounds() const { return data_->bounds; }
std::uint64_t OccupancyMap::stamp() const { return data_->stamp; }
std::optional<double> OccupancyMap::newest() const { return data_->newest; }

std::optional<CellKey> OccupancyMap::key_of(const Vec3& p) const {
  const auto x = detail::key_of(p.x(), data_->resolution), y = detail::key_of(p.y(), data_->resolution),
             z = detail::key_of(p.z(), data_->resolution);
  if (!x || !y || !z) return std::nullopt;
  return CellKey{*x, *y, *z};
}

Aabb OccupancyMap::box(const CellKey& key, int level) const {
  const std::int64_t side = std::int64_t{1} << static_cast<unsigned>(level);
  const double r = data_->resolution;
  const auto at = [&](std::int64_t cell) { return static_cast<double>(cell) * r; };
  return {Vec3(at(key.x), at(key.y), at(key.z)), Vec3(at(key.x + side), at(key.y + side), at(key.z + side))};
}

std::optional<OccupancyCell> OccupancyMap::find(const CellKey& key) const {
  const OctreeRoot& root = data_->roots[static_cast<std::size_t>(detail::child_of(key, kTopLevel))];
  if (!root.exists || detail::common_level(key, root.key) > root.level) return std::nullopt;
  const OctreeNode* node = &root.node;
  const OctreeNode* pool = data_->nodes.data();
  for (int level = root.level;; --level) {
    const int child = detail::child_of(key, level);
    if ((node->known >> child & 1) == 0) return std::nullopt;
    if ((node->inner >> child & 1) == 0) {
      return OccupancyCell{detail::corner_of(key, level - 1), level - 1, node->value[static_cast<std::size_t>(child)]};
    }
    if (node->in_chunks != 0) {
      const OctreeChunk& chunk = *data_->chunks[node->index(child)];
      node = &chunk.root;
      pool = chunk.nodes.data();
    } else {
      node = &pool[node->index(child)];
    }
  }
}

std::optional<OccupancyCell> OccupancyMap::find(const Vec3& p) const {
  const std::optional<CellKey> key = key_of(p);
  return key ? find(*key) : std::nullopt;
}

std::optional<float> OccupancyMap::log_odds(const CellKey& key) const {
  const std::optional<OccupancyCell> cell = find(key);
  return cell ? std::optional(cell->log_odds) : std::nullopt;
}

std::optional<float> OccupancyMap::log_odds(const Vec3& p) const {
  const std::optional<CellKey> key = key_of(p);
  return key ? log_odds(*key) : std::nullopt;
}

Occupancy OccupancyMap::state(const CellKey& key, double threshold) const {
  const std::optional<OccupancyCell> cell = find(key);
  if (!cell) return Occupancy::unknown;
  return cell->log_odds < log_odds_of(threshold) ? Occupancy::free : Occupancy::occupied;
}

Occupancy OccupancyMap::state(const Vec3& p, double threshold) const {
  const std::optional<CellKey> key = key_of(p);
  return key ? state(*key, threshold) : Occupancy::unknown;
}

OccupancyNode OccupancyMap::root() const {
  OccupancyNode top;
  top.key_ = detail::corner_of({}, kTopLevel);
  top.level_ = kTopLevel;
  top.value_ = detail::kNothingKnown;
  for (const OctreeRoot& root : data_->roots) {
    if (!root.exists) continue;
    top.leaf_ = false;
    top.known_ = true;
    top.value_ = std::max(top.value_, *std::max_element(root.node.value.begin(), root.node.value.end()));
  }
  return top;
}

void OccupancyMap::children(const OccupancyNode& node, std::array<OccupancyNode, 8>& out) const {
  for (int i = 0; i < 8; ++i) {
    OccupancyNode& child = out[static_cast<std::size_t>(i)];
    child = OccupancyNode();
    child.key_ = detail::child_key(node.key_, node.level_, i);
    child.level_ = static_cast<std::int8_t>(node.level_ - 1);
    child.value_ = detail::kNothingKnown;
    if (node.leaf_) continue;
    if (node.node_ == nullptr) {  // above the stored roots: only the child that holds one has something
      const int octant = node.level_ == kTopLevel ? i : int{node.root_};
      const OctreeRoot& root = data_->roots[static_cast<std::size_t>(octant)];
      if (!root.exists || !(detail::corner_of(root.key, child.level_) == child.key_)) continue;
      child.leaf_ = false;
      child.known_ = true;
      child.value_ = *std::max_element(root.node.value.begin(), root.node.value.end());
      child.root_ = static_cast<std::int8_t>(octant);
      if (child.level_ > root.level) continue;
      child.unknown_ = root.node.unknown != 0;
      child.node_ = &root.node;
      child.pool_ = data_->nodes.data();
      continue;
    }
    const OctreeNode& stored = *node.node_;
    child.known_ = (stored.known >> i & 1) != 0;
    child.unknown_ = (stored.unknown >> i & 1) != 0;
    child.leaf_ = (stored.inner >> i & 1) == 0;
    child.value_ = stored.value[static_cast<std::size_t>(i)];
    if (child.leaf_) continue;
    if (stored.in_chunks != 0) {
      const OctreeChunk& chunk = *data_->chunks[stored.index(i)];
      child.node_ = &chunk.root;
      child.pool_ = chunk.nodes.data();
    } else {
      child.node_ = &node.pool_[stored.index(i)];
      child.pool_ = node.pool_;
    }
  }
}

int OccupancyMap::known_children(const OccupancyNode& node, std::array<OccupancyNode, 8>& out) const {
  OccupancyNode at = node;
  for (;;) {
    children(at, out);
    const auto end = std::remove_if(out.begin(), out.end(), [](const OccupancyNode& n) { return !n.known_; });
    const auto count = static_cast<int>(end - out.begin());
    if (count != 1 || out[0].leaf_ || out[0].node_ != nullptr) return count;
    at = out[0];
  }
}

void OccupancyMap::visit_all(void* body, bool (*visit)(void*, const OccupancyCell&)) const {
  // Seven siblings wait at every level, and the eight of the last.
  std::array<OccupancyNode, 7 * kTopLevel + 8> open;
  std::array<OccupancyNode, 8> found;
  std::size_t size = 1;
  open[0] = root();
  while (size > 0) {
    const OccupancyNode node = open[--size];
    if (node.leaf_) {
      if (node.known_ && !visit(body, {node.key_, node.level_, node.value_})) return;
      continue;
    }
    for (int i = known_children(node, found); i-- > 0;) open[size++] = found[static_cast<std::size_t>(i)];
  }
}

std::optional<double> OccupancyMap::newest(const Aabb& region) const {
  double time = -kInfinity;
  for (const auto& part : data_->times) {
    if (!overlap(box(part->key, detail::kChunkLevel), region)) continue;
    for (unsigned i = 0; i < part->bricks.size(); ++i) {
      if (!(part->bricks[i] > time)) continue;
      CellKey key = part->key;
      for (int level = detail::kChunkLevel; level > detail::kBrickLevel; --level) {
        key = detail::child_key(key, level, static_cast<int>(i >> 3U * static_cast<unsigned>(level - 4) & 7U));
      }
      if (overlap(box(key, detail::kBrickLevel), region)) time = part->bricks[i];
    }
  }
  return time > -kInfinity ? std::optional(time) : std::nullopt;
}

std::size_t OccupancyMap::memory_bytes() const {
  std::size_t bytes = sizeof(detail::OccupancyData) + data_->nodes.capacity() * sizeof(OctreeNode) +
                      data_->chunks.capacity() * sizeof(data_->chunks[0]);
  for (const auto& chunk : data_->chunks) bytes += sizeof(OctreeChunk) + chunk->nodes.capacity() * sizeof(OctreeNode);
  return bytes + data_->times.size() * (sizeof(detail::ChunkTimes) + sizeof(data_->times[0]));
}

}  // namespace graze
