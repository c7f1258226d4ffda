#include "index/grid_bounds.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/grid_bounds.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Two boxes of a grid that are k steps apart along an axis have between (k - 1)² and (k + 1)² of squared distance along
// it. The bounds over all occupied boxes are therefore two min-plus transforms, separable into one pass per axis.

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint8_t nearest_square(int k) { return static_cast<std::uint8_t>(k < 2 ? 0 : (k - 1) * (k - 1)); }
constexpr std::uint8_t farthest_square(int k) { return static_cast<std::uint8_t>((k + 1) * (k + 1)); }

// One pass over `count` rows of `stride` bytes: out[i] = min over k of in[i + k] + cost(|k|), up to kBlockReach.
template <bool kLower>
HWY_INLINE void pass_over_rows(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, int count,
                               std::size_t stride) {
  const hn::ScalableTag<std::uint8_t> d;
  // What lies beyond the reach is at least this far, or not known to be near.
  const auto beyond = hn::Set(d, kLower ? static_cast<std::uint8_t>(kBlockReach * kBlockReach) : kUnknown);
  for (int row = 0; row < count; ++row) {
    const int first = std::max(-kBlockReach, -row), last = std::min(kBlockReach, count - 1 - row);
    const std::uint8_t* from = in + static_cast<std::size_t>(row) * stride;
    std::uint8_t* to = out + static_cast<std::size_t>(row) * stride;
    for (std::size_t i = 0; i < stride; i += hn::Lanes(d)) {
      auto best = beyond;
      for (int k = first; k <= last; ++k) {
        const auto cost = hn::Set(d, kLower ? nearest_square(k < 0 ? -k : k) : farthest_square(k < 0 ? -k : k));
        const auto value = hn::LoadU(d, from + static_cast<std::ptrdiff_t>(i) +
                                            static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(stride));
        best = hn::Min(best, hn::SaturatedAdd(value, cost));
      }
      hn::StoreU(best, d, to + i);
    }
  }
}

// The same along the bytes of a row.
template <bool kLower>
HWY_INLINE void pass_along_rows(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out, std::size_t rows,
                                std::size_t stride, std::uint8_t* HWY_RESTRICT padded) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto beyond = hn::Set(d, kLower ? static_cast<std::uint8_t>(kBlockReach * kBlockReach) : kUnknown);
  for (std::size_t row = 0; row < rows; ++row, in += stride, out += stride) {
    std::memcpy(padded + kBlockReach, in, stride);
    for (std::size_t i = 0; i < stride; i += hn::Lanes(d)) {
      auto best = beyond;
      for (int k = -kBlockReach; k <= kBlockReach; ++k) {
        const auto cost = hn::Set(d, kLower ? nearest_square(k < 0 ? -k : k) : farthest_square(k < 0 ? -k : k));
        const auto value = hn::LoadU(d, padded + static_cast<std::ptrdiff_t>(i) + k + kBlockReach);
        best = hn::Min(best, hn::SaturatedAdd(value, cost));
      }
      hn::StoreU(best, d, out + i);
    }
  }
}

template <bool kLower>
HWY_INLINE void bound_blocks_one_way(const std::array<int, 3>& blocks, std::uint8_t* occupied, std::uint8_t* a,
                                     std::uint8_t* b, std::uint8_t* padded) {
  const auto ny = static_cast<std::size_t>(blocks[1]), nz = static_cast<std::size_t>(blocks[2]);
  pass_along_rows<kLower>(occupied, a, static_cast<std::size_t>(blocks[0]) * ny, nz, padded);
  for (int slice = 0; slice < blocks[0]; ++slice) {
    const std::size_t at = static_cast<std::size_t>(slice) * ny * nz;
    pass_over_rows<kLower>(a + at, b + at, blocks[1], nz);
  }
  pass_over_rows<kLower>(b, a, blocks[0], ny * nz);
}

void bound_all_blocks(const int* blocks, std::uint8_t* occupied, std::uint8_t* lower, std::uint8_t* upper,
                      std::uint8_t* spare, std::uint8_t* padded) {
  const std::array<int, 3> size{blocks[0], blocks[1], blocks[2]};
  bound_blocks_one_way<true>(size, occupied, lower, spare, padded);
  bound_blocks_one_way<false>(size, occupied, upper, spare, padded);
}

// Cells are one byte each, blocks 64 bytes: x slices of 16 bytes (one 128-bit block of a vector), y rows of 4.
using Byte = hn::CappedTag<std::uint8_t, 64>;

constexpr std::size_t kCells = 64;

// Bits of cells with an occupied cell exactly k below or above along z, given the blocks below and above.
template <int k>
HWY_INLINE std::uint64_t shifted(std::uint64_t below, std::uint64_t own, std::uint64_t above) {
  if constexpr (k == 4) {
    return below | above;
  } else {
    constexpr std::uint64_t kRow = (0xFULL << k) & 0xFULL;  // the cells of a row whose partner lies in the same block
    constexpr std::uint64_t kEvery = 0x1111111111111111ULL;
    const std::uint64_t up = ((own << k) & (kEvery * kRow)) | ((below >> (4 - k)) & (kEvery * (0xFULL & ~kRow)));
    constexpr std::uint64_t kLow = 0xFULL >> k;
    const std::uint64_t down = ((own >> k) & (kEvery * kLow)) | ((above << (4 - k)) & (kEvery * (0xFULL & ~kLow)));
    return up | down;
  }
}

// Pass along z for one block: from bits to bounds, lower in out[0, 64), upper in out[64, 128).
void cells_along_z(std::uint64_t below, std::uint64_t own, std::uint64_t above, std::uint8_t* HWY_RESTRICT out) {
  const Byte d;
  const std::uint64_t at[5] = {own, shifted<1>(below, own, above), shifted<2>(below, own, above),
                               shifted<3>(below, own, above), shifted<4>(below, own, above)};
  for (std::size_t i = 0; i < kCells; i += hn::Lanes(d)) {
    auto lower = hn::Set(d, kCellReach);
    auto upper = hn::Set(d, kUnknown);
    for (int k = 4; k >= 0; --k) {
      const std::uint64_t bits = at[k] >> i;
      std::uint8_t bytes[8];
      std::memcpy(bytes, &bits, sizeof bytes);
      const auto here = hn::LoadMaskBits(d, bytes);
      lower = hn::IfThenElse(here, hn::Set(d, nearest_square(k)), lower);
      upper = hn::IfThenElse(here, hn::Set(d, farthest_square(k)), upper);
    }
    hn::Store(lower, d, out + i);
    hn::Store(upper, d, out + kCells + i);
  }
}

// Pass along y: rows move by 4 bytes within x slices of 16.
template <bool kLower>
HWY_INLINE void cells_along_y_one_way(const std::uint8_t* HWY_RESTRICT below, const std::uint8_t* HWY_RESTRICT own,
                                      const std::uint8_t* HWY_RESTRICT above, std::uint8_t* HWY_RESTRICT out) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t slice = 0; slice < kCells; slice += 16) {
    std::uint8_t line[48];
    std::memcpy(line, below + slice, 16);
    std::memcpy(line + 16, own + slice, 16);
    std::memcpy(line + 32, above + slice, 16);
    for (std::size_t i = 0; i < 16; ++i) {
      int best = kLower ? kCellReach : kUnknown;
      for (int k = 0; k <= 4; ++k) {
        const int nearer =
            std::min(line[16 + i - 4 * static_cast<std::size_t>(k)], line[16 + i + 4 * static_cast<std::size_t>(k)]);
        best = std::min(best, nearer + (kLower ? nearest_square(k) : farthest_square(k)));
      }
      out[slice + i] = static_cast<std::uint8_t>(best);
    }
  }
#else
  const Byte d;
  const auto cost = [&](int k) HWY_ATTR { return hn::Set(d, kLower ? nearest_square(k) : farthest_square(k)); };
  for (std::size_t i = 0; i < kCells; i += hn::Lanes(d)) {
    const auto b = hn::Load(d, below + i), o = hn::Load(d, own + i), a = hn::Load(d, above + i);
    const auto one = hn::Min(hn::CombineShiftRightBytes<12>(d, o, b), hn::CombineShiftRightBytes<4>(d, a, o));
    const auto two = hn::Min(hn::CombineShiftRightBytes<8>(d, o, b), hn::CombineShiftRightBytes<8>(d, a, o));
    const auto three = hn::Min(hn::CombineShiftRightBytes<4>(d, o, b), hn::CombineShiftRightBytes<12>(d, a, o));
    auto best = hn::Min(hn::Set(d, kLower ? kCellReach : kUnknown), hn::SaturatedAdd(o, cost(0)));
    best = hn::Min(best, hn::SaturatedAdd(one, cost(1)));
    best = hn::Min(best, hn::SaturatedAdd(two, cost(2)));
    best = hn::Min(best, hn::SaturatedAdd(three, cost(3)));
    best = hn::Min(best, hn::SaturatedAdd(hn::Min(b, a), cost(4)));
    hn::Store(best, d, out + i);
  }
#endif
}

void cells_along_y(const std::uint8_t* below, const std::uint8_t* own, const std::uint8_t* above, std::uint8_t* out) {
  cells_along_y_one_way<true>(below, own, above, out);
  cells_along_y_one_way<false>(below + kCells, own + kCells, above + kCells, out + kCells);
}

// Numbers of the least of kUppers that are no smaller than the bounds, in the high four bits. Bounds are looked up by
// their halves, rounded up: the even numbers above 3, 9, 19 and 27 are no sums of three such squares.
constexpr std::size_t kHalves = 48;
struct UpperNumbers {
  alignas(16) std::uint8_t of[kHalves];
};
constexpr UpperNumbers make_upper_numbers() {
  UpperNumbers numbers{};
  for (std::size_t half = 0; half < kHalves; ++half) {
    std::uint8_t number = 0;
    while (number < 15 && kUppers[number] + kUppers[number] % 2 < static_cast<int>(2 * half)) ++number;
    numbers.of[half] = static_cast<std::uint8_t>(16 * number);
  }
  return numbers;
}
constexpr UpperNumbers kUpperNumbers = make_upper_numbers();

// Pass along x, where slices of 16 bytes move, and packing of both bounds into one byte. `below`, `own` and `above`
// hold the lower, then the upper bounds of their blocks.
#if HWY_TARGET == HWY_SCALAR
void cells_along_x(const std::uint8_t* below, const std::uint8_t* own, const std::uint8_t* above, std::uint8_t* out) {
  std::uint8_t lines[2][3 * kCells];
  for (std::size_t way = 0; way < 2; ++way) {
    std::memcpy(lines[way], below + way * kCells, kCells);
    std::memcpy(lines[way] + kCells, own + way * kCells, kCells);
    std::memcpy(lines[way] + 2 * kCells, above + way * kCells, kCells);
  }
  for (std::size_t i = 0; i < kCells; ++i) {
    std::size_t lower = kHighestLower, upper = kUnknown;
    for (std::size_t k = 0; k <= 4; ++k) {
      const std::size_t one = kCells + i - 16 * k, other = kCells + i + 16 * k;
      lower =
          std::min(lower, std::size_t{std::min(lines[0][one], lines[0][other])} + nearest_square(static_cast<int>(k)));
      upper =
          std::min(upper, std::size_t{std::min(lines[1][one], lines[1][other])} + farthest_square(static_cast<int>(k)));
    }
    out[i] = static_cast<std::uint8_t>(kUpperNumbers.of[std::min((upper + 1) / 2, kHalves - 1)] | lower);
  }
}
#else
using Slice = hn::FixedTag<std::uint8_t, 16>;

HWY_INLINE hn::Vec<Slice> upper_numbers(Slice d, hn::Vec<Slice> upper) {
  const auto half = hn::Min(hn::AverageRound(upper, hn::Zero(d)), hn::Set(d, std::uint8_t{kHalves - 1}));
  // Indices from 16 on, and those that have wrapped, get their highest bit set, which looks up a zero; of the others
  // only the low four bits may be left.
  const auto part = [&](std::uint8_t begin) HWY_ATTR {
    const auto marked = hn::SaturatedAdd(hn::Sub(half, hn::Set(d, begin)), hn::Set(d, std::uint8_t{0x70}));
    const auto index = hn::And(marked, hn::Set(d, std::uint8_t{0x8F}));
    return hn::TableLookupBytesOr0(hn::Load(d, kUpperNumbers.of + begin), index);
  };
  return hn::Or(part(0), hn::Or(part(16), part(32)));
}

template <std::size_t kSlice>
HWY_INLINE void slice_along_x(const std::uint8_t* HWY_RESTRICT below, const std::uint8_t* HWY_RESTRICT own,
                              const std::uint8_t* HWY_RESTRICT above, std::uint8_t* HWY_RESTRICT out) {
  const Slice d;
  // The slice `k` below or above, from the bounds that begin at `way`.
  const auto down = [&](std::size_t way, std::size_t k) HWY_ATTR {
    return hn::Load(d, kSlice >= k ? own + way + 16 * (kSlice - k) : below + way + 16 * (kSlice + 4 - k));
  };
  const auto up = [&](std::size_t way, std::size_t k) HWY_ATTR {
    return hn::Load(d, kSlice + k < 4 ? own + way + 16 * (kSlice + k) : above + way + 16 * (kSlice + k - 4));
  };
  const auto lower_at = [&](std::size_t k) HWY_ATTR {
    return hn::SaturatedAdd(hn::Min(down(0, k), up(0, k)), hn::Set(d, nearest_square(static_cast<int>(k))));
  };
  const auto upper_at = [&](std::size_t k) HWY_ATTR {
    return hn::SaturatedAdd(hn::Min(down(kCells, k), up(kCells, k)), hn::Set(d, farthest_square(static_cast<int>(k))));
  };
  auto lower = hn::Min(hn::Min(down(0, 0), hn::Min(down(0, 1), up(0, 1))), hn::Set(d, kHighestLower));
  lower = hn::Min(lower, hn::Min(lower_at(2), hn::Min(lower_at(3), lower_at(4))));
  auto upper = hn::Min(hn::SaturatedAdd(down(kCells, 0), hn::Set(d, farthest_square(0))), upper_at(1));
  upper = hn::Min(upper, hn::Min(upper_at(2), hn::Min(upper_at(3), upper_at(4))));
  hn::Store(hn::Or(lower, upper_numbers(d, upper)), d, out + 16 * kSlice);
}

void cells_along_x(const std::uint8_t* HWY_RESTRICT below, const std::uint8_t* HWY_RESTRICT own,
                   const std::uint8_t* HWY_RESTRICT above, std::uint8_t* HWY_RESTRICT out) {
  slice_along_x<0>(below, own, above, out);
  slice_along_x<1>(below, own, above, out);
  slice_along_x<2>(below, own, above, out);
  slice_along_x<3>(below, own, above, out);
}
#endif

// Witnesses: for each octant of a block, a nearest occupied one at most two steps away on each axis. The passes carry
// the squared distance of octants and, below it, the steps; unknown ones stay above kFarWitness whatever is added.
constexpr std::uint16_t kUnknownKey = 0x3FFF, kFarWitness = 0x2000;
constexpr std::uint16_t key_of(int step, int axis) {
  return static_cast<std::uint16_t>(step * step << 9 | (step + 2) << (6 - 3 * axis));
}
// What the occupied octants of one block mean for the octants in the same columns, of the block above (`shift` -2), of
// the same and of the block below (2).
struct OctantKeys {
  alignas(16) std::uint16_t of[256][8];
};
constexpr OctantKeys make_octant_keys(int shift) {
  OctantKeys keys{};
  for (int bits = 0; bits < 256; ++bits) {
    for (int octant = 0; octant < 8; ++octant) {
      std::uint16_t best = kUnknownKey;
      for (int z = 0; z < 2; ++z) {
        const int step = z + shift - octant % 2;
        const bool occupied = (bits >> (octant / 2 * 2 + z) & 1) != 0;
        if (occupied && -2 <= step && step <= 2) best = std::min(best, key_of(step, 2));
      }
      keys.of[bits][octant] = best;
    }
  }
  return keys;
}
constexpr OctantKeys kKeysBelow = make_octant_keys(-2), kKeysOwn = make_octant_keys(0),
                     kKeysAbove = make_octant_keys(2);

// Which octants have an occupied cell.
HWY_INLINE std::uint32_t octants_of(std::uint64_t occupied) {
  occupied |= occupied >> 4U;
  occupied |= occupied >> 2U;
  occupied |= occupied >> 1U;
  return static_cast<std::uint32_t>((occupied & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56U);
}

#if HWY_TARGET == HWY_SCALAR
void octants_along_z(std::uint32_t below, std::uint32_t own, std::uint32_t above, std::uint16_t* out) {
  for (std::size_t i = 0; i < 8; ++i) {
    out[i] = std::min({kKeysBelow.of[below][i], kKeysOwn.of[own][i], kKeysAbove.of[above][i]});
  }
}
// Octants `stride` apart along the axis.
void octants_along(int axis, std::size_t stride, const std::uint16_t* below, const std::uint16_t* own,
                   const std::uint16_t* above, std::uint16_t* out) {
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t high = i / stride % 2, foot = i - high * stride;
    const std::uint16_t line[6] = {below[foot],        below[foot + stride], own[foot],
                                   own[foot + stride], above[foot],          above[foot + stride]};
    std::uint16_t best = kUnknownKey;
    for (int step = -2; step <= 2; ++step) {
      const int sum = line[static_cast<int>(high) + 2 + step] + key_of(step, axis);
      best = std::min(best, static_cast<std::uint16_t>(sum));
    }
    out[i] = best;
  }
}
void octants_along_y(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                     std::uint16_t* out) {
  octants_along(1, 2, below, own, above, out);
}
void octants_along_x(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                     std::uint16_t* out) {
  octants_along(0, 4, below, own, above, out);
  for (std::size_t i = 0; i < 8; ++i) out[i] = out[i] < kFarWitness ? out[i] & kNoWitness : kNoWitness;
}
#else
using Octants = hn::FixedTag<std::uint16_t, 8>;
HWY_INLINE void octants_along_z(std::uint32_t below, std::uint32_t own, std::uint32_t above, std::uint16_t* out) {
  const Octants d;
  const auto keys = hn::Min(hn::Load(d, kKeysBelow.of[below]), hn::Load(d, kKeysAbove.of[above]));
  hn::StoreU(hn::Min(keys, hn::Load(d, kKeysOwn.of[own])), d, out);
}
template <int kAxis, class V>
HWY_INLINE V nearest_octant(Octants d, V two_below, V one_below, V own, V one_above, V two_above) {
  const auto at = [&](V keys, int step) HWY_ATTR { return hn::Add(keys, hn::Set(d, key_of(step, kAxis))); };
  return hn::Min(at(own, 0),
                 hn::Min(hn::Min(at(two_below, -2), at(one_below, -1)), hn::Min(at(one_above, 1), at(two_above, 2))));
}
void octants_along_y(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                     std::uint16_t* out) {
  const Octants d;
  const hn::Repartition<std::uint64_t, Octants> pairs;  // y = 0 in the low half, y = 1 in the high half
  const auto b = hn::LoadU(d, below), o = hn::LoadU(d, own), a = hn::LoadU(d, above);
  const auto between = [&](auto low, auto high) HWY_ATTR {
    return hn::BitCast(
        d, hn::Or(hn::ShiftRight<32>(hn::BitCast(pairs, low)), hn::ShiftLeft<32>(hn::BitCast(pairs, high))));
  };
  hn::StoreU(nearest_octant<1>(d, b, between(b, o), o, between(o, a), a), d, out);
}
void octants_along_x(const std::uint16_t* below, const std::uint16_t* own, const std::uint16_t* above,
                     std::uint16_t* out) {
  const Octants d;
  const auto b = hn::LoadU(d, below), o = hn::LoadU(d, own), a = hn::LoadU(d, above);
  const auto before = hn::CombineShiftRightBytes<8>(d, o, b), behind = hn::CombineShiftRightBytes<8>(d, a, o);
  const auto keys = nearest_octant<0>(d, b, before, o, behind, a);
  const auto none = hn::Set(d, kNoWitness);
  hn::StoreU(hn::IfThenElse(hn::Lt(keys, hn::Set(d, kFarWitness)), hn::And(keys, none), none), d, out);
}
#endif

// `around` and `list` are positions in the directory, in order.
void bound_all_cells(Grid& grid, const std::uint32_t* list, std::size_t listed, const std::uint32_t* around,
                     std::size_t all) {
  alignas(64) std::uint8_t nothing[2 * kCells];
  std::memset(nothing, kCellReach, kCells);
  std::memset(nothing + kCells, kUnknown, kCells);
  std::uint16_t nowhere[8];
  std::fill(nowhere, nowhere + 8, kUnknownKey);
  const std::size_t count = grid.block_count(), dy = static_cast<std::size_t>(grid.blocks[2]);
  const auto rows = static_cast<std::size_t>(grid.blocks[1]);
  const std::size_t dx = dy * rows;
  // Stepping over the end of a row along z meets a block of the rim, which has no points, as it should be; stepping
  // over the end of a slice along y would meet one whose pass along z may not have been done.
  const auto number = [&](std::size_t at) { return at < count ? grid.directory[at] : kFar; };
  struct Occupied {
    std::uint64_t rows;
    std::uint32_t octants;
  };
  const auto occupied = [&](std::size_t at) -> Occupied {
    const std::uint32_t n = number(at);
    if ((n & kFar) != 0) return {0, 0};
    return {by_rows(grid.near[n].occupied), octants_of(grid.near[n].occupied)};
  };
  struct Pass {
    std::uint8_t* cells;
    std::uint16_t *octants, *around;
  };
  Scratch& s = grid.scratch;
  const Pass z{s.along_z.data(), s.octants_z.data(), s.around_z.data()};
  const Pass y{s.along_y.data(), s.octants_y.data(), s.around_y.data()};
  const auto cells = [&](const Pass& pass, std::uint32_t n) -> const std::uint8_t* {
    return (n & kFar) != 0 ? nothing : pass.cells + 2 * kCells * n;
  };
  const auto octants = [&](const Pass& pass, std::uint32_t n) -> const std::uint16_t* {
    return (n & kFar) != 0 ? nowhere : pass.octants + std::size_t{8} * n;
  };
  const auto around_of = [&](const Pass& pass, std::uint32_t n) -> std::uint32_t {
    return (n & kFar) != 0 ? 0 : pass.around[n];
  };
  Occupied below{}, own{}, above{};
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t at = around[i];
    const bool next = i > 0 && at == around[i - 1] + std::size_t{1};
    below = next ? own : occupied(at - 1);
    own = next ? above : occupied(at);
    above = occupied(at + 1);
    const std::uint32_t n = grid.directory[at];
    cells_along_z(below.rows, own.rows, above.rows, z.cells + 2 * kCells * n);
    octants_along_z(below.octants, own.octants, above.octants, z.octants + std::size_t{8} * n);
    const auto has = [](const Occupied& o) { return o.octants != 0 ? 1U : 0U; };
    z.around[n] = static_cast<std::uint16_t>(has(below) | has(own) << 1U | has(above) << 2U);
  }
  std::size_t row = 0, row_end = dy;  // of the blocks along y, as those of the list come along
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t at = around[i];
    for (; at >= row_end; row_end += dy) row = row + 1 < rows ? row + 1 : 0;
    const std::uint32_t n = grid.directory[at];
    const std::uint32_t before = row > 0 ? number(at - dy) : kFar, behind = row + 1 < rows ? number(at + dy) : kFar;
    cells_along_y(cells(z, before), cells(z, n), cells(z, behind), y.cells + 2 * kCells * n);
    octants_along_y(octants(z, before), octants(z, n), octants(z, behind), y.octants + std::size_t{8} * n);
    y.around[n] = static_cast<std::uint16_t>(around_of(z, before) | around_of(z, n) << 3U | around_of(z, behind) << 6U);
  }
  for (std::size_t i = 0; i < listed; ++i) {
    const std::size_t at = list[i];
    const std::uint32_t n = grid.directory[at], before = number(at - dx), behind = number(at + dx);
    cells_along_x(cells(y, before), cells(y, n), cells(y, behind), grid.bounds[n].of);
    octants_along_x(octants(y, before), octants(y, n), octants(y, behind), grid.near[n].witness);
    grid.near[n].around = around_of(y, before) | around_of(y, n) << 9U | around_of(y, behind) << 18U;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::point_grid {

HWY_EXPORT(bound_all_blocks);
HWY_EXPORT(bound_all_cells);

void bound_blocks(Grid& grid) {
  constexpr std::size_t kOverhang = 64;  // whole vectors touch so many bytes behind the end
  Scratch& s = grid.scratch;
  const std::size_t count = grid.block_count();
  s.lower[0].resize(count + kOverhang);
  s.upper[0].resize(count + kOverhang);
  s.upper[1].resize(count + kOverhang);
  s.row.assign(static_cast<std::size_t>(grid.blocks[2]) + 2 * kBlockReach + 2 * kOverhang, kUnknown);
  HWY_DYNAMIC_DISPATCH(bound_all_blocks)
  (grid.blocks.data(), s.lower[1].data(), s.lower[0].data(), s.upper[0].data(), s.upper[1].data(), s.row.data());
}

void bound_cells(Grid& grid, std::span<const std::uint32_t> list, std::span<const std::uint32_t> around) {
  constexpr std::size_t kBytes = 128;
  grid.scratch.along_z.resize(grid.near.size() * kBytes);
  grid.scratch.along_y.resize(grid.near.size() * kBytes);
  grid.scratch.octants_z.resize(grid.near.size() * 8);
  grid.scratch.octants_y.resize(grid.near.size() * 8);
  grid.scratch.around_z.resize(grid.near.size());
  grid.scratch.around_y.resize(grid.near.size());
  HWY_DYNAMIC_DISPATCH(bound_all_cells)(grid, list.data(), list.size(), around.data(), around.size());
}

}  // namespace graze::point_grid
#endif
