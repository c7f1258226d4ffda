#include "index/grid_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "index/grid_tables.h"
#include "index/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/grid_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "index/grid_visitors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

// Which boxes of a small lattice a ball reaches, rounding included: `u` is its centre and `reach` its radius in edges
// of the boxes, the first of which begin at 0 on each axis. Four boxes per axis, numbered as `places` says.
template <int kBoxes>
HWY_INLINE std::uint64_t boxes_within(const double* u, double reach, const ShareOf& places) {
#if HWY_TARGET == HWY_SCALAR
  std::uint64_t boxes = 0;
  for (std::size_t box = 0; box < kBoxes; ++box) {
    double squared = 0;
    for (int axis = 0; axis < 3; ++axis) squared += square(gap_to(u[axis], places.of[axis][box] - 4 * axis));
    if (squared <= square(reach)) boxes |= 1ULL << box;
  }
  return boxes;
#else
  // Squared gaps along each axis as shares of the squared reach, rounded down to 252nds: if they add up to more, the
  // sum of the gaps is out of reach. Floats are as good as kSlack here.
  constexpr std::uint8_t kWhole = 252;
  const hn::FixedTag<float, 4> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const hn::Repartition<std::uint32_t, decltype(d8)> d32;
  const auto scale = hn::Set(d, kWhole / static_cast<float>(square(reach)) * (1 - 1e-5F));
  const auto begin = hn::Iota(d, 0.0F), end = hn::Iota(d, 1.0F);
  const auto shares = [&](double center) HWY_ATTR -> std::uint64_t {
    const auto at = hn::Set(d, static_cast<float>(center));
    const auto gap = hn::Max(hn::Max(hn::Sub(begin, at), hn::Sub(at, end)), hn::Zero(d));
    const auto share = hn::Min(hn::Mul(hn::Mul(gap, gap), scale), hn::Set(d, 255.0F));
    return hn::GetLane(hn::BitCast(d32, hn::DemoteTo(d8, hn::ConvertTo(di, share))));
  };
  const hn::CappedTag<std::uint8_t, kBoxes <= 32 ? 32 : 64> all;
  const hn::Repartition<std::uint64_t, decltype(all)> pairs;
  const auto xy = hn::Set(pairs, shares(u[0]) | shares(u[1]) << 32U), zz = hn::Set(pairs, shares(u[2]));
  const auto shares_of = hn::BitCast(all, hn::InterleaveLower(xy, zz));
  std::uint64_t boxes = 0;
  for (std::size_t i = 0; i < kBoxes; i += hn::Lanes(all)) {
    const auto along = [&](int axis)
                           HWY_ATTR { return hn::TableLookupBytes(shares_of, hn::Load(all, places.of[axis] + i)); };
    const auto sum = hn::SaturatedAdd(hn::SaturatedAdd(along(0), along(1)), along(2));
    const auto within = hn::Eq(hn::Min(sum, hn::Set(all, kWhole)), sum);
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(all, within, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    boxes |= bits << i;
  }
  return boxes;
#endif
}

template <class Visitor>
HWY_INLINE bool visit_block(const Grid& grid, std::uint32_t number, const int* at, const Place& place,
                            Visitor& visitor) {
  const Block& block = grid.near[number];
  if (block.starts == kNone) return visitor.scan(grid, block.begin, block.end);
  if (block.child != kNone) return search_grid(grid.children[block.child], visitor);
  const std::uint32_t* starts = grid.starts.data() + block.starts;
  const double u[3] = {place.u[0] - kEdge * at[0], place.u[1] - kEdge * at[1], place.u[2] - kEdge * at[2]};
  std::uint64_t cells = block.occupied & boxes_within<64>(u, place.reach, kCellShares);
  while (cells != 0) {
    // All cells up to the next occupied one that is out of reach.
    const int first = std::countr_zero(cells);
    const std::uint64_t before = (1ULL << first) - 1;
    const std::uint64_t others = block.occupied & ~cells & ~before;
    const std::uint64_t up_to = others == 0 ? ~0ULL : (others & (~others + 1)) - 1;
    if (visitor.scan(grid, starts[std::popcount(block.occupied & before)],
                     starts[std::popcount(block.occupied & up_to)])) {
      return true;
    }
    cells &= ~up_to;
  }
  return false;
}

// Small reaches: the rows of blocks along z that are within reach, as bits.
template <class Visitor>
HWY_INLINE bool search_rows(const Grid& grid, const Place& place, const Span* spans, Visitor& visitor) {
  const double limit = square(place.reach / kEdge);
  const double u[3] = {place.u[0] / kEdge, place.u[1] / kEdge, place.u[2] / kEdge};
  const auto bz = static_cast<unsigned>(spans[2].first), count = static_cast<unsigned>(spans[2].last) - bz + 1;
  const std::uint64_t wanted = (1ULL << count) - 1;
  int at[3];
  for (at[0] = spans[0].first; at[0] <= spans[0].last; ++at[0]) {
    const double x = square(gap_to(u[0], at[0]));
    for (at[1] = spans[1].first; at[1] <= spans[1].last; ++at[1]) {
      const double xy = x + square(gap_to(u[1], at[1]));
      if (xy > limit) continue;
      std::uint64_t bits = 0;
      std::memcpy(&bits, grid.row_bits.data() + grid.row_at(at[0], at[1]) + bz / 8, sizeof bits);
      for (bits = bits >> bz % 8 & wanted; bits != 0; bits &= bits - 1) {
        at[2] = static_cast<int>(bz) + std::countr_zero(bits);
        if (xy + square(gap_to(u[2], at[2])) > limit) continue;
        if (visit_block(grid, grid.directory[grid.block_at(at[0], at[1], at[2])], at, place, visitor)) return true;
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
  Span spans[3];
  for (int axis = 0; axis < 3; ++axis) {
    spans[axis] = span_of(place.u[axis], place.reach, 1.0 / kEdge, grid.blocks[static_cast<std::size_t>(axis)]);
    if (spans[axis].first > spans[axis].last) return false;
  }
  const auto along = [&](int axis) { return std::int64_t{spans[axis].last} - spans[axis].first + 1; };
  constexpr std::int64_t kFewRows = 64, kFewBlocks = 32;
  const bool few = along(0) * along(1) <= kFewRows && along(2) <= kFewBlocks;
  return few ? search_rows(grid, place, spans, visitor) : search_pyramid(grid, visitor);
}

// Looks at the points of a nearest occupied octant, which most open spheres touch. Returns whether to stop.
template <class Visitor>
HWY_INLINE bool visit_witness(const Grid& grid, const Cell& cell, Visitor& visitor) {
  const std::uint32_t octant = (cell.x & 2U) << 1U | (cell.y & 2U) | (cell.z & 2U) >> 1U;
  const std::uint32_t code = grid.near[cell.number].witness[octant];
  if (code == kNoWitness) return false;
  const std::uint32_t x = cell.x / 2 + (code >> 6U) - 2, y = cell.y / 2 + (code >> 3U & 7U) - 2,
                      z = cell.z / 2 + (code & 7U) - 2;
  const auto ny = static_cast<std::uint32_t>(grid.blocks[1]), nz = static_cast<std::uint32_t>(grid.blocks[2]);
  const Block& block = grid.near[number_of(grid, (x / 2 * ny + y / 2) * nz + z / 2)];
  if (block.starts == kNone) return visitor.scan(grid, block.begin, block.end);
  if (block.child != kNone) return false;
  const std::uint32_t first = 8 * ((x & 1U) << 2U | (y & 1U) << 1U | (z & 1U));
  const std::uint32_t* starts =
      grid.starts.data() + block.starts + std::popcount(block.occupied & ((1ULL << first) - 1));
  return visitor.scan(grid, starts[0], starts[std::popcount(block.occupied >> first & 0xFFU)]);
}

// Reaches of up to one block from a near block: those of the 27 blocks around it that have points and are within reach.
template <class Visitor>
HWY_INLINE bool search_around(const Grid& grid, const Cell& cell, const Place& place, Visitor& visitor) {
  const int own[3] = {static_cast<int>(cell.x / kEdge), static_cast<int>(cell.y / kEdge),
                      static_cast<int>(cell.z / kEdge)};
  double u[3];
  for (int axis = 0; axis < 3; ++axis) u[axis] = place.u[axis] / kEdge - own[axis] + 1;
  std::uint64_t blocks = grid.near[cell.number].around & boxes_within<27>(u, place.reach / kEdge, kAroundShares);
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
    if (visit_block(grid, number, at, place, visitor)) return true;
  }
  return false;
}

template <class Visitor>
HWY_NOINLINE bool search_rest(const Grid& grid, const Cell& cell, Visitor& visitor) {
  const Place place = place_of(grid, visitor);
  return place.reach <= kEdge ? search_around(grid, cell, place, visitor) : search_grid(grid, visitor);
}

bool search_ball(const Grid& grid, const Ball& ball) {
  Collider collider(ball);
  return search_grid(grid, collider);
}

bool search_open_ball(const Grid& grid, const Ball& ball, const Cell& cell) {
  Collider collider(ball);
  if (visit_witness(grid, cell, collider)) return true;
  const std::uint32_t entry = grid.directory[cell.block];
  if ((entry & kFar) == 0) return search_rest(grid, cell, collider);
  const Verdict verdict = look_up_far(grid, ball, entry);
  return verdict == Verdict::open ? search_grid(grid, collider) : verdict == Verdict::hit;
}

// Of any ball at all.
bool collides(const Grid& grid, const Ball& ball) {
  if (!valid_sphere(ball.center[0], ball.center[1], ball.center[2], ball.radius)) return true;
  Cell cell;
  if (!find_cell(grid, ball.center, cell)) return search_ball(grid, ball);
  const Verdict verdict = look_up(grid, ball, cell);
  return verdict == Verdict::open ? search_open_ball(grid, ball, cell) : verdict == Verdict::hit;
}

void search_point(const Grid& grid, const double* center, double reach, Found& found) {
  Finder finder(center, reach);
  Cell cell;
  if (find_cell(grid, center, cell)) visit_witness(grid, cell, finder);
  search_grid(grid, finder);
  found = finder.best();
}

// A vector of spheres against the bounds: which collide for sure; which are free or collide, but it is open.
struct Lanes {
  std::uint64_t hit, open;
};

// The upper bounds that numbers stand for.
template <class D, class V>
HWY_INLINE V upper_of(D di, V number) {
  if constexpr (hn::MaxLanes(D()) >= 4) {
    // Bytes of the table go to the low byte of every number; the other three have their highest bit set and get zero.
    const hn::Repartition<std::uint8_t, D> d8;
    const auto index = hn::BitCast(d8, hn::Or(number, hn::Set(di, static_cast<std::int32_t>(0x80808000U))));
    return hn::BitCast(di, hn::TableLookupBytesOr0(hn::LoadDup128(d8, kUppers), index));
  } else {
    alignas(16) std::int32_t lanes[4];
    hn::Store(number, di, lanes);
    for (std::size_t i = 0; i < hn::Lanes(di); ++i) lanes[i] = kUppers[lanes[i]];
    return hn::Load(di, lanes);
  }
}

template <class D, class Mask>
HWY_INLINE std::uint64_t mask_bits(D d, Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0];
}

HWY_INLINE Lanes look_up_lanes(const Grid& grid, const double* px, const double* py, const double* pz, const double* pr,
                               std::size_t count) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  // From the origin on floats will do: kSlack has room for what they round.
  const auto inverse = hn::Set(df, 0.5F * grid.twice_inverse), zero = hn::Zero(df);
  const auto along = [&](const double* p, std::size_t axis) HWY_ATTR {
    const auto from_origin = hn::DemoteTo(df, hn::Sub(hn::LoadU(d, p), hn::Set(d, grid.origin[axis])));
    return hn::Add(hn::Mul(from_origin, inverse), hn::Set(df, kPad));
  };
  const auto ux = along(px, 0), uy = along(py, 1), uz = along(pz, 2);
  const auto rho = hn::Mul(hn::DemoteTo(df, hn::Add(hn::LoadU(d, pr), hn::Set(d, grid.point_radius))), inverse);
  const auto cx = hn::ConvertTo(di, ux), cy = hn::ConvertTo(di, uy), cz = hn::ConvertTo(di, uz);
  // Spheres outside of the frame stay open, and so do those with a NaN or a negative radius, which are no spheres.
  const auto ny = hn::Set(di, grid.blocks[1]), nz = hn::Set(di, grid.blocks[2]);
  const auto end = [&](std::size_t axis)
                       HWY_ATTR { return hn::Set(df, static_cast<float>(kEdge * grid.blocks[axis])); };
  auto inside = hn::And(hn::And(hn::Ge(ux, zero), hn::Lt(ux, end(0))), hn::And(hn::Ge(uy, zero), hn::Lt(uy, end(1))));
  inside = hn::And(inside, hn::And(hn::Ge(uz, zero), hn::Lt(uz, end(2))));
  inside = hn::And(inside, hn::Ge(rho, zero));

  const auto three = hn::Set(di, 3);
  const auto block =
      hn::Add(hn::Mul(hn::Add(hn::Mul(hn::ShiftRight<2>(cx), ny), hn::ShiftRight<2>(cy)), nz), hn::ShiftRight<2>(cz));
  const auto cell =
      hn::Or(hn::ShiftLeft<4>(hn::And(cx, three)), hn::Or(hn::ShiftLeft<2>(hn::And(cy, three)), hn::And(cz, three)));
  // Far blocks share the first line of bounds if they have none of their own.
  const auto inside_block = hn::IfThenElseZero(hn::RebindMask(di, inside), block);
  const auto* directory = reinterpret_cast<const std::int32_t*>(grid.directory.data());
  const auto number = grid.dense ? hn::Add(inside_block, hn::Set(di, 1))
                                 : hn::Max(hn::GatherIndex(di, directory, inside_block), hn::Zero(di));
  // A byte each, of which the gather reads four.
  const auto packed = hn::GatherOffset(di, reinterpret_cast<const std::int32_t*>(grid.bounds.data()),
                                       hn::Add(hn::ShiftLeft<6>(number), cell));
  const auto fifteen = hn::Set(di, 0xF);
  const auto lower = hn::ConvertTo(df, hn::And(packed, fifteen));
  const auto upper = hn::ConvertTo(df, upper_of(di, hn::And(hn::ShiftRight<4>(packed), fifteen)));
  const auto more = hn::Add(hn::Mul(rho, hn::Set(df, 1 + 1e-6F)), hn::Set(df, float{kSlack}));
  const auto less = hn::Max(hn::Sub(hn::Mul(rho, hn::Set(df, 1 - 1e-6F)), hn::Set(df, float{kSlack})), zero);
  const auto free = hn::And(inside, hn::Gt(lower, hn::Mul(more, more)));
  // Nothing known is known as kUnknown, which no radius that is looked at here may reach.
  const auto hit = hn::And(inside, hn::Le(upper, hn::Min(hn::Mul(less, less), hn::Set(df, float{kUnknown} - 1))));
  const std::uint64_t hits = mask_bits(df, hit);
  return {hits, ~(hits | mask_bits(df, free)) & ((std::uint64_t{1} << count) - 1)};
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
HWY_EXPORT(search_open_ball);
HWY_EXPORT(search_point);
HWY_EXPORT(search_spheres);

bool search(const Grid& grid, const Ball& ball) {
  if (grid.empty()) return !valid_sphere(ball.center[0], ball.center[1], ball.center[2], ball.radius);
  return HWY_DYNAMIC_DISPATCH(collides)(grid, ball);
}
bool search_open(const Grid& grid, const Ball& ball, const Cell& cell) {
  return HWY_DYNAMIC_DISPATCH(search_open_ball)(grid, ball, cell);
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
