#include "query/cell_reach.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/cell_reach.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using map_view::CellBits;
using map_view::CellBlock;

// Cells along each axis, both ends included, counted from the corner of a cube.
struct Span {
  std::int64_t low[3], high[3];
};

// The children, of 2^shift cells per side, of a cube that a span reaches.
HWY_INLINE std::uint64_t reached(const Span& span, unsigned shift) {
  std::uint64_t bits = ~std::uint64_t{0};
  for (int a = 0; a < 3; ++a) {
    const std::int64_t low = std::max<std::int64_t>(span.low[a] >> shift, 0);
    const std::int64_t high = std::min<std::int64_t>(span.high[a] >> shift, 3);
    if (low > high) return 0;
    bits &= map_view::kCellSpans.axis[a][low][high];
  }
  return bits;
}

HWY_INLINE Span from_child(const Span& span, unsigned bit, unsigned shift) {
  Span s;
  for (unsigned a = 0; a < 3; ++a) {
    const auto corner = static_cast<std::int64_t>((bit >> a & 1U) | (bit >> (a + 3) & 1U) << 1U) << shift;
    s.low[a] = span.low[a] - corner, s.high[a] = span.high[a] - corner;
  }
  return s;
}

bool any_cell(const CellBits& bits, const CellBlock& block, int level, const Span& span) {
  const auto shift = static_cast<unsigned>(level - 2);
  const std::uint64_t near = block.some & reached(span, shift);
  if ((near & block.full) != 0) return true;
  for (std::uint64_t left = near; left != 0; left &= left - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(left));
    const Span below = from_child(span, bit, shift);
    const std::uint32_t at = block.index(bit);
    if (level == CellBits::kBottomLevel ? (bits.bricks[at] & reached(below, 0)) != 0
                                        : any_cell(bits, bits.blocks[at], level - 2, below))
      return true;
  }
  return false;
}

bool any_cell(const CellBits& bits, const double* low, const double* high) {
  const unsigned level = bits.table_level;
  Span span;
  std::int64_t first[3], last[3];
  for (int a = 0; a < 3; ++a) {
    span.low[a] = static_cast<std::int64_t>(low[kWide * a]), span.high[a] = static_cast<std::int64_t>(high[kWide * a]);
    first[a] = span.low[a] >> level, last[a] = span.high[a] >> level;
  }
  for (std::int64_t z = first[2]; z <= last[2]; ++z) {
    for (std::int64_t y = first[1]; y <= last[1]; ++y) {
      for (std::int64_t x = first[0]; x <= last[0]; ++x) {
        const std::uint32_t at = bits.table[bits.place({x, y, z})];
        if (at == CellBits::kNone) continue;
        const std::int64_t corner[3] = {x << level, y << level, z << level};
        Span own;
        for (int a = 0; a < 3; ++a) own.low[a] = span.low[a] - corner[a], own.high[a] = span.high[a] - corner[a];
        if (any_cell(bits, bits.blocks[at], static_cast<int>(level), own)) return true;
      }
    }
  }
  return false;
}

// A bit for each box that spans few cells: larger ones mostly reach some.
unsigned small_boxes(double resolution, const BoxSides& min, const BoxSides& max) {
  constexpr double kMaxCells = 16;
  const hn::CappedTag<double, kWide> d;
  unsigned small = 0;
  for (std::size_t i = 0; i < kWide; i += hn::Lanes(d)) {
    auto largest = hn::Zero(d);
    for (int a = 0; a < 3; ++a) largest = hn::Max(largest, hn::Sub(hn::LoadU(d, max[a] + i), hn::LoadU(d, min[a] + i)));
    std::uint8_t own[8] = {};
    hn::StoreMaskBits(d, hn::Lt(largest, hn::Set(d, kMaxCells * resolution)), own);
    small |= static_cast<unsigned>(own[0]) << i;
  }
  return small;
}

// The cells along each axis that the boxes reach, as far as any count. `rounding`: how many times what rounds here at
// most is added to the boxes; negative, what they reach they reach for certain.
unsigned cells_of_boxes(const CellBits& bits, double resolution, const Pose& pose, double margin, double rounding,
                        const BoxSides& min, const BoxSides& max, double* low, double* high) {
  const hn::CappedTag<double, kWide> d;
  const auto half = hn::Set(d, 0.5), one = hn::Set(d, 1), per_meter = hn::Set(d, 1 / resolution);
  const auto turning = hn::Set(d, rounding * 64 * kEpsilon), dividing = hn::Set(d, rounding * 8 * kEpsilon);
  unsigned near = 0;
  for (std::size_t i = 0; i < kWide; i += hn::Lanes(d)) {
    auto size = hn::Set(d, pose.translation().cwiseAbs().sum());
    decltype(size) center[3] = {size, size, size}, extent[3] = {size, size, size};
    for (int a = 0; a < 3; ++a) {
      const auto from = hn::LoadU(d, min[a] + i), to = hn::LoadU(d, max[a] + i);
      size = hn::Add(size, hn::Max(hn::Abs(from), hn::Abs(to)));
      center[a] = hn::Sub(hn::Mul(hn::Add(from, to), half), hn::Set(d, pose.translation()[a]));
      extent[a] = hn::Mul(hn::Sub(to, from), half);
    }
    const auto grown = hn::Add(hn::Set(d, margin), hn::Mul(size, turning));
    auto outside = hn::Ne(one, one);
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      auto middle = hn::Zero(d), reach = grown;
      for (int b = 0; b < 3; ++b) {
        const double turned = pose.rotation()(b, a);
        middle = hn::Add(middle, hn::Mul(hn::Set(d, turned), center[b]));
        reach = hn::Add(reach, hn::Mul(hn::Set(d, std::abs(turned)), extent[b]));
      }
      const auto from = hn::Mul(hn::Sub(middle, reach), per_meter), to = hn::Mul(hn::Add(middle, reach), per_meter);
      // Sides of cells are rounded products; a box that touches one from outside reaches the cell.
      const auto first = hn::Ceil(hn::Sub(hn::Sub(from, one), hn::Mul(hn::Add(hn::Abs(from), one), dividing)));
      const auto last = hn::Floor(hn::Add(to, hn::Mul(hn::Add(hn::Abs(to), one), dividing)));
      const auto lowest = hn::Set(d, static_cast<double>(bits.range.low[axis])),
                 highest = hn::Set(d, static_cast<double>(bits.range.high[axis]));
      // A number that is none stands for all cells, or for none that is certain.
      if (rounding > 0) outside = hn::Or(outside, hn::Or(hn::Gt(first, highest), hn::Lt(last, lowest)));
      else outside = hn::Or(outside, hn::Not(hn::And(hn::Le(first, highest), hn::Ge(last, lowest))));
      hn::StoreU(hn::IfThenElse(hn::Gt(first, lowest), first, lowest), d, low + kWide * axis + i);
      hn::StoreU(hn::IfThenElse(hn::Lt(last, highest), last, highest), d, high + kWide * axis + i);
    }
    std::uint8_t own[8] = {};
    hn::StoreMaskBits(d, hn::Not(outside), own);
    near |= static_cast<unsigned>(own[0]) << i;
  }
  return near;
}

unsigned near_cells(const CellBits& bits, double resolution, const Pose& pose, double margin, double rounding,
                    const BoxSides& min, const BoxSides& max, unsigned some) {
  const unsigned small = some & small_boxes(resolution, min, max);
  if (small == 0) return some;
  double low[3 * kWide], high[3 * kWide];
  unsigned near = small & cells_of_boxes(bits, resolution, pose, margin, rounding, min, max, low, high);
  for (unsigned left = near; left != 0; left &= left - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(left));
    if (!any_cell(bits, low + k, high + k)) near &= ~(1U << k);
  }
  return near | (some & ~small);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze {

HWY_EXPORT(near_cells);

CellReach::CellReach(const MapView& view, const Pose& pose, double uncertainty)
    : bits_(data_of(view).bits), pose_(pose), resolution_(data_of(view).map.resolution()), uncertainty_(uncertainty) {}

unsigned CellReach::look(const BoxSides& min, const BoxSides& max, double margin, double rounding,
                         unsigned some) const {
  if (some == 0) return 0;
  return HWY_DYNAMIC_DISPATCH(near_cells)(bits_, resolution_, pose_, margin, rounding, min, max, some);
}

}  // namespace graze
#endif
