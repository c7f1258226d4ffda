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

namespace graze::point_grid {

inline constexpr int kEdge = 4;                   // cells along a block; 4³ cells are the bits of one word
inline constexpr std::uint32_t kFar = 1U << 31U;  // directory entry of a block that is not near: bounds in the low bits
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint8_t kUnknown = 255;   // an upper bound that is not known
inline constexpr std::uint8_t kCellReach = 16;  // near cells know lower bounds up to 4² cells²
inline constexpr int kBlockReach = 7;           // far blocks know bounds up to 7 blocks
inline constexpr std::uint32_t kScanAll = 128;  // blocks with up to so many points are not sorted by cell
inline constexpr std::size_t kPadding = 16;     // NaN points behind the last: SIMD reads whole vectors

// Where the points begin: behind one block of padding and a little more, so that no rounding puts a point into it.
inline constexpr float kPad = kEdge + 0.0625F;

// Blocks along an axis. Cell coordinates of points are computed in float, which is off by 2^-22 of them.
inline constexpr int kMostAlong = 1 << 14;
// Widening, in cells and relative, of every length that is compared with the grid: twice the rounding of the largest
// cell coordinates of points; those of queries, in double, are far better.
inline constexpr double kSlack = 2 * kEdge * kMostAlong * 0x1p-22;

/// Bounds of the squared distance, in cells², from anywhere in a cell to the nearest point: the lower one in the low
/// four bits, the number of the upper one among kUppers in the high four. Cells are numbered (x·4 + y)·4 + z in their
/// block, which fills one cache line.
struct alignas(64) CellBounds {
  std::uint8_t of[kEdge * kEdge * kEdge];
};
inline constexpr std::uint8_t kHighestLower = 15;
/// What upper bounds are rounded up to; the last one means not known.
inline constexpr std::uint8_t kUppers[16] = {3, 6, 9, 12, 14, 17, 19, 22, 24, 27, 30, 34, 41, 50, 66, kUnknown};

/// The points of one block: [begin, end) of the arrays. With more than kScanAll of them they are sorted by cell, and
/// the occupied cells, in order, begin at Grid::starts[starts …], followed by end.
struct Block {
  std::uint64_t occupied;  // bit per cell
  std::uint32_t begin, end;
  std::uint32_t starts;  // kNone: scan all
  std::uint32_t child;   // the points are those of Grid::children[child]; kNone: none
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

struct Record {
  float x, y, z;
  std::uint32_t index;
};

/// Memory of one build that the next one uses again.
struct Scratch {
  struct Occupied {
    std::uint32_t cursor;  // of the block, or of the first of its cells
    std::uint32_t sorted;  // all bits set: the points are sorted by cell
    std::uint64_t cells;
  };
  Buffer<std::uint32_t> keys, counts, cursors;
  Buffer<std::uint8_t> cells;
  Buffer<Occupied> occupied;
  Buffer<std::uint8_t> row;
  Buffer<std::uint8_t> lower[2], upper[2];
  Buffer<std::uint8_t> along_z, along_y;  // 128 bytes per block: lower, then upper bounds of its cells
  Buffer<std::uint32_t> near;
  Buffer<Record> part;             // the points of the block that is becoming a grid of its own
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
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};  // bounds of the points

  Buffer<std::uint32_t> directory;  // per block: number of a near block, or kFar | upper << 8 | lower in blocks²
  Buffer<std::uint32_t> begins;     // per block and one behind: where its points begin; empty unless they lie in order
  Buffer<CellBounds> bounds;        // of near blocks
  Buffer<Block> near;               // the same order
  std::vector<Level> levels;        // nodes of 4³ blocks, of 4³ such nodes, …, up to a single one
  Buffer<float> x, y, z;
  Buffer<std::uint32_t> index;
  Buffer<std::uint32_t> starts;
  std::vector<Grid> children;

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
  bool empty() const { return levels.empty(); }

  /// Cell coordinate of a point inside of the frame, rounded as the SIMD kernels do.
  int cell_of(float coordinate, int axis) const { return static_cast<int>(cell_coordinate(coordinate, axis)); }
  float cell_coordinate(float coordinate, int axis) const {
    return (coordinate * 0.5F - half_origin[axis]) * twice_inverse + kPad;
  }

  std::size_t memory_bytes() const;
};

/// Fills `grid` from `points`; all of its scratch memory is used again.
void build(Grid& grid, const PointsView& points);
/// See PointGrid::update.
void update(Grid& grid, const PointsView& frame, std::size_t first, std::size_t count);
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
