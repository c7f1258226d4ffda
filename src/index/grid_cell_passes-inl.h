// The three passes over the cells of one block; see grid_bounds.cpp. Per instruction set: include it from such a
// source.
//
// A block has one byte per cell and bound: 64 lower bounds, then 64 upper bounds, by rows (x·4 + y)·4 + z. A step along
// z is therefore one byte (and, before the first pass, one bit), along y four bytes, along x sixteen: a slice.
//
//     byte   0  1  2  3 | 4  5  6  7 | 8  9 10 11 |12 13 14 15 |16 17 …
//        z   0  1  2  3 | 0  1  2  3 | 0  1  2  3 | 0  1  2  3 | 0  1
//        y   0          | 1          | 2          | 3          | 0
//        x   0                                                 | 1
//
// Every pass is given a block (`own`) and its neighbours along the axis (`below`, `above`).

#if defined(GRAZE_INDEX_GRID_CELL_PASSES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_INDEX_GRID_CELL_PASSES_INL_H
#undef GRAZE_INDEX_GRID_CELL_PASSES_INL_H
#else
#define GRAZE_INDEX_GRID_CELL_PASSES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/lane_function.h"
#include "index/grid.h"
#include "index/grid_bounds.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kCells = 64;  // in a block
constexpr std::size_t kSlice = 16;  // cells of a block that share x
constexpr int kSteps = kEdge;       // a pass looks this many cells to either side: past that, bounds exceed kCellReach
static_assert(step_cost<Bound::lower>(kSteps + 1) >= kCellReach);

// What the passes along z and y hold for a cell that nothing was found for.
template <Bound kBound>
constexpr std::uint8_t kNotReached = kBound == Bound::lower ? kCellReach : kUnknown;

// Cells per vector: up to a whole block.
using Cells = hn::CappedTag<std::uint8_t, kCells>;

// Pass along z. It starts from bits: the cells, by rows, that have an occupied cell exactly k steps below or above
// them.
template <int k>
GRAZE_LANE_FUNCTION std::uint64_t with_occupied_at(std::uint64_t below, std::uint64_t own, std::uint64_t above) {
  if constexpr (k == 4) {
    return below | above;
  } else {
    constexpr std::uint64_t kEveryRow = 0x1111111111111111ULL, kRow = 0xF;
    // The cells whose partner k below, or above, lies in the same block; those of the others lie in the neighbour.
    constexpr std::uint64_t kUpper = kEveryRow * (kRow << k & kRow), kLower = kEveryRow * (kRow >> k);
    const std::uint64_t occupied_below = (own << k & kUpper) | (below >> (4 - k) & ~kUpper);
    const std::uint64_t occupied_above = (own >> k & kLower) | (above << (4 - k) & ~kLower);
    return occupied_below | occupied_above;
  }
}

inline void cells_along_z(std::uint64_t below, std::uint64_t own, std::uint64_t above, std::uint8_t* HWY_RESTRICT out) {
  const Cells d;
  const std::uint64_t at[kSteps + 1] = {own, with_occupied_at<1>(below, own, above),
                                        with_occupied_at<2>(below, own, above), with_occupied_at<3>(below, own, above),
                                        with_occupied_at<4>(below, own, above)};
  for (std::size_t i = 0; i < kCells; i += hn::Lanes(d)) {
    auto lower = hn::Set(d, kNotReached<Bound::lower>);
    auto upper = hn::Set(d, kNotReached<Bound::upper>);
    for (int k = kSteps; k >= 0; --k) {  // the nearest has the last word
      const std::uint64_t bits = at[k] >> i;
      std::uint8_t bytes[8];
      std::memcpy(bytes, &bits, sizeof bytes);
      const auto here = hn::LoadMaskBits(d, bytes);
      lower = hn::IfThenElse(here, hn::Set(d, step_cost<Bound::lower>(k)), lower);
      upper = hn::IfThenElse(here, hn::Set(d, step_cost<Bound::upper>(k)), upper);
    }
    hn::Store(lower, d, out + i);
    hn::Store(upper, d, out + kCells + i);
  }
}

// Pass along y: within a slice, four bytes per step.
template <Bound kBound>
GRAZE_LANE_FUNCTION void bound_along_y(const std::uint8_t* HWY_RESTRICT below, const std::uint8_t* HWY_RESTRICT own,
                                       const std::uint8_t* HWY_RESTRICT above, std::uint8_t* HWY_RESTRICT out) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t slice = 0; slice < kCells; slice += kSlice) {
    std::uint8_t line[3 * kSlice];
    std::memcpy(line, below + slice, kSlice);
    std::memcpy(line + kSlice, own + slice, kSlice);
    std::memcpy(line + 2 * kSlice, above + slice, kSlice);
    for (std::size_t i = 0; i < kSlice; ++i) {
      int best = kNotReached<kBound>;
      for (int k = 0; k <= kSteps; ++k) {
        const std::size_t at = kSlice + i, step = kEdge * static_cast<std::size_t>(k);
        best = std::min(best, std::min(line[at - step], line[at + step]) + step_cost<kBound>(k));
      }
      out[slice + i] = static_cast<std::uint8_t>(best);
    }
  }
#else
  const Cells d;
  const auto plus_cost = [&](auto bounds, int k)
                             HWY_ATTR { return hn::SaturatedAdd(bounds, hn::Set(d, step_cost<kBound>(k))); };
  for (std::size_t i = 0; i < kCells; i += hn::Lanes(d)) {
    const auto b = hn::Load(d, below + i), o = hn::Load(d, own + i), a = hn::Load(d, above + i);
    // The nearer of the cells one, two and three steps below and above.
    const auto one = hn::Min(hn::CombineShiftRightBytes<12>(d, o, b), hn::CombineShiftRightBytes<4>(d, a, o));
    const auto two = hn::Min(hn::CombineShiftRightBytes<8>(d, o, b), hn::CombineShiftRightBytes<8>(d, a, o));
    const auto three = hn::Min(hn::CombineShiftRightBytes<4>(d, o, b), hn::CombineShiftRightBytes<12>(d, a, o));
    auto best = hn::Min(hn::Set(d, kNotReached<kBound>), plus_cost(o, 0));
    best = hn::Min(best, plus_cost(one, 1));
    best = hn::Min(best, plus_cost(two, 2));
    best = hn::Min(best, plus_cost(three, 3));
    best = hn::Min(best, plus_cost(hn::Min(b, a), 4));
    hn::Store(best, d, out + i);
  }
#endif
}

inline void cells_along_y(const std::uint8_t* below, const std::uint8_t* own, const std::uint8_t* above,
                          std::uint8_t* out) {
  bound_along_y<Bound::lower>(below, own, above, out);
  bound_along_y<Bound::upper>(below + kCells, own + kCells, above + kCells, out + kCells);
}

// Pass along x, one slice per step. It packs both bounds into the byte of CellBounds.

// The upper bounds of three passes are sums of three squares from 1² to 5². The smallest of kUppers that is no smaller
// is looked up by half the sum, rounded up: the even numbers next to 3, 9, 19 and 27 are no such sums, so that no two
// of them with different answers share a half. Entries are numbers of kUppers, moved to the high four bits.
constexpr std::size_t kHalves = 48;
struct PackedUppers {
  alignas(16) std::uint8_t of[kHalves];
};
constexpr PackedUppers make_packed_uppers() {
  PackedUppers packed{};
  for (std::size_t half = 0; half < kHalves; ++half) {
    std::uint8_t number = 0;
    while (number < 15 && kUppers[number] + kUppers[number] % 2 < static_cast<int>(2 * half)) ++number;
    packed.of[half] = static_cast<std::uint8_t>(16 * number);
  }
  return packed;
}
constexpr PackedUppers kPackedUppers = make_packed_uppers();

#if HWY_TARGET == HWY_SCALAR
inline void cells_along_x(const std::uint8_t* below, const std::uint8_t* own, const std::uint8_t* above,
                          std::uint8_t* out) {
  // The bounds of the three blocks one behind the other: twelve slices.
  const auto line_up = [&](std::size_t first, std::uint8_t* line) {
    std::memcpy(line, below + first, kCells);
    std::memcpy(line + kCells, own + first, kCells);
    std::memcpy(line + 2 * kCells, above + first, kCells);
  };
  std::uint8_t lowers[3 * kCells], uppers[3 * kCells];
  line_up(0, lowers);
  line_up(kCells, uppers);
  for (std::size_t i = 0; i < kCells; ++i) {
    int lower = kHighestLower, upper = kUnknown;
    for (int k = 0; k <= kSteps; ++k) {
      const std::size_t at = kCells + i, step = kSlice * static_cast<std::size_t>(k);
      lower = std::min(lower, std::min(lowers[at - step], lowers[at + step]) + step_cost<Bound::lower>(k));
      upper = std::min(upper, std::min(uppers[at - step], uppers[at + step]) + step_cost<Bound::upper>(k));
    }
    const auto half = static_cast<std::size_t>((upper + 1) / 2);
    out[i] = static_cast<std::uint8_t>(kPackedUppers.of[std::min(half, kHalves - 1)] | lower);
  }
}
#else
// As many slices at a time as a vector holds.
#if HWY_HAVE_SCALABLE
constexpr std::size_t kSlices = 1;
#else
constexpr std::size_t kSlices = std::min<std::size_t>(HWY_MAX_BYTES, kCells) / kSlice;
#endif
using Slices = hn::FixedTag<std::uint8_t, kSlices * kSlice>;

GRAZE_LANE_FUNCTION hn::Vec<Slices> pack_uppers(Slices d, hn::Vec<Slices> upper) {
  const auto half = hn::Min(hn::AverageRound(upper, hn::Zero(d)), hn::Set(d, std::uint8_t{kHalves - 1}));
  // The table takes three look-ups of 16 entries. An index outside of a part (16 or more, or wrapped) gets its highest
  // bit set, which looks up zero; of the others only the low four bits are kept.
  const auto part = [&](std::uint8_t first) HWY_ATTR {
    const auto marked = hn::SaturatedAdd(hn::Sub(half, hn::Set(d, first)), hn::Set(d, std::uint8_t{0x70}));
    const auto index = hn::And(marked, hn::Set(d, std::uint8_t{0x8F}));
    return hn::TableLookupBytesOr0(hn::LoadDup128(d, kPackedUppers.of + first), index);
  };
  return hn::Or(part(0), hn::Or(part(16), part(32)));
}

// A vector of slices, the first of them `kFirst` behind the first one of `own`. Where it reaches into another block it
// is put together from halves.
template <int kFirst, class D>
GRAZE_LANE_FUNCTION hn::Vec<D> slices_from(D d, const std::uint8_t* HWY_RESTRICT below,
                                           const std::uint8_t* HWY_RESTRICT own,
                                           const std::uint8_t* HWY_RESTRICT above) {
  constexpr int kCount = static_cast<int>(hn::MaxLanes(D()) / kSlice), kEnd = kFirst + kCount;
  constexpr auto kBytes = static_cast<std::ptrdiff_t>(kSlice);
  if constexpr (kEnd <= 0) return hn::LoadU(d, below + kBytes * (kFirst + kEdge));
  else if constexpr (kFirst >= kEdge) return hn::LoadU(d, above + kBytes * (kFirst - kEdge));
  else if constexpr (kFirst >= 0 && kEnd <= kEdge) return hn::LoadU(d, own + kBytes * kFirst);
  else {
    const hn::Half<D> half;
    return hn::Combine(d, slices_from<kFirst + kCount / 2>(half, below, own, above),
                       slices_from<kFirst>(half, below, own, above));
  }
}

template <std::size_t kX>
GRAZE_LANE_FUNCTION void slices_along_x(const std::uint8_t* HWY_RESTRICT below, const std::uint8_t* HWY_RESTRICT own,
                                        const std::uint8_t* HWY_RESTRICT above, std::uint8_t* HWY_RESTRICT out) {
  if constexpr (kX < kEdge) {
    const Slices d;
    constexpr int kFrom = kX;
    // The nearer of the slices k steps below and above.
    const auto lower_at = [&]<int k>(std::integral_constant<int, k>) HWY_ATTR {
      const auto nearer =
          hn::Min(slices_from<kFrom - k>(d, below, own, above), slices_from<kFrom + k>(d, below, own, above));
      return hn::SaturatedAdd(nearer, hn::Set(d, step_cost<Bound::lower>(k)));
    };
    const auto upper_at = [&]<int k>(std::integral_constant<int, k>) HWY_ATTR {
      const auto nearer = hn::Min(slices_from<kFrom - k>(d, below + kCells, own + kCells, above + kCells),
                                  slices_from<kFrom + k>(d, below + kCells, own + kCells, above + kCells));
      return hn::SaturatedAdd(nearer, hn::Set(d, step_cost<Bound::upper>(k)));
    };
    const auto nearest = [&](const auto& at) HWY_ATTR {
      using std::integral_constant;
      const auto near = hn::Min(at(integral_constant<int, 0>()), at(integral_constant<int, 1>()));
      const auto far = hn::Min(at(integral_constant<int, 3>()), at(integral_constant<int, 4>()));
      return hn::Min(near, hn::Min(at(integral_constant<int, 2>()), far));
    };
    const auto lower = hn::Min(nearest(lower_at), hn::Set(d, kHighestLower));
    hn::StoreU(hn::Or(lower, pack_uppers(d, nearest(upper_at))), d, out + kSlice * kX);
    slices_along_x<kX + kSlices>(below, own, above, out);
  }
}

inline void cells_along_x(const std::uint8_t* HWY_RESTRICT below, const std::uint8_t* HWY_RESTRICT own,
                          const std::uint8_t* HWY_RESTRICT above, std::uint8_t* HWY_RESTRICT out) {
  slices_along_x<0>(below, own, above, out);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#endif
