#include "scene/planar_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/planar_cells.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::planar {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using CellFloats = hn::CappedTag<float, Cells::kLanes>;
using CellLanes = hn::Vec<CellFloats>;

// Queries of a part, prepared: coordinates, the cell, and how near to 0 a number is undecided.
struct Prepared {
  static constexpr std::size_t kPart = 64;
  alignas(64) float x[kPart], y[kPart], band[kPart];
  alignas(64) std::int32_t cell[kPart];
};

// What is not a number is in the first cell.
GRAZE_LANE_FUNCTION hn::Vec<hn::RebindToSigned<CellFloats>> cell_along(CellLanes at, float low, float per_cell) {
  const CellFloats d;
  const CellLanes cell = hn::Mul(hn::Sub(at, hn::Set(d, low)), hn::Set(d, per_cell));
  const CellLanes lower = hn::IfThenElseZero(hn::Gt(cell, hn::Zero(d)), cell);
  return hn::ConvertTo(hn::RebindToSigned<CellFloats>(), hn::Min(lower, hn::Set(d, float{Cells::kSide - 1})));
}

GRAZE_LANE_FUNCTION void prepare(const Cells::View& view, const Vec2* points, std::size_t count, Prepared& into) {
  for (std::size_t i = 0; i < count; ++i) {
    into.x[i] = static_cast<float>(points[i].x() - view.origin[0]);
    into.y[i] = static_cast<float>(points[i].y() - view.origin[1]);
  }
  for (std::size_t i = count; i < Prepared::kPart; ++i) into.x[i] = into.y[i] = 0;
  const CellFloats d;
  // Of all roundings of products of coordinates, with room to spare.
  const CellLanes rounding = hn::Set(d, 128 * 0x1p-24F), reach = hn::Set(d, view.reach);
  for (std::size_t i = 0; i < Prepared::kPart; i += hn::Lanes(d)) {
    const CellLanes x = hn::Load(d, into.x + i), y = hn::Load(d, into.y + i);
    const CellLanes size = hn::Add(hn::Add(hn::Abs(x), hn::Abs(y)), reach);
    hn::Store(hn::Mul(hn::Mul(size, size), rounding), d, into.band + i);
    const auto column = cell_along(x, view.low[0], view.per_cell[0]),
               row = cell_along(y, view.low[1], view.per_cell[1]);
    static_assert(Cells::kSide == 16, "a row is 2^4 cells");
    hn::Store(hn::Add(hn::ShiftLeft<4>(row), column), hn::RebindToSigned<CellFloats>(), into.cell + i);
  }
}

// Squared distances of eight obstacles from a disc's center, less the squares of both radii.
template <bool kTurned>
GRAZE_LANE_FUNCTION CellLanes beyond_reach(const Cells::Block& b, std::size_t lane, CellLanes p, CellLanes q) {
  const CellFloats d;
  const auto value = [&](std::size_t k) HWY_ATTR { return hn::Load(d, b.value[k] + lane); };
  if constexpr (kTurned) {
    const CellLanes zero = hn::Zero(d), u = value(0), v = value(1);
    const CellLanes along = hn::MulAdd(p, u, hn::MulAdd(q, v, value(2)));
    const CellLanes across = hn::MulAdd(q, u, hn::NegMulAdd(p, v, value(3)));
    const CellLanes x = hn::Max(hn::Sub(hn::Abs(along), value(4)), zero);
    const CellLanes y = hn::Max(hn::Sub(hn::Abs(across), value(5)), zero);
    return hn::MulAdd(x, x, hn::MulSub(y, y, value(6)));
  } else {
    const CellLanes x = hn::Sub(p, hn::Min(hn::Max(p, value(0)), value(1)));
    const CellLanes y = hn::Sub(q, hn::Min(hn::Max(q, value(2)), value(3)));
    return hn::MulAdd(x, x, hn::MulSub(y, y, value(6)));
  }
}

GRAZE_LANE_FUNCTION unsigned bits_of_lanes(hn::Mask<CellFloats> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(CellFloats(), mask, bytes);
  return bytes[0];
}

// 1 for every byte that is not 0.
HWY_INLINE std::uint64_t filled(std::uint64_t bytes) {
  constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7F, kOnes = 0x0101010101010101;
  return ((bytes | ((bytes & kLow) + kLow)) >> 7U) & kOnes;
}

template <bool kTurned>
std::size_t check_all(const Cells::View& view, const Vec2* points, std::size_t count, bool* hits, std::uint32_t* open) {
  const CellFloats d;
  std::size_t left = 0;
  Prepared part;
  for (std::size_t begin = 0; begin < count; begin += Prepared::kPart) {
    const std::size_t in_part = std::min(Prepared::kPart, count - begin);
    prepare(view, points + begin, in_part, part);
    // By query: obstacles that it touches, and those that it does not.
    std::uint8_t touched[Prepared::kPart], free[Prepared::kPart];
    for (std::size_t i = 0; i < Prepared::kPart; ++i) {
      const CellLanes band = hn::Set(d, part.band[i]), p = hn::Set(d, part.x[i]), q = hn::Set(d, part.y[i]);
      auto at = static_cast<std::size_t>(static_cast<std::uint32_t>(part.cell[i]));
      unsigned near = 0, far = 0xFF;
      do {
        unsigned beyond = 0;
        for (std::size_t lane = 0; lane < Cells::kLanes; lane += hn::Lanes(d)) {
          const CellLanes m = beyond_reach<kTurned>(view.block[at], lane, p, q);
          near |= bits_of_lanes(hn::Lt(m, hn::Neg(band)));
          beyond |= bits_of_lanes(hn::Gt(m, band)) << lane;
        }
        far &= beyond;
        at = view.next[at];
      } while (HWY_UNLIKELY(at != 0));
      touched[i] = static_cast<std::uint8_t>(near);
      free[i] = static_cast<std::uint8_t>(far);
    }
    // Eight queries at a time.
    for (std::size_t i = 0; i < in_part; i += 8) {
      std::uint64_t some = 0, all = 0;
      std::memcpy(&some, touched + i, 8);
      std::memcpy(&all, free + i, 8);
      const std::uint64_t hit = filled(some);
      std::memcpy(hits + begin + i, &hit, std::min<std::size_t>(8, in_part - i));
      const std::uint64_t undecided = filled(~all) & ~hit;
      if (undecided == 0) continue;
      std::uint8_t each[8];
      std::memcpy(each, &undecided, 8);
      for (std::size_t k = 0; k < 8 && i + k < in_part; ++k) {
        open[left] = static_cast<std::uint32_t>(begin + i + k);
        left += each[k];
      }
    }
  }
  return left;
}

std::size_t check_cells(const Cells::View& view, const Vec2* points, std::size_t count, bool* hits,
                        std::uint32_t* open) {
  return view.turned ? check_all<true>(view, points, count, hits, open)
                     : check_all<false>(view, points, count, hits, open);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::planar
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::planar {

HWY_EXPORT(check_cells);

Cells::Cells(const Vec2& origin, const Aabb2& box, double radius, bool turned) : origin_(origin), radius_(radius) {
  view_.turned = turned;
  for (int k = 0; k < 2; ++k) {
    view_.origin[k] = origin[k];
    const double low = box.empty() ? 0 : box.min[k] - origin[k], span = box.empty() ? 0 : box.max[k] - box.min[k];
    view_.low[k] = static_cast<float>(low);
    view_.per_cell[k] = span > 1e-30 ? static_cast<float>(kSide / span) : 0;
  }
  std::fill(std::begin(view_.count), std::end(view_.count), std::uint8_t{0});
  std::fill(std::begin(view_.next), std::end(view_.next), std::uint16_t{0});
  // Behind the end of a block nothing touches; numbers that were never written could be anything.
  for (std::size_t cell = 0; cell < kSide * kSide; ++cell) view_.block[cell] = {};
  for (std::size_t cell = 0; cell < kSide * kSide; ++cell) {
    std::fill(std::begin(view_.block[cell].value[6]), std::end(view_.block[cell].value[6]),
              -std::numeric_limits<float>::infinity());
  }
}

// The cell of a float keeps the order of numbers, so that no rounding puts a query before what it can touch.
std::size_t Cells::cell(double at, int k) const {
  constexpr float kLast = kSide - 1;
  const float cell = (static_cast<float>(at) - view_.low[k]) * view_.per_cell[k];
  return static_cast<std::size_t>(cell > 0 ? std::min(cell, kLast) : 0.0F);
}

bool Cells::add(const Vec2& center, const Vec2& axis, const Vec2& half, double round) {
  const Vec2 c = center - origin_;
  const double along = c.x() * axis.x() + c.y() * axis.y(), across = c.y() * axis.x() - c.x() * axis.y();
  const std::array<double, 7> turned{axis.x(), axis.y(), -along, -across, half.x(), half.y(), round * round};
  const std::array<double, 7> straight{c.x() - half.x(), c.x() + half.x(), c.y() - half.y(), c.y() + half.y(), 0, 0,
                                       round * round};
  const std::array<double, 7>& values = view_.turned ? turned : straight;
  const double size = std::abs(c.x()) + std::abs(c.y()) + half.x() + half.y() + round;
  view_.reach = std::max(view_.reach, static_cast<float>(size * 1.01));
  std::size_t first[2], last[2];
  for (int k = 0; k < 2; ++k) {
    const int other = 1 - k;
    const double reach = std::abs(axis[k]) * half.x() + std::abs(axis[other]) * half.y() + round;
    // Floats, and products of them; obstacles by themselves also touch what is as near as coordinates are rounded.
    const double slack = 1e-6 * (std::abs(c[k]) + reach) + 16 * kEpsilon * ((center.cwiseAbs() + half).sum() + round);
    first[k] = cell(c[k] - reach - slack, k), last[k] = cell(c[k] + reach + slack, k);
  }
  for (std::size_t y = first[1]; y <= last[1]; ++y) {
    for (std::size_t x = first[0]; x <= last[0]; ++x) {
      std::size_t at = y * kSide + x;
      while (view_.next[at] != 0) at = view_.next[at];
      if (view_.count[at] == kLanes) {
        const std::size_t more = view_.blocks;
        if (more == kSide * kSide + kExtra) return false;
        ++view_.blocks;
        view_.block[more] = {};
        std::fill(std::begin(view_.block[more].value[6]), std::end(view_.block[more].value[6]),
                  -std::numeric_limits<float>::infinity());
        view_.next[at] = static_cast<std::uint16_t>(more);
        at = more;
      }
      const std::size_t lane = view_.count[at]++;
      for (std::size_t k = 0; k < 7; ++k) view_.block[at].value[k][lane] = static_cast<float>(values[k]);
    }
  }
  return true;
}

bool Cells::add_circle(const Vec2& center, double radius) {
  return add(center, Vec2(1, 0), Vec2::Zero(), radius + radius_);
}
bool Cells::add_rectangle(const Vec2& center, const Vec2& axis, const Vec2& half) {
  return add(center, axis, half, radius_);
}

std::size_t Cells::check(std::span<const Vec2> points, bool* hits, std::uint32_t* open) const {
  return HWY_DYNAMIC_DISPATCH(check_cells)(view_, points.data(), points.size(), hits, open);
}

}  // namespace graze::planar
#endif
