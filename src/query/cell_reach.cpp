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
using map_view::CellRange;

// The range is counted from the corner of the block.
bool any_cell(const CellBits& bits, const CellBlock& block, int level, const CellRange& range) {
  const auto shift = static_cast<unsigned>(level - 2);
  const std::uint64_t near = block.some & map_view::children_within(range, shift);
  if ((near & block.full) != 0) return true;
  for (std::uint64_t left = near; left != 0; left &= left - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(left));
    const CellRange below = map_view::seen_from(range, map_view::child_corner(bit, shift));
    const std::uint32_t at = block.index(bit);
    if (level == CellBits::kBottomLevel ? (bits.bricks[at] & map_view::children_within(below, 0)) != 0
                                        : any_cell(bits, bits.blocks[at], level - 2, below))
      return true;
  }
  return false;
}

bool any_cell(const CellBits& bits, const double* low, const double* high) {
  const unsigned level = bits.table_level;
  CellRange range;
  std::int64_t first[3], last[3];
  for (std::size_t a = 0; a < 3; ++a) {
    range.low[a] = static_cast<std::int64_t>(low[kWide * a]);
    range.high[a] = static_cast<std::int64_t>(high[kWide * a]);
    first[a] = range.low[a] >> level, last[a] = range.high[a] >> level;
  }
  for (std::int64_t z = first[2]; z <= last[2]; ++z) {
    for (std::int64_t y = first[1]; y <= last[1]; ++y) {
      for (std::int64_t x = first[0]; x <= last[0]; ++x) {
        const std::uint32_t at = bits.table[bits.place({x, y, z})];
        if (at == CellBits::kNone) continue;
        const CellRange own = map_view::seen_from(range, {x << level, y << level, z << level});
        if (any_cell(bits, bits.blocks[at], static_cast<int>(level), own)) return true;
      }
    }
  }
  return false;
}

// A bit for each box that spans few cells: larger ones mostly reach some.
unsigned small_boxes(double per_meter, const BoxSides& min, const BoxSides& max) {
  constexpr double kMaxCells = 16;
  const hn::CappedTag<double, kWide> d;
  unsigned small = 0;
  for (std::size_t i = 0; i < kWide; i += hn::Lanes(d)) {
    auto largest = hn::Zero(d);
    for (int a = 0; a < 3; ++a) largest = hn::Max(largest, hn::Sub(hn::LoadU(d, max[a] + i), hn::LoadU(d, min[a] + i)));
    std::uint8_t own[8] = {};
    hn::StoreMaskBits(d, hn::Lt(largest, hn::Set(d, kMaxCells / per_meter)), own);
    small |= static_cast<unsigned>(own[0]) << i;
  }
  return small;
}

// The cells along each axis that the boxes reach, as far as any count. `grown`, in cells, is added to the boxes; where
// it is `certain`, they surely reach what they reach here.
unsigned cells_of_boxes(const CellBits& bits, const CellFrame& frame, double grown, bool certain, const BoxSides& min,
                        const BoxSides& max, double* low, double* high) {
  const hn::CappedTag<double, kWide> d;
  unsigned near = 0;
  for (std::size_t i = 0; i < kWide; i += hn::Lanes(d)) {
    const auto reach = hn::Set(d, grown), half = hn::Set(d, 0.5);
    auto outside = hn::Ne(reach, reach);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto axis = static_cast<Eigen::Index>(a);
      auto from = hn::Zero(d), to = hn::Zero(d);
      if (!frame.turned) {
        const auto origin = hn::Set(d, frame.origin[axis]), scale = hn::Set(d, frame.per_meter);
        from = hn::Mul(hn::Sub(hn::LoadU(d, min[a] + i), origin), scale);
        to = hn::Mul(hn::Sub(hn::LoadU(d, max[a] + i), origin), scale);
      } else {
        for (std::size_t b = 0; b < 3; ++b) {
          const auto lower = hn::LoadU(d, min[b] + i), upper = hn::LoadU(d, max[b] + i);
          const double turn = frame.turn(axis, static_cast<Eigen::Index>(b));
          const auto origin = hn::Set(d, frame.origin[static_cast<Eigen::Index>(b)]);
          const auto center = hn::Mul(hn::Sub(hn::Mul(hn::Add(lower, upper), half), origin), hn::Set(d, turn));
          const auto extent = hn::Mul(hn::Mul(hn::Sub(upper, lower), half), hn::Set(d, std::abs(turn)));
          from = hn::Add(from, hn::Sub(center, extent)), to = hn::Add(to, hn::Add(center, extent));
        }
      }
      // What touches a cell from outside reaches it.
      const auto first = hn::Ceil(hn::Sub(from, hn::Add(reach, hn::Set(d, 1)))), last = hn::Floor(hn::Add(to, reach));
      const auto lowest = hn::Set(d, static_cast<double>(bits.range.low[a])),
                 highest = hn::Set(d, static_cast<double>(bits.range.high[a]));
      // A number that is none stands for all cells, or for none that is certain.
      if (!certain) outside = hn::Or(outside, hn::Or(hn::Gt(first, highest), hn::Lt(last, lowest)));
      else outside = hn::Or(outside, hn::Not(hn::And(hn::Le(first, highest), hn::Ge(last, lowest))));
      hn::StoreU(hn::IfThenElse(hn::Gt(first, lowest), first, lowest), d, low + kWide * a + i);
      hn::StoreU(hn::IfThenElse(hn::Lt(last, highest), last, highest), d, high + kWide * a + i);
    }
    std::uint8_t own[8] = {};
    hn::StoreMaskBits(d, hn::Not(outside), own);
    near |= static_cast<unsigned>(own[0]) << i;
  }
  return near;
}

unsigned near_cells(const CellBits& bits, const CellFrame& frame, double grown, bool certain, const BoxSides& min,
                    const BoxSides& max, unsigned some) {
  const unsigned small = some & small_boxes(frame.per_meter, min, max);
  if (small == 0) return some;
  double low[3 * kWide], high[3 * kWide];
  unsigned near = small & cells_of_boxes(bits, frame, grown, certain, min, max, low, high);
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
    : bits_(data_of(view).bits), resolution_(data_of(view).map.resolution()), uncertainty_(uncertainty) {
  const Aabb& box = view.bounds();
  frame_.per_meter = 1 / resolution_;
  frame_.origin = pose.translation();
  frame_.turn = pose.rotation().transpose() * frame_.per_meter;
  frame_.turned = pose.rotation() != Mat3::Identity();
  // Of boxes that are as large as the map, and a map that is far from the origin.
  frame_.rounding =
      128 * kEpsilon * (size_of(frame_.origin) + 4 * (size_of(box.min) + size_of(box.max)) + 16 * resolution_);
}

unsigned CellReach::look(const BoxSides& min, const BoxSides& max, double margin, double rounding,
                         unsigned some) const {
  if (some == 0) return 0;
  const double grown = (margin + rounding * (frame_.rounding + 16 * kEpsilon * std::abs(margin))) * frame_.per_meter;
  return HWY_DYNAMIC_DISPATCH(near_cells)(bits_, frame_, grown, rounding < 0, min, max, some);
}

}  // namespace graze
#endif
