#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "index/grid.h"
#include "index/grid_bounds.h"

namespace graze::point_grid {
namespace {

// Cells that the points of a cloud should fill, if they lay densely: few enough that the bounds are computed in a
// fraction of the time that sorting the points takes, many enough that a cell holds a handful of points. And blocks
// that the directory may have.
struct Budget {
  double cells, blocks;
};
Budget budget(std::size_t points, int depth) {
  const auto n = static_cast<double>(points);
  if (depth > 0) return {std::max(256.0, n / 16), std::max(64.0, n)};  // grids within grids may be many
  return {std::max(14000.0, n / 16), std::max(16000.0, n)};
}
// A cell with more points than this turns its block into a grid of its own.
constexpr std::uint32_t kOverfull = 512;
// Each level refines at least fourfold, so that float coordinates are told apart long before.
constexpr int kDeepest = 40;
// Below this part of the largest coordinate cells would tell nothing: floats do not resolve it.
constexpr double kFinest = 0x1p-22;

bool finite(const Record& r) { return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.z); }

// The caller's points, those that are no return included.
struct Frame {
  const PointsView& points;
  std::size_t size() const { return points.size(); }
  Record operator[](std::size_t i) const {
    const auto p = points[i];
    return {p[0], p[1], p[2], static_cast<std::uint32_t>(i)};
  }
};

// The points of an overfull block.
struct Part {
  const Record* records;
  std::size_t count;
  std::size_t size() const { return count; }
  const Record& operator[](std::size_t i) const { return records[i]; }
};

template <class Source>
std::size_t find_bounds(Grid& grid, const Source& source) {
  constexpr float kMost = std::numeric_limits<float>::max();
  float low[3] = {kMost, kMost, kMost}, high[3] = {-kMost, -kMost, -kMost};
  std::size_t count = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Record r = source[i];
    if (!finite(r)) continue;
    ++count;
    const float p[3] = {r.x, r.y, r.z};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], p[axis]);
      high[axis] = std::max(high[axis], p[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    grid.low[axis] = count > 0 ? low[axis] : 0;
    grid.high[axis] = count > 0 ? high[axis] : 0;
  }
  return count;
}

// How many boxes of 1/32 and 1/16 of the longest edge the points occupy, from a sample of them.
template <class Source>
std::array<int, 2> count_boxes(const Grid& grid, const Source& source, double longest) {
  constexpr int kFine = 32, kCoarse = 16;
  constexpr std::size_t kSample = 8192;
  std::array<std::uint32_t, kFine * kFine> fine{};
  std::array<std::uint16_t, kCoarse * kCoarse> coarse{};
  const double scale = kFine / longest * (1 - kSlack);
  // An odd step does not run in step with the rows of a frame.
  const std::size_t step = std::max<std::size_t>(1, source.size() / kSample) | 1U;
  for (std::size_t i = 0; i < source.size(); i += step) {
    const Record r = source[i];
    if (!finite(r)) continue;
    const auto bx = static_cast<unsigned>((r.x - grid.low[0]) * scale);
    const auto by = static_cast<unsigned>((r.y - grid.low[1]) * scale);
    const auto bz = static_cast<unsigned>((r.z - grid.low[2]) * scale);
    fine[bx * kFine + by] |= 1U << bz;
    coarse[bx / 2 * kCoarse + by / 2] |= static_cast<std::uint16_t>(1U << bz / 2);
  }
  std::array<int, 2> boxes{};
  for (const std::uint32_t bits : fine) boxes[0] += std::popcount(bits);
  for (const std::uint16_t bits : coarse) boxes[1] += std::popcount(bits);
  return boxes;
}

// Chooses the cell: the number of boxes that the points occupy at two sizes tells their dimension (2 for surfaces), and
// with it how many cells of any size they would fill.
template <class Source>
void choose_frame(Grid& grid, const Source& source, const Budget& budget) {
  double longest = 0, largest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    longest = std::max(longest, grid.high[axis] - grid.low[axis]);
    largest = std::max({largest, std::abs(grid.low[axis]), std::abs(grid.high[axis])});
  }
  const double finest = std::max(largest * kFinest, 1e-40);
  double cell = std::max(1.0, finest);
  if (longest > 0) {
    const auto [fine, coarse] = count_boxes(grid, source, longest);
    const double dimension = std::clamp(std::log2(double(fine) / coarse), 1.0, 3.0);
    cell = std::max(longest / 32 * std::pow(fine / budget.cells, 1 / dimension), finest);
  }
  // The padding on either side is a block and a little more, so that no rounding puts a point into it.
  constexpr double kMore = 1e-3;
  const auto blocks_along = [&](int axis) {
    return std::floor((grid.high[axis] - grid.low[axis]) / (kEdge * cell) + kMore) + 3;
  };
  while (blocks_along(0) * blocks_along(1) * blocks_along(2) > budget.blocks) cell *= 1.1;
  grid.cell = cell;
  grid.inverse = 1 / cell;
  for (int axis = 0; axis < 3; ++axis) {
    grid.origin[axis] = grid.low[axis] - (kEdge + kMore) * cell;
    grid.blocks[static_cast<std::size_t>(axis)] = static_cast<int>(blocks_along(axis));
  }
}

// Sorts the records by block into scratch.records; scratch.counts[b] becomes the end of block b.
template <class Source>
void sort_by_block(Grid& grid, const Source& source, std::size_t count) {
  Scratch& s = grid.scratch;
  const std::size_t blocks = grid.block_count();
  s.counts.assign(blocks, 0);
  s.keys.resize(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Record r = source[i];
    if (!finite(r)) {
      s.keys[i] = kNone;
      continue;
    }
    const int bx = grid.cell_of(r.x, 0) / kEdge, by = grid.cell_of(r.y, 1) / kEdge, bz = grid.cell_of(r.z, 2) / kEdge;
    const auto key = static_cast<std::uint32_t>(grid.block_at(bx, by, bz));
    s.keys[i] = key;
    ++s.counts[key];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& c : s.counts) sum += std::exchange(c, sum);
  s.records.resize(count);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (s.keys[i] != kNone) s.records[s.counts[s.keys[i]]++] = source[i];
  }
}

template <class Source>
void build_from(Grid& grid, const Source& source, int depth);

// A grid of its own for the points of an overfull block. Points that are all the same are one: the lowest index, which
// is first since sorting is stable.
std::uint32_t make_child(Grid& grid, const Record* records, std::size_t count, int depth) {
  const bool same = std::all_of(records, records + count, [&](const Record& r) {
    return r.x == records[0].x && r.y == records[0].y && r.z == records[0].z;
  });
  Grid child;
  build_from(child, Part{records, same ? 1 : count}, depth + 1);
  child.scratch = {};
  grid.children.push_back(std::move(child));
  return static_cast<std::uint32_t>(grid.children.size() - 1);
}

template <class Source>
void build_from(Grid& grid, const Source& source, int depth) {
  grid.levels.clear();
  grid.children.clear();
  grid.free_blocks.clear();
  grid.slot_of.clear();
  grid.near.clear();
  grid.starts.clear();
  grid.directory.clear();
  grid.lost_slots = 0;
  const std::size_t count = find_bounds(grid, source);
  grid.size = count;
  grid.skipped = source.size() - count;
  grid.given = source.size();
  grid.blocks = {};
  for (Buffer<float>* axis : {&grid.x, &grid.y, &grid.z}) axis->resize(0);
  if (count == 0) return;
  choose_frame(grid, source, budget(count, depth));
  sort_by_block(grid, source, count);

  Scratch& s = grid.scratch;
  const std::size_t blocks = grid.block_count();
  s.lower[1].resize(blocks);
  for (std::size_t b = 0, begin = 0; b < blocks; begin = s.counts[b], ++b) {
    s.lower[1][b] = s.counts[b] > begin ? 0 : kUnknown;
  }
  bound_blocks(grid);

  grid.directory.resize(blocks);
  s.near.clear();
  for (std::size_t b = 0; b < blocks; ++b) {
    const unsigned lower = s.lower[0][b], upper = s.upper[0][b];
    grid.directory[b] = lower > 0 ? kFar | upper << 8U | lower : static_cast<std::uint32_t>(s.near.size());
    if (lower == 0) s.near.push_back(static_cast<std::uint32_t>(b));
  }
  for (Buffer<float>* axis : {&grid.x, &grid.y, &grid.z}) {
    axis->resize(count + kPadding);
    std::fill(axis->data() + count, axis->data() + count + kPadding, std::numeric_limits<float>::quiet_NaN());
  }
  grid.index.resize(count + kPadding);
  std::fill(grid.index.data() + count, grid.index.data() + count + kPadding, kNone);
  grid.near.resize(s.near.size());
  const auto nz = static_cast<std::uint32_t>(grid.blocks[2]), ny = static_cast<std::uint32_t>(grid.blocks[1]);
  for (std::size_t n = 0; n < s.near.size(); ++n) {
    const std::uint32_t b = s.near[n], begin = b > 0 ? s.counts[b - 1] : 0;
    grid.near[n] = {0, begin, begin, kNone, kNone};
    if (s.counts[b] == begin) continue;
    const std::array<int, 3> at{static_cast<int>(b / nz / ny), static_cast<int>(b / nz % ny), static_cast<int>(b % nz)};
    store_block(grid, grid.near[n], at, s.records.data() + begin, s.counts[b] - begin, begin, depth);
  }
  grid.bounds.resize(s.near.size());
  bound_cells(grid, {s.near.data(), s.near.size()}, {s.near.data(), s.near.size()});
  build_levels(grid);
}

}  // namespace

void store_block(Grid& grid, Block& block, const std::array<int, 3>& at, const Record* records, std::size_t count,
                 std::uint32_t begin, int depth) {
  constexpr std::size_t kCells = kEdge * kEdge * kEdge;
  block = {0, begin, begin + static_cast<std::uint32_t>(count), kNone, kNone};
  const auto cell_in_block = [&](const Record& r) {
    const int cx = grid.cell_of(r.x, 0) - kEdge * at[0], cy = grid.cell_of(r.y, 1) - kEdge * at[1],
              cz = grid.cell_of(r.z, 2) - kEdge * at[2];
    return static_cast<std::uint32_t>((cx * kEdge + cy) * kEdge + cz);
  };
  const auto put = [&grid](std::size_t slot, const Record& r) {
    grid.x[slot] = r.x;
    grid.y[slot] = r.y;
    grid.z[slot] = r.z;
    grid.index[slot] = r.index;
  };
  if (count <= kScanAll) {
    for (std::size_t i = 0; i < count; ++i) {
      block.occupied |= 1ULL << cell_in_block(records[i]);
      put(begin + i, records[i]);
    }
    return;
  }
  std::array<std::uint32_t, kCells> next{};
  for (std::size_t i = 0; i < count; ++i) ++next[cell_in_block(records[i])];
  const bool overfull = *std::max_element(next.begin(), next.end()) > kOverfull && depth < kDeepest;
  std::uint32_t sum = begin;
  if (!overfull) block.starts = static_cast<std::uint32_t>(grid.starts.size());
  for (std::size_t c = 0; c < kCells; ++c) {
    const std::uint32_t n = std::exchange(next[c], sum);
    sum += n;
    if (n == 0) continue;
    block.occupied |= 1ULL << c;
    if (!overfull) grid.starts.push_back(next[c]);
  }
  if (!overfull) {
    grid.starts.push_back(sum);
    for (std::size_t i = 0; i < count; ++i) put(next[cell_in_block(records[i])]++, records[i]);
    return;
  }
  block.child = make_child(grid, records, count, depth);
  // The slots stay empty: whatever scans across them finds nothing.
  constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < count; ++i) put(begin + i, {kNowhere, kNowhere, kNowhere, kNone});
}

void build_levels(Grid& grid) {
  grid.levels.clear();
  const auto make = [](const std::array<int, 3>& below) {
    Level level;
    for (std::size_t axis = 0; axis < 3; ++axis) level.size[axis] = (below[axis] + 3) / 4;
    level.nodes.assign(level.at(level.size[0], 0, 0), 0);
    return level;
  };
  const auto mark = [](Level& level, int cx, int cy, int cz) {
    level.nodes[level.at(cx / 4, cy / 4, cz / 4)] |= 1ULL << ((cx % 4 * 4 + cy % 4) * 4 + cz % 4);
  };
  Level first = make(grid.blocks);
  const auto nz = static_cast<std::size_t>(grid.blocks[2]), ny = static_cast<std::size_t>(grid.blocks[1]);
  for (const std::uint32_t b : grid.scratch.near) {
    if (grid.near[grid.directory[b]].occupied == 0) continue;
    mark(first, static_cast<int>(b / nz / ny), static_cast<int>(b / nz % ny), static_cast<int>(b % nz));
  }
  grid.levels.push_back(std::move(first));
  while (grid.levels.back().nodes.size() > 1) {
    const Level& below = grid.levels.back();
    Level level = make(below.size);
    for (int cx = 0; cx < below.size[0]; ++cx) {
      for (int cy = 0; cy < below.size[1]; ++cy) {
        for (int cz = 0; cz < below.size[2]; ++cz) {
          if (below.nodes[below.at(cx, cy, cz)] != 0) mark(level, cx, cy, cz);
        }
      }
    }
    grid.levels.push_back(std::move(level));
  }
}

void build(Grid& grid, const PointsView& points) { build_from(grid, Frame{points}, 0); }

std::size_t Grid::memory_bytes() const {
  std::size_t bytes = directory.bytes() + bounds.bytes() + near.bytes() + x.bytes() + y.bytes() + z.bytes() +
                      index.bytes() + starts.bytes() + levels.capacity() * sizeof(Level) +
                      children.capacity() * sizeof(Grid);
  for (const Level& level : levels) bytes += level.nodes.bytes();
  for (const Grid& child : children) bytes += child.memory_bytes();
  return bytes;
}

}  // namespace graze::point_grid
