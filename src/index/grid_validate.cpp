#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "index/grid.h"

namespace graze::point_grid {
namespace {

struct Checker {
  const Grid& grid;
  std::string complaint;
  std::vector<std::array<int, 3>> filled;  // places of the blocks with points

  template <class... Parts>
  bool expect(bool holds, fmt::format_string<Parts...> text, Parts&&... parts) {
    if (!holds && complaint.empty()) complaint = fmt::format(text, std::forward<Parts>(parts)...);
    return holds;
  }

  std::array<int, 3> place(std::size_t b) const {
    const auto nz = static_cast<std::size_t>(grid.blocks[2]), ny = static_cast<std::size_t>(grid.blocks[1]);
    return {static_cast<int>(b / nz / ny), static_cast<int>(b / nz % ny), static_cast<int>(b % nz)};
  }
  bool occupied(int bx, int by, int bz) const {
    const std::uint32_t entry = grid.directory[grid.block_at(bx, by, bz)];
    return (entry & kFar) == 0 && grid.near[entry].occupied != 0;
  }

  // The points of a block lie in the cells that its mask and starts say. Returns how many there are.
  std::size_t check_points(std::size_t b, const Block& block) {
    const auto at = place(b);
    std::uint64_t seen = 0;
    std::size_t count = 0;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      if (grid.slots.index[i] == kNone) continue;
      ++count;
      const int c[3] = {grid.cell_of(grid.slots.x[i], 0) - kEdge * at[0],
                        grid.cell_of(grid.slots.y[i], 1) - kEdge * at[1],
                        grid.cell_of(grid.slots.z[i], 2) - kEdge * at[2]};
      const bool inside = std::all_of(c, c + 3, [](int v) { return 0 <= v && v < kEdge; });
      if (!expect(inside, "point {} is not in its block {}", grid.slots.index[i], b)) return count;
      const std::uint32_t cell = cell_number(static_cast<std::uint32_t>(c[0]), static_cast<std::uint32_t>(c[1]),
                                             static_cast<std::uint32_t>(c[2]));
      seen |= 1ULL << cell;
      if (block.starts == kNone) continue;
      const int rank = std::popcount(block.occupied & ((1ULL << cell) - 1));
      const std::uint32_t* starts = grid.starts.data() + block.starts;
      expect(starts[rank] <= i && i < starts[rank + 1], "point {} is not in its cell", grid.slots.index[i]);
    }
    if (block.child == kNone)
      expect(seen == block.occupied, "block {} has cells {:x} but says {:x}", b, seen, block.occupied);
    return count;
  }

  // The bounds of a near block hold for every occupied cell around it.
  void check_cells(std::size_t b, const CellBounds& bounds) {
    const auto at = place(b);
    for (int cell = 0; cell < kEdge * kEdge * kEdge; ++cell) {
      const int c[3] = {kEdge * at[0] + cell / 16, kEdge * at[1] + cell / 4 % 4, kEdge * at[2] + cell % 4};
      int lower = kCellReach, upper = 1 << 20;
      for (int bx = std::max(at[0] - 1, 0); bx <= std::min(at[0] + 1, grid.blocks[0] - 1); ++bx) {
        for (int by = std::max(at[1] - 1, 0); by <= std::min(at[1] + 1, grid.blocks[1] - 1); ++by) {
          for (int bz = std::max(at[2] - 1, 0); bz <= std::min(at[2] + 1, grid.blocks[2] - 1); ++bz) {
            const std::uint32_t entry = grid.directory[grid.block_at(bx, by, bz)];
            if ((entry & kFar) != 0) continue;
            for (std::uint64_t rest = by_rows(grid.near[entry].occupied); rest != 0; rest &= rest - 1) {
              const int other = std::countr_zero(rest);
              const int d[3] = {std::abs(kEdge * bx + other / 16 - c[0]), std::abs(kEdge * by + other / 4 % 4 - c[1]),
                                std::abs(kEdge * bz + other % 4 - c[2])};
              int low = 0, high = 0;
              for (const int k : d) {
                low += k < 2 ? 0 : (k - 1) * (k - 1);
                high += (k + 1) * (k + 1);
              }
              lower = std::min(lower, low);
              upper = std::min(upper, high);
            }
          }
        }
      }
      const int says_lower = bounds.of[cell] & 0xF, says_upper = kUppers[bounds.of[cell] >> 4];
      lower = std::min<int>(lower, kHighestLower);
      expect(says_lower == lower, "cell {} of block {} has lower bound {} but says {}", cell, b, lower, says_lower);
      expect(says_upper == kUnknown || says_upper >= upper, "cell {} of block {} has upper bound {} but says {}", cell,
             b, upper, says_upper);
    }
  }

  // Whether an octant of the frame has points; false outside of it.
  bool occupied_octant(int x, int y, int z) const {
    if (x < 0 || y < 0 || z < 0 || x / 2 >= grid.blocks[0] || y / 2 >= grid.blocks[1] || z / 2 >= grid.blocks[2]) {
      return false;
    }
    const std::uint32_t entry = grid.directory[grid.block_at(x / 2, y / 2, z / 2)];
    const int first = 8 * (x % 2 * 4 + y % 2 * 2 + z % 2);
    return (entry & kFar) == 0 && (grid.near[entry].occupied >> first & 0xFFU) != 0;
  }

  // Witnesses are nearest occupied octants, and the blocks around are those that have points.
  void check_around(std::size_t b, const Block& block) {
    const auto at = place(b);
    for (int octant = 0; octant < 8; ++octant) {
      const int x = 2 * at[0] + octant / 4, y = 2 * at[1] + octant / 2 % 2, z = 2 * at[2] + octant % 2;
      int nearest = 1 << 20, says = 1 << 20;
      for (int step = 0; step < 125; ++step) {
        const int dx = step / 25 - 2, dy = step / 5 % 5 - 2, dz = step % 5 - 2;
        if (!occupied_octant(x + dx, y + dy, z + dz)) continue;
        const int squared = dx * dx + dy * dy + dz * dz;
        nearest = std::min(nearest, squared);
        if (block.witness[octant] == ((dx + 2) << 6 | (dy + 2) << 3 | (dz + 2))) says = squared;
      }
      expect(says == nearest, "octant {} of block {} has a witness {:x} that is not nearest", octant, b,
             block.witness[octant]);
    }
    std::uint32_t around = 0;
    for (int i = 0; i < 27; ++i) {
      const int x = at[0] + i / 9 - 1, y = at[1] + i / 3 % 3 - 1, z = at[2] + i % 3 - 1;
      const bool inside = x >= 0 && y >= 0 && z >= 0 && x < grid.blocks[0] && y < grid.blocks[1] && z < grid.blocks[2];
      if (inside && occupied(x, y, z)) around |= 1U << i;
    }
    expect(around == block.around, "block {} has points around at {:x} but says {:x}", b, around, block.around);
  }

  // What look-ups find for far blocks, and the bits of rows.
  void check_shortcuts(std::size_t b) {
    const auto at = place(b);
    const bool far = (grid.directory[b] & kFar) != 0;
    expect(!grid.dense || far || grid.directory[b] == b + 1, "block {} has number {}", b, grid.directory[b]);
    const CellBounds& bounds = grid.bounds[grid.dense ? b + 1 : 0];
    expect((!far && grid.dense) || std::all_of(std::begin(bounds.of), std::end(bounds.of),
                                               [](std::uint8_t cell) { return cell == kFarCell; }),
           "block {} is far but has bounds", b);
    const auto bz = static_cast<std::size_t>(at[2]);
    const bool bit = (grid.row_bits[grid.row_at(at[0], at[1]) + bz / 8] >> bz % 8 & 1U) != 0;
    expect(bit == occupied(at[0], at[1], at[2]), "the row of block {} is wrong about it", b);
  }

  // Calls visit(place) for the blocks with points that are within kBlockReach along every axis: from the list of all of
  // them where it is short, which it is for small clouds in a large frame.
  template <class Visit>
  void visit_filled_near(const std::array<int, 3>& at, const Visit& visit) const {
    constexpr std::size_t kSide = 2 * kBlockReach + 1;
    if (filled.size() < kSide * kSide * kSide) {
      const auto near = [&](const std::array<int, 3>& other, std::size_t axis) {
        return std::abs(other[axis] - at[axis]) <= kBlockReach;
      };
      for (const auto& other : filled) {
        if (near(other, 0) && near(other, 1) && near(other, 2)) visit(other);
      }
      return;
    }
    for (int bx = std::max(at[0] - kBlockReach, 0); bx <= std::min(at[0] + kBlockReach, grid.blocks[0] - 1); ++bx) {
      for (int by = std::max(at[1] - kBlockReach, 0); by <= std::min(at[1] + kBlockReach, grid.blocks[1] - 1); ++by) {
        for (int bz = std::max(at[2] - kBlockReach, 0); bz <= std::min(at[2] + kBlockReach, grid.blocks[2] - 1); ++bz) {
          if (occupied(bx, by, bz)) visit({bx, by, bz});
        }
      }
    }
  }

  // Far blocks: no block with points nearer than the lower bound, one no farther than the upper.
  void check_far(std::size_t b, std::uint32_t entry) {
    const auto at = place(b);
    const int says_lower = static_cast<int>(entry & 0xFFU), says_upper = static_cast<int>(entry >> 8U & 0xFFU);
    int upper = 1 << 20;
    visit_filled_near(at, [&](const std::array<int, 3>& other) {
      int low = 0, high = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int k = std::abs(other[axis] - at[axis]);
        low += k < 2 ? 0 : (k - 1) * (k - 1);
        high += (k + 1) * (k + 1);
      }
      upper = std::min(upper, high);
      expect(says_lower <= low, "block {} has points at {} blocks² but says {}", b, low, says_lower);
    });
    expect(says_lower <= kBlockReach * kBlockReach, "block {} knows more than its reach", b);
    expect(says_upper == kUnknown || says_upper == upper, "block {} has upper bound {} but says {}", b, upper,
           says_upper);
  }

  void check_levels() {
    std::array<int, 3> below = grid.blocks;
    for (std::size_t l = 0; l < grid.levels.size(); ++l) {
      const Level& level = grid.levels[l];
      for (int cx = 0; cx < below[0]; ++cx) {
        for (int cy = 0; cy < below[1]; ++cy) {
          for (int cz = 0; cz < below[2]; ++cz) {
            const bool has =
                l == 0 ? occupied(cx, cy, cz) : grid.levels[l - 1].nodes[grid.levels[l - 1].at(cx, cy, cz)] != 0;
            const std::uint64_t node = level.nodes[level.at(cx / 4, cy / 4, cz / 4)];
            const bool says = (node >> ((cx % 4 * 4 + cy % 4) * 4 + cz % 4) & 1U) != 0;
            expect(has == says, "level {} is wrong about its child {} {} {}", l, cx, cy, cz);
          }
        }
      }
      below = level.size;
    }
    expect(!grid.levels.empty() && grid.levels.back().nodes.size() == 1, "the pyramid has no top");
  }

  // All points lie within the bounds of their leaf and of all nodes above it.
  void check_tree() {
    const kd_tree::Tree<float>& tree = grid.tree;
    expect(tree.size == grid.size && grid.slots.size() == grid.size, "a tree of {} points has {} in {} slots",
           tree.size, grid.size, grid.slots.size());
    for (std::size_t i = 0; i < grid.size && complaint.empty(); ++i) {
      const float at[3] = {grid.slots.x[i], grid.slots.y[i], grid.slots.z[i]};
      std::size_t child = i / kd_tree::kLeaf;
      for (std::size_t level = 0; level < tree.levels; ++level, child /= kd_tree::kFan) {
        const kd_tree::Node<float>& node = tree.nodes[tree.first[level] + child / kd_tree::kFan];
        for (int axis = 0; axis < 3; ++axis) {
          const std::size_t k = child % kd_tree::kFan;
          expect(node.min[axis][k] <= at[axis] && at[axis] <= node.max[axis][k],
                 "point {} is outside of its node of level {}", grid.slots.index[i], level);
        }
      }
    }
  }

  void check() {
    if (grid.empty()) {
      expect(grid.size == 0, "{} points and no grid", grid.size);
      return;
    }
    if (grid.has_tree()) {
      check_tree();
      return;
    }
    for (std::size_t b = 0; b < grid.block_count(); ++b) {
      const auto at = place(b);
      if (occupied(at[0], at[1], at[2])) filled.push_back(at);
    }
    std::size_t points = 0;
    bool nested = false;
    for (std::size_t b = 0; b < grid.block_count(); ++b) {
      const std::uint32_t entry = grid.directory[b];
      check_shortcuts(b);
      if ((entry & kFar) != 0) {
        check_far(b, entry);
        continue;
      }
      if (!expect(entry < grid.near.size(), "block {} is number {} of {}", b, entry, grid.near.size())) return;
      const Block& block = grid.near[entry];
      const auto at = place(b);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        expect(block.occupied == 0 || (0 < at[axis] && at[axis] < grid.blocks[axis] - 1), "block {} is padding", b);
      }
      points += check_points(b, block);
      check_cells(b, grid.bounds[entry]);
      check_around(b, block);
      nested = nested || block.child != kNone;
    }
    expect(nested || points + grid.merged == grid.size, "{} points and {} merged of {}", points, grid.merged,
           grid.size);
    check_levels();
    for (const Grid& child : grid.children) {
      const std::string inner = validate(child);
      expect(inner.empty(), "within a block: {}", inner);
    }
  }
};

}  // namespace

std::string validate(const Grid& grid) {
  Checker checker{grid, {}, {}};
  checker.check();
  return checker.complaint;
}

}  // namespace graze::point_grid
