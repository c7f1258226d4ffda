#include "index/grid_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "index/exact_sphere.h"
#include "index/grid_tables.h"
#include "index/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/grid_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kPadding>;

// Is any point within reach? The search stops at the first.
class Collider {
 public:
  explicit Collider(const Ball& ball)
      : ball_(ball),
        reach_(ball.radius + ball.point_radius),
        at_{to_float(ball.center[0]), to_float(ball.center[1]), to_float(ball.center[2])},
        limits_(thresholds(ball.center, reach_)) {}

  const double* center() const { return ball_.center; }
  double reach() const { return reach_; }

  // Looks at the points from `begin` on, past `end` up to a whole vector. Returns whether to stop.
  HWY_INLINE bool scan(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
    const Floats d;
    const auto cx = hn::Set(d, at_[0]), cy = hn::Set(d, at_[1]), cz = hn::Set(d, at_[2]);
    const auto surely = hn::Set(d, limits_.surely), hardly = hn::Set(d, limits_.hardly);
    for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto x = hn::Sub(hn::LoadU(d, grid.x.data() + i), cx);
      const auto y = hn::Sub(hn::LoadU(d, grid.y.data() + i), cy);
      const auto z = hn::Sub(hn::LoadU(d, grid.z.data() + i), cz);
      const auto squared = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
      const auto maybe = hn::Le(squared, hardly);
      if (hn::AllFalse(d, maybe)) continue;
      if (!hn::AllFalse(d, hn::Le(squared, surely)) || settle(grid, i, d, maybe)) return found_ = true;
    }
    return false;
  }
  bool found() const { return found_; }

 private:
  template <class Mask>
  HWY_NOINLINE bool settle(const Grid& grid, std::uint32_t first, Floats d, Mask maybe) const {
    alignas(64) std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, maybe, bits);
    for (std::uint32_t lane = 0; lane < hn::Lanes(d); ++lane) {
      const std::uint32_t i = first + lane;
      if ((bits[lane / 8] >> lane % 8 & 1) != 0 &&
          touches({grid.x[i], grid.y[i], grid.z[i]}, ball_.center, ball_.radius, ball_.point_radius)) {
        return true;
      }
    }
    return false;
  }

  Ball ball_;
  double reach_;
  float at_[3];
  Thresholds limits_;
  bool found_ = false;
};

// Which point is nearest? The reach shrinks to the best so far; equally far ones stay within it.
class Finder {
 public:
  Finder(const double* center, double reach)
      : center_{center[0], center[1], center[2]},
        at_{to_float(center[0]), to_float(center[1]), to_float(center[2])},
        reach_(reach),
        best_{reach * reach, kNone} {
    hardly_ = thresholds(center_, reach_).hardly;
  }

  const double* center() const { return center_; }
  double reach() const { return reach_; }

  HWY_INLINE bool scan(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
    const Floats d;
    const auto cx = hn::Set(d, at_[0]), cy = hn::Set(d, at_[1]), cz = hn::Set(d, at_[2]);
    for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto x = hn::Sub(hn::LoadU(d, grid.x.data() + i), cx);
      const auto y = hn::Sub(hn::LoadU(d, grid.y.data() + i), cy);
      const auto z = hn::Sub(hn::LoadU(d, grid.z.data() + i), cz);
      const auto squared = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
      const auto maybe = hn::Le(squared, hn::Set(d, hardly_));
      if (!hn::AllFalse(d, maybe)) rank(grid, i, d, maybe);
    }
    return false;
  }
  const Found& best() const { return best_; }

 private:
  template <class Mask>
  HWY_INLINE void rank(const Grid& grid, std::uint32_t first, Floats d, Mask maybe) {
    alignas(64) std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, maybe, bits);
    bool better = false;
    for (std::uint32_t lane = 0; lane < hn::Lanes(d); ++lane) {
      if ((bits[lane / 8] >> lane % 8 & 1) == 0) continue;
      const std::uint32_t i = first + lane;
      const double squared = squared_distance({grid.x[i], grid.y[i], grid.z[i]}, center_);
      if (squared < best_.squared || (squared == best_.squared && grid.index[i] < best_.index)) {
        best_ = {squared, grid.index[i]};
        better = true;
      }
    }
    if (better) {
      // Up by a rounding, so that points whose squares are as large stay within reach.
      reach_ = std::min(reach_, std::sqrt(best_.squared) * (1 + 4 * kEpsilon) + 1e-160);
      hardly_ = thresholds(center_, reach_).hardly;
    }
  }

  double center_[3];
  float at_[3];
  double reach_;
  float hardly_;
  Found best_;
};

template <class Visitor>
bool search_grid(const Grid& grid, Visitor& visitor);

// Cell coordinates of the centre, and how far the visitor reaches in cells, rounding included.
struct Place {
  double u[3], reach;
};
template <class Visitor>
HWY_INLINE Place place_of(const Grid& grid, const Visitor& visitor) {
  Place p{};
  for (int axis = 0; axis < 3; ++axis) p.u[axis] = (visitor.center()[axis] - grid.origin[axis]) * grid.inverse + kPad;
  p.reach = visitor.reach() * grid.inverse * kMore + kSlack;
  return p;
}

// First and last of `count` boxes of `edge` cells that the reach touches; first > last if none.
struct Span {
  int first, last;
};
HWY_INLINE Span span_of(double u, double reach, double per_cell, int count) {
  const double low = (u - reach) * per_cell, high = (u + reach) * per_cell;
  if (!(high >= 0) || !(low < count)) return {0, -1};
  return {low <= 0 ? 0 : static_cast<int>(low), high >= count ? count - 1 : static_cast<int>(high)};
}

template <class Visitor>
HWY_INLINE bool visit_block(const Grid& grid, std::uint32_t number, const int* at, const Place& place,
                            Visitor& visitor) {
  const Block& block = grid.near[number];
  if (block.child != kNone) return search_grid(grid.children[block.child], visitor);
  if (block.starts == kNone) return visitor.scan(grid, block.begin, block.end);
  std::uint64_t cells = block.occupied;
  for (int axis = 0; axis < 3; ++axis) {
    const Span span = span_of(place.u[axis] - kEdge * at[axis], place.reach, 1, kEdge);
    if (span.first > span.last) return false;
    cells &= kRanges.of[axis][span.first][span.last];
  }
  const std::uint32_t* starts = grid.starts.data() + block.starts;
  const double limit = square(place.reach);
  std::uint32_t done = 0;  // where the last scan stopped reading
  while (cells != 0) {
    const int cell = std::countr_zero(cells);
    cells &= cells - 1;
    const double x = gap_to(place.u[0], kEdge * at[0] + cell / 16),
                 y = gap_to(place.u[1], kEdge * at[1] + cell / 4 % 4), z = gap_to(place.u[2], kEdge * at[2] + cell % 4);
    if (x * x + y * y + z * z > limit) continue;
    const int rank = std::popcount(block.occupied & ((1ULL << cell) - 1));
    const std::uint32_t begin = std::max(starts[rank], done), end = starts[rank + 1];
    if (begin >= end) continue;
    if (visitor.scan(grid, begin, end)) return true;
    const auto width = static_cast<std::uint32_t>(hn::Lanes(Floats()));
    done = begin + (end - begin + width - 1) / width * width;
  }
  return false;
}

// Small reaches: the few nodes around the centre, its own block first.
template <class Visitor>
HWY_INLINE bool search_near(const Grid& grid, const Place& place, const Span* spans, Visitor& visitor) {
  const Level& level = grid.levels[0];
  int own[3];
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    own[axis] = static_cast<int>(std::clamp(place.u[axis] / kEdge, -1.0, 1e6));
    inside = inside && place.u[axis] >= 0 && own[axis] < grid.blocks[static_cast<std::size_t>(axis)];
  }
  std::uint32_t seen = kNone;
  if (inside) {
    const std::uint32_t number = grid.directory[grid.block_at(own[0], own[1], own[2])];
    if ((number & kFar) == 0 && grid.near[number].occupied != 0) {
      if (visit_block(grid, number, own, place, visitor)) return true;
      seen = number;
    }
  }
  const double limit = square(place.reach / kEdge);
  const double u[3] = {place.u[0] / kEdge, place.u[1] / kEdge, place.u[2] / kEdge};
  for (int nx = spans[0].first / 4; nx <= spans[0].last / 4; ++nx) {
    const std::uint64_t in_x = kRanges.of[0][std::max(spans[0].first - 4 * nx, 0)][std::min(spans[0].last - 4 * nx, 3)];
    for (int ny = spans[1].first / 4; ny <= spans[1].last / 4; ++ny) {
      const std::uint64_t in_y =
          in_x & kRanges.of[1][std::max(spans[1].first - 4 * ny, 0)][std::min(spans[1].last - 4 * ny, 3)];
      for (int nz = spans[2].first / 4; nz <= spans[2].last / 4; ++nz) {
        std::uint64_t blocks = level.nodes[level.at(nx, ny, nz)] & in_y &
                               kRanges.of[2][std::max(spans[2].first - 4 * nz, 0)][std::min(spans[2].last - 4 * nz, 3)];
        while (blocks != 0) {
          const int bit = std::countr_zero(blocks);
          blocks &= blocks - 1;
          const int at[3] = {4 * nx + bit / 16, 4 * ny + bit / 4 % 4, 4 * nz + bit % 4};
          const double x = gap_to(u[0], at[0]), y = gap_to(u[1], at[1]), z = gap_to(u[2], at[2]);
          if (x * x + y * y + z * z > limit) continue;
          const std::uint32_t number = grid.directory[grid.block_at(at[0], at[1], at[2])];
          if (number != seen && visit_block(grid, number, at, place, visitor)) return true;
        }
      }
    }
  }
  return false;
}

// Reaches of up to 1.5 blocks where the points lie in the order of blocks: rows of blocks along z are runs of points,
// which are read from one end to the other. At most 4 × 4 rows are within reach; all of them are looked up at once, in
// lanes that begin with the row of the centre and go on with its nearer neighbours.
template <class Visitor>
HWY_INLINE bool search_rows(const Grid& grid, const Place& place, Visitor& visitor) {
  constexpr std::uint32_t kLong = 384;  // points in a run from which on looking at the cells pays
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const double ux = place.u[0] / kEdge, uy = place.u[1] / kEdge;
  const double fx = std::floor(ux), fy = std::floor(uy);
  // Most spheres that get here touch a point of the own row.
  std::uint32_t unseen = 0xFFFF;
  const Span along = span_of(place.u[2], place.reach, 1.0 / kEdge, grid.blocks[2]);
  if (fx >= 0 && fy >= 0 && fx < grid.blocks[0] && fy < grid.blocks[1] && along.first <= along.last) {
    const std::size_t row = grid.block_at(static_cast<int>(fx), static_cast<int>(fy), 0);
    const std::uint32_t begin = grid.begins[row + static_cast<std::size_t>(along.first)];
    const std::uint32_t end = grid.begins[row + static_cast<std::size_t>(along.last) + 1];
    if (end - begin <= kLong) {
      if (visitor.scan(grid, begin, end)) return true;
      unseen = 0xFFFE;
    }
  }
  // The nearer side of the block, and how far it is.
  const bool right = ux - fx > 0.5, above = uy - fy > 0.5;
  const auto side_x = static_cast<float>(right ? 1 - (ux - fx) : ux - fx);
  const auto side_y = static_cast<float>(above ? 1 - (uy - fy) : uy - fy);
  const auto reach = static_cast<float>(place.reach / kEdge);
  const auto uz = hn::Set(d, static_cast<float>(place.u[2] / kEdge));
  const auto bx = hn::Set(di, static_cast<int>(fx)), by = hn::Set(di, static_cast<int>(fy));
  const auto nx = hn::Set(di, grid.blocks[0]), ny = hn::Set(di, grid.blocks[1]), nz = hn::Set(di, grid.blocks[2]);
  const auto zero = hn::Zero(d);
  const auto zero_int = hn::Zero(di), minus = hn::Set(di, -1);
  alignas(64) std::int32_t firsts[16], lasts[16];
  std::uint32_t rows = 0;
  for (std::size_t i = 0; i < 16; i += hn::Lanes(d)) {
    const auto gap_x =
        hn::Add(hn::Load(d, kRows.fixed_x + i), hn::Mul(hn::Load(d, kRows.times_x + i), hn::Set(d, side_x)));
    const auto gap_y =
        hn::Add(hn::Load(d, kRows.fixed_y + i), hn::Mul(hn::Load(d, kRows.times_y + i), hn::Set(d, side_y)));
    const auto left = hn::Sub(hn::Sub(hn::Set(d, reach * reach), hn::Mul(gap_x, gap_x)), hn::Mul(gap_y, gap_y));
    const auto half = hn::Sqrt(hn::Max(left, zero));
    const auto at_x = hn::Add(bx, hn::Load(di, kRows.x[right ? 1 : 0] + i));
    const auto at_y = hn::Add(by, hn::Load(di, kRows.y[above ? 1 : 0] + i));
    const auto low = hn::Sub(uz, half), high = hn::Add(uz, half);
    auto ok = hn::And(hn::And(hn::Ge(left, zero), hn::Ge(high, zero)), hn::Lt(low, hn::ConvertTo(d, nz)));
    auto in = hn::And(hn::And(hn::Gt(at_x, minus), hn::Lt(at_x, nx)), hn::And(hn::Gt(at_y, minus), hn::Lt(at_y, ny)));
    in = hn::And(in, hn::RebindMask(di, ok));
    const auto first = hn::Max(hn::ConvertTo(di, hn::Max(low, zero)), zero_int);
    const auto last = hn::Min(hn::ConvertTo(di, hn::Min(high, hn::ConvertTo(d, nz))), hn::Sub(nz, hn::Set(di, 1)));
    const auto row = hn::Mul(hn::Add(hn::Mul(at_x, ny), at_y), nz);
    hn::Store(hn::Add(row, first), di, firsts + i);
    hn::Store(hn::Add(row, last), di, lasts + i);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(di, in, bits);
    rows |= (bits[0] | static_cast<std::uint32_t>(bits[1]) << 8U) << i;
  }
  for (rows &= unseen; rows != 0; rows &= rows - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rows));
    const auto first = static_cast<std::size_t>(firsts[i]), last = static_cast<std::size_t>(lasts[i]);
    const std::uint32_t begin = grid.begins[first], end = grid.begins[last + 1];
    if (end - begin <= kLong) {
      if (visitor.scan(grid, begin, end)) return true;
      continue;
    }
    int at[3] = {static_cast<int>(fx) + kRows.x[right ? 1 : 0][i], static_cast<int>(fy) + kRows.y[above ? 1 : 0][i], 0};
    at[2] = firsts[i] - static_cast<int>(grid.block_at(at[0], at[1], 0));
    for (std::size_t block = first; block <= last; ++block, ++at[2]) {
      if (grid.begins[block] != grid.begins[block + 1] &&
          visit_block(grid, grid.directory[block], at, place, visitor)) {
        return true;
      }
    }
  }
  return false;
}

// Any reach: down the pyramid, near-first.
template <class Visitor>
HWY_NOINLINE bool search_pyramid(const Grid& grid, Visitor& visitor) {
  struct Entry {
    float squared;       // lower bound of the distance in cells²
    std::int16_t level;  // of the node; -1: a block
    std::int16_t at[3];
  };
  // Every level leaves at most its 64 entries behind; 2^14 blocks along an axis have 7 levels above them. Grids within
  // grids have such a stack each, so that it must be small.
  static_assert(kMostAlong <= 1 << 14);
  constexpr std::size_t kMost = 64 * 8;
  Entry stack[kMost];
  std::size_t size = 0;
  stack[size++] = {0, static_cast<std::int16_t>(grid.levels.size() - 1), {0, 0, 0}};
  while (size > 0) {
    const Entry entry = stack[--size];
    const Place place = place_of(grid, visitor);
    if (entry.squared > square(place.reach)) continue;
    if (entry.level < 0) {
      const std::uint32_t number = grid.directory[grid.block_at(entry.at[0], entry.at[1], entry.at[2])];
      const int at[3] = {entry.at[0], entry.at[1], entry.at[2]};
      if (visit_block(grid, number, at, place, visitor)) return true;
      continue;
    }
    const Level& level = grid.levels[static_cast<std::size_t>(entry.level)];
    const double edge = std::ldexp(1.0, 2 * entry.level + 2);  // cells along a child
    const double u[3] = {place.u[0] / edge, place.u[1] / edge, place.u[2] / edge};
    const std::size_t begin = size;
    for (std::uint64_t rest = level.nodes[level.at(entry.at[0], entry.at[1], entry.at[2])]; rest != 0;
         rest &= rest - 1) {
      const int bit = std::countr_zero(rest);
      const int at[3] = {4 * entry.at[0] + bit / 16, 4 * entry.at[1] + bit / 4 % 4, 4 * entry.at[2] + bit % 4};
      constexpr double kLess = 1 - 1e-6;  // than rounding to float takes away
      const double exact =
          (square(gap_to(u[0], at[0])) + square(gap_to(u[1], at[1])) + square(gap_to(u[2], at[2]))) * square(edge);
      const auto squared = to_float(exact * kLess);
      if (squared > square(place.reach)) continue;
      // Insertion keeps the nearest on top.
      std::size_t to = size++;
      for (; to > begin && stack[to - 1].squared < squared; --to) stack[to] = stack[to - 1];
      const auto small = [](int v) { return static_cast<std::int16_t>(v); };
      stack[to] = {squared, small(entry.level - 1), {small(at[0]), small(at[1]), small(at[2])}};
    }
  }
  return false;
}

template <class Visitor>
bool search_grid(const Grid& grid, Visitor& visitor) {
  const Place place = place_of(grid, visitor);
  // Centres far outside are not converted to integers.
  const auto near_frame = [&](int axis) {
    return place.u[axis] > -8 && place.u[axis] < kEdge * grid.blocks[static_cast<std::size_t>(axis)] + 8;
  };
  if (place.reach <= 1.49 * kEdge && !grid.begins.empty() && near_frame(0) && near_frame(1) && near_frame(2)) {
    return search_rows(grid, place, visitor);
  }
  Span spans[3];
  std::int64_t nodes = 1;
  for (int axis = 0; axis < 3; ++axis) {
    spans[axis] = span_of(place.u[axis], place.reach, 1.0 / kEdge, grid.blocks[static_cast<std::size_t>(axis)]);
    if (spans[axis].first > spans[axis].last) return false;
    nodes *= spans[axis].last / 4 - spans[axis].first / 4 + 1;
  }
  constexpr std::int64_t kFew = 12;
  return nodes <= kFew ? search_near(grid, place, spans, visitor) : search_pyramid(grid, visitor);
}

bool search_ball(const Grid& grid, const Ball& ball) {
  Collider collider(ball);
  return search_grid(grid, collider);
}

void search_point(const Grid& grid, const double* center, double reach, Found& found) {
  Finder finder(center, reach);
  search_grid(grid, finder);
  found = finder.best();
}

// A vector of spheres against the bounds: which are free, which collide; the others are open.
struct Lanes {
  std::uint64_t hit, open;
};

HWY_INLINE Lanes look_up_lanes(const Grid& grid, const double* px, const double* py, const double* pz, const double* pr,
                               std::size_t count) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const auto x = hn::LoadU(d, px), y = hn::LoadU(d, py), z = hn::LoadU(d, pz), r = hn::LoadU(d, pr);
  const auto largest = hn::Set(d, kLargestLength), zero = hn::Zero(d);
  auto valid = hn::And(hn::Le(hn::Abs(x), largest), hn::Le(hn::Abs(y), largest));
  valid = hn::And(valid, hn::And(hn::Le(hn::Abs(z), largest), hn::And(hn::Ge(r, zero), hn::Le(r, largest))));

  const auto inverse = hn::Set(d, grid.inverse), pad = hn::Set(d, double{kPad});
  const auto ux = hn::Add(hn::Mul(hn::Sub(x, hn::Set(d, grid.origin[0])), inverse), pad);
  const auto uy = hn::Add(hn::Mul(hn::Sub(y, hn::Set(d, grid.origin[1])), inverse), pad);
  const auto uz = hn::Add(hn::Mul(hn::Sub(z, hn::Set(d, grid.origin[2])), inverse), pad);
  const double nx = grid.blocks[0], ny = grid.blocks[1], nz = grid.blocks[2];
  auto inside = hn::And(hn::And(hn::Ge(ux, zero), hn::Ge(uy, zero)), hn::Ge(uz, zero));
  inside = hn::And(inside, hn::And(hn::Lt(ux, hn::Set(d, kEdge * nx)), hn::Lt(uy, hn::Set(d, kEdge * ny))));
  inside = hn::And(hn::And(inside, hn::Lt(uz, hn::Set(d, kEdge * nz))), valid);
  const auto quarter = hn::Set(d, 0.25), four = hn::Set(d, 4.0);
  const auto cx = hn::Floor(ux), cy = hn::Floor(uy), cz = hn::Floor(uz);
  const auto bx = hn::Floor(hn::Mul(cx, quarter)), by = hn::Floor(hn::Mul(cy, quarter)),
             bz = hn::Floor(hn::Mul(cz, quarter));
  const auto block = hn::Add(hn::Mul(hn::Add(hn::Mul(bx, hn::Set(d, ny)), by), hn::Set(d, nz)), bz);
  const auto lx = hn::Sub(cx, hn::Mul(bx, four)), ly = hn::Sub(cy, hn::Mul(by, four)),
             lz = hn::Sub(cz, hn::Mul(bz, four));
  const auto cell = hn::Add(hn::Mul(hn::Add(hn::Mul(lx, four), ly), four), lz);
  const auto block_index = hn::DemoteTo(di, hn::IfThenElseZero(inside, block));
  const auto cell_index = hn::DemoteTo(di, hn::IfThenElseZero(inside, cell));

  const auto rho = hn::Mul(hn::Add(r, hn::Set(d, grid.point_radius)), inverse);
  const auto more = hn::Add(hn::Mul(rho, hn::Set(d, kMore)), hn::Set(d, kSlack));
  const auto less = hn::Max(hn::Sub(hn::Mul(rho, hn::Set(d, 2 - kMore)), hn::Set(d, kSlack)), zero);
  alignas(64) double free_above[8], hit_below[8];
  hn::Store(hn::Mul(more, more), d, free_above);
  hn::Store(hn::Mul(less, less), d, hit_below);
  alignas(64) std::int32_t blocks[8], cells[8];
  hn::Store(block_index, di, blocks);
  hn::Store(cell_index, di, cells);
  std::uint8_t valid_bits[8] = {}, inside_bits[8] = {};
  hn::StoreMaskBits(d, valid, valid_bits);
  hn::StoreMaskBits(d, inside, inside_bits);
  // One by one from here on: gathers are slower than plain loads on many machines.
  std::uint64_t free = 0, hit = 0;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    const std::uint32_t entry = grid.directory[static_cast<std::size_t>(blocks[i])];
    const Bounds bounds = bounds_of(grid, entry, static_cast<std::size_t>(cells[i]));
    const bool above = bounds.lower > free_above[i], below = bounds.upper <= hit_below[i];
    free |= std::uint64_t{above} << i;
    hit |= std::uint64_t{below} << i;
  }
  const std::uint64_t here = (std::uint64_t{1} << count) - 1, in = inside_bits[0];
  const std::uint64_t hits = ((hit & in) | ~std::uint64_t{valid_bits[0]}) & here;
  return {hits, ~(hits | (free & in)) & here};
}

// Up to 64 spheres.
void search_spheres(const Grid& grid, const double* x, const double* y, const double* z, const double* r,
                    std::size_t count, bool only_any, std::uint64_t& bits) {
  const std::size_t width = hn::Lanes(hn::CappedTag<double, 8>());
  std::uint64_t open = 0;
  bits = 0;
  for (std::size_t i = 0; i < count; i += width) {
    Lanes lanes{};
    if (count - i >= width) {
      lanes = look_up_lanes(grid, x + i, y + i, z + i, r + i, width);
    } else {
      alignas(64) double tail[4][8] = {};
      const std::size_t left = count - i;
      std::copy_n(x + i, left, tail[0]);
      std::copy_n(y + i, left, tail[1]);
      std::copy_n(z + i, left, tail[2]);
      std::copy_n(r + i, left, tail[3]);
      lanes = look_up_lanes(grid, tail[0], tail[1], tail[2], tail[3], left);
    }
    bits |= lanes.hit << i;
    open |= lanes.open << i;
    if (only_any && bits != 0) return;
  }
  for (; open != 0; open &= open - 1) {
    const int i = std::countr_zero(open);
    Collider collider({{x[i], y[i], z[i]}, r[i], grid.point_radius});
    if (!search_grid(grid, collider)) continue;
    bits |= 1ULL << i;
    if (only_any) return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::point_grid {

HWY_EXPORT(search_ball);
HWY_EXPORT(search_point);
HWY_EXPORT(search_spheres);

Verdict look_up(const Grid& grid, const Ball& ball) {
  double u[3];
  for (int axis = 0; axis < 3; ++axis) {
    u[axis] = (ball.center[axis] - grid.origin[axis]) * grid.inverse + kPad;
    if (!(u[axis] >= 0 && u[axis] < kEdge * grid.blocks[static_cast<std::size_t>(axis)])) return Verdict::open;
  }
  const auto cx = static_cast<unsigned>(u[0]), cy = static_cast<unsigned>(u[1]), cz = static_cast<unsigned>(u[2]);
  const std::uint32_t entry =
      grid.directory[(std::size_t{cx / kEdge} * static_cast<unsigned>(grid.blocks[1]) + cy / kEdge) *
                         static_cast<unsigned>(grid.blocks[2]) +
                     cz / kEdge];
  const double rho = (ball.radius + ball.point_radius) * grid.inverse;
  const Bounds bounds = bounds_of(grid, entry, (cx % kEdge * kEdge + cy % kEdge) * kEdge + cz % kEdge);
  // Branches that cannot be foreseen are few: decided or not.
  const bool free = bounds.lower > square(rho * kMore + kSlack);
  const bool hit = bounds.upper <= square(std::max(rho * (2 - kMore) - kSlack, 0.0));
  return static_cast<Verdict>((hit ? 1 : 0) | ((free | hit) ? 0 : 2));
}

bool search(const Grid& grid, const Ball& ball) { return HWY_DYNAMIC_DISPATCH(search_ball)(grid, ball); }

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
