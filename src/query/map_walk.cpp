#include "query/map_walk.h"

#include <cmath>

namespace graze {
namespace {

using map_view::CellBits;
using map_view::CellBlock;

double outside(double low, double high, double from, double to) { return std::max({low - to, from - high, 0.0}); }

// Bit k: whether the byte k of a word has any.
unsigned bytes_with_bits(std::uint64_t word) {
  word |= word >> 4U, word |= word >> 2U, word |= word >> 1U;
  return static_cast<unsigned>((word & 0x0101010101010101U) * 0x0102040810204080U >> 56U);
}

unsigned byte_of(std::uint64_t word, unsigned k) { return static_cast<unsigned>(word >> 8 * k & 0xFFU); }

// Which half of the cube above a cube of this level is.
unsigned half_of(const CellKey& key, int level) { return static_cast<unsigned>(detail::child_of(key, level + 1)); }

}  // namespace

MapCells::MapCells(const MapView& view, const Aabb& near, const Vec3& center, double radius)
    : data_(data_of(view)), resolution_(data_.map.resolution()) {
  body_.near = near;
  body_.center = center;
  body_.radius = radius;
  // Sides are rounded products; and what the few sums here round.
  if (const Aabb& box = data_.bounds; !box.empty()) {
    body_.slack = 16 * kEpsilon * (size_of(box.min) + size_of(box.max) + size_of(center) + radius);
  }
}

void MapCells::open(const Place& place, double limit, Children<double>& children) const {
  const double reach = this->reach(limit);
  // What is near the middle comes first: where the box of the body overlaps many cells, their gaps are all alike.
  children.order = children.other;
  if (!(reach >= 0)) return;
  if (place.level == kAll) {
    for (unsigned k = 0; k < data_.bits.count; ++k) {
      const CellBits::Root& root = data_.bits.roots[k];
      const Aabb box = data_.map.box(root.key, root.level);
      bool near = true;
      double center_sq = 0;
      for (int a = 0; a < 3; ++a) {
        near = near && outside(box.min[a], box.max[a], body_.near.min[a], body_.near.max[a]) <= reach;
        const double from = outside(box.min[a], box.max[a], body_.center[a], body_.center[a]);
        center_sq += from * from;
      }
      children.bound[k] = -kInfinity;
      children.other[k] = center_sq;
      (near ? children.near : children.apart) |= 1U << k;
    }
    return;
  }
  const std::int64_t half = std::int64_t{1} << static_cast<unsigned>(place.level - 1);
  std::array<std::array<double, 3>, 3> sides;
  const std::array<std::int64_t, 3> first{place.key.x, place.key.y, place.key.z};
  for (std::size_t a = 0; a < 3; ++a) {
    sides[a] = {static_cast<double>(first[a]) * resolution_, static_cast<double>(first[a] + half) * resolution_,
                static_cast<double>(first[a] + 2 * half) * resolution_};
  }
  const std::uint64_t word = place.block != nullptr ? place.block->some : place.brick;
  const unsigned some = place.level % 2 == 0 ? bytes_with_bits(word) : byte_of(word, half_of(place.key, place.level));
  children.near = some & near_cubes(body_, sides, reach, children.bound, children.other);
  children.apart = some & ~children.near;
}

MapCells::Place MapCells::child(const Place& place, std::size_t k) const {
  if (place.level == kAll) {
    const CellBits::Root& root = data_.bits.roots[k];
    return {&data_.bits.blocks[root.block], 0, root.key, root.level, false};
  }
  Place below{place.block, place.brick, detail::child_key(place.key, place.level, static_cast<int>(k)), place.level - 1,
              place.level == 1};
  if (place.level % 2 == 0 || place.level == 1) return below;
  const unsigned bit = 8 * half_of(place.key, place.level) + static_cast<unsigned>(k);
  const CellBlock& block = *place.block;
  if ((block.full >> bit & 1U) != 0) below.whole = true;
  else if (below.level == CellBits::kBrickLevel)
    below.block = nullptr, below.brick = data_.bits.bricks[block.index(bit)];
  else below.block = &data_.bits.blocks[block.index(bit)];
  return below;
}

void MapCells::select(const CellKey& key, int level) const {
  const Aabb box = data_.map.box(key, level);
  key_ = key;
  box_ = box.grown(kEpsilon * (size_of(box.min) + size_of(box.max)));
  block_.count = 8;
  block_.slack = kEpsilon * std::max(box.min.cwiseAbs().maxCoeff(), box.max.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k < 8; ++k) {
    block_.corners[k] = {(k & 1U) != 0 ? box.max.x() : box.min.x(), (k & 2U) != 0 ? box.max.y() : box.min.y(),
                         (k & 4U) != 0 ? box.max.z() : box.min.z()};
  }
}

}  // namespace graze
