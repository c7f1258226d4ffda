#include "geometry/occupancy_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/base/elementary.h"
#include "graze/base/error.h"

namespace graze {

float log_odds_of(double probability) { return static_cast<float>(elementary::log(probability / (1 - probability))); }

double probability_of(float log_odds) { return 1 - 1 / (1 + elementary::exp(double{log_odds})); }

namespace detail {

OctreeSlot join(const std::array<OctreeSlot, 8>& children, std::vector<OctreeNode>& nodes) {
  OctreeSlot cube;
  cube.unknown = false;
  bool same = true;
  for (const OctreeSlot& child : children) {
    cube.known = cube.known || child.known;
    cube.unknown = cube.unknown || child.unknown;
    cube.value = std::max(cube.value, child.value);
    same = same && !child.inner && child.known == children[0].known && child.value == children[0].value;
  }
  if (same) return children[0];
  cube.inner = true;
  cube.node.unknown = 0;
  cube.node.first = static_cast<std::uint32_t>(nodes.size());
  for (unsigned i = 0; i < 8; ++i) {
    const OctreeSlot& child = children[i];
    const auto bit = static_cast<std::uint8_t>(1U << i);
    cube.node.value[i] = child.value;
    if (child.known) cube.node.known |= bit;
    if (child.unknown) cube.node.unknown |= bit;
    if (!child.inner) continue;
    cube.node.inner |= bit;
    nodes.push_back(child.node);
  }
  return cube;
}

void KnownPart::add_leaf(const CellKey& key, int level) {
  ++leaves;
  const std::int64_t side = std::int64_t{1} << static_cast<unsigned>(level);
  const std::array<std::int64_t, 3> corner{key.x, key.y, key.z};
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = std::min(low[i], corner[i]);
    high[i] = std::max(high[i], corner[i] + side);
  }
}

void KnownPart::add(const KnownPart& other) {
  leaves += other.leaves;
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = std::min(low[i], other.low[i]);
    high[i] = std::max(high[i], other.high[i]);
  }
}

KnownPart known_part(const OctreeNode& node, int level, const CellKey& key, const OctreeNode* pool) {
  KnownPart part;
  for (int i = 0; i < 8; ++i) {
    if ((node.known >> i & 1) == 0) continue;
    const CellKey corner = child_key(key, level, i);
    if ((node.inner >> i & 1) == 0) part.add_leaf(corner, level - 1);
    else part.add(known_part(pool[node.index(i)], level - 1, corner, pool));
  }
  return part;
}

std::uint64_t stamp_of(std::uint64_t stamp, const OctreeNode& node) {
  for (std::size_t i = 0; i < 8; i += 2) {
    stamp = mixed(stamp, std::uint64_t{std::bit_cast<std::uint32_t>(node.value[i])} << 32U |
                             std::bit_cast<std::uint32_t>(node.value[i + 1]));
  }
  return mixed(stamp, std::uint64_t{node.first} << 32U | std::uint64_t{node.inner} << 24U |
                          std::uint64_t{node.known} << 16U | std::uint64_t{node.unknown} << 8U | node.in_chunks);
}

OctreeRoot root_of(OctreeSlot slot, int level, CellKey key, const std::vector<OctreeNode>& nodes) {
  OctreeRoot root;
  if (!slot.known) return root;
  root.exists = true;
  if (!slot.inner && level == OccupancyMap::kTopLevel - 1) {  // the whole octant: nothing is above it but all of space
    root.node.value.fill(slot.value);
    root.node.known = 0xFF;
    root.node.unknown = 0;
  } else if (!slot.inner) {  // a root is a node always: that of the cube above, in which there is nothing else
    const auto child = static_cast<unsigned>(child_of(key, ++level));
    root.node.value.fill(kNothingKnown);
    root.node.value[child] = slot.value;
    root.node.known = static_cast<std::uint8_t>(1U << child);
    root.node.unknown = static_cast<std::uint8_t>(~root.node.known);
    key = corner_of(key, level);
  } else {
    root.node = slot.node;
    while (std::has_single_bit(root.node.known) && root.node.inner == root.node.known && root.node.in_chunks == 0) {
      const int child = std::countr_zero(root.node.known);
      key = child_key(key, level--, child);
      root.node = nodes[root.node.first];
    }
  }
  root.level = static_cast<std::int8_t>(level);
  root.key = key;
  return root;
}

namespace {

/// Of a stored root, chunks included.
KnownPart known_part(const OccupancyData& data, const OctreeNode& node, int level, const CellKey& key) {
  KnownPart part;
  for (int i = 0; i < 8; ++i) {
    if ((node.known >> i & 1) == 0) continue;
    const CellKey corner = child_key(key, level, i);
    if ((node.inner >> i & 1) == 0) part.add_leaf(corner, level - 1);
    else if (node.in_chunks != 0) part.add(data.chunks[node.index(i)]->known);
    else part.add(known_part(data, data.nodes[node.index(i)], level - 1, corner));
  }
  return part;
}

}  // namespace

OccupancyMap OccupancyData::finish(OccupancyData&& data) {
  KnownPart known;
  std::uint64_t stamp = mixed(0, std::bit_cast<std::uint64_t>(data.resolution));
  for (const OctreeNode& node : data.nodes) stamp = stamp_of(stamp, node);
  for (const auto& chunk : data.chunks) stamp = mixed(stamp, chunk->stamp);
  for (const OctreeRoot& root : data.roots) {
    if (!root.exists) continue;
    known.add(known_part(data, root.node, root.level, root.key));
    stamp = stamp_of(mixed(stamp, static_cast<std::uint64_t>(root.level)), root.node);
    for (const std::int32_t k : {root.key.x, root.key.y, root.key.z}) stamp = mixed(stamp, biased(k));
  }
  data.leaves = known.leaves;
  data.stamp = stamp;
  data.bounds = {};
  if (known.leaves > 0) {
    for (int i = 0; i < 3; ++i) {
      data.bounds.min[i] = static_cast<double>(known.low[static_cast<std::size_t>(i)]) * data.resolution;
      data.bounds.max[i] = static_cast<double>(known.high[static_cast<std::size_t>(i)]) * data.resolution;
    }
  }
  return OccupancyMap(std::make_shared<const OccupancyData>(std::move(data)));
}

std::optional<std::int32_t> key_of(double coordinate, double resolution) {
  constexpr double kLow = -2147483648.0, kHigh = 2147483648.0;
  double cell = std::floor(coordinate / resolution);
  if (!(cell >= kLow - 1 && cell <= kHigh)) return std::nullopt;  // one beyond may still be rounding; NaN is not
  while (cell * resolution > coordinate) cell -= 1;
  while ((cell + 1) * resolution <= coordinate) cell += 1;
  if (!(cell >= kLow && cell < kHigh)) return std::nullopt;
  return static_cast<std::int32_t>(cell);
}

double checked_resolution(double resolution) {
  if (resolution >= OccupancyMap::kMinResolution && resolution <= OccupancyMap::kMaxResolution) return resolution;
  throw Error("resolution", fmt::format("expected a length from {} to {} m, got {}", OccupancyMap::kMinResolution,
                                        OccupancyMap::kMaxResolution, resolution));
}

}  // namespace detail
}  // namespace graze
