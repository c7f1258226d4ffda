// What PointGrid is made of. A grid of cells in blocks of 4 × 4 × 4, padded by one empty block on every side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "graze/index/points.h"
#include "index/buffer.h"
#include "index/grid_slots.h"
#include "index/kd_tree_data.h"

namespace graze::point_grid {

inline constexpr int kEdge = 4;                   // cells along a block; 4³ cells are the bits of one word
inline constexpr std::uint32_t kFar = 1U << 31U;  // directory entry of a block that is not near: bounds in the low bits
inline constexpr std::uint8_t kUnknown = 255;     // an upper bound that is not known
inline constexpr std::uint8_t kCellReach = 16;    // near cells know lower bounds up to 4² cells²
inline constexpr int kBlockReach = 7;             // far blocks know bounds up to 7 blocks
inline constexpr std::uint32_t kScanAll = 64;     // blocks with up to so many points are not sorted by cell

// Where the points start: behind one block of padding and a little more, so that no rounding puts a point into it.
inline constexpr float kPad = kEdge + 0.0625F;

// Blocks along an axis. Cell coordinates of points are computed in float, which is off by 2^-22 of them.
inline constexpr int kMaxBlocksAlong = 1 << 14;
// Widening, in cells and relative, of every length that is compared with the grid: twice the rounding of the largest
// cell coordinates of points; those of queries, in double, are far better.
inline constexpr double kSlack = 2 * kEdge * kMaxBlocksAlong * 0x1p-22;

/// Bounds of the squared distance, in cells², from anywhere in a cell to the nearest point: the lower one in the low
/// four bits, the number of the upper one among kUppers in the high four. By rows: (x·4 + y)·4 + z. One cache line.
struct alignas(64) CellBounds {
  std::uint8_t of[kEdge * kEdge * kEdge];
};
inline constexpr std::uint8_t kHighestLower = 15;
/// Of cells in far blocks: at least four cells from all points, with no upper bound known.
inline constexpr std::uint8_t kFarCell = 0xFF;
inline CellBounds far_bounds() {
  CellBounds bounds;
  for (std::uint8_t& cell : bounds.of) cell = kFarCell;
  return bounds;
}
/// What upper bounds are rounded up to; the last one means not known.
alignas(16) inline constexpr std::uint8_t kUppers[16] = {3,  6,  9,  12, 14, 18, 19, 22,
                                                         24, 27, 30, 34, 42, 50, 66, kUnknown};

/// Number of a cell in its block: the eight cells of an octant follow one another, in the order of octants.
constexpr std::uint32_t cell_number(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return (x & 2U) << 4U | (y & 2U) << 3U | (z & 2U) << 2U | (x & 1U) << 2U | (y & 1U) << 1U | (z & 1U);
}
/// Its position along an axis, 0 to 3.
constexpr int cell_place(int number, int axis) { return (number >> (4 - axis) & 2) | (number >> (2 - axis) & 1); }
/// Bits of cells by number, as bits by rows: (x·4 + y)·4 + z.
constexpr std::uint64_t by_rows(std::uint64_t numbered) {
  // Exchanges two binary digits of the position of every bit; `moved` has those bits whose digits are 0 1.
  const auto exchange = [](std::uint64_t bits, unsigned shift, std::uint64_t moved) {
    const std::uint64_t differing = (bits >> shift ^ bits) & moved;
    return bits ^ differing ^ differing << shift;
  };
  // From x1 y1 z1 x0 y0 z0 to x1 x0 y1 y0 z1 z0.
  numbered = exchange(numbered, 12, 0x0000F0F00000F0F0ULL);  // y1 and x0: x1 x0 z1 y1 y0 z0
  numbered = exchange(numbered, 4, 0x00F000F000F000F0ULL);   // z1 and y1: x1 x0 y1 z1 y0 z0
  return exchange(numbered, 2, 0x0C0C0C0C0C0C0C0CULL);       // z1 and y0
}

/// Steps from an octant of a block to a nearest occupied one, in octants, are coded as three bits per axis, x first, of
/// step + 2. Where there is none within two steps along each axis:
inline constexpr std::uint16_t kNoWitness = 0x1FF;

/// The points of one block: [begin, end) of the arrays. With more than kScanAll of them they are sorted by cell, and
/// the occupied cells, in order, start at Grid::starts[starts …], followed by end.
struct Block {
  std::uint64_t occupied = 0;  // bit per cell, by number
  std::uint32_t begin = 0, end = 0;
  std::uint32_t starts = kNone;  // kNone: scan all
  std::uint32_t child = kNone;   // the points are those of Grid::children[child]; kNone: none
  std::uint32_t around = 0;      // bit (x·3 + y)·3 + z per block with points among the 27 around and with this one
  // Per octant: steps to a nearest occupied one.
  std::uint16_t witness[8] = {kNoWitness, kNoWitness, kNoWitness, kNoWitness,
                              kNoWitness, kNoWitness, kNoWitness, kNoWitness};
};

/// One level of the pyramid above the blocks: bit (x·4 + y)·4 + z of a node says that this child has points.
struct Level {
  std::array<int, 3> size{};
  Buffer<std::uint64_t> nodes;

  std::size_t at(int x, int y, int z) const {
    return (static_cast<std::size_t>(x) * static_cast<std::size_t>(size[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size[2]) +
           static_cast<std::size_t>(z);
  }
};

/// Memory of one build that the next one reuses.
struct Scratch {
  struct Occupied {
    std::uint32_t cursor;  // of the block, or of the first of its cells
    std::uint32_t sorted;  // all bits set: the points are sorted by cell
    std::uint64_t cells;
  };
  Buffer<std::uint32_t> keys, counts, cursors, part_keys;
  Buffer<std::uint8_t> cells;
  Buffer<Occupied> occupied;
  Buffer<std::uint8_t> row;
  Buffer<std::uint8_t> lower[2], upper[2];
  Buffer<std::uint8_t> along_z, along_y;       // 128 bytes per block: lower, then upper bounds of its cells
  Buffer<std::uint16_t> octants_z, octants_y;  // 8 per block
  Buffer<std::uint16_t> around_z, around_y;    // blocks with points: 3 along z, 9 along y and z
  Buffer<std::uint32_t> near;
  Buffer<Record> part;             // the points that are being sorted, or become a grid of their own
  std::unique_ptr<Scratch> inner;  // for such grids, one after the other
};

struct Grid {
  // The frame: `origin` has cell coordinate kPad on every axis, `blocks` counts the padding too. For points all is done
  // in halves, so that floats of any size can be subtracted.
  double origin[3] = {0, 0, 0};
  float half_origin[3] = {0, 0, 0};
  double cell = 1, inverse = 1;
  float twice_inverse = 2;
  std::array<int, 3> blocks{};
  double end[3] = {0, 0, 0};             // of the frame, in cells
  std::array<std::int32_t, 27> steps{};  // in the directory, to the blocks around one, in the order of Block::around
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};  // bounds of the points

  Buffer<std::uint32_t> directory;  // per block: number of a near block, or kFar | upper << 8 | lower in blocks²
  bool dense = false;               // near or far, block b has number b + 1: look-ups need no directory
  Buffer<std::uint8_t> row_bits;    // per row of blocks along z: a bit per block with points
  Buffer<CellBounds> bounds;        // of near blocks; the first one holds for all that are far
  Buffer<Block> near;               // the same order
  std::vector<Level> levels;        // nodes of 4³ blocks, of 4³ such nodes, …, up to a single one
  Slots slots;                      // the points, in the order of blocks and cells as long as nothing is updated
  Buffer<std::uint32_t> starts;
  std::vector<Grid> children;
  /// Instead of blocks, where points lie at so many scales that cells do not divide them: the nodes of a k-d tree. Its
  /// leaves are the slots, kd_tree::kLeaf at a time.
  kd_tree::Tree<float> tree;
  std::size_t merged = 0;  // points without a slot, since an equal point represents them

  // Of the outermost grid only.
  std::size_t size = 0, skipped = 0, given = 0;
  double point_radius = 0;
  Scratch scratch;
  Buffer<std::uint32_t> slot_of;      // where a point of the frame is stored, or kNone; made by the first update
  Buffer<std::uint32_t> free_blocks;  // numbers of near blocks that updates gave up
  std::size_t lost_slots = 0;         // slots of the point arrays that updates gave up

  std::size_t block_at(int bx, int by, int bz) const {
    return (static_cast<std::size_t>(bx) * static_cast<std::size_t>(blocks[1]) + static_cast<std::size_t>(by)) *
               static_cast<std::size_t>(blocks[2]) +
           static_cast<std::size_t>(bz);
  }
  std::size_t block_count() const { return block_at(blocks[0], 0, 0); }
  /// Where the bits of a row start in row_bits.
  std::size_t row_at(int bx, int by) const {
    return (static_cast<std::size_t>(bx) * static_cast<std::size_t>(blocks[1]) + static_cast<std::size_t>(by)) *
           row_bytes();
  }
  std::size_t row_bytes() const { return (static_cast<std::size_t>(blocks[2]) + 7) / 8; }
  bool has_tree() const { return tree.size > 0; }
  bool empty() const { return levels.empty() && !has_tree(); }

  /// Cell coordinate of a point inside of the frame, rounded as the SIMD kernels do.
  int cell_of(float coordinate, int axis) const { return static_cast<int>(cell_coordinate(coordinate, axis)); }
  float cell_coordinate(float coordinate, int axis) const {
    return (coordinate * 0.5F - half_origin[axis]) * twice_inverse + kPad;
  }

  std::size_t memory_bytes() const;
};

/// Fills `grid` from `points`; its scratch memory is reused.
void build(Grid& grid, const PointView& points);
/// See PointGrid::update.
void update(Grid& grid, const PointView& frame, std::size_t first, std::size_t count);
/// See PointGrid::validate.
std::string validate(const Grid& grid);

// Parts of build() that update() shares.

/// Sorts the points of one block by cell, where there are many, and writes them to the slots from `begin` on. May
/// append to starts; does not make children.
void store_block(Grid& grid, Block& block, const std::array<int, 3>& at, const Record* records, std::size_t count,
                 std::uint32_t begin);
/// Rebuilds the pyramid from the blocks that have points.
void build_levels(Grid& grid);

}  // namespace graze::point_grid
