#include "index/grid_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "index/exact_sphere.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/grid_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Part of every target's code, once.
#ifndef GRAZE_INDEX_GRID_SEARCH_ONCE
#define GRAZE_INDEX_GRID_SEARCH_ONCE
namespace graze::point_grid {
namespace {

// Squared distances in float, and what they prove: at most `surely` means within reach, above `hardly` means out of
// reach, in between the doubles decide.
struct Thresholds {
  float surely, hardly;
};

Thresholds thresholds(const double* center, double reach) {
  // The centre is rounded to float (2^-24 of its coordinates), the difference and its square by some more of 2^-24, and
  // squares below the normal range by 2^-149.
  constexpr double kRelative = 1e-6, kUnderflow = 1e-43, kMost = std::numeric_limits<float>::max();
  const double largest = std::max({std::abs(center[0]), std::abs(center[1]), std::abs(center[2])});
  const double shift = 2 * 0x1p-24 * largest + 0x1p-140;
  const double out = (reach + shift) * (reach + shift) * (1 + kRelative) + kUnderflow;
  const double in = std::max(reach - shift, 0.0);
  const double surely = in * in * (1 - kRelative) - kUnderflow;
  const float infinity = std::numeric_limits<float>::infinity();
  return {static_cast<float>(std::clamp(surely, -1.0, kMost)) * (1 - 0x1p-22F),
          out > kMost ? infinity : static_cast<float>(out) * (1 + 0x1p-22F)};
}

float to_float(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

// Bits of the cells (or blocks in a node) from `first` to `last` along each axis, 0 to 3.
struct RangeMasks {
  std::uint64_t of[3][4][4] = {};
};
constexpr RangeMasks make_range_masks() {
  RangeMasks masks;
  for (int bit = 0; bit < 64; ++bit) {
    const int at[3] = {bit / 16, bit / 4 % 4, bit % 4};
    for (int axis = 0; axis < 3; ++axis) {
      for (int first = 0; first < 4; ++first) {
        for (int last = first; last < 4; ++last) {
          if (first <= at[axis] && at[axis] <= last) masks.of[axis][first][last] |= 1ULL << bit;
        }
      }
    }
  }
  return masks;
}
constexpr RangeMasks kRanges = make_range_masks();

inline double square(double v) { return v * v; }

// Distance along an axis from `u` to the interval [begin, begin + 1].
inline double gap_to(double u, int begin) { return std::max({begin - u, u - begin - 1, 0.0}); }

}  // namespace
}  // namespace graze::point_grid
#endif

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
  for (int axis = 0; axis < 3; ++axis) p.u[axis] = (visitor.center()[axis] - grid.origin[axis]) * grid.inverse;
  p.reach = visitor.reach() * grid.inverse * (1 + kSlack) + kSlack;
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

// Any reach: down the pyramid, near-first.
template <class Visitor>
HWY_NOINLINE bool search_pyramid(const Grid& grid, Visitor& visitor) {
  struct Entry {
    double squared;  // distance in cells²
    int level;       // of the node; -1: a block
    int at[3];
  };
  // Every level leaves at most its 64 entries behind; directories of 2^32 blocks have 16 levels.
  constexpr std::size_t kMost = 64 * 17;
  Entry stack[kMost];
  std::size_t size = 0;
  stack[size++] = {0, static_cast<int>(grid.levels.size()) - 1, {0, 0, 0}};
  while (size > 0) {
    const Entry entry = stack[--size];
    const Place place = place_of(grid, visitor);
    if (entry.squared > square(place.reach)) continue;
    if (entry.level < 0) {
      const std::uint32_t number = grid.directory[grid.block_at(entry.at[0], entry.at[1], entry.at[2])];
      if (visit_block(grid, number, entry.at, place, visitor)) return true;
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
      const double squared = (square(gap_to(u[0], at[0])) + square(gap_to(u[1], at[1])) + square(gap_to(u[2], at[2]))) *
                             square(edge) * (1 - kSlack);
      if (squared > square(place.reach)) continue;
      // Insertion keeps the nearest on top.
      std::size_t to = size++;
      for (; to > begin && stack[to - 1].squared < squared; --to) stack[to] = stack[to - 1];
      stack[to] = {squared, entry.level - 1, {at[0], at[1], at[2]}};
    }
  }
  return false;
}

template <class Visitor>
bool search_grid(const Grid& grid, Visitor& visitor) {
  const Place place = place_of(grid, visitor);
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
  const auto here = hn::FirstN(d, count);
  const auto x = hn::LoadU(d, px), y = hn::LoadU(d, py), z = hn::LoadU(d, pz), r = hn::LoadU(d, pr);
  const auto largest = hn::Set(d, kLargestLength), zero = hn::Zero(d);
  auto valid = hn::And(hn::Le(hn::Abs(x), largest), hn::Le(hn::Abs(y), largest));
  valid = hn::And(valid, hn::And(hn::Le(hn::Abs(z), largest), hn::And(hn::Ge(r, zero), hn::Le(r, largest))));

  const auto inverse = hn::Set(d, grid.inverse);
  const auto ux = hn::Mul(hn::Sub(x, hn::Set(d, grid.origin[0])), inverse);
  const auto uy = hn::Mul(hn::Sub(y, hn::Set(d, grid.origin[1])), inverse);
  const auto uz = hn::Mul(hn::Sub(z, hn::Set(d, grid.origin[2])), inverse);
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

  const auto entry = hn::GatherIndex(di, reinterpret_cast<const std::int32_t*>(grid.directory.data()), block_index);
  const auto is_far = hn::Lt(entry, hn::Zero(di));
  // Two bounds of 16 bits per word.
  const auto word = hn::Add(hn::ShiftLeft<5>(hn::IfThenZeroElse(is_far, entry)), hn::ShiftRight<1>(cell_index));
  const auto pair = hn::GatherIndex(di, reinterpret_cast<const std::int32_t*>(grid.bounds.data()), word);
  const auto odd = hn::Ne(hn::And(cell_index, hn::Set(di, 1)), hn::Zero(di));
  const auto both = hn::IfThenElse(is_far, entry, hn::IfThenElse(odd, hn::ShiftRight<16>(pair), pair));
  const auto byte = hn::Set(di, 0xFF);
  const auto low_int = hn::And(both, byte), high_int = hn::And(hn::ShiftRight<8>(both), byte);
  const auto scale = hn::PromoteTo(d, hn::IfThenElse(is_far, hn::Set(di, kEdge * kEdge), hn::Set(di, 1)));
  const auto unknown = hn::PromoteTo(d, hn::IfThenElse(hn::Eq(high_int, byte), hn::Set(di, 1), hn::Zero(di)));
  const auto low = hn::Mul(hn::PromoteTo(d, low_int), scale), high = hn::Mul(hn::PromoteTo(d, high_int), scale);

  const auto rho = hn::Mul(hn::Add(r, hn::Set(d, grid.point_radius)), inverse);
  const auto more = hn::Add(hn::Mul(rho, hn::Set(d, 1 + kSlack)), hn::Set(d, kSlack));
  const auto less = hn::Max(hn::Sub(hn::Mul(rho, hn::Set(d, 1 - kSlack)), hn::Set(d, kSlack)), zero);
  const auto free = hn::And(hn::Gt(low, hn::Mul(more, more)), inside);
  const auto hit = hn::And(hn::And(hn::Le(high, hn::Mul(less, less)), hn::Eq(unknown, zero)), inside);
  const auto hits = hn::And(hn::Or(hit, hn::Not(valid)), here);
  const auto open = hn::And(hn::Not(hn::Or(hits, free)), here);
  alignas(64) std::uint8_t hit_bits[8] = {}, open_bits[8] = {};
  hn::StoreMaskBits(d, hits, hit_bits);
  hn::StoreMaskBits(d, open, open_bits);
  return {hit_bits[0], open_bits[0]};
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
    u[axis] = (ball.center[axis] - grid.origin[axis]) * grid.inverse;
    if (!(u[axis] >= 0 && u[axis] < kEdge * grid.blocks[static_cast<std::size_t>(axis)])) return Verdict::open;
  }
  const auto cx = static_cast<unsigned>(u[0]), cy = static_cast<unsigned>(u[1]), cz = static_cast<unsigned>(u[2]);
  const std::uint32_t entry =
      grid.directory[(std::size_t{cx / kEdge} * static_cast<unsigned>(grid.blocks[1]) + cy / kEdge) *
                         static_cast<unsigned>(grid.blocks[2]) +
                     cz / kEdge];
  double rho = (ball.radius + ball.point_radius) * grid.inverse;
  unsigned both = entry;
  if ((entry & kFar) != 0) {
    rho /= kEdge;
  } else {
    both = grid.bounds[entry].of[(cx % kEdge * kEdge + cy % kEdge) * kEdge + cz % kEdge];
  }
  const unsigned low = both & 0xFFU, high = both >> 8U & 0xFFU;
  if (low > square(rho * (1 + kSlack) + kSlack)) return Verdict::free;
  if (high != kUnknown && high <= square(std::max(rho * (1 - kSlack) - kSlack, 0.0))) return Verdict::hit;
  return Verdict::open;
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
      if (!valid(spheres.x[k], spheres.y[k], spheres.z[k], spheres.radius[k])) bits |= 1ULL << i;
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
