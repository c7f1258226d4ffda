#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "graze/base/elementary.h"
#include "index/grid.h"
#include "index/grid_bounds.h"
#include "index/grid_place.h"
#include "index/grid_sort.h"

namespace graze::point_grid {
namespace {

// Blocks that the points of a cloud should fill: few enough that the bounds are computed in a fraction of the time that
// sorting the points takes, many enough that a sphere reaches few points. And blocks that the directory may have, and
// how many of them may be near points: those take the memory.
struct Budget {
  double filled, directory, near;
};
Budget budget(std::size_t points, int depth) {
  const auto n = static_cast<double>(points);
  // Of grids within grids there may be many.
  if (depth > 0) return {std::max(16.0, n / 256), std::max(64.0, n / 4), std::max(64.0, n / 32)};
  return {std::min(n / 2, std::max(1200.0, n / 240)), std::max(16000.0, n), std::max(16000.0, n / 16)};
}

// A cell with more points than this, if they are not all the same, turns its block into a grid of its own.
constexpr std::uint32_t kOverfull = 512;
// Grids within grids: each level refines some thirty times, and queries need a few kilobytes of stack per level. Points
// that are not separated by then get a tree.
constexpr int kDeepest = 12;
// Cells below this would overflow the inverse.
constexpr double kSmallestCell = 1e-36;

// How many boxes must be occupied, evenly, for `sample` points to fall into `seen` of them; at most `all`.
double boxes_behind(double seen, double sample, double all) {
  double low = seen, high = all;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (middle * -elementary::expm1(-sample / middle) < seen ? low : high) = middle;
  }
  return high;
}

// The bits at even places, moved together.
std::uint64_t even_bits(std::uint64_t bits) {
  bits &= 0x5555555555555555ULL;
  bits = (bits | bits >> 1U) & 0x3333333333333333ULL;
  bits = (bits | bits >> 2U) & 0x0F0F0F0F0F0F0F0FULL;
  bits = (bits | bits >> 4U) & 0x00FF00FF00FF00FFULL;
  bits = (bits | bits >> 8U) & 0x0000FFFF0000FFFFULL;
  return (bits | bits >> 16U) & 0x00000000FFFFFFFFULL;
}

// How many boxes the points fill, estimated from a sample: boxes of 1/64 of the longest edge, 1/32, 1/16 and 1/8.
constexpr int kScales = 4;
std::array<double, kScales> count_boxes(const Grid& grid, const PointView& points, double longest) {
  constexpr unsigned kFine = 64;
  constexpr std::size_t kSample = 4096;
  std::array<std::uint64_t, std::size_t{kFine} * kFine> boxes{};  // bits along z
  const double scale = kFine / longest * (1 - 1e-6);              // the highest coordinate stays below 64
  // An odd step does not run in step with the rows of a frame.
  const std::size_t step = std::max<std::size_t>(1, points.size() / kSample) | 1U;
  int sample = 0, seen = 0;
  for (std::size_t i = 0; i < points.size(); i += step) {
    const auto [x, y, z] = points.load_point<float>(i);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
    ++sample;
    const auto bx = static_cast<unsigned>((x - grid.low[0]) * scale);
    const auto by = static_cast<unsigned>((y - grid.low[1]) * scale);
    const auto bz = static_cast<unsigned>((z - grid.low[2]) * scale);
    std::uint64_t& row = boxes[bx * kFine + by];
    seen += (row >> bz & 1U) == 0 ? 1 : 0;
    row |= 1ULL << bz;
  }
  std::array<double, kScales> counts{};
  counts.fill(1);
  if (sample == 0) return counts;
  unsigned edge = kFine;
  for (double& count : counts) {
    count = boxes_behind(seen, sample, edge * edge * edge);
    // Boxes of twice the edge: four rows become one, and bits along z join in pairs.
    const unsigned half = edge / 2;
    seen = 0;
    for (unsigned bx = 0; bx < half; ++bx) {
      for (unsigned by = 0; by < half; ++by) {
        const std::uint64_t* row = boxes.data() + std::size_t{2} * bx * edge + 2 * by;
        const std::uint64_t bits = row[0] | row[1] | row[edge] | row[edge + 1];
        boxes[bx * half + by] = bits == 0 ? 0 : even_bits(bits | bits >> 1U);
        if (bits != 0) seen += std::popcount(boxes[bx * half + by]);
      }
    }
    edge = half;
  }
  return counts;
}

// Edge of the boxes of which the points would fill `wanted`. Between and beyond the scales that were counted, counts
// grow as a power of the edge: by the dimension of the cloud there, 2 for surfaces.
double edge_of_boxes(const std::array<double, kScales>& counts, double longest, double wanted) {
  double edge = longest / 64;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i, edge *= 2) {
    if (wanted < counts[i + 1] && i + 2 < counts.size()) continue;
    const double dimension = std::clamp(elementary::log(counts[i] / counts[i + 1]) / std::numbers::ln2, 1.0, 3.0);
    return edge * elementary::pow(counts[i] / wanted, 1 / dimension);
  }
  return edge;
}

// Chooses the cell by how many blocks the points will fill.
void choose_frame(Grid& grid, const PointView& points, const Budget& budget) {
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) longest = std::max(longest, grid.high[axis] - grid.low[axis]);
  double cell = 1;
  if (longest > 0) {
    cell = edge_of_boxes(count_boxes(grid, points, longest), longest, budget.filled) / kEdge;
    cell = std::max({cell, kSmallestCell, longest / (kEdge * (kMaxBlocksAlong - 4))});
  }
  const auto blocks_along = [&](int axis) {
    return std::floor(((grid.high[axis] - grid.low[axis]) / cell + kPad) / kEdge) + 2;
  };
  while (blocks_along(0) * blocks_along(1) * blocks_along(2) > budget.directory) cell *= 1.1;
  grid.twice_inverse = static_cast<float>(2 / cell);
  grid.inverse = 0.5 * grid.twice_inverse;
  grid.cell = 1 / grid.inverse;
  for (int axis = 0; axis < 3; ++axis) {
    grid.half_origin[axis] = static_cast<float>(grid.low[axis]) * 0.5F;
    grid.origin[axis] = 2.0 * grid.half_origin[axis];
    const int blocks = grid.cell_of(static_cast<float>(grid.high[axis]), axis) / kEdge + 2;
    grid.blocks[static_cast<std::size_t>(axis)] = blocks;
    grid.end[axis] = kEdge * blocks;
  }
  for (int i = 0; i < 27; ++i) {
    grid.steps[static_cast<std::size_t>(i)] =
        ((i / 9 - 1) * grid.blocks[1] + i / 3 % 3 - 1) * grid.blocks[2] + i % 3 - 1;
  }
}

bool all_same(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin + 1; i < end; ++i) {
    const Record a = grid.slots[i], b = grid.slots[begin];
    if (a.x != b.x || a.y != b.y || a.z != b.z) return false;
  }
  return true;
}

// How deep a grid lies in others, and how many points may still go into such: each takes memory for its points again.
struct Nesting {
  int depth;
  std::size_t& room;
};
void build_from(Grid& grid, const PointView& points, const Record* records, const Nesting& nesting);

// The points, which are finite, in the order of a k-d tree, which divides them at any scale.
void build_tree_from(Grid& grid, const Buffer<Record>& points) {
  Buffer<kd_tree::Record<float>> records;
  records.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Record& p = points[i];
    records[i] = {{p.x, p.y, p.z}, p.index};
  }
  kd_tree::build_tree(grid.tree, records, 1);
  grid.size = grid.given = points.size();
  grid.slots.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const kd_tree::Leaf<float>& leaf = grid.tree.leaves[i / kd_tree::kLeaf];
    const std::size_t k = i % kd_tree::kLeaf;
    grid.slots.set(i, {leaf.at[0][k], leaf.at[1][k], leaf.at[2][k], leaf.index[k]});
  }
  grid.slots.clear(points.size(), points.size() + kPadding);
  grid.tree.leaves = {};
  for (int axis = 0; axis < 3; ++axis) {
    grid.low[axis] = grid.tree.bounds.min[axis];
    grid.high[axis] = grid.tree.bounds.max[axis];
  }
}

// Whether half of the points lie within a small part of their range, and half of those within a small part of that: so
// it may go on, and grids within grids would hold nearly all of the points again and again. Judged by a sample.
bool at_many_scales(const Buffer<Record>& points) {
  constexpr std::size_t kSample = 1024;
  constexpr float kSmall = 1.0F / 1024;
  std::vector<Record> sample;
  for (std::size_t i = 0, step = points.size() / kSample + 1; i < points.size(); i += step) sample.push_back(points[i]);
  for (int round = 0; round < 2; ++round) {
    if (sample.size() < 64) return false;
    float low[3], high[3], longest = 0, longest_half = 0;  // halves, so that no difference is infinite
    std::vector<float> along;
    for (int axis = 0; axis < 3; ++axis) {
      along.clear();
      for (const Record& p : sample) along.push_back((&p.x)[axis] / 2);
      std::sort(along.begin(), along.end());
      low[axis] = along[along.size() / 4], high[axis] = along[along.size() - 1 - along.size() / 4];
      longest = std::max(longest, along.back() - along.front());
      longest_half = std::max(longest_half, high[axis] - low[axis]);
    }
    if (!(longest_half < kSmall * longest)) return false;
    std::erase_if(sample, [&](const Record& p) {
      const auto outside = [&](float x, int axis) { return x / 2 < low[axis] || x / 2 > high[axis]; };
      return outside(p.x, 0) || outside(p.y, 1) || outside(p.z, 2);
    });
  }
  return true;
}

// A grid of its own for the points of an overfull block; its slots become empty, so that whatever scans across them
// finds nothing.
void make_child(Grid& grid, Block& block, const Nesting& nesting) {
  Buffer<Record>& part = grid.scratch.part;
  part.clear();
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    if (grid.slots.index[i] != kNone) part.push_back(grid.slots[i]);
  }
  grid.slots.clear(block.begin, block.end);
  Grid child;
  // A grid within a grid that leaves half of its points in one block divides too little to go on like that.
  const bool undivided = nesting.depth > 0 && part.size() > grid.size / 2;
  if (undivided || nesting.depth >= kDeepest || part.size() > nesting.room || at_many_scales(part)) {
    build_tree_from(child, part);
  } else {
    nesting.room -= part.size();
    if (grid.scratch.inner == nullptr) grid.scratch.inner = std::make_unique<Scratch>();
    std::swap(child.scratch, *grid.scratch.inner);
    build_from(child, PointView(&part.data()->x, part.size(), sizeof(Record)), part.data(),
               {nesting.depth + 1, nesting.room});
    std::swap(child.scratch, *grid.scratch.inner);
  }
  block.child = static_cast<std::uint32_t>(grid.children.size());
  grid.children.push_back(std::move(child));
}

// Fills in an empty block with points from its cursors.
void describe_block(Grid& grid, Block& block, const Scratch::Occupied& occupied, const Nesting& nesting) {
  const Scratch& s = grid.scratch;
  const auto begin_of = [&](std::uint32_t cursor) { return cursor == 0 ? 0 : s.cursors[cursor - 1]; };
  block.occupied = occupied.cells;
  block.begin = begin_of(occupied.cursor);
  block.end = s.cursors[occupied.cursor];
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
      grid.slots.clear(begin + 1, end);
      grid.merged += end - begin - 1;
      merged = true;
    } else {
      overfull = true;
    }
  }
  block.end = s.cursors[occupied.cursor + kEdge * kEdge * kEdge - 1];
  grid.starts.push_back(block.end);
  // A grid of its own also leaves the empty slots behind.
  if (merged || overfull) make_child(grid, block, nesting);
}

void build_from(Grid& grid, const PointView& points, const Record* records, const Nesting& nesting) {
  grid.levels.clear();
  grid.children.clear();
  grid.free_blocks.clear();
  grid.slot_of.clear();
  grid.starts.clear();
  grid.lost_slots = 0;
  grid.merged = 0;
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
    std::fill(std::begin(grid.end), std::end(grid.end), 0.0);
    return;
  }
  Scratch& s = grid.scratch;
  std::size_t blocks = 0;
  for (Budget b = budget(count, nesting.depth);; b.directory = static_cast<double>(blocks) / 2) {
    choose_frame(grid, points, b);
    find_cells(grid, points);
    count_points(grid, points.size());
    blocks = grid.block_count();
    s.lower[1].resize(blocks);
    for (std::size_t k = 0; k < blocks; ++k) s.lower[1][k] = s.counts[k] == kNone ? kUnknown : 0;
    bound_blocks(grid);
    s.near.clear();
    for (std::size_t k = 0; k < blocks; ++k) {
      if (s.lower[0][k] == 0) s.near.push_back(static_cast<std::uint32_t>(k));
    }
    // Points at many scales fill more blocks than a sample of them suggests.
    if (static_cast<double>(s.near.size()) <= b.near || static_cast<double>(blocks) <= b.near) break;
  }
  grid.slots.resize(points.size());  // points that are left out go behind the others for now
  place_points(grid, points, records);
  grid.slots.resize(count);
  grid.slots.clear(count, count + kPadding);
  grid.directory.resize(blocks);
  // Number 0 stands for far blocks; if these are few, all get numbers.
  grid.dense = blocks <= 3 * s.near.size() && static_cast<double>(blocks) <= budget(count, nesting.depth).near;
  grid.near.assign((grid.dense ? blocks : s.near.size()) + 1, Block{});
  std::uint32_t number = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const unsigned lower = s.lower[0][b], upper = s.upper[0][b];
    number += grid.dense || lower == 0 ? 1 : 0;
    grid.directory[b] = lower == 0 ? number : kFar | upper << 8U | lower;
    if (s.counts[b] != kNone) describe_block(grid, grid.near[number], s.occupied[s.counts[b]], nesting);
  }
  grid.bounds.resize(grid.near.size() + 1);  // searches read a little behind the last
  if (grid.dense) {
    std::memset(grid.bounds.data(), kFarCell, grid.bounds.size() * sizeof(CellBounds));
  } else {
    grid.bounds[0] = far_bounds();
  }
  bound_cells(grid, {s.near.data(), s.near.size()}, {s.near.data(), s.near.size()});
  build_levels(grid);
}

}  // namespace

void store_block(Grid& grid, Block& block, const std::array<int, 3>& at, const Record* records, std::size_t count,
                 std::uint32_t begin) {
  constexpr std::size_t kCells = kEdge * kEdge * kEdge;
  block = {.begin = begin, .end = begin + static_cast<std::uint32_t>(count)};
  const auto cell_in_block = [&](const Record& r) {
    const auto along = [&](float v, std::size_t axis) {
      return static_cast<std::uint32_t>(grid.cell_of(v, static_cast<int>(axis)) - kEdge * at[axis]);
    };
    return cell_number(along(r.x, 0), along(r.y, 1), along(r.z, 2));
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
    grid.slots.set(slot, records[i]);
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
  constexpr std::size_t kOverhang = 8;  // searches read whole words
  grid.row_bits.assign(grid.row_at(grid.blocks[0], 0) + kOverhang, 0);
  Level first = make(grid.blocks);
  const auto nz = static_cast<std::uint32_t>(grid.blocks[2]), ny = static_cast<std::uint32_t>(grid.blocks[1]);
  for (const std::uint32_t b : grid.scratch.near) {
    if (grid.near[grid.directory[b]].occupied == 0) continue;
    const std::uint32_t row = b / nz, bz = b % nz;
    mark(first, row / ny, row % ny, bz);
    grid.row_bits[row * grid.row_bytes() + bz / 8] |= static_cast<std::uint8_t>(1U << bz % 8);
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

void build(Grid& grid, const PointView& points) {
  std::size_t room = points.size();
  build_from(grid, points, nullptr, {0, room});
}

std::size_t Grid::memory_bytes() const {
  std::size_t bytes = directory.bytes() + row_bits.bytes() + bounds.bytes() + near.bytes() + slots.bytes() +
                      starts.bytes() + levels.capacity() * sizeof(Level) + children.capacity() * sizeof(Grid) +
                      tree.nodes.bytes();
  for (const Level& level : levels) bytes += level.nodes.bytes();
  for (const Grid& child : children) bytes += child.memory_bytes();
  return bytes;
}

}  // namespace graze::point_grid
