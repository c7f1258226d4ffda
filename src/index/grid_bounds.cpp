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

// Pass along x: slices move by 16 bytes.
template <bool kLower>
HWY_INLINE void cells_along_x_one_way(const std::uint8_t* HWY_RESTRICT below, const std::uint8_t* HWY_RESTRICT own,
                                      const std::uint8_t* HWY_RESTRICT above, std::uint8_t* HWY_RESTRICT out) {
  alignas(64) std::uint8_t line[3 * kCells];
  std::memcpy(line, below, kCells);
  std::memcpy(line + kCells, own, kCells);
  std::memcpy(line + 2 * kCells, above, kCells);
  const Byte d;
  for (std::size_t i = 0; i < kCells; i += hn::Lanes(d)) {
    const std::uint8_t* at = line + kCells + i;
    auto best = hn::Set(d, kLower ? kCellReach : kUnknown);
    for (int k = -4; k <= 4; ++k) {
      const auto cost = hn::Set(d, kLower ? nearest_square(k < 0 ? -k : k) : farthest_square(k < 0 ? -k : k));
      best = hn::Min(best, hn::SaturatedAdd(hn::LoadU(d, at + 16 * k), cost));
    }
    hn::Store(best, d, out + i);
  }
}

void cells_along_x(const std::uint8_t* below, const std::uint8_t* own, const std::uint8_t* above,
                   std::uint8_t* HWY_RESTRICT out) {
  alignas(64) std::uint8_t lower[kCells], upper[kCells];
  cells_along_x_one_way<true>(below, own, above, lower);
  cells_along_x_one_way<false>(below + kCells, own + kCells, above + kCells, upper);
  const Byte d;
  for (std::size_t i = 0; i < kCells; i += hn::Lanes(d)) {
    const auto bound = hn::Load(d, upper + i);
    auto number = hn::Zero(d);
    for (std::size_t level = 0; level < 15; ++level) {
      number =
          hn::Add(number, hn::IfThenElseZero(hn::Gt(bound, hn::Set(d, kUppers[level])), hn::Set(d, std::uint8_t{16})));
    }
    const auto low = hn::Min(hn::Load(d, lower + i), hn::Set(d, kHighestLower));
    hn::Store(hn::Or(number, low), d, out + i);
  }
}

// `around` and `list` are positions in the directory.
void bound_all_cells(Grid& grid, const std::uint32_t* list, std::size_t listed, const std::uint32_t* around,
                     std::size_t all) {
  alignas(64) std::uint8_t nothing[2 * kCells];
  std::memset(nothing, kCellReach, kCells);
  std::memset(nothing + kCells, kUnknown, kCells);
  const std::size_t count = grid.block_count(), dy = static_cast<std::size_t>(grid.blocks[2]);
  const auto rows = static_cast<std::size_t>(grid.blocks[1]);
  const std::size_t dx = dy * rows;
  // Stepping over the end of a row along z meets a block of the rim, which has no points, as it should be; stepping
  // over the end of a slice along y would meet one whose pass along z may not have been done.
  const auto number = [&](std::size_t at) { return at < count ? grid.directory[at] : kFar; };
  const auto occupied = [&](std::size_t at) {
    const std::uint32_t n = number(at);
    return (n & kFar) != 0 ? 0 : grid.near[n].occupied;
  };
  std::uint8_t* z = grid.scratch.along_z.data();
  std::uint8_t* y = grid.scratch.along_y.data();
  const auto result = [&](const std::uint8_t* pass, std::size_t at) -> const std::uint8_t* {
    const std::uint32_t n = number(at);
    return (n & kFar) != 0 ? nothing : pass + 2 * kCells * n;
  };
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t at = around[i];
    cells_along_z(occupied(at - 1), occupied(at), occupied(at + 1), z + 2 * kCells * grid.directory[at]);
  }
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t at = around[i];
    const std::size_t row = at / dy % rows;
    cells_along_y(row > 0 ? result(z, at - dy) : nothing, result(z, at), row + 1 < rows ? result(z, at + dy) : nothing,
                  y + 2 * kCells * grid.directory[at]);
  }
  for (std::size_t i = 0; i < listed; ++i) {
    const std::size_t at = list[i];
    cells_along_x(result(y, at - dx), result(y, at), result(y, at + dx), grid.bounds[grid.directory[at]].of);
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
  HWY_DYNAMIC_DISPATCH(bound_all_cells)(grid, list.data(), list.size(), around.data(), around.size());
}

}  // namespace graze::point_grid
#endif
