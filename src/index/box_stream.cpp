#include "index/box_stream.h"

#include <array>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/box_stream.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Floats = hn::CappedTag<float, 16>;
using HalfFloats = hn::Rebind<float, Doubles>;
using Whole = hn::RebindToSigned<Floats>;

// Boxes whose sides are whole vectors of any size.
constexpr std::size_t kTogether = 32;

// Vectors after which the same lanes hold the same sides of boxes again: of them, everything is kept.
template <int N, class D>
inline constexpr std::size_t kPeriod = 2 * N / std::gcd(std::size_t{2 * N}, hn::MaxLanes(D()));
template <int N, class D>
inline constexpr std::size_t kPeriodLanes = kPeriod<N, D>* hn::MaxLanes(D());

// A number for each side of a box, in the lanes that hold it.
template <int N, class D, class Of>
GRAZE_LANE_FUNCTION void spread_sides(const Of& of, std::array<hn::Vec<D>, kPeriod<N, D>>& into) {
  alignas(64) hn::TFromD<D> side[kPeriodLanes<N, D>];
  for (std::size_t i = 0; i < kPeriodLanes<N, D>; ++i) side[i] = of(i % (2 * N));
  for (std::size_t p = 0; p < into.size(); ++p) into[p] = hn::Load(D(), side + p * hn::MaxLanes(D()));
}
// Calls take(side, number) for all that was kept.
template <int N, class D, class Take>
GRAZE_LANE_FUNCTION void each_side(const std::array<hn::Vec<D>, kPeriod<N, D>>& kept, const Take& take) {
  alignas(64) hn::TFromD<D> side[kPeriodLanes<N, D>];
  for (std::size_t p = 0; p < kept.size(); ++p) hn::Store(kept[p], D(), side + p * hn::MaxLanes(D()));
  for (std::size_t i = 0; i < kPeriodLanes<N, D>; ++i) take(i % (2 * N), side[i]);
}

template <int N>
bool all_regular_of(std::span<const AabbOf<N>> boxes, AabbOf<N>& all) {
  const Doubles d;
  constexpr std::size_t kLanes = hn::MaxLanes(d), kVectors = kPeriod<N, Doubles>;
  static_assert(sizeof(AabbOf<N>) == 2 * N * sizeof(double));
  const auto* const x = reinterpret_cast<const double*>(boxes.data());
  std::array<hn::Vec<Doubles>, kVectors> low, high, is_lower;
  low.fill(hn::Set(d, kInfinity)), high.fill(hn::Set(d, -kInfinity));
  spread_sides<N, Doubles>([](std::size_t side) { return side < N ? 1.0 : 0.0; }, is_lower);
  const auto zero = hn::Zero(d), largest = hn::Set(d, kLargestIndexed);
  auto fine = hn::Eq(zero, zero);
  std::size_t at = 0;
  for (; at + kVectors * kLanes + N <= 2 * N * boxes.size(); at += kVectors * kLanes) {
    GRAZE_UNROLL
    for (std::size_t p = 0; p < kVectors; ++p) {
      const auto side = hn::LoadU(d, x + at + p * kLanes), opposite = hn::LoadU(d, x + at + p * kLanes + N);
      low[p] = hn::Min(low[p], side), high[p] = hn::Max(high[p], side);
      fine = hn::And(fine, hn::Le(hn::Abs(side), largest));
      fine = hn::And(fine, hn::Or(hn::Le(side, opposite), hn::Eq(is_lower[p], zero)));
    }
  }
  if (!hn::AllTrue(d, fine)) return false;
  all = {};
  each_side<N, Doubles>(low, [&](std::size_t side, double min) {
    if (side < N) all.min[int(side)] = std::min(all.min[int(side)], min);
  });
  each_side<N, Doubles>(high, [&](std::size_t side, double max) {
    if (side >= N) all.max[int(side) - N] = std::max(all.max[int(side) - N], max);
  });
  for (const AabbOf<N>& box : boxes.subspan(at / (2 * N))) {
    if (!regular<N>(box)) return false;
    all.extend(box);
  }
  return true;
}

template <int N>
void float_boxes_of(std::span<const AabbOf<N>> boxes, const VecOf<N>& origin, FloatBox<N>* into) {
  const Doubles d;
  constexpr std::size_t kLanes = hn::MaxLanes(d), kVectors = kPeriod<N, Doubles>;
  const auto* const x = reinterpret_cast<const double*>(boxes.data());
  auto* const floats = reinterpret_cast<float*>(into);
  std::array<hn::Vec<Doubles>, kVectors> from;
  spread_sides<N, Doubles>([&](std::size_t side) { return origin[int(side % N)]; }, from);
  std::size_t at = 0;
  const std::size_t count = 2 * N * boxes.size();
  for (; at + kVectors * kLanes <= count; at += kVectors * kLanes) {
    GRAZE_UNROLL
    for (std::size_t p = 0; p < kVectors; ++p) {
      const auto side = hn::Sub(hn::LoadU(d, x + at + p * kLanes), from[p]);
      hn::StoreU(hn::DemoteTo(HalfFloats(), side), HalfFloats(), floats + at + p * kLanes);
    }
  }
  for (; at < count; ++at) floats[at] = static_cast<float>(x[at] - origin[int(at % N)]);
}

template <int N>
BoxRanges<N> ranges_of_all(std::span<const FloatBox<N>> boxes) {
  const Floats d;
  constexpr std::size_t kLanes = hn::MaxLanes(d), kVectors = kPeriod<N, Floats>;
  const auto* const x = reinterpret_cast<const float*>(boxes.data());
  using Lanes = hn::Vec<Floats>;
  std::array<Lanes, kVectors> low, high, wide, smallest, largest;
  low.fill(hn::Set(d, 3e38F)), high.fill(hn::Set(d, -3e38F)), smallest.fill(hn::Set(d, 3e38F));
  wide.fill(hn::Zero(d)), largest.fill(hn::Zero(d));
  std::size_t at = 0;
  for (; at + kVectors * kLanes + 2 * N <= 2 * N * boxes.size(); at += kVectors * kLanes) {
    GRAZE_UNROLL
    for (std::size_t p = 0; p < kVectors; ++p) {
      const float* const from = x + at + p * kLanes;
      const Lanes side = hn::LoadU(d, from), width = hn::Sub(hn::LoadU(d, from + N), side);
      low[p] = hn::Min(low[p], side), high[p] = hn::Max(high[p], side), wide[p] = hn::Max(wide[p], width);
      // In the lanes of the first axis: the largest side of a box.
      Lanes size = hn::Max(width, hn::Sub(hn::LoadU(d, from + N + 1), hn::LoadU(d, from + 1)));
      if constexpr (N == 3) size = hn::Max(size, hn::Sub(hn::LoadU(d, from + N + 2), hn::LoadU(d, from + 2)));
      smallest[p] = hn::Min(smallest[p], size), largest[p] = hn::Max(largest[p], size);
    }
  }
  BoxRanges<N> all;
  const auto keep = [](auto& kept, const auto& take) { each_side<N, Floats>(kept, take); };
  keep(low, [&](std::size_t side, float to) {
    if (side < N) all.lower.lo[side] = std::min(all.lower.lo[side], to);
  });
  keep(high, [&](std::size_t side, float to) {
    if (side < N) all.lower.hi[side] = std::max(all.lower.hi[side], to);
  });
  keep(wide, [&](std::size_t side, float to) {
    if (side < N) all.reach[side] = std::max(all.reach[side], to);
  });
  keep(smallest, [&](std::size_t side, float to) {
    if (side == 0) all.smallest = std::min(all.smallest, to);
  });
  keep(largest, [&](std::size_t side, float to) {
    if (side == 0) all.largest = std::max(all.largest, to);
  });
  for (const FloatBox<N>& box : boxes.subspan(at / (2 * N))) {
    each_axis<N>([&](int k) {
      all.lower.lo[k] = std::min(all.lower.lo[k], box.lo[k]), all.lower.hi[k] = std::max(all.lower.hi[k], box.lo[k]);
      all.reach[k] = std::max(all.reach[k], box.hi[k] - box.lo[k]);
    });
    all.smallest = std::min(all.smallest, size_of(box)), all.largest = std::max(all.largest, size_of(box));
  }
  return all;
}

// Calls take(box, sum) with the sum of what along(sides, vector of the period) gives for the lower sides of each box;
// readable one box behind it.
template <int N, class Along, class Take>
GRAZE_LANE_FUNCTION void sum_lower_sides(const FloatBox<N>* boxes, const Along& along, const Take& take) {
  const Floats d;
  const auto* const x = reinterpret_cast<const float*>(boxes);
  alignas(64) std::int32_t part[2 * N * kTogether];
  for (std::size_t i = 0, p = 0; i < 2 * N * kTogether; i += hn::Lanes(d)) {
    hn::Store(along(x + i, p), hn::RebindToSigned<Floats>(), part + i);
    if (++p == kPeriod<N, Floats>) p = 0;
  }
  for (std::size_t i = 0; i < kTogether; ++i) {
    std::int32_t sum = part[2 * N * i] + part[2 * N * i + 1];
    if constexpr (N == 3) sum += part[2 * N * i + 2];
    take(i, static_cast<std::uint32_t>(sum));
  }
}

template <int N>
void cells_of_all(const GridLevel<N>& level, std::span<const FloatBox<N>> boxes, std::uint32_t* cells) {
  const Floats d;
  const Whole whole;
  std::int32_t before[N], cells_before = 1;
  for (int k = 0; k < N; ++k) before[k] = cells_before, cells_before *= static_cast<std::int32_t>(level.dims[k]);
  std::array<hn::Vec<Floats>, kPeriod<N, Floats>> min, per_cell, last;
  std::array<hn::Vec<Whole>, kPeriod<N, Floats>> stride;
  spread_sides<N, Floats>([&](std::size_t side) { return side < N ? level.min[side] : 0; }, min);
  spread_sides<N, Floats>([&](std::size_t side) { return side < N ? level.per_cell[side] : 0; }, per_cell);
  spread_sides<N, Floats>([&](std::size_t side) { return side < N ? level.last[side] : 0; }, last);
  spread_sides<N, Whole>([&](std::size_t side) { return side < N ? before[side] : 0; }, stride);
  std::size_t begin = 0;
  for (; begin + kTogether <= boxes.size(); begin += kTogether) {
    sum_lower_sides<N>(
        boxes.data() + begin,
        [&](const float* x, std::size_t p) HWY_ATTR {
          const auto at = hn::Mul(hn::Sub(hn::LoadU(d, x), min[p]), per_cell[p]);
          const auto cell = hn::IfThenElseZero(hn::Gt(at, hn::Zero(d)), hn::Min(at, last[p]));
          return hn::Mul(hn::ConvertTo(whole, cell), stride[p]);
        },
        [&](std::size_t i, std::uint32_t cell) { cells[begin + i] = cell; });
  }
  for (; begin < boxes.size(); ++begin) cells[begin] = static_cast<std::uint32_t>(level.cell_of(boxes[begin]));
}

template <int N>
void places_of_all(std::span<const FloatBox<N>> boxes, const FloatBox<N>& around, CurvePlace* places) {
  const Floats d;
  const Whole whole;
  constexpr float kLast = (1U << Curve::kBits) - 1;
  // Of sums of opposite sides, which are twice the middles.
  float low[N], scale[N];
  for (int k = 0; k < N; ++k) {
    const float extent = around.hi[k] - around.lo[k];
    low[k] = 2 * around.lo[k], scale[k] = extent > 1e-30F ? (kLast + 1) / (2 * extent) : 0;
  }
  std::array<hn::Vec<Floats>, kPeriod<N, Floats>> lows, scales;
  std::array<hn::Vec<Whole>, kPeriod<N, Floats>> factors;
  spread_sides<N, Floats>([&](std::size_t side) { return side < N ? low[side] : 0; }, lows);
  spread_sides<N, Floats>([&](std::size_t side) { return side < N ? scale[side] : 0; }, scales);
  spread_sides<N, Whole>([&](std::size_t side) { return side < N ? 1 << side : 0; }, factors);
  std::size_t begin = 0;
  for (; begin + kTogether < boxes.size(); begin += kTogether) {
    sum_lower_sides<N>(
        boxes.data() + begin,
        [&](const float* x, std::size_t p) HWY_ATTR {
          const auto at = hn::Mul(hn::Sub(hn::Add(hn::LoadU(d, x), hn::LoadU(d, x + N)), lows[p]), scales[p]);
          const auto inside = hn::Min(hn::Max(at, hn::Zero(d)), hn::Set(d, kLast));
          auto key = hn::ConvertTo(whole, inside);
          const auto spread = [&](auto by, std::int32_t mask)
                                  HWY_ATTR { key = hn::And(hn::Or(key, by(key)), hn::Set(whole, mask)); };
          spread([](auto v) HWY_ATTR { return hn::ShiftLeft<16>(v); }, 0x030000FF);
          spread([](auto v) HWY_ATTR { return hn::ShiftLeft<8>(v); }, 0x0300F00F);
          spread([](auto v) HWY_ATTR { return hn::ShiftLeft<4>(v); }, 0x030C30C3);
          spread([](auto v) HWY_ATTR { return hn::ShiftLeft<2>(v); }, 0x09249249);
          return hn::Mul(key, factors[p]);
        },
        [&](std::size_t i, std::uint32_t key) {
          places[begin + i] = {key, static_cast<std::uint32_t>(begin + i)};
        });
  }
  for (; begin < boxes.size(); ++begin) {
    std::uint32_t key = 0;
    for (int k = 0; k < N; ++k) {
      const float at = (boxes[begin].lo[k] + boxes[begin].hi[k] - low[k]) * scale[k];
      key |= Curve::spread(static_cast<std::uint32_t>(std::min(std::max(at, 0.0F), kLast))) << k;
    }
    places[begin] = {key, static_cast<std::uint32_t>(begin)};
  }
}

void cells_of2(const GridLevel<2>& level, std::span<const FloatBox<2>> boxes, std::uint32_t* cells) {
  cells_of_all<2>(level, boxes, cells);
}
void cells_of3(const GridLevel<3>& level, std::span<const FloatBox<3>> boxes, std::uint32_t* cells) {
  cells_of_all<3>(level, boxes, cells);
}
void places2(std::span<const FloatBox<2>> boxes, const FloatBox<2>& around, CurvePlace* places) {
  places_of_all<2>(boxes, around, places);
}
void places3(std::span<const FloatBox<3>> boxes, const FloatBox<3>& around, CurvePlace* places) {
  places_of_all<3>(boxes, around, places);
}
bool all_regular2(std::span<const Aabb2> boxes, Aabb2& all) { return all_regular_of<2>(boxes, all); }
bool all_regular3(std::span<const Aabb> boxes, Aabb& all) { return all_regular_of<3>(boxes, all); }
void float_boxes2(std::span<const Aabb2> boxes, const Vec2& origin, FloatBox<2>* into) {
  float_boxes_of<2>(boxes, origin, into);
}
void float_boxes3(std::span<const Aabb> boxes, const Vec3& origin, FloatBox<3>* into) {
  float_boxes_of<3>(boxes, origin, into);
}
BoxRanges<2> ranges_of2(std::span<const FloatBox<2>> boxes) { return ranges_of_all<2>(boxes); }
BoxRanges<3> ranges_of3(std::span<const FloatBox<3>> boxes) { return ranges_of_all<3>(boxes); }

}  // namespace HWY_NAMESPACE
}  // namespace graze::broad
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad {

HWY_EXPORT(all_regular2);
HWY_EXPORT(all_regular3);
HWY_EXPORT(float_boxes2);
HWY_EXPORT(float_boxes3);
HWY_EXPORT(ranges_of2);
HWY_EXPORT(ranges_of3);
HWY_EXPORT(cells_of2);
HWY_EXPORT(cells_of3);
HWY_EXPORT(places2);
HWY_EXPORT(places3);

bool all_regular(std::span<const Aabb2> boxes, Aabb2& all) { return HWY_DYNAMIC_DISPATCH(all_regular2)(boxes, all); }
bool all_regular(std::span<const Aabb> boxes, Aabb& all) { return HWY_DYNAMIC_DISPATCH(all_regular3)(boxes, all); }
void float_boxes(std::span<const Aabb2> boxes, const Vec2& origin, FloatBox<2>* into) {
  HWY_DYNAMIC_DISPATCH(float_boxes2)(boxes, origin, into);
}
void float_boxes(std::span<const Aabb> boxes, const Vec3& origin, FloatBox<3>* into) {
  HWY_DYNAMIC_DISPATCH(float_boxes3)(boxes, origin, into);
}
BoxRanges<2> ranges_of(std::span<const FloatBox<2>> boxes) { return HWY_DYNAMIC_DISPATCH(ranges_of2)(boxes); }
BoxRanges<3> ranges_of(std::span<const FloatBox<3>> boxes) { return HWY_DYNAMIC_DISPATCH(ranges_of3)(boxes); }
void cells_of(const GridLevel<2>& level, std::span<const FloatBox<2>> boxes, std::uint32_t* cells) {
  HWY_DYNAMIC_DISPATCH(cells_of2)(level, boxes, cells);
}
void cells_of(const GridLevel<3>& level, std::span<const FloatBox<3>> boxes, std::uint32_t* cells) {
  HWY_DYNAMIC_DISPATCH(cells_of3)(level, boxes, cells);
}
void places_along_curve(std::span<const FloatBox<2>> boxes, const FloatBox<2>& around, CurvePlace* places) {
  HWY_DYNAMIC_DISPATCH(places2)(boxes, around, places);
}
void places_along_curve(std::span<const FloatBox<3>> boxes, const FloatBox<3>& around, CurvePlace* places) {
  HWY_DYNAMIC_DISPATCH(places3)(boxes, around, places);
}

}  // namespace graze::broad
#endif
