#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "index/grid.h"
#include "index/grid_bounds.h"
#include "index/grid_sort.h"

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
  if (depth > 0) return {std::max(256.0, n / 16), std::max(64.0, n / 4)};  // grids within grids may be many
  return {std::max({5000.0, std::min(n / 7, 9500.0), n / 16}), std::max(16000.0, n)};
}

// A cell with more points than this, if they are not all the same, turns its block into a grid of its own.
constexpr std::uint32_t kOverfull = 512;
// Grids within grids: each level refines some thirty times, and queries need a few kilobytes of stack per level. Points
// that are not told apart by then are looked at one by one.
constexpr int kDeepest = 12;
// Cells below this would overflow the inverse.
constexpr double kSmallestCell = 1e-36;
constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();

// How many boxes must be occupied, evenly, for `sample` points to fall into `seen` of them; at most `all`.
double boxes_behind(double seen, double sample, double all) {
  double low = seen, high = all;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (middle * -std::expm1(-sample / middle) < seen ? low : high) = middle;
  }
  return high;
}

// How many boxes of 1/32 and 1/16 of the longest edge the points occupy, estimated from a sample of them.
std::array<double, 2> count_boxes(const Grid& grid, const PointsView& points, double longest) {
  constexpr int kFine = 32, kCoarse = 16;
  constexpr std::size_t kSample = 4096;
  std::array<std::uint32_t, kFine * kFine> fine{};
  std::array<std::uint16_t, kCoarse * kCoarse> coarse{};
  const double scale = kFine / longest * (1 - 1e-6);  // the highest coordinate stays below 32
  // An odd step does not run in step with the rows of a frame.
  const std::size_t step = std::max<std::size_t>(1, points.size() / kSample) | 1U;
  int sample = 0;
  for (std::size_t i = 0; i < points.size(); i += step) {
    const auto [x, y, z] = points[i];
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
    ++sample;
    const auto bx = static_cast<unsigned>((x - grid.low[0]) * scale);
    const auto by = static_cast<unsigned>((y - grid.low[1]) * scale);
    const auto bz = static_cast<unsigned>((z - grid.low[2]) * scale);
    fine[bx * kFine + by] |= 1U << bz;
    coarse[bx / 2 * kCoarse + by / 2] |= static_cast<std::uint16_t>(1U << bz / 2);
  }
  if (sample == 0) return {1, 1};
  std::array<int, 2> boxes{};
  for (const std::uint32_t bits : fine) boxes[0] += std::popcount(bits);
  for (const std::uint16_t bits : coarse) boxes[1] += std::popcount(bits);
  return {boxes_behind(boxes[0], sample, kFine * kFine * kFine),
          boxes_behind(boxes[1], sample, kCoarse * kCoarse * kCoarse)};
}

// Chooses the cell: the number of boxes that the points occupy at two sizes tells their dimension (2 for surfaces), and
// with it how many cells of any size they would fill.
void choose_frame(Grid& grid, const PointsView& points, const Budget& budget) {
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) longest = std::max(longest, grid.high[axis] - grid.low[axis]);
  double cell = 1;
  if (longest > 0) {
    const auto [fine, coarse] = count_boxes(grid, points, longest);
    const double dimension = fine > coarse ? std::clamp(std::log2(fine / coarse), 1.0, 3.0) : 1;
    cell = std::max(longest / 32 * std::pow(fine / budget.cells, 1 / dimension), kSmallestCell);
    cell = std::max(cell, longest / (kEdge * (kMostAlong - 4)));
  }
  const auto blocks_along = [&](int axis) {
    return std::floor(((grid.high[axis] - grid.low[axis]) / cell + kPad) / kEdge) + 2;
  };
  while (blocks_along(0) * blocks_along(1) * blocks_along(2) > budget.blocks) cell *= 1.1;
  grid.twice_inverse = static_cast<float>(2 / cell);
  grid.inverse = 0.5 * grid.twice_inverse;
  grid.cell = 1 / grid.inverse;
  for (int axis = 0; axis < 3; ++axis) {
    grid.half_origin[axis] = static_cast<float>(grid.low[axis]) * 0.5F;
    grid.origin[axis] = 2.0 * grid.half_origin[axis];
    grid.blocks[static_cast<std::size_t>(axis)] = grid.cell_of(static_cast<float>(grid.high[axis]), axis) / kEdge + 2;
  }
}

// Counts the points per block, gives a cursor to every block with points, or one to each cell of blocks with many, and
// lets scratch.keys say which cursor a point belongs to. scratch.counts then has the number of a block among the
// occupied ones, or kNone. Cursors are in the order of blocks and cells.
void count_points(Grid& grid, std::size_t given) {
  Scratch& s = grid.scratch;
  s.counts.assign(grid.block_count(), 0);
  for (std::size_t i = 0; i < given; ++i) {
    if (s.keys[i] != kNone) ++s.counts[s.keys[i]];
  }
  s.occupied.clear();
  std::uint32_t cursors = 0;
  for (std::uint32_t& count : s.counts) {
    if (count == 0) {
      count = kNone;
      continue;
    }
    const bool sorted = count > kScanAll;
    count = static_cast<std::uint32_t>(s.occupied.size());
    s.occupied.push_back({cursors, sorted ? kNone : 0, 0});
    cursors += sorted ? kEdge * kEdge * kEdge : 1;
  }
  s.cursors.assign(cursors, 0);
  for (std::size_t i = 0; i < given; ++i) {
    if (s.keys[i] == kNone) continue;
    Scratch::Occupied& block = s.occupied[s.counts[s.keys[i]]];
    block.cells |= 1ULL << s.cells[i];
    s.keys[i] = block.cursor + (s.cells[i] & block.sorted);
    ++s.cursors[s.keys[i]];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& c : s.cursors) sum += std::exchange(c, sum);
}

// Writes the points to their slots; cursors then say where their points end.
void place_points(Grid& grid, const PointsView& points, const Record* records) {
  Scratch& s = grid.scratch;
  float *x = grid.x.data(), *y = grid.y.data(), *z = grid.z.data();
  std::uint32_t* index = grid.index.data();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (s.keys[i] == kNone) continue;
    const std::uint32_t slot = s.cursors[s.keys[i]]++;
    const auto p = points[i];
    x[slot] = p[0];
    y[slot] = p[1];
    z[slot] = p[2];
    index[slot] = records == nullptr ? static_cast<std::uint32_t>(i) : records[i].index;
  }
}

bool all_same(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin + 1; i < end; ++i) {
    if (grid.x[i] != grid.x[begin] || grid.y[i] != grid.y[begin] || grid.z[i] != grid.z[begin]) return false;
  }
  return true;
}

void clear_slots(Grid& grid, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin; i < end; ++i) {
    grid.x[i] = grid.y[i] = grid.z[i] = kNowhere;
    grid.index[i] = kNone;
  }
}

void build_from(Grid& grid, const PointsView& points, const Record* records, int depth);

// A grid of its own for the points of an overfull block; its slots become empty, so that whatever scans across them
// finds nothing.
void make_child(Grid& grid, Block& block, int depth) {
  Buffer<Record>& part = grid.scratch.part;
  part.clear();
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    if (grid.index[i] != kNone) part.push_back({grid.x[i], grid.y[i], grid.z[i], grid.index[i]});
  }
  clear_slots(grid, block.begin, block.end);
  if (grid.scratch.inner == nullptr) grid.scratch.inner = std::make_unique<Scratch>();
  Grid child;
  std::swap(child.scratch, *grid.scratch.inner);
  build_from(child, PointsView(part.data(), part.size(), sizeof(Record)), part.data(), depth + 1);
  std::swap(child.scratch, *grid.scratch.inner);
  block.child = static_cast<std::uint32_t>(grid.children.size());
  grid.children.push_back(std::move(child));
}

// Fills in a block with points from its cursors.
void describe_block(Grid& grid, Block& block, const Scratch::Occupied& occupied, int depth) {
  const Scratch& s = grid.scratch;
  const auto begin_of = [&](std::uint32_t cursor) { return cursor == 0 ? 0 : s.cursors[cursor - 1]; };
  block = {occupied.cells, begin_of(occupied.cursor), s.cursors[occupied.cursor], kNone, kNone};
  if (occupied.sorted == 0) return;
  block.starts = static_cast<std::uint32_t>(grid.starts.size());
  bool overfull = false, merged = false;
  for (std::uint64_t rest = occupied.cells; rest != 0; rest &= rest - 1) {
    const std::uint32_t cursor = occupied.cursor + static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t begin = begin_of(cursor), end = s.cursors[cursor];
    grid.starts.push_back(begin);
    if (end - begin <= kOverfull) continue;
    if (all_same(grid, begin, end)) {
      // One stands for all: the first, which has the lowest index since sorting is stable.
      clear_slots(grid, begin + 1, end);
      merged = true;
    } else {
      overfull = true;
    }
  }
  block.end = s.cursors[occupied.cursor + kEdge * kEdge * kEdge - 1];
  grid.starts.push_back(block.end);
  // A grid of its own also leaves the empty slots behind.
  if (merged || (overfull && depth < kDeepest)) make_child(grid, block, depth);
}

void build_from(Grid& grid, const PointsView& points, const Record* records, int depth) {
  grid.levels.clear();
  grid.children.clear();
  grid.free_blocks.clear();
  grid.slot_of.clear();
  grid.starts.clear();
  grid.lost_slots = 0;
  const Extent extent = extent_of(points);
  const std::size_t count = extent.count;
  grid.size = count;
  grid.skipped = points.size() - count;
  grid.given = points.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.low[axis] = extent.low[axis];
    grid.high[axis] = extent.high[axis];
  }
  if (count == 0) {
    grid.blocks = {};
    return;
  }
  choose_frame(grid, points, budget(count, depth));
  find_cells(grid, points);
  count_points(grid, points.size());

  for (Buffer<float>* axis : {&grid.x, &grid.y, &grid.z}) {
    axis->resize(count + kPadding);
    std::fill(axis->end() - kPadding, axis->end(), kNowhere);
  }
  grid.index.resize(count + kPadding);
  std::fill(grid.index.end() - kPadding, grid.index.end(), kNone);
  place_points(grid, points, records);

  Scratch& s = grid.scratch;
  const std::size_t blocks = grid.block_count();
  s.lower[1].resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) s.lower[1][b] = s.counts[b] == kNone ? kUnknown : 0;
  bound_blocks(grid);
  grid.directory.resize(blocks);
  grid.begins.resize(blocks + 1);
  std::uint32_t begin = 0;
  s.near.clear();
  grid.near.clear();
  for (std::size_t b = 0; b < blocks; ++b) {
    const unsigned lower = s.lower[0][b], upper = s.upper[0][b];
    grid.begins[b] = begin;
    if (lower > 0) {
      grid.directory[b] = kFar | upper << 8U | lower;
      continue;
    }
    grid.directory[b] = static_cast<std::uint32_t>(s.near.size());
    s.near.push_back(static_cast<std::uint32_t>(b));
    grid.near.push_back({0, 0, 0, kNone, kNone});
    if (s.counts[b] == kNone) continue;
    Block& block = grid.near[grid.near.size() - 1];
    describe_block(grid, block, s.occupied[s.counts[b]], depth);
    begin = block.end;
  }
  grid.begins[blocks] = begin;
  // The points of grids within grids lie elsewhere.
  if (!grid.children.empty()) grid.begins.clear();
  grid.bounds.resize(s.near.size());
  bound_cells(grid, {s.near.data(), s.near.size()}, {s.near.data(), s.near.size()});
  build_levels(grid);
}

}  // namespace

void store_block(Grid& grid, Block& block, const std::array<int, 3>& at, const Record* records, std::size_t count,
                 std::uint32_t begin) {
  constexpr std::size_t kCells = kEdge * kEdge * kEdge;
  block = {0, begin, begin + static_cast<std::uint32_t>(count), kNone, kNone};
  const auto cell_in_block = [&](const Record& r) {
    const int cx = grid.cell_of(r.x, 0) - kEdge * at[0], cy = grid.cell_of(r.y, 1) - kEdge * at[1],
              cz = grid.cell_of(r.z, 2) - kEdge * at[2];
    return static_cast<std::uint32_t>((cx * kEdge + cy) * kEdge + cz);
  };
  std::array<std::uint32_t, kCells> next{};
  for (std::size_t i = 0; i < count; ++i) ++next[cell_in_block(records[i])];
  const bool sorted = count > kScanAll;
  if (sorted) block.starts = static_cast<std::uint32_t>(grid.starts.size());
  std::uint32_t sum = begin;
  for (std::size_t c = 0; c < kCells; ++c) {
    const std::uint32_t n = std::exchange(next[c], sum);
    if (n == 0) continue;
    if (sorted) grid.starts.push_back(sum);
    sum += n;
    block.occupied |= 1ULL << c;
  }
  if (sorted) grid.starts.push_back(sum);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t slot = next[cell_in_block(records[i])]++;
    grid.x[slot] = records[i].x;
    grid.y[slot] = records[i].y;
    grid.z[slot] = records[i].z;
    grid.index[slot] = records[i].index;
  }
}

void build_levels(Grid& grid) {
  grid.levels.clear();
  const auto make = [](const std::array<int, 3>& below) {
    Level level;
    for (std::size_t axis = 0; axis < 3; ++axis) level.size[axis] = (below[axis] + 3) / 4;
    level.nodes.assign(level.at(level.size[0], 0, 0), 0);
    return level;
  };
  const auto mark = [](Level& level, unsigned cx, unsigned cy, unsigned cz) {
    level.nodes[level.at(static_cast<int>(cx / 4), static_cast<int>(cy / 4), static_cast<int>(cz / 4))] |=
        1ULL << ((cx % 4 * 4 + cy % 4) * 4 + cz % 4);
  };
  Level first = make(grid.blocks);
  const auto nz = static_cast<std::uint32_t>(grid.blocks[2]), ny = static_cast<std::uint32_t>(grid.blocks[1]);
  for (const std::uint32_t b : grid.scratch.near) {
    if (grid.near[grid.directory[b]].occupied != 0) mark(first, b / nz / ny, b / nz % ny, b % nz);
  }
  grid.levels.push_back(std::move(first));
  while (grid.levels.back().nodes.size() > 1) {
    const Level& below = grid.levels.back();
    Level level = make(below.size);
    for (int cx = 0; cx < below.size[0]; ++cx) {
      for (int cy = 0; cy < below.size[1]; ++cy) {
        for (int cz = 0; cz < below.size[2]; ++cz) {
          if (below.nodes[below.at(cx, cy, cz)] == 0) continue;
          mark(level, static_cast<unsigned>(cx), static_cast<unsigned>(cy), static_cast<unsigned>(cz));
        }
      }
    }
    grid.levels.push_back(std::move(level));
  }
}

void build(Grid& grid, const PointsView& points) { build_from(grid, points, nullptr, 0); }

std::size_t Grid::memory_bytes() const {
  std::size_t bytes = directory.bytes() + begins.bytes() + bounds.bytes() + near.bytes() + x.bytes() + y.bytes() +
                      z.bytes() + index.bytes() + starts.bytes() + levels.capacity() * sizeof(Level) +
                      children.capacity() * sizeof(Grid);
  for (const Level& level : levels) bytes += level.nodes.bytes();
  for (const Grid& child : children) bytes += child.memory_bytes();
  return bytes;
}

}  // namespace graze::point_grid
