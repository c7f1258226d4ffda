// Rays through the grid of a frame, several at a time in SIMD lanes.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/bit_places.h"
#include "map/frame_grid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/ray_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "map/cell_size-inl.h"

#ifndef GRAZE_RAY_LANES_ONCE
#define GRAZE_RAY_LANES_ONCE
namespace graze::map {

/// A batch of rays ready to start: one row per number, x, y and z in turn. The last one of each row is a ray that never
/// moves, for lanes that have no other.
struct ReadyRays {
  static constexpr std::size_t kStill = RayBatch::kSize, kRoom = kStill + 8;
  static constexpr double kNever = 1e15;

  alignas(64) double next[3][kRoom];  ///< how far along the ray its next face across each axis is
  alignas(64) double step[3][kRoom];  ///< from one face to the next
  alignas(64) double steps[kRoom];    ///< to the cell where it ends; 0: it starts there
  alignas(64) std::uint64_t start[kRoom];
  alignas(64) std::uint64_t add[3][kRoom];  ///< to the bits of an axis, to get to the next cell
  std::array<std::uint16_t, RayBatch::kSize> order;
  std::size_t count = 0, taken = 0;  ///< of the order

  /// Neighbours pass the same cells at the same time, and a word that was just written is slow to read again: those
  /// in flight together are from all over the batch.
  void arrange(std::size_t rays) {
    constexpr std::size_t kStrips = 16, kStrip = RayBatch::kSize / kStrips;
    static_assert(kStrips * kStrip == RayBatch::kSize);
    for (std::size_t i = 0; i < kStrip; ++i) {
      for (std::size_t ray = i; ray < rays; ray += kStrip) {
        if (steps[ray] > 0) order[count++] = static_cast<std::uint16_t>(ray);
      }
    }
    for (std::size_t a = 0; a < 3; ++a) {
      next[a][kStill] = a == 0 ? 0 : 1;
      step[a][kStill] = 0;
      add[a][kStill] = 0;
    }
    steps[kStill] = kNever;
    start[kStill] = 0;
  }
  std::size_t take() { return taken < count ? order[taken++] : kStill; }
};

}  // namespace graze::map
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::map {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Real = hn::CappedTag<double, 8>;
using Number = hn::RebindToUnsigned<Real>;
using Reals = hn::Vec<Real>;
using Numbers = hn::Vec<Number>;
constexpr std::size_t kLanes = 8;

/// The number of the cells at whole coordinates that count from the first cell of the grid; see FrameGrid.
GRAZE_LANE_FUNCTION Numbers numbers_of(const Reals (&cell)[3], const std::array<unsigned, 3>& shift) {
  const Real d;
  const Number n;
  // The lowest bits of a double of this size are a whole number.
  constexpr double kWhole = 4503599627370496.0;
  auto number = hn::Zero(n);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto k = hn::And(hn::BitCast(n, hn::Add(cell[a], hn::Set(d, kWhole))), hn::Set(n, (1ULL << 52U) - 1));
    number = hn::Or(number, bits_of(k, a, shift[a]));
  }
  return number;
}

/// Takes `next` across all faces before a distance along the ray, or also those at it, as if marched there; how many
/// these are. Sums are exact, see ray_rounder().
template <bool kAlsoAt>
GRAZE_LANE_FUNCTION Reals cross_faces(Reals distance, Reals step, Reals& next) {
  const Real d;
  const auto about = hn::Sub(hn::Floor(hn::Div(hn::Sub(distance, next), step)), hn::Set(d, 1.0));
  const auto any = hn::Gt(about, hn::Zero(d));
  auto faces = hn::IfThenElseZero(any, about);
  next = hn::IfThenElse(any, hn::Add(next, hn::Mul(faces, step)), next);
  for (int i = 0; i < 3; ++i) {  // the quotient is rounded
    const auto more = kAlsoAt ? hn::Le(next, distance) : hn::Lt(next, distance);
    next = hn::IfThenElse(more, hn::Add(next, step), next);
    faces = hn::Add(faces, hn::IfThenElseZero(more, hn::Set(d, 1.0)));
  }
  return faces;
}

/// Whether rays come to their last cell: all faces on the path there are crossed before any beyond it, z before y
/// before x where several are equally near. `cells`: how many faces on each axis.
GRAZE_LANE_FUNCTION hn::Mask<Real> reach_end(const Reals (&next)[3], const Reals (&step)[3], const Reals (&cells)[3]) {
  const Real d;
  const auto zero = hn::Zero(d);
  Reals last[3], beyond[3];
  auto reach = hn::Eq(zero, zero);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto to_last = hn::Mul(hn::Sub(cells[a], hn::Set(d, 1.0)), step[a]);
    last[a] = hn::IfThenElse(hn::Gt(cells[a], zero), hn::Add(next[a], to_last), hn::Set(d, -1.0));
    beyond[a] = hn::Add(next[a], hn::Mul(cells[a], step[a]));
    reach = hn::And(reach, hn::Ge(cells[a], zero));
  }
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      reach = hn::And(reach, hn::And(hn::Le(last[a], beyond[b]), hn::Lt(last[b], beyond[a])));
    }
  }
  return reach;
}

/// The same arithmetic as in march(), so that both find the same cells.
void prepare(const RayBatch& batch, const RayPlan& plan, const FrameGrid& grid, ReadyRays& ready) {
  const Real d;
  const Number n;
  const CellSize<Real> size(d, plan.resolution);
  const auto first = hn::Set(n, grid.number(plan.from));
  const std::array<std::int32_t, 3> from{plan.from.x, plan.from.y, plan.from.z};
  const auto none = hn::Set(d, std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < batch.count; i += hn::Lanes(d)) {
    const std::uint8_t bits[8] = {static_cast<std::uint8_t>(batch.cut[i >> 3U] >> (i & 7U))};
    const auto cut = hn::LoadMaskBits(d, bits);
    Reals end[3], along[3], cell[3];
    const auto measure = [&] {
      auto sq = hn::Zero(d);
      for (std::size_t a = 0; a < 3; ++a) {
        along[a] = hn::Sub(end[a], hn::Set(d, plan.origin[static_cast<Eigen::Index>(a)]));
        sq = hn::Add(sq, hn::Mul(along[a], along[a]));
      }
      return hn::Sqrt(sq);
    };
    for (std::size_t a = 0; a < 3; ++a) end[a] = hn::Load(d, batch.target[a].data() + i);
    auto length = measure();
    auto start = hn::Mul(hn::Load(d, batch.crossed.data() + i), length);
    if (!hn::AllFalse(d, cut)) {
      for (std::size_t a = 0; a < 3; ++a) {
        const auto at_range = hn::Mul(hn::Div(along[a], length), hn::Set(d, plan.max_range));
        end[a] = hn::IfThenElse(cut, hn::Add(hn::Set(d, plan.origin[static_cast<Eigen::Index>(a)]), at_range), end[a]);
      }
      length = measure();
    }
    const auto exponent = hn::And(hn::BitCast(n, length), hn::Set(n, std::uint64_t{0x7FF} << 52U));
    const auto rounder = hn::Mul(hn::BitCast(d, exponent), hn::Set(d, 2.0));
    const auto rounded = [&](Reals x) { return hn::Sub(hn::Add(x, rounder), rounder); };
    // Not in the last cell, nor in one beside it.
    start = hn::Min(start, hn::Sub(length, hn::Set(d, 3 * plan.resolution)));
    const bool all_from_origin = hn::AllFalse(d, hn::Gt(start, hn::Zero(d)));
    Reals start_cell[3], next[3], step[3], faces[3], cells[3];
    auto as_counted = hn::Eq(start, start);
    for (std::size_t a = 0; a < 3; ++a) {
      cell[a] = hn::Sub(size.cell_of(end[a]), hn::Set(d, static_cast<double>(grid.first_cell(a))));
      const auto direction = hn::Div(along[a], length);
      const auto up = hn::Gt(direction, hn::Zero(d)), still = hn::Eq(direction, hn::Zero(d));
      const auto face = hn::Add(hn::Set(d, double(from[a])), hn::IfThenElseZero(up, hn::Set(d, 1.0)));
      const auto to_face =
          hn::Sub(hn::Mul(face, size.resolution), hn::Set(d, plan.origin[static_cast<Eigen::Index>(a)]));
      next[a] = hn::IfThenElse(still, none, rounded(hn::Div(to_face, direction)));
      step[a] = hn::IfThenElse(still, none, rounded(hn::Div(size.resolution, hn::Abs(direction))));
      start_cell[a] = hn::Set(d, double(from[a]) - static_cast<double>(grid.first_cell(a)));
      if (!all_from_origin) {
        const auto crossed = cross_faces<false>(start, step[a], next[a]);
        start_cell[a] = hn::Add(start_cell[a], hn::IfThenElse(up, crossed, hn::Neg(crossed)));
      }
      hn::Store(next[a], d, ready.next[a] + i);
      hn::Store(step[a], d, ready.step[a] + i);
      auto at_end = next[a];
      faces[a] = cross_faces<true>(length, step[a], at_end);
      cells[a] = hn::Sub(cell[a], start_cell[a]);
      cells[a] = hn::IfThenElse(up, cells[a], hn::Neg(cells[a]));
      as_counted = hn::And(as_counted, hn::Eq(faces[a], cells[a]));
      hn::Store(hn::IfThenElse(hn::RebindMask(n, up), hn::Set(n, 0 - grid.masks[a]), hn::Set(n, ~std::uint64_t{0})), n,
                ready.add[a] + i);
    }
    hn::Store(numbers_of(start_cell, grid.shift()), n, ready.start + i);
    // A ray ends in its last cell, or before the first face beyond its length, which rounding may tell apart.
    const auto one = hn::Set(d, 1.0);
    auto steps = hn::Max(hn::Add(hn::Add(faces[0], faces[1]), faces[2]), one);
    if (!hn::AllTrue(d, as_counted)) {
      const auto to_end = hn::Add(hn::Add(cells[0], cells[1]), cells[2]);
      steps = hn::IfThenElse(reach_end(next, step, cells), hn::Min(steps, to_end), steps);
    }
    const auto ends_there = hn::RebindMask(d, hn::Eq(numbers_of(cell, grid.shift()), first));
    hn::Store(hn::IfThenZeroElse(ends_there, steps), d, ready.steps + i);
  }
}

/// Marks on their way to the grid: the bits of one word of 4 × 4 × 4 cells each, which a ray gathers while it is there.
struct WordMarks {
  static constexpr std::size_t kSize = 512, kRoom = kSize + 2 * kLanes;
  alignas(64) std::uint64_t word[kRoom + kLanes];
  alignas(64) std::uint64_t bits[kRoom + kLanes];

  /// Adds those of some lanes; how many these are.
  GRAZE_LANE_FUNCTION std::size_t put(std::size_t count, Numbers words, Numbers marks, hn::Mask<Number> which) {
    const Number n;
    // Compressing to memory takes some processors as long as all else.
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(n, which, bytes);
    const hn::Rebind<std::uint32_t, Number> half;
    const auto places = hn::PromoteTo(n, hn::LoadU(half, kBitPlaces.of[bytes[0]].data()));
    const auto order = hn::IndicesFromVec(n, places);
    hn::StoreU(hn::TableLookupLanes(words, order), n, word + count);
    hn::StoreU(hn::TableLookupLanes(marks, order), n, bits + count);
    return hn::CountTrue(n, which);
  }
  void drain(std::size_t count, std::uint64_t* HWY_RESTRICT misses, std::uint64_t* HWY_RESTRICT touched) const {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t at = word[i], old = misses[at];
      misses[at] = old | bits[i];
      if (old == 0) touched[at >> 9U] |= std::uint64_t{1} << (at >> 3U & 63U);
    }
  }
};

/// As many rays as there are lanes, on their way.
struct Bundle {
  Reals next_x, next_y, next_z, nearer_yz, step_x, step_y, step_z;
  Reals until;  // the step of all bundles in which a ray ends
  Numbers cell, add_x, add_y, add_z;
  Numbers marks;  // in the word of the cell

  /// Starts other rays in some lanes, or those that never move.
  GRAZE_LANE_FUNCTION void start(unsigned lanes, double now, ReadyRays& rays) {
    const Real d;
    const Number n;
    for (; lanes != 0; lanes &= lanes - 1) {
      const std::uint8_t bits[8] = {static_cast<std::uint8_t>(lanes & (0U - lanes))};
      const auto lane = hn::LoadMaskBits(d, bits);
      const auto whole = hn::RebindMask(n, lane);
      const std::size_t ray = rays.take();
      const auto real = [&](Reals& own, double x) { own = hn::IfThenElse(lane, hn::Set(d, x), own); };
      const auto number = [&](Numbers& own, std::uint64_t x) { own = hn::IfThenElse(whole, hn::Set(n, x), own); };
      real(next_x, rays.next[0][ray]), real(next_y, rays.next[1][ray]), real(next_z, rays.next[2][ray]);
      real(step_x, rays.step[0][ray]), real(step_y, rays.step[1][ray]), real(step_z, rays.step[2][ray]);
      real(until, now + rays.steps[ray]);
      number(cell, rays.start[ray]);
      number(add_x, rays.add[0][ray]), number(add_y, rays.add[1][ray]), number(add_z, rays.add[2][ray]);
      number(marks, std::uint64_t{1} << (rays.start[ray] & 63U));
    }
    nearer_yz = hn::Min(next_y, next_z);
  }

  /// The lanes whose rays end in a step.
  GRAZE_LANE_FUNCTION hn::Mask<Number> ending(double now) const {
    return hn::RebindMask(Number(), hn::Eq(until, hn::Set(Real(), now)));
  }

  /// Goes on by one cell; with kEnds, `ends` are the rays that end there.
  template <bool kEnds>
  GRAZE_LANE_FUNCTION void advance(const FrameGrid& grid, WordMarks& out, std::size_t& count, hn::Mask<Number> ends) {
    const Number n;
    const auto by_x = hn::Lt(next_x, nearer_yz);
    const auto by_y = hn::AndNot(by_x, hn::Lt(next_y, next_z));
    const auto by_xy = hn::Or(by_x, by_y);
    next_z = hn::IfThenElse(by_xy, next_z, hn::Add(next_z, step_z));
    next_y = hn::IfThenElse(by_y, hn::Add(next_y, step_y), next_y);
    next_x = hn::IfThenElse(by_x, hn::Add(next_x, step_x), next_x);
    nearer_yz = hn::Min(next_y, next_z);
    const auto nx = hn::RebindMask(n, by_x), ny = hn::RebindMask(n, by_y);
    const auto mask = hn::IfThenElse(nx, hn::Set(n, grid.masks[0]),
                                     hn::IfThenElse(ny, hn::Set(n, grid.masks[1]), hn::Set(n, grid.masks[2])));
    const auto add = hn::IfThenElse(nx, add_x, hn::IfThenElse(ny, add_y, add_z));
    const auto moved = hn::Or(hn::AndNot(mask, cell), hn::And(mask, hn::Add(hn::And(cell, mask), add)));
    const auto word = hn::ShiftRight<6>(cell);
    auto leaves = hn::Ne(hn::ShiftRight<6>(moved), word);
    if (kEnds) leaves = hn::Or(leaves, ends);
    count += out.put(count, word, marks, leaves);
    const auto bit = hn::Shl(hn::Set(n, 1), hn::And(moved, hn::Set(n, 63)));
    marks = hn::Or(hn::IfThenZeroElse(leaves, marks), bit);
    cell = moved;
  }
};

void march_lanes(FrameGrid& grid, const RayBatch& batch, const RayPlan& plan) {
  const Real d;
  const Number n;
  ReadyRays ready;
  prepare(batch, plan, grid, ready);
  ready.arrange(batch.count);
  std::uint64_t *const misses = grid.misses(), *const touched = grid.touched();
  WordMarks marks;
  Bundle a;
  a.next_x = a.next_y = a.next_z = a.step_x = a.step_y = a.step_z = a.until = hn::Zero(d);
  a.cell = a.add_x = a.add_y = a.add_z = a.marks = hn::Zero(n);
  Bundle b = a;
  const auto all = hn::Eq(a.cell, a.cell);
  const auto bits_of_mask = [&](hn::Mask<Number> lanes) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(n, lanes, bits);
    return unsigned{bits[0]};
  };
  a.start(bits_of_mask(all), 0, ready);
  b.start(bits_of_mask(all), 0, ready);
  // Two at a time, so that one goes on while the other waits for its numbers.
  std::size_t count = 0;
  const auto make_room = [&] {
    if (count <= WordMarks::kSize) return;
    marks.drain(count, misses, touched);
    count = 0;
  };
  std::uint64_t now = 0;
  for (std::size_t left = ready.count; left > 0;) {
    const auto first_end = static_cast<std::uint64_t>(hn::GetLane(hn::MinOfLanes(d, hn::Min(a.until, b.until))));
    for (++now; now < first_end; ++now) {
      a.advance<false>(grid, marks, count, all);
      b.advance<false>(grid, marks, count, all);
      make_room();
    }
    const auto time = static_cast<double>(now);
    const auto ending_a = a.ending(time), ending_b = b.ending(time);
    a.advance<true>(grid, marks, count, ending_a);
    b.advance<true>(grid, marks, count, ending_b);
    make_room();
    const unsigned ended_a = bits_of_mask(ending_a), ended_b = bits_of_mask(ending_b);
    left -= static_cast<std::size_t>(std::popcount(ended_a) + std::popcount(ended_b));
    if (ended_a != 0) a.start(ended_a, time, ready);
    if (ended_b != 0) b.start(ended_b, time, ready);
  }
  marks.drain(count, misses, touched);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::map {

HWY_EXPORT(march_lanes);

void FrameGrid::march(const RayBatch& batch, const RayPlan& plan) {
  if (batch.count == 0) return;
  marked_ = true;
  HWY_DYNAMIC_DISPATCH(march_lanes)(*this, batch, plan);
}

}  // namespace graze::map
#endif
