#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "index/grid.h"
#include "index/grid_bounds.h"

namespace graze::point_grid {
namespace {

std::array<int, 3> place(const Grid& grid, std::size_t b) {
  const auto nz = static_cast<std::size_t>(grid.blocks[2]), ny = static_cast<std::size_t>(grid.blocks[1]);
  return {static_cast<int>(b / nz / ny), static_cast<int>(b / nz % ny), static_cast<int>(b % nz)};
}

// The block of a point, or kNone if it lies outside of the frame or in its padding.
std::uint32_t block_of(const Grid& grid, const std::array<float, 3>& p) {
  int at[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    const float u = grid.cell_coordinate(p[i], axis);
    if (!(u >= kEdge && u < static_cast<float>(kEdge * (grid.blocks[i] - 1)))) return kNone;
    at[axis] = static_cast<int>(u) / kEdge;
  }
  return static_cast<std::uint32_t>(grid.block_at(at[0], at[1], at[2]));
}

struct Move {
  std::uint32_t block;
  Record record;
};

// What changes: points to put, sorted by block, and all blocks that lose or gain points.
struct Changes {
  std::vector<Move> put;
  std::vector<std::uint32_t> blocks;
  bool fit = true;  // the grid can take them as it is
};

bool nested(const Grid& grid, std::uint32_t block) {
  const std::uint32_t entry = grid.directory[block];
  return (entry & kFar) == 0 && grid.near[entry].child != kNone;
}

Changes find_changes(const Grid& grid, const PointView& frame, std::size_t first, std::size_t count) {
  Changes changes;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::uint32_t slot = grid.slot_of[i];
    if (slot != kNone)
      changes.blocks.push_back(block_of(grid, {grid.slots.x[slot], grid.slots.y[slot], grid.slots.z[slot]}));
    const std::array<float, 3> p = frame.load_point<float>(i);
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) continue;
    const std::uint32_t block = block_of(grid, p);
    if (block == kNone || nested(grid, block)) {
      changes.fit = false;
      return changes;
    }
    changes.blocks.push_back(block);
    changes.put.push_back({block, {p[0], p[1], p[2], static_cast<std::uint32_t>(i)}});
  }
  std::stable_sort(changes.put.begin(), changes.put.end(),
                   [](const Move& a, const Move& b) { return a.block < b.block; });
  std::sort(changes.blocks.begin(), changes.blocks.end());
  changes.blocks.erase(std::unique(changes.blocks.begin(), changes.blocks.end()), changes.blocks.end());
  return changes;
}

// A number for the block at a place of the directory that becomes near.
std::uint32_t new_number(Grid& grid, std::size_t block) {
  auto number = static_cast<std::uint32_t>(block + 1);
  if (!grid.dense && grid.free_blocks.empty()) {
    number = static_cast<std::uint32_t>(grid.near.size());
    grid.near.push_back(Block{});
    grid.bounds.resize(grid.near.size() + 1);
  } else if (!grid.dense) {
    number = grid.free_blocks[grid.free_blocks.size() - 1];
    grid.free_blocks.resize(grid.free_blocks.size() - 1);
  }
  grid.near[number] = Block{};
  return number;
}

// Takes the number of a block that becomes far.
void give_up_number(Grid& grid, std::uint32_t number) {
  grid.near[number] = Block{};
  grid.bounds[number] = far_bounds();
  if (!grid.dense) grid.free_blocks.push_back(number);
}

// Slots at the end of the arrays, with the padding behind them.
std::uint32_t new_slots(Grid& grid, std::size_t count) {
  const std::size_t begin = grid.slots.size();
  grid.slots.resize(begin + count);
  grid.slots.clear(begin, begin + count + kPadding);
  return static_cast<std::uint32_t>(begin);
}

// Replaces the points of one block whose index lies in the changed part by [put, end).
void replace_points(Grid& grid, std::uint32_t block, std::size_t first, std::size_t count, const Move* put,
                    const Move* end, std::vector<Record>& records) {
  const std::uint32_t number = grid.directory[block];
  Block& old = grid.near[number];
  records.clear();
  for (std::uint32_t i = old.begin; i < old.end; ++i) {
    const std::uint32_t index = grid.slots.index[i];
    if (index != kNone && (index < first || index >= first + count)) {
      records.push_back(grid.slots[i]);
    }
  }
  for (; put != end; ++put) records.push_back(put->record);
  // As a build would have it: by index within a cell.
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.index < b.index; });
  const std::uint32_t room = old.end - old.begin;
  std::uint32_t begin = old.begin;
  grid.slots.clear(old.begin, old.end);
  if (records.size() > room) {
    grid.lost_slots += room;
    begin = new_slots(grid, records.size());
  } else {
    grid.lost_slots += room - records.size();
  }
  Block fresh{};
  store_block(grid, fresh, place(grid, block), records.data(), records.size(), begin);
  grid.near[number] = fresh;
  for (std::uint32_t i = fresh.begin; i < fresh.end; ++i) {
    if (grid.slots.index[i] != kNone) grid.slot_of[grid.slots.index[i]] = i;
  }
}

// Brings the directory in line with which blocks have points now.
void renew_directory(Grid& grid) {
  Scratch& s = grid.scratch;
  const std::size_t blocks = grid.block_count();
  s.lower[1].resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t entry = grid.directory[b];
    s.lower[1][b] = (entry & kFar) == 0 && grid.near[entry].occupied != 0 ? 0 : kUnknown;
  }
  bound_blocks(grid);
  s.near.clear();
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t entry = grid.directory[b];
    const unsigned lower = s.lower[0][b], upper = s.upper[0][b];
    if (lower > 0) {
      if ((entry & kFar) == 0) give_up_number(grid, entry);
      grid.directory[b] = kFar | upper << 8U | lower;
    } else {
      if ((entry & kFar) != 0) grid.directory[b] = new_number(grid, b);
      s.near.push_back(static_cast<std::uint32_t>(b));
    }
  }
}

// The near blocks among the listed ones and their 26 neighbours, sorted.
std::vector<std::uint32_t> with_neighbours(const Grid& grid, const std::vector<std::uint32_t>& list) {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t b : list) {
    const auto at = place(grid, b);
    for (int bx = std::max(at[0] - 1, 0); bx <= std::min(at[0] + 1, grid.blocks[0] - 1); ++bx) {
      for (int by = std::max(at[1] - 1, 0); by <= std::min(at[1] + 1, grid.blocks[1] - 1); ++by) {
        for (int bz = std::max(at[2] - 1, 0); bz <= std::min(at[2] + 1, grid.blocks[2] - 1); ++bz) {
          const std::size_t other = grid.block_at(bx, by, bz);
          if ((grid.directory[other] & kFar) == 0) all.push_back(static_cast<std::uint32_t>(other));
        }
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

void update(Grid& grid, const PointView& frame, std::size_t first, std::size_t count) {
  // Half of the points or more are sorted anew as fast; grids within grids keep no slots.
  if (grid.empty() || 2 * count > grid.given || !grid.children.empty() || grid.lost_slots > grid.size) {
    build(grid, frame);
    return;
  }
  if (grid.slot_of.empty()) {
    grid.slot_of.assign(grid.given, kNone);
    for (std::uint32_t i = 0; i < grid.slots.size(); ++i) {
      if (grid.slots.index[i] != kNone) grid.slot_of[grid.slots.index[i]] = i;
    }
  }
  const Changes changes = find_changes(grid, frame, first, count);
  if (!changes.fit) {
    build(grid, frame);
    return;
  }
  for (std::size_t i = first; i < first + count; ++i) grid.size -= grid.slot_of[i] != kNone ? 1 : 0;
  std::fill(grid.slot_of.data() + first, grid.slot_of.data() + first + count, kNone);
  std::vector<Record> records;
  const Move* put = changes.put.data();
  const Move* const end = put + changes.put.size();
  for (const std::uint32_t block : changes.blocks) {
    if ((grid.directory[block] & kFar) != 0) grid.directory[block] = new_number(grid, block);
    const Move* next = put;
    while (next != end && next->block == block) ++next;
    replace_points(grid, block, first, count, put, next, records);
    put = next;
  }
  grid.size += changes.put.size();
  grid.skipped = grid.given - grid.size;
  for (const Move& move : changes.put) {
    const float p[3] = {move.record.x, move.record.y, move.record.z};
    for (int axis = 0; axis < 3; ++axis) {
      grid.low[axis] = std::min(grid.low[axis], double{p[axis]});
      grid.high[axis] = std::max(grid.high[axis], double{p[axis]});
    }
  }
  renew_directory(grid);
  // The bounds of a cell depend on the blocks next to its own, and the passes before the last on one more.
  const std::vector<std::uint32_t> list = with_neighbours(grid, changes.blocks);
  const std::vector<std::uint32_t> around = with_neighbours(grid, list);
  bound_cells(grid, list, around);
  build_levels(grid);
}

}  // namespace graze::point_grid
