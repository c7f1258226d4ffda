// Versions of the cells of a map for readers.
#include <algorithm>
#include <span>
#include <utility>

#include "map/cell_store.h"

namespace graze::map {
namespace {

using detail::OctreeNode;
using detail::OctreeSlot;

}  // namespace

OctreeSlot CellStore::encode(const Brick& brick, std::vector<OctreeNode>& nodes) const {
  std::array<OctreeSlot, 8> quarters;
  for (unsigned q = 0; q < 8; ++q) {
    const bool one_value = brick.cube[q] == Brick::kOneValue;
    if (brick.known[q] == 0) continue;
    if (one_value && brick.known[q] == ~std::uint64_t{0}) {
      quarters[q] = OctreeSlot::leaf(brick.value[q]);
      continue;
    }
    std::array<float, 8> same_values;
    same_values.fill(brick.value[q]);
    std::array<OctreeSlot, 8> cubes;
    for (unsigned c = 0; c < 8; ++c) {
      const auto known = static_cast<std::uint8_t>(brick.known[q] >> 8 * c);
      if (known == 0) continue;
      const float* value = one_value ? same_values.data() : &cubes_[brick.cube[q]].of[std::size_t{8} * c];
      OctreeSlot& cube = cubes[c];
      bool same = known == 0xFF;
      for (unsigned i = 0; i < 8; ++i) {
        const bool here = (known >> i & 1U) != 0;
        cube.node.value[i] = here ? value[i] : detail::kNothingKnown;
        cube.value = std::max(cube.value, cube.node.value[i]);
        same = same && value[i] == value[0];
      }
      cube.known = true;
      cube.unknown = known != 0xFF;
      cube.inner = !same;
      cube.node.known = known;
      cube.node.unknown = static_cast<std::uint8_t>(~known);
    }
    quarters[q] = join(cubes, nodes);
  }
  return join(quarters, nodes);
}

void CellStore::encode(const Chunk& chunk) const {
  if (chunk.changed) {
    auto encoded = std::make_shared<detail::OctreeChunk>();
    encoded->key = chunk.key;
    std::array<OctreeSlot, 8> eighths;
    for (unsigned e = 0; e < 8; ++e) {
      std::array<OctreeSlot, 8> cubes;
      for (unsigned c = 0; c < 8; ++c) {
        std::array<OctreeSlot, 8> slots;
        for (unsigned i = 0; i < 8; ++i) {
          const Slot& slot = chunk.slots[64 * e + 8 * c + i];
          if (slot.brick == kUniform) slots[i] = OctreeSlot::leaf(slot.value);
          else if (slot.brick != kUnknown) slots[i] = encode(bricks_[slot.brick], encoded->nodes);
        }
        cubes[c] = join(slots, encoded->nodes);
      }
      eighths[e] = join(cubes, encoded->nodes);
    }
    chunk.slot = join(eighths, encoded->nodes);
    chunk.encoded.reset();
    if (chunk.slot.inner) {
      encoded->root = chunk.slot.node;
      encoded->nodes.shrink_to_fit();
      encoded->known = known_part(encoded->root, detail::kChunkLevel, encoded->key, encoded->nodes.data());
      std::uint64_t stamp = stamp_of(0, encoded->root);
      for (const OctreeNode& node : encoded->nodes) stamp = stamp_of(stamp, node);
      encoded->stamp = stamp;
      chunk.encoded = std::move(encoded);
    }
    chunk.changed = false;
  }
  if (chunk.times_changed) {
    auto times = std::make_shared<detail::ChunkTimes>();
    times->key = chunk.key;
    for (std::size_t i = 0; i < times->bricks.size(); ++i) times->bricks[i] = chunk.slots[i].time;
    chunk.times = std::move(times);
    chunk.times_changed = false;
  }
}

OccupancyMap CellStore::map() const {
  detail::OccupancyData data;
  data.resolution = options_.resolution;
  data.newest = newest_;
  std::vector<const Chunk*> known;
  for (const Chunk* chunk : sorted()) {
    encode(*chunk);
    if (chunk->slot.known) known.push_back(chunk);
    if (newest_) data.times.push_back(chunk->times);
  }
  // The tree above the chunks, octant by octant, from those of a cube of each level.
  using Chunks = std::span<const Chunk* const>;
  const auto join_above = [&](const auto& self, Chunks chunks, int level) -> OctreeSlot {
    if (chunks.empty()) return {};
    if (level == detail::kChunkLevel) return chunks[0]->slot;
    std::array<OctreeSlot, 8> children;
    std::size_t first = 0;
    for (int i = 0; i < 8; ++i) {
      std::size_t end = first;
      while (end < chunks.size() && detail::child_of(chunks[end]->key, level) == i) ++end;
      children[static_cast<std::size_t>(i)] = self(self, chunks.subspan(first, end - first), level - 1);
      first = end;
    }
    if (level > detail::kChunkLevel + 1) return join(children, data.nodes);
    std::vector<OctreeNode> unused;  // they are in the chunks
    OctreeSlot slot = join(children, unused);
    slot.node.first = static_cast<std::uint32_t>(data.chunks.size());
    slot.node.in_chunks = slot.inner ? 1 : 0;
    for (const Chunk* chunk : chunks) {
      if (slot.inner && chunk->slot.inner) data.chunks.push_back(chunk->encoded);
    }
    return slot;
  };
  Chunks rest(known);
  while (!rest.empty()) {
    const int octant = detail::child_of(rest.front()->key, OccupancyMap::kTopLevel);
    std::size_t count = 1;
    while (count < rest.size() && detail::child_of(rest[count]->key, OccupancyMap::kTopLevel) == octant) ++count;
    const Chunks part = rest.first(count);
    const int level = std::max(detail::common_level(part.front()->key, part.back()->key), detail::kChunkLevel + 1);
    data.roots[static_cast<std::size_t>(octant)] = detail::root_of(
        join_above(join_above, part, level), level, detail::corner_of(part.front()->key, level), data.nodes);
    rest = rest.subspan(count);
  }
  return detail::OccupancyData::finish(std::move(data));
}

}  // namespace graze::map
