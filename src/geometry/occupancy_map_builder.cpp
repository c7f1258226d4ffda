#include "graze/geometry/occupancy_map_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "geometry/occupancy_data.h"
#include "graze/base/error.h"

namespace graze {
namespace {

using Leaves = std::span<const OccupancyCell>;

std::string text_of(const OccupancyCell& leaf) {
  return fmt::format("({}, {}, {}) of level {}", leaf.key.x, leaf.key.y, leaf.key.z, leaf.level);
}

/// The slot of the cube of this level at `key`, of sorted leaves that are in it.
detail::OctreeSlot slot_of(Leaves leaves, int level, std::vector<detail::OctreeNode>& nodes) {
  if (leaves.empty()) return {};
  if (leaves[0].level == level) {
    if (leaves.size() == 1) return detail::OctreeSlot::leaf(leaves[0].log_odds);
    throw Error("leaves", fmt::format("{} and {} overlap", text_of(leaves[0]), text_of(leaves[1])));
  }
  std::array<detail::OctreeSlot, 8> children;
  for (int i = 0; i < 8; ++i) {
    const auto end = std::partition_point(leaves.begin(), leaves.end(), [&](const OccupancyCell& leaf) {
      return detail::child_of(leaf.key, level) <= i;
    });
    const auto count = static_cast<std::size_t>(end - leaves.begin());
    children[static_cast<std::size_t>(i)] = slot_of(leaves.first(count), level - 1, nodes);
    leaves = leaves.subspan(count);
  }
  return join(children, nodes);
}

}  // namespace

OccupancyMapBuilder::OccupancyMapBuilder(double resolution) : resolution_(detail::checked_resolution(resolution)) {}

void OccupancyMapBuilder::add(const OccupancyCell& leaf) {
  if (leaf.level < 0 || leaf.level > detail::kMaxLeafLevel) {
    throw Error("leaf", fmt::format("expected a level from 0 to {}, got {}", detail::kMaxLeafLevel, leaf.level));
  }
  if (!(detail::corner_of(leaf.key, leaf.level) == leaf.key)) {
    throw Error("leaf", text_of(leaf) + " is not at a multiple of its side");
  }
  if (!(std::abs(leaf.log_odds) <= std::numeric_limits<float>::max())) {
    throw Error("leaf", fmt::format("the log-odds of {} are {}, expected a number", text_of(leaf), leaf.log_odds));
  }
  leaves_.push_back(leaf);
}

OccupancyMap OccupancyMapBuilder::finish() && {
  // A coarse leaf has the key of the first cell in it, and comes before it.
  std::sort(leaves_.begin(), leaves_.end(), [](const OccupancyCell& a, const OccupancyCell& b) {
    return a.key == b.key ? a.level > b.level : detail::before(a.key, b.key);
  });
  detail::OccupancyData data;
  data.resolution = resolution_;
  Leaves rest(leaves_);
  while (!rest.empty()) {
    const int octant = detail::child_of(rest.front().key, OccupancyMap::kTopLevel);
    std::size_t count = 1;
    while (count < rest.size() && detail::child_of(rest[count].key, OccupancyMap::kTopLevel) == octant) ++count;
    const Leaves part = rest.first(count);
    int level = detail::common_level(part.front().key, part.back().key);
    for (const OccupancyCell& leaf : part) level = std::max(level, leaf.level);
    data.roots[static_cast<std::size_t>(octant)] = detail::root_of(
        slot_of(part, level, data.nodes), level, detail::corner_of(part.front().key, level), data.nodes);
    rest = rest.subspan(count);
  }
  leaves_.clear();
  return detail::OccupancyData::finish(std::move(data));
}

}  // namespace graze
