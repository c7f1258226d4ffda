#include "scene/planar_masks.h"

#include <cmath>

namespace graze::planar {

void ExtentTable::build(std::span<const Aabb2> boxes) {
  const std::size_t words = boxes.size() / 64 + 1;
  words_ = 0;  // unless there is memory, there is no table
  bits_.assign(4 * kCells * words, 0);
  words_ = words;
  for (int axis = 0; axis < 2; ++axis) {
    double low = kInfinity, high = -kInfinity;
    for (const Aabb2& box : boxes) {
      if (box.empty() || !std::isfinite(box.min[axis]) || !std::isfinite(box.max[axis])) continue;
      low = std::min(low, box.min[axis]), high = std::max(high, box.max[axis]);
    }
    const bool some = high > low;
    origin_[axis] = some ? low : 0;
    scale_[axis] = some ? kCells / (high - low) : 0;
    if (!std::isfinite(scale_[axis])) scale_[axis] = 0;
  }
  for (std::size_t id = 0; id < boxes.size(); ++id) set(id, boxes[id]);
}

void ExtentTable::set(std::size_t id, const Aabb2& box) {
  const std::uint64_t bit = std::uint64_t{1} << (id % 64);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    // All have started and ended: in no set.
    std::size_t start = 0, end = 0;
    const bool none = box.empty();
    if (!none) start = cell(axis, box.min[static_cast<int>(axis)]), end = cell(axis, box.max[static_cast<int>(axis)]);
    for (std::size_t c = 0; c < kCells; ++c) {
      std::uint64_t& started = bits_[((2 * axis) * kCells + c) * words_ + id / 64];
      std::uint64_t& ended = bits_[((2 * axis + 1) * kCells + c) * words_ + id / 64];
      started = !none && c >= start ? started | bit : started & ~bit;
      ended = none || c > end ? ended | bit : ended & ~bit;
    }
  }
}

}  // namespace graze::planar
