// The cells of a map that count, as bits: a tree of 4 × 4 × 4 children to a node.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "geometry/occupancy_data.h"

namespace graze::map_view {

/// A cube of 4^n cells per side, n ≥ 2, as 64 cubes of a quarter of its side. Bit x + 2y + 4z + 8 · (the same of the
/// upper halves) is that of a child, so that eight bits are a node of the octree.
struct CellBlock {
  std::uint64_t some = 0;   ///< children in which any cell counts
  std::uint64_t full = 0;   ///< of these, those of which all counts: nothing is below
  std::uint32_t first = 0;  ///< index of the first child that is not full: a block, or at the bottom a brick

  std::uint32_t index(unsigned bit) const {
    return first + static_cast<std::uint32_t>(std::popcount(some & ~full & ((std::uint64_t{1} << bit) - 1)));
  }
};

/// Cells along each axis, both ends included.
struct CellRange {
  std::array<std::int64_t, 3> low{0, 0, 0}, high{-1, -1, -1};
};

struct CellBits {
  static constexpr int kBrickLevel = 2;   ///< a brick is 4 × 4 × 4 cells, one bit each
  static constexpr int kBottomLevel = 4;  ///< children of these blocks are bricks
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Root {
    std::uint32_t block = 0;
    int level = kBottomLevel;  ///< even
    CellKey key;               ///< the first cell of the cube
  };

  std::vector<std::uint64_t> bricks;
  std::vector<CellBlock> blocks;
  std::array<Root, 8> roots;  ///< one for each octant in which any cell counts
  std::size_t count = 0;      ///< of roots
  CellRange range;            ///< around all that count

  /// Where to find the blocks of one level without a walk from the roots: of all cubes from that of the first cell of
  /// the range to that of the last, x first. A table is not larger than the map.
  std::vector<std::uint32_t> table;
  unsigned table_level = kBottomLevel;
  std::array<std::int64_t, 3> table_first{}, table_size{};  ///< in cubes

  /// Of a cube in the table.
  std::size_t place(const std::array<std::int64_t, 3>& cube) const {
    return static_cast<std::size_t>(((cube[2] - table_first[2]) * table_size[1] + cube[1] - table_first[1]) *
                                        table_size[0] +
                                    cube[0] - table_first[0]);
  }

  /// None.
  CellBits() = default;
  /// The cells of at least this value. O(n) in the nodes of the map.
  CellBits(const OccupancyMap& map, float log_odds);

  /// The box around all of them.
  Aabb bounds(double resolution) const;
};

/// Which of the 64 children are from `low` to `high` (0 … 3) along an axis.
struct CellSpans {
  std::uint64_t axis[3][4][4];
};
extern const CellSpans kCellSpans;

/// The corner of a child of 2^shift cells per side, counted in cells from that of the cube.
inline std::array<std::int64_t, 3> child_corner(unsigned bit, unsigned shift) {
  std::array<std::int64_t, 3> corner{};
  for (unsigned a = 0; a < 3; ++a)
    corner[a] = static_cast<std::int64_t>((bit >> a & 1U) | (bit >> (a + 3) & 1U) << 1U) << shift;
  return corner;
}

/// The range, counted from a corner instead.
inline CellRange seen_from(const CellRange& range, const std::array<std::int64_t, 3>& corner) {
  CellRange r;
  for (std::size_t a = 0; a < 3; ++a) r.low[a] = range.low[a] - corner[a], r.high[a] = range.high[a] - corner[a];
  return r;
}

/// The children, of 2^shift cells per side, of a cube that a range reaches, which is counted from the cube's corner.
inline std::uint64_t children_within(const CellRange& range, unsigned shift) {
  std::uint64_t bits = ~std::uint64_t{0};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t low = std::max<std::int64_t>(range.low[a] >> shift, 0);
    const std::int64_t high = std::min<std::int64_t>(range.high[a] >> shift, 3);
    if (low > high) return 0;
    bits &= kCellSpans.axis[a][low][high];
  }
  return bits;
}

}  // namespace graze::map_view
