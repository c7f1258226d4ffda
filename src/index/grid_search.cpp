// Does a ball touch a point? Every stage decides what it can and leaves the rest to the next, more costly one:
//
//     look_up           the bounds of the cell that the centre lies in: free, hit or undecided; decides most balls
//     visit_witness     the points of a nearest occupied octant; most undecided balls touch one of them
//     then, by how far the ball reaches:
//       search_around     up to one block: the blocks with points among the 27 around the centre, from a bit mask
//       search_rows       a few blocks: rows of blocks along z, a bit per block with points
//       search_pyramid    any reach: down the pyramid, nearest first
//
// The last three find blocks. visit_block() finds the points in one: all of them where they are few, a grid of their
// own where they are too many, or else the cells within reach. What is done with points is up to a visitor (Collider,
// or Finder for the nearest point): scan() returns whether to stop, and reach() may shrink on the way.
#include "index/grid_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "graze/index/near_first.h"
#include "index/grid_tables.h"
#include "index/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/grid_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

#include "index/grid_look_up-inl.h"
#include "index/grid_visitors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Visitor>
bool search_grid(const Grid& grid, Visitor& visitor);

// What a visitor reaches, in cells: its centre, and its reach widened by the rounding.
struct CellBall {
  double center[3], reach;
};
template <class Visitor>
GRAZE_LANE_FUNCTION CellBall in_cells(const Grid& grid, const Visitor& visitor) {
  CellBall ball{};
  for (int axis = 0; axis < 3; ++axis) {
    ball.center[axis] = (visitor.center()[axis] - grid.origin[axis]) * grid.inverse + kPad;
  }
  ball.reach = visitor.reach() * grid.inverse * kMore + kSlack;
  return ball;
}

// First and last of the `count` blocks along an axis that the ball reaches; first > last if none.
struct Span {
  int first, last;
};
GRAZE_LANE_FUNCTION Span blocks_along(double center, double reach, int count) {
  constexpr double kPerCell = 1.0 / kEdge;
  const double low = (center - reach) * kPerCell, high = (center + reach) * kPerCell;
  if (!(high >= 0) || !(low < count)) return {0, -1};
  return {low <= 0 ? 0 : static_cast<int>(low), high >= count ? count - 1 : static_cast<int>(high)};
}

// Which boxes of a small lattice a ball reaches, as bits. Lengths are in edges of a box: box i of an axis covers
// [i, i + 1]. The lattice has up to four boxes per axis, numbered as `places` says.
//
// Without SIMD, box by box. With it, every axis gives each of its four boxes a share: the squared gap to the centre in
// 252nds of the squared reach, rounded down. A box whose three shares add up to more than 252 is out of reach. The
// shares of all axes fit into one 16-byte table (4·axis + box), so that each box needs three look-ups and two
// additions.
template <int kBoxes>
GRAZE_LANE_FUNCTION std::uint64_t boxes_within(const double* center, double reach, const SharePlaces& places) {
#if HWY_TARGET == HWY_SCALAR
  std::uint64_t boxes = 0;
  for (std::size_t box = 0; box < kBoxes; ++box) {
    double squared = 0;
    for (int axis = 0; axis < 3; ++axis) squared += square(gap_to(center[axis], places.of[axis][box] - 4 * axis));
    if (squared <= square(reach)) boxes |= 1ULL << box;
  }
  return boxes;
#else
  // The reach has been widened by kSlack, which covers the rounding to float.
  constexpr std::uint8_t kWhole = 252;
  const hn::FixedTag<float, 4> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const hn::Repartition<std::uint32_t, decltype(d8)> d32;
  const auto scale = hn::Set(d, kWhole / static_cast<float>(square(reach)) * (1 - 1e-5F));
  const auto low = hn::Iota(d, 0.0F), high = hn::Iota(d, 1.0F);
  const auto shares = [&](double along) HWY_ATTR -> std::uint64_t {
    const auto at = hn::Set(d, static_cast<float>(along));
    const auto gap = hn::Max(hn::Max(hn::Sub(low, at), hn::Sub(at, high)), hn::Zero(d));
    const auto share = hn::Min(hn::Mul(hn::Mul(gap, gap), scale), hn::Set(d, 255.0F));
    return hn::GetLane(hn::BitCast(d32, hn::DemoteTo(d8, hn::ConvertTo(di, share))));
  };
  const hn::CappedTag<std::uint8_t, kBoxes <= 32 ? 32 : 64> d_boxes;
  const hn::Repartition<std::uint64_t, decltype(d_boxes)> pairs;
  const auto xy = hn::Set(pairs, shares(center[0]) | shares(center[1]) << 32U), zz = hn::Set(pairs, shares(center[2]));
  const auto table = hn::BitCast(d_boxes, hn::InterleaveLower(xy, zz));
  std::uint64_t boxes = 0;
  for (std::size_t i = 0; i < kBoxes; i += hn::Lanes(d_boxes)) {
    const auto share_of = [&](int axis)
                              HWY_ATTR { return hn::TableLookupBytes(table, hn::Load(d_boxes, places.of[axis] + i)); };
    const auto sum = hn::SaturatedAdd(hn::SaturatedAdd(share_of(0), share_of(1)), share_of(2));
    const auto within = hn::Eq(hn::Min(sum, hn::Set(d_boxes, kWhole)), sum);
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d_boxes, within, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    boxes |= bits << i;
  }
  return boxes;
#endif
}

// Looks at the points of the block at `at` that may be within reach. Returns whether to stop.
template <class Visitor>
GRAZE_LANE_FUNCTION bool visit_block(const Grid& grid, std::uint32_t number, const int* at, const CellBall& ball,
                                     Visitor& visitor) {
  const Block& block = grid.near[number];
  if (block.starts == kNone) return visitor.scan(grid, block.begin, block.end);
  if (block.child != kNone) return search_grid(grid.children[block.child], visitor);
  const std::uint32_t* starts = grid.starts.data() + block.starts;
  const double center[3] = {ball.center[0] - kEdge * at[0], ball.center[1] - kEdge * at[1],
                            ball.center[2] - kEdge * at[2]};
  // Float has no squares of lengths beyond this.
  constexpr double kMaxReach = 1e15;
  std::uint64_t cells = block.occupied;
  if (ball.reach < kMaxReach) cells &= boxes_within<64>(center, ball.reach, kCellPlaces);
  while (cells != 0) {
    // A run: from the first cell within reach up to the next occupied one that is not. Its points follow one another.
    const std::uint64_t before = (1ULL << std::countr_zero(cells)) - 1;
    const std::uint64_t not_reached = block.occupied & ~cells & ~before;
    const std::uint64_t up_to_end = not_reached == 0 ? ~0ULL : (1ULL << std::countr_zero(not_reached)) - 1;
    const std::uint32_t begin = starts[std::popcount(block.occupied & before)];
    const std::uint32_t end = starts[std::popcount(block.occupied & up_to_end)];
    if (visitor.scan(grid, begin, end)) return true;
    cells &= ~up_to_end;
  }
  return false;
}

// Reaches of a few blocks: row by row along z, where row_bits has a bit per block with points. Lengths are in blocks.
template <class Visitor>
GRAZE_LANE_FUNCTION bool search_rows(const Grid& grid, const CellBall& ball, const Span* spans, Visitor& visitor) {
  const double limit = square(ball.reach / kEdge);
  const double u[3] = {ball.center[0] / kEdge, ball.center[1] / kEdge, ball.center[2] / kEdge};
  const auto first_z = static_cast<unsigned>(spans[2].first),
             count_z = static_cast<unsigned>(spans[2].last) - first_z + 1;
  const std::uint64_t wanted = (1ULL << count_z) - 1;
  int at[3];
  for (at[0] = spans[0].first; at[0] <= spans[0].last; ++at[0]) {
    const double x = square(gap_to(u[0], at[0]));
    for (at[1] = spans[1].first; at[1] <= spans[1].last; ++at[1]) {
      const double xy = x + square(gap_to(u[1], at[1]));
      if (xy > limit) continue;
      std::uint64_t bits = 0;
      std::memcpy(&bits, grid.row_bits.data() + grid.row_at(at[0], at[1]) + first_z / 8, sizeof bits);
      for (bits = bits >> first_z % 8 & wanted; bits != 0; bits &= bits - 1) {
        at[2] = static_cast<int>(first_z) + std::countr_zero(bits);
        if (xy + square(gap_to(u[2], at[2])) > limit) continue;
        if (visit_block(grid, grid.directory[grid.block_at(at[0], at[1], at[2])], at, ball, visitor)) return true;
      }
    }
  }
  return false;
}

// Any reach: down the pyramid, nearest first.
template <class Visitor>
HWY_NOINLINE bool search_pyramid(const Grid& grid, Visitor& visitor) {
  struct Entry {
    float squared;       // lower bound of the distance in cells²
    std::int16_t level;  // of the node; -1: a block
    std::int16_t at[3];
  };
  // A level has at most the 64 children of one node on the stack, and 2^14 blocks along an axis have 7 levels above
  // them. Grids within grids have such a stack each, so that it must be small.
  static_assert(kMaxBlocksAlong <= 1 << 14);
  constexpr std::size_t kCapacity = 64 * 8;
  Entry stack[kCapacity];
  std::size_t size = 0;
  stack[size++] = {0, static_cast<std::int16_t>(grid.levels.size() - 1), {0, 0, 0}};
  while (size > 0) {
    const Entry entry = stack[--size];
    const CellBall ball = in_cells(grid, visitor);
    if (entry.squared > square(ball.reach)) continue;
    if (entry.level < 0) {
      const std::uint32_t number = grid.directory[grid.block_at(entry.at[0], entry.at[1], entry.at[2])];
      const int at[3] = {entry.at[0], entry.at[1], entry.at[2]};
      if (visit_block(grid, number, at, ball, visitor)) return true;
      continue;
    }
    const Level& level = grid.levels[static_cast<std::size_t>(entry.level)];
    const double edge = std::ldexp(1.0, 2 * entry.level + 2);  // cells along a child
    const double u[3] = {ball.center[0] / edge, ball.center[1] / edge, ball.center[2] / edge};
    const std::size_t begin = size;
    for (std::uint64_t rest = level.nodes[level.at(entry.at[0], entry.at[1], entry.at[2])]; rest != 0;
         rest &= rest - 1) {
      const int bit = std::countr_zero(rest);
      const int at[3] = {4 * entry.at[0] + bit / 16, 4 * entry.at[1] + bit / 4 % 4, 4 * entry.at[2] + bit % 4};
      constexpr double kRoundDown = 1 - 1e-6;  // outweighs the rounding to float
      const double gap_sq =
          (square(gap_to(u[0], at[0])) + square(gap_to(u[1], at[1])) + square(gap_to(u[2], at[2]))) * square(edge);
      const auto squared = to_float(gap_sq * kRoundDown);
      if (squared > square(ball.reach)) continue;
      // Insertion keeps the nearest on top.
      std::size_t to = size++;
      for (; to > begin && stack[to - 1].squared < squared; --to) stack[to] = stack[to - 1];
      const auto small = [](int v) { return static_cast<std::int16_t>(v); };
      stack[to] = {squared, small(entry.level - 1), {small(at[0]), small(at[1]), small(at[2])}};
    }
  }
  return false;
}

// Of points at many scales: their tree.
template <class Visitor>
class TreeWalk {
 public:
  struct Place {
    std::uint32_t node;  // of its level, or a leaf
    std::int32_t level;  // -1: a leaf
  };
  using Bound = double;  // of the squared distance

  TreeWalk(const Grid& grid, Visitor& visitor) : grid_(grid), tree_(grid.tree), visitor_(visitor) {}

  Place root() const { return {0, static_cast<std::int32_t>(tree_.levels) - 1}; }
  bool is_leaf(const Place& place) const { return place.level < 0; }
  Place child(const Place& place, std::size_t k) const {
    return {static_cast<std::uint32_t>(kd_tree::kFan * place.node + k), place.level - 1};
  }
  void open(const Place& place, Children<double>& children) const {
    constexpr double kRoundDown = 1 - 1e-14;
    const double limit = square(visitor_.reach());
    const kd_tree::Node<float>& node = tree_.nodes[tree_.first[static_cast<std::size_t>(place.level)] + place.node];
    for (std::size_t k = 0; k < kd_tree::kFan; ++k) {
      double sum = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double at = visitor_.center()[axis];
        sum += square(std::max(std::max(double{node.min[axis][k]} - at, at - double{node.max[axis][k]}), 0.0));
      }
      children.bound[k] = sum * kRoundDown;
      // Of children that do not exist the bounds are infinite.
      if (children.bound[k] <= limit && children.bound[k] < kInfinity) children.near |= 1U << k;
    }
  }
  void leaf(const Place& place) {
    const auto begin = static_cast<std::uint32_t>(kd_tree::kLeaf * place.node);
    const auto end = std::min<std::size_t>(begin + kd_tree::kLeaf, tree_.size);
    ended_ = visitor_.scan(grid_, begin, static_cast<std::uint32_t>(end));
  }
  bool beyond(double bound) const { return ended_ || bound > square(visitor_.reach()); }
  bool ended() const { return ended_; }

 private:
  const Grid& grid_;
  const kd_tree::Tree<float>& tree_;
  Visitor& visitor_;
  bool ended_ = false;
};
template <class Visitor>
HWY_NOINLINE bool search_tree(const Grid& grid, Visitor& visitor) {
  TreeWalk<Visitor> walk(grid, visitor);
  NearStack<typename TreeWalk<Visitor>::Place, double, kd_tree::kMaxLevels, kd_tree::kFan> open({0, walk.root()});
  near_first(walk, open);
  return walk.ended();
}

// From any centre.
template <class Visitor>
bool search_grid(const Grid& grid, Visitor& visitor) {
  if (grid.has_tree()) return search_tree(grid, visitor);
  const CellBall ball = in_cells(grid, visitor);
  Span spans[3];
  for (int axis = 0; axis < 3; ++axis) {
    spans[axis] = blocks_along(ball.center[axis], ball.reach, grid.blocks[static_cast<std::size_t>(axis)]);
    if (spans[axis].first > spans[axis].last) return false;
  }
  const auto along = [&](int axis) { return std::int64_t{spans[axis].last} - spans[axis].first + 1; };
  constexpr std::int64_t kFewRows = 64, kFewBlocks = 32;
  const bool few = along(0) * along(1) <= kFewRows && along(2) <= kFewBlocks;
  return few ? search_rows(grid, ball, spans, visitor) : search_pyramid(grid, visitor);
}

// Looks at the points of an occupied octant nearest to that of the cell. Returns whether to stop.
template <class Visitor>
GRAZE_LANE_FUNCTION bool visit_witness(const Grid& grid, const Cell& cell, Visitor& visitor) {
  const std::uint32_t octant = (cell.x & 2U) << 1U | (cell.y & 2U) | (cell.z & 2U) >> 1U;
  const std::uint32_t code = grid.near[cell.number].witness[octant];
  if (code == kNoWitness) return false;
  // In octants: the cell's own plus the coded steps.
  const std::uint32_t x = cell.x / 2 + (code >> 6U) - 2, y = cell.y / 2 + (code >> 3U & 7U) - 2,
                      z = cell.z / 2 + (code & 7U) - 2;
  const auto ny = static_cast<std::uint32_t>(grid.blocks[1]), nz = static_cast<std::uint32_t>(grid.blocks[2]);
  const Block& block = grid.near[number_of(grid, (x / 2 * ny + y / 2) * nz + z / 2)];
  if (block.starts == kNone) return visitor.scan(grid, block.begin, block.end);
  if (block.child != kNone) return false;
  const std::uint32_t first_cell = 8 * ((x & 1U) << 2U | (y & 1U) << 1U | (z & 1U));
  const std::uint32_t* starts =
      grid.starts.data() + block.starts + std::popcount(block.occupied & ((1ULL << first_cell) - 1));
  return visitor.scan(grid, starts[0], starts[std::popcount(block.occupied >> first_cell & 0xFFU)]);
}

// Reaches of up to one block from a near block: the blocks within reach among the 27 around it that have points.
template <class Visitor>
GRAZE_LANE_FUNCTION bool search_around(const Grid& grid, const Cell& cell, const CellBall& ball, Visitor& visitor) {
  const int own[3] = {static_cast<int>(cell.x / kEdge), static_cast<int>(cell.y / kEdge),
                      static_cast<int>(cell.z / kEdge)};
  double center[3];  // in blocks, the first of the 27 starting at 0
  for (int axis = 0; axis < 3; ++axis) center[axis] = ball.center[axis] / kEdge - own[axis] + 1;
  std::uint64_t blocks = grid.near[cell.number].around & boxes_within<27>(center, ball.reach / kEdge, kAroundPlaces);
  for (; blocks != 0; blocks &= blocks - 1) {
    const int i = std::countr_zero(blocks);
    const auto step = static_cast<std::uint32_t>(grid.steps[static_cast<std::size_t>(i)]);
    const std::uint32_t number = number_of(grid, cell.block + step);
    const Block& block = grid.near[number];
    if (block.starts == kNone) {
      if (visitor.scan(grid, block.begin, block.end)) return true;
      continue;
    }
    const int at[3] = {own[0] + i / 9 - 1, own[1] + i / 3 % 3 - 1, own[2] + i % 3 - 1};
    if (visit_block(grid, number, at, ball, visitor)) return true;
  }
  return false;
}

// From a cell in a near block.
template <class Visitor>
HWY_NOINLINE bool search_from_near(const Grid& grid, const Cell& cell, Visitor& visitor) {
  const CellBall ball = in_cells(grid, visitor);
  return ball.reach <= kEdge ? search_around(grid, cell, ball, visitor) : search_grid(grid, visitor);
}

bool search_ball(const Grid& grid, const SphereCheck& ball) {
  Collider collider(ball);
  return search_grid(grid, collider);
}

bool search_undecided_ball(const Grid& grid, const SphereCheck& ball, const Cell& cell) {
  Collider collider(ball);
  if (visit_witness(grid, cell, collider)) return true;
  const std::uint32_t entry = grid.directory[cell.block];
  if ((entry & kFar) == 0) return search_from_near(grid, cell, collider);
  const Verdict verdict = look_up_far(grid, ball, entry);
  return verdict == Verdict::undecided ? search_grid(grid, collider) : verdict == Verdict::hit;
}

void judge_undecided_ball(const Grid& grid, const SphereCheck& ball, double inner, const Cell& cell, Verdict& verdict) {
  Collider collider(ball, inner);
  verdict = Verdict::hit;
  if (visit_witness(grid, cell, collider)) return;
  const std::uint32_t entry = grid.directory[cell.block];
  if ((entry & kFar) == 0) {
    if (search_from_near(grid, cell, collider)) return;
  } else {
    SphereCheck small = ball;
    small.radius = inner;
    if (look_up_far(grid, small, entry) == Verdict::hit) return;
    if (look_up_far(grid, ball, entry) == Verdict::free) {
      verdict = Verdict::free;
      return;
    }
    if (search_grid(grid, collider)) return;
  }
  verdict = collider.maybe() ? Verdict::undecided : Verdict::free;
}

// For any ball; an invalid one collides.
bool collides(const Grid& grid, const SphereCheck& ball) {
  if (!valid_sphere(ball.center[0], ball.center[1], ball.center[2], ball.radius)) return true;
  Cell cell;
  if (!find_cell(grid, ball.center, cell)) return search_ball(grid, ball);
  const Verdict verdict = look_up(grid, ball, cell);
  return verdict == Verdict::undecided ? search_undecided_ball(grid, ball, cell) : verdict == Verdict::hit;
}

void search_point(const Grid& grid, const double* center, double reach, Found& found) {
  Finder finder(center, reach);
  Cell cell;
  if (find_cell(grid, center, cell)) visit_witness(grid, cell, finder);
  search_grid(grid, finder);
  found = finder.best();
}

// The bounds of the cells of the spheres from `i` on, as many as a vector holds.
GRAZE_LANE_FUNCTION LaneVerdicts look_up_some(const Grid& grid, const double* x, const double* y, const double* z,
                                              const double* r, std::size_t i, std::size_t count) {
  const std::size_t width = hn::Lanes(hn::CappedTag<double, 8>()), left = count - i;
  if (left >= width) return look_up_lanes(grid, x + i, y + i, z + i, r + i, width);
  alignas(64) double tail[4][8] = {};
  std::copy_n(x + i, left, tail[0]);
  std::copy_n(y + i, left, tail[1]);
  std::copy_n(z + i, left, tail[2]);
  std::copy_n(r + i, left, tail[3]);
  return look_up_lanes(grid, tail[0], tail[1], tail[2], tail[3], left);
}

// Up to 64 balls with radii from `inner` to `outer`.
void judge_spheres(const Grid& grid, const double* x, const double* y, const double* z, const double* inner,
                   const double* outer, std::size_t count, PointGrid::Verdicts& verdicts) {
  verdicts = {};
  for (std::size_t i = 0; i < count; i += hn::Lanes(hn::CappedTag<double, 8>())) {
    const LaneVerdicts large = look_up_some(grid, x, y, z, outer, i, count),
                       small = look_up_some(grid, x, y, z, inner, i, count);
    verdicts.hit |= small.hit << i;
    verdicts.undecided |= ((large.hit | large.undecided) & ~small.hit) << i;
  }
  for (std::uint64_t rest = std::exchange(verdicts.undecided, 0); rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const SphereCheck ball{{x[i], y[i], z[i]}, outer[i], grid.point_radius};
    Cell cell;
    Verdict verdict = Verdict::undecided;
    if (inner[i] >= 0 && inner[i] <= outer[i] && find_cell(grid, ball.center, cell)) {
      judge_undecided_ball(grid, ball, inner[i], cell, verdict);
    } else if (!collides(grid, ball)) {
      verdict = Verdict::free;
    } else if (inner[i] >= 0 && collides(grid, {{x[i], y[i], z[i]}, inner[i], grid.point_radius})) {
      verdict = Verdict::hit;
    }
    verdicts.hit |= (verdict == Verdict::hit ? 1ULL : 0) << i;
    verdicts.undecided |= (verdict == Verdict::undecided ? 1ULL : 0) << i;
  }
}

// Up to 64 spheres: first the bounds, a vector of spheres at a time, then the undecided ones one by one.
void search_spheres(const Grid& grid, const double* x, const double* y, const double* z, const double* r,
                    std::size_t count, bool only_any, std::uint64_t& bits) {
  const std::size_t width = hn::Lanes(hn::CappedTag<double, 8>());
  std::uint64_t undecided = 0;
  bits = 0;
  for (std::size_t i = 0; i < count; i += width) {
    const LaneVerdicts verdicts = look_up_some(grid, x, y, z, r, i, count);
    bits |= verdicts.hit << i;
    undecided |= verdicts.undecided << i;
    if (only_any && bits != 0) return;
  }
  for (; undecided != 0; undecided &= undecided - 1) {
    const int i = std::countr_zero(undecided);
    if (!collides(grid, {{x[i], y[i], z[i]}, r[i], grid.point_radius})) continue;
    bits |= 1ULL << i;
    if (only_any) return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::point_grid {

HWY_EXPORT(collides);
HWY_EXPORT(search_undecided_ball);
HWY_EXPORT(judge_undecided_ball);
HWY_EXPORT(judge_spheres);
HWY_EXPORT(search_point);
HWY_EXPORT(search_spheres);

bool search(const Grid& grid, const SphereCheck& ball) {
  if (grid.empty()) return !valid_sphere(ball.center[0], ball.center[1], ball.center[2], ball.radius);
  return HWY_DYNAMIC_DISPATCH(collides)(grid, ball);
}
bool search_undecided(const Grid& grid, const SphereCheck& ball, const Cell& cell) {
  return HWY_DYNAMIC_DISPATCH(search_undecided_ball)(grid, ball, cell);
}
Verdict judge_undecided(const Grid& grid, const SphereCheck& ball, double inner, const Cell& cell) {
  Verdict verdict = Verdict::undecided;
  HWY_DYNAMIC_DISPATCH(judge_undecided_ball)(grid, ball, inner, cell, verdict);
  return verdict;
}
PointGrid::Verdicts judge_batch(const Grid& grid, const SpheresView& outer, const double* inner, std::size_t count) {
  PointGrid::Verdicts verdicts{};
  if (grid.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool valid = valid_sphere(outer.x[i], outer.y[i], outer.z[i], outer.radius[i]);
      verdicts.undecided |= (valid ? 0ULL : 1ULL) << i;
    }
    return verdicts;
  }
  HWY_DYNAMIC_DISPATCH(judge_spheres)
  (grid, outer.x.data(), outer.y.data(), outer.z.data(), inner, outer.radius.data(), count, verdicts);
  return verdicts;
}

Found search_nearest(const Grid& grid, const double* center, double reach) {
  Found found{};
  HWY_DYNAMIC_DISPATCH(search_point)(grid, center, reach, found);
  return found;
}

std::uint64_t search_batch(const Grid& grid, const SpheresView& spheres, std::size_t first, std::size_t count,
                           bool only_any) {
  std::uint64_t bits = 0;
  if (grid.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = first + i;
      if (!valid_sphere(spheres.x[k], spheres.y[k], spheres.z[k], spheres.radius[k])) bits |= 1ULL << i;
    }
    return bits;
  }
  HWY_DYNAMIC_DISPATCH(search_spheres)
  (grid, spheres.x.data() + first, spheres.y.data() + first, spheres.z.data() + first, spheres.radius.data() + first,
   count, only_any, bits);
  return bits;
}

}  // namespace graze::point_grid
#endif
