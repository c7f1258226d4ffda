#include "scene/planar_masks.h"

#include <cmath>
#include <utility>

namespace graze::planar {

void ExtentTable::build(std::span<const Aabb2> boxes) {
  const std::size_t words = boxes.size() / 64 + 1;
  words_ = 0;  // unless there is memory, there is no table
  bits_.assign(4 * kCells * words, 0);
  first_with_.assign(64 * words, {kCells, kCells, kCells, kCells});
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
  for (std::size_t id = 0; id < 64 * words; ++id) {
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    first_with_[id] = first_with(id < boxes.size() ? boxes[id] : Aabb2());
    for (std::size_t table = 0; table < 4; ++table) {
      if (const std::size_t from = first_with_[id][table]; from < kCells) word(table, from, id) |= bit;
    }
  }
  for (std::size_t table = 0; table < 4; ++table) {
    const std::size_t begin = table * kCells * words, end = begin + kCells * words;
    for (std::size_t i = begin + words; i < end; ++i) bits_[i] |= bits_[i - words];
  }
}

void ExtentTable::set(std::size_t id, const Aabb2& box) {
  const std::uint64_t bit = std::uint64_t{1} << (id % 64);
  const auto was = std::exchange(first_with_[id], first_with(box)), is = first_with_[id];
  for (std::size_t table = 0; table < 4; ++table) {
    for (std::size_t c = std::min(was[table], is[table]); c < std::max(was[table], is[table]); ++c)
      word(table, c, id) ^= bit;
  }
}

auto ExtentTable::first_with(const Aabb2& box) const -> Firsts {
  if (box.empty()) return {kCells, 0, kCells, 0};
  const auto at = [&](std::size_t axis, double x) { return static_cast<std::uint16_t>(cell(axis, x)); };
  const auto after = [&](std::size_t axis, double x) { return static_cast<std::uint16_t>(cell(axis, x) + 1); };
  return {at(0, box.min.x()), after(0, box.max.x()), at(1, box.min.y()), after(1, box.max.y())};
}

}  // namespace graze::planar
