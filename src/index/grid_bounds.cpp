// How far the nearest point is, at least and at most, from anywhere in a box: per block for all of them, per cell for
// the blocks near points. Seen in two dimensions, with blocks of 4 × 4 cells and one point (*):
//
//     +---------+---------+---------+---------+
//     |         | . . . . | . . . . | . . . . |      The block with the point and its neighbours are near: they have
//     |   far   | . near. | . near. | . near. |      bounds per cell (.), in cells², which most queries look up.
//     |         | . . . . | . . . . | . . . . |
//     +---------+---------+---------+---------+      All others are far: they have bounds per block, in blocks², kept
//     |         | . . . . | . . . . | . . . . |      in the directory.
//     |   far   | . near. | . * . . | . near. |
//     |         | . . . . | . . . . | . . . . |
//     +---------+---------+---------+---------+
//
// Along one axis, boxes that are k steps apart are at least k − 1 and at most k + 1 edges apart:
//
//     |<--------- k + 1 = 4 --------->|
//     +-------+-------+-------+-------+
//     | query |       |       |   *   |      k = 3
//     +-------+-------+-------+-------+
//             |<- k - 1 = 2 ->|
//
// A bound is the minimum, over all occupied boxes, of the sum of these squares over the axes. Such a minimum separates
// into one pass per axis: bound[i] = min over k of previous[i + k] + cost(|k|). Lower bounds of cells, one of which is
// occupied; a dot is a cell that nothing has reached yet:
//
//         occupied            after the pass along z      after the pass along y
//      . . . . . .                . . . . . .                  2 1 1 1 2 5
//      . . . . . .                . . . . . .                  1 0 0 0 1 4
//      . . * . . .                1 0 0 0 1 4                  1 0 0 0 1 4       y
//      . . . . . .                . . . . . .                  1 0 0 0 1 4       |
//      . . . . . .                . . . . . .                  2 1 1 1 2 5       +-- z
//
// A pass looks kBlockReach blocks or one block of cells to either side. What lies beyond is clamped: to the largest
// lower bound that still holds, and to kUnknown for upper ones.
#include "index/grid_bounds.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/grid_bounds.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

#include "index/grid_cell_passes-inl.h"
#include "index/grid_witness-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bounds of blocks: one byte per block, z fastest. Blocks beyond the reach are at least this far.
template <Bound kBound>
constexpr std::uint8_t kBeyond = kBound == Bound::lower ? step_cost<Bound::lower>(kBlockReach + 1) : kUnknown;

template <Bound kBound, class D, class V>
GRAZE_LANE_FUNCTION V plus_cost(D d, V bounds, int step) {
  return hn::SaturatedAdd(bounds, hn::Set(d, step_cost<kBound>(step < 0 ? -step : step)));
}

// Pass across `count` rows of `stride` bytes: a step is a whole row.
template <Bound kBound>
GRAZE_LANE_FUNCTION void pass_across_rows(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out,
                                          int count, std::size_t stride) {
  const hn::ScalableTag<std::uint8_t> d;
  for (int row = 0; row < count; ++row) {
    const int first = std::max(-kBlockReach, -row), last = std::min(kBlockReach, count - 1 - row);
    const std::uint8_t* from = in + static_cast<std::size_t>(row) * stride;
    std::uint8_t* to = out + static_cast<std::size_t>(row) * stride;
    for (std::size_t i = 0; i < stride; i += hn::Lanes(d)) {
      auto best = hn::Set(d, kBeyond<kBound>);
      for (int k = first; k <= last; ++k) {
        const auto offset = static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(stride);
        const auto value = hn::LoadU(d, from + static_cast<std::ptrdiff_t>(i) + offset);
        best = hn::Min(best, plus_cost<kBound>(d, value, k));
      }
      hn::StoreU(best, d, to + i);
    }
  }
}

// Pass along the bytes of each row. `padded` holds kUnknown and has room for a row and the reach on both sides of it.
template <Bound kBound>
GRAZE_LANE_FUNCTION void pass_along_rows(const std::uint8_t* HWY_RESTRICT in, std::uint8_t* HWY_RESTRICT out,
                                         std::size_t rows, std::size_t stride, std::uint8_t* HWY_RESTRICT padded) {
  const hn::ScalableTag<std::uint8_t> d;
  for (std::size_t row = 0; row < rows; ++row, in += stride, out += stride) {
    std::memcpy(padded + kBlockReach, in, stride);
    for (std::size_t i = 0; i < stride; i += hn::Lanes(d)) {
      auto best = hn::Set(d, kBeyond<kBound>);
      for (int k = -kBlockReach; k <= kBlockReach; ++k) {
        const auto value = hn::LoadU(d, padded + static_cast<std::ptrdiff_t>(i) + k + kBlockReach);
        best = hn::Min(best, plus_cost<kBound>(d, value, k));
      }
      hn::StoreU(best, d, out + i);
    }
  }
}

// From `occupied` (0 or kUnknown) to `bounds`, by way of `spare`.
template <Bound kBound>
GRAZE_LANE_FUNCTION void three_passes(const std::array<int, 3>& blocks, const std::uint8_t* occupied,
                                      std::uint8_t* bounds, std::uint8_t* spare, std::uint8_t* padded) {
  const auto ny = static_cast<std::size_t>(blocks[1]), nz = static_cast<std::size_t>(blocks[2]);
  pass_along_rows<kBound>(occupied, bounds, static_cast<std::size_t>(blocks[0]) * ny, nz, padded);
  for (int x = 0; x < blocks[0]; ++x) {
    const std::size_t slice = static_cast<std::size_t>(x) * ny * nz;
    pass_across_rows<kBound>(bounds + slice, spare + slice, blocks[1], nz);
  }
  pass_across_rows<kBound>(spare, bounds, blocks[0], ny * nz);
}

void bound_all_blocks(const int* blocks, std::uint8_t* occupied, std::uint8_t* lower, std::uint8_t* upper,
                      std::uint8_t* spare, std::uint8_t* padded) {
  const std::array<int, 3> size{blocks[0], blocks[1], blocks[2]};
  three_passes<Bound::lower>(size, occupied, lower, spare, padded);
  three_passes<Bound::upper>(size, occupied, upper, spare, padded);
}

// Runs the passes over cells, witnesses and `around` bits. Blocks are given by position in the directory; what a pass
// leaves for the next one is kept by number of near block.
class NearPasses {
 public:
  explicit NearPasses(Grid& grid)
      : grid_(grid),
        z_{grid.scratch.along_z.data(), grid.scratch.octants_z.data(), grid.scratch.around_z.data()},
        y_{grid.scratch.along_y.data(), grid.scratch.octants_y.data(), grid.scratch.around_y.data()} {
    std::memset(no_cells_, kNotReached<Bound::lower>, kCells);
    std::memset(no_cells_ + kCells, kNotReached<Bound::upper>, kCells);
    std::fill(no_octants_, no_octants_ + kOctants, kNoKey);
    z_.around[0] = y_.around[0] = 0;  // of all that is far
  }

  void along_z(const std::uint32_t* positions, std::size_t count) const {
    Occupied below{}, own{}, above{};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = positions[i];
      // Steps over the end of a row meet a block of padding, which has no points.
      const bool follows = i > 0 && at == positions[i - 1] + std::size_t{1};
      below = follows ? own : occupied(at - 1);
      own = follows ? above : occupied(at);
      above = occupied(at + 1);
      const std::uint32_t n = grid_.directory[at];
      const auto bit = [](const Occupied& block) { return block.octants != 0 ? 1U : 0U; };
      const std::uint32_t seen = bit(below) | bit(own) << 1U | bit(above) << 2U;
      z_.around[n] = static_cast<std::uint16_t>(seen);
      if (seen == 0) continue;
      cells_along_z(below.cells, own.cells, above.cells, z_.cells + 2 * kCells * n);
      octants_along_z(below.octants, own.octants, above.octants, z_.octants + kOctants * n);
    }
  }

  void along_y(const std::uint32_t* positions, std::size_t count) const {
    const std::size_t row_length = size(2), rows = size(1);
    std::size_t row = 0, row_end = row_length;  // of the current block, within its slice
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = positions[i];
      for (; at >= row_end; row_end += row_length) row = row + 1 < rows ? row + 1 : 0;
      // Unlike along z, steps over the end of a slice are not taken: the pass along z may not have been there.
      const std::uint32_t below = row > 0 ? number(at - row_length) : kFar, n = grid_.directory[at],
                          above = row + 1 < rows ? number(at + row_length) : kFar;
      const std::uint32_t seen = around(z_, below) | around(z_, n) << 3U | around(z_, above) << 6U;
      y_.around[n] = static_cast<std::uint16_t>(seen);
      if (seen == 0) continue;
      cells_along_y(cells(z_, below), cells(z_, n), cells(z_, above), y_.cells + 2 * kCells * n);
      octants_along_y(octants(z_, below), octants(z_, n), octants(z_, above), y_.octants + kOctants * n);
    }
  }

  void along_x(const std::uint32_t* positions, std::size_t count) const {
    const std::size_t slice = size(1) * size(2);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = positions[i];
      const std::uint32_t below = number(at - slice), n = grid_.directory[at], above = number(at + slice);
      Block& block = grid_.near[n];
      cells_along_x(cells(y_, below), cells(y_, n), cells(y_, above), grid_.bounds[n].of);
      octants_along_x(octants(y_, below), octants(y_, n), octants(y_, above), block.witness);
      block.around = around(y_, below) | around(y_, n) << 9U | around(y_, above) << 18U;
    }
  }

 private:
  // What one pass has computed. Per near block: a bit for each block with points among those seen so far, 3 along z, 9
  // along z and y; and, unless there is none, bounds of its cells and keys of its octants.
  struct Results {
    std::uint8_t* cells;
    std::uint16_t *octants, *around;
  };
  // What the first pass starts from.
  struct Occupied {
    std::uint64_t cells;  // bits by rows
    std::uint32_t octants;
  };

  std::size_t size(std::size_t axis) const { return static_cast<std::size_t>(grid_.blocks[axis]); }

  // kFar for blocks that are far or, by wrapping included, outside of the grid.
  std::uint32_t number(std::size_t at) const { return at < grid_.block_count() ? grid_.directory[at] : kFar; }
  static bool far(std::uint32_t number) { return (number & kFar) != 0; }

  Occupied occupied(std::size_t at) const {
    const std::uint32_t n = number(at);
    if (far(n)) return {0, 0};
    const std::uint64_t cells = grid_.near[n].occupied;
    return {by_rows(cells), octants_of(cells)};
  }
  const std::uint8_t* cells(const Results& pass, std::uint32_t n) const {
    return around(pass, n) == 0 ? no_cells_ : pass.cells + 2 * kCells * n;
  }
  const std::uint16_t* octants(const Results& pass, std::uint32_t n) const {
    return around(pass, n) == 0 ? no_octants_ : pass.octants + kOctants * n;
  }
  static std::uint32_t around(const Results& pass, std::uint32_t n) { return pass.around[far(n) ? 0 : n]; }

  Grid& grid_;
  Results z_, y_;
  alignas(64) std::uint8_t no_cells_[2 * kCells];  // stand in for those of blocks where nothing was seen
  std::uint16_t no_octants_[kOctants];
};

void bound_all_cells(Grid& grid, const std::uint32_t* list, std::size_t listed, const std::uint32_t* around,
                     std::size_t all) {
  const NearPasses passes(grid);
  passes.along_z(around, all);
  passes.along_y(around, all);
  passes.along_x(list, listed);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::point_grid {

HWY_EXPORT(bound_all_blocks);
HWY_EXPORT(bound_all_cells);

void bound_blocks(Grid& grid) {
  constexpr std::size_t kOverhang = 64;  // whole vectors touch this many bytes past the end
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
  constexpr std::size_t kBoundsPerBlock = 128, kOctantsPerBlock = 8;
  Scratch& s = grid.scratch;
  const std::size_t count = grid.near.size();
  s.along_z.resize(count * kBoundsPerBlock);
  s.along_y.resize(count * kBoundsPerBlock);
  s.octants_z.resize(count * kOctantsPerBlock);
  s.octants_y.resize(count * kOctantsPerBlock);
  s.around_z.resize(count);
  s.around_y.resize(count);
  HWY_DYNAMIC_DISPATCH(bound_all_cells)(grid, list.data(), list.size(), around.data(), around.size());
}

}  // namespace graze::point_grid
#endif
