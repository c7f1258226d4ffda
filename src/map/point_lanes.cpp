// Points to cells, in SIMD lanes.
#include "map/point_batch.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/point_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "map/cell_size-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::map {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one, as they are on targets without a fused multiply-add.
void locate_lanes(PointBatch& batch, const PointPlan& plan) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const std::size_t width = hn::Lanes(d);
  const CellSize<decltype(d)> size(d, plan.resolution);
  const auto lowest = hn::Set(d, -2147483648.0), highest = hn::Set(d, 2147483647.0), half = hn::Set(d, 0.5);
  const auto range_sq = hn::Set(d, plan.max_range * plan.max_range);
  for (std::size_t i = 0; i < batch.count; i += width) {
    auto in_keys = hn::Eq(lowest, lowest);
    auto length_sq = hn::Zero(d);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto p = hn::Load(d, batch.at[a].data() + i);
      const auto cell = size.cell_of(p);
      const auto is_key = hn::And(hn::Ge(cell, lowest), hn::Le(cell, highest));
      in_keys = hn::And(in_keys, is_key);
      hn::Store(hn::DemoteTo(di, hn::IfThenElseZero(is_key, cell)), di, batch.key[a].data() + i);
      const auto target = plan.to_centers ? hn::Mul(hn::Add(cell, half), size.resolution) : p;
      hn::Store(target, d, batch.at[a].data() + i);
      const auto along = hn::Sub(target, hn::Set(d, plan.origin[static_cast<Eigen::Index>(a)]));
      length_sq = hn::Add(length_sq, hn::Mul(along, along));
    }
    std::uint8_t keys[8] = {}, near[8] = {};
    hn::StoreMaskBits(d, in_keys, keys);
    hn::StoreMaskBits(d, hn::Le(length_sq, range_sq), near);
    for (unsigned k = 0; k < width; ++k) {
      batch.in_keys[i + k] = static_cast<std::uint8_t>(keys[0] >> k & 1U);
      batch.within[i + k] = static_cast<std::uint8_t>(near[0] >> k & 1U);
    }
  }
}

/// The smallest and the largest finite number of each axis.
void range_lanes(const float* xyz, std::size_t count, float* low, float* high) {
  const hn::CappedTag<float, 16> d;
  const std::size_t width = hn::Lanes(d), numbers = 3 * count;
  // Of three vectors in turn, each lane always has the same axis.
  const auto most = hn::Set(d, std::numeric_limits<float>::max()), least = hn::Neg(most), zero = hn::Zero(d);
  hn::Vec<decltype(d)> lowest[3] = {most, most, most}, highest[3] = {least, least, least};
  std::size_t i = 0;
  for (; i + 3 * width <= numbers; i += 3 * width) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto x = hn::LoadU(d, xyz + i + k * width);
      const auto finite = hn::Eq(hn::Sub(x, x), zero);
      lowest[k] = hn::Min(lowest[k], hn::IfThenElse(finite, x, most));
      highest[k] = hn::Max(highest[k], hn::IfThenElse(finite, x, least));
    }
  }
  HWY_ALIGN float lows[3 * 16], highs[3 * 16];
  for (std::size_t k = 0; k < 3; ++k) hn::Store(lowest[k], d, lows + k * width), hn::Store(highest[k], d, highs + k * width);
  const auto add = [&](std::size_t axis, float least_of, float most_of) {
    low[axis] = std::min(low[axis], least_of), high[axis] = std::max(high[axis], most_of);
  };
  for (std::size_t k = 0; k < 3 * width; ++k) add(k % 3, lows[k], highs[k]);
  for (; i < numbers; ++i) {
    if (xyz[i] - xyz[i] == 0) add(i % 3, xyz[i], xyz[i]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::map {

HWY_EXPORT(locate_lanes);
HWY_EXPORT(range_lanes);

void locate(PointBatch& batch, const PointPlan& plan) { HWY_DYNAMIC_DISPATCH(locate_lanes)(batch, plan); }

Aabb box_of(const PointView& points) {
  Aabb box;
  if (const float* packed = points.packed_floats(); packed != nullptr) {
    constexpr float kMost = std::numeric_limits<float>::max();
    std::array<float, 3> low{kMost, kMost, kMost}, high{-kMost, -kMost, -kMost};
    HWY_DYNAMIC_DISPATCH(range_lanes)(packed, points.size(), low.data(), high.data());
    if (low[0] > high[0] || low[1] > high[1] || low[2] > high[2]) return box;  // no point is finite
    box.extend(Vec3(low[0], low[1], low[2]));
    box.extend(Vec3(high[0], high[1], high[2]));
    return box;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = points[i];
    if (is_finite(p)) box.extend(p);
  }
  return box;
}

}  // namespace graze::map
#endif
