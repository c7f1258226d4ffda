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

using Real = hn::CappedTag<double, 8>;
using Reals = hn::Vec<Real>;

GRAZE_LANE_FUNCTION Reals lanes_of(const Vec3& v, std::size_t axis) {
  return hn::Set(Real(), v[static_cast<Eigen::Index>(axis)]);
}

/// Sets the bits of as many points as there are lanes, from number `i` on.
GRAZE_LANE_FUNCTION void store_bits(hn::Mask<Real> mask, PointBatch::Bits& bits, std::size_t i) {
  std::uint8_t own[8] = {};
  hn::StoreMaskBits(Real(), mask, own);
  std::uint8_t& byte = bits[i >> 3U];
  byte = (i & 7U) == 0 ? own[0] : static_cast<std::uint8_t>(byte | own[0] << (i & 7U));
}

/// Whole vectors of packed floats; how many points these are.
std::size_t read_lanes(PointBatch& batch, const float* xyz, std::size_t count) {
  const Real d;
  const hn::Rebind<float, Real> df;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::Vec<decltype(df)> x, y, z;
    hn::LoadInterleaved3(df, xyz + 3 * i, x, y, z);
    hn::Store(hn::PromoteTo(d, x), d, batch.at[0].data() + i);
    hn::Store(hn::PromoteTo(d, y), d, batch.at[1].data() + i);
    hn::Store(hn::PromoteTo(d, z), d, batch.at[2].data() + i);
  }
  return i;
}

void returned_lanes(PointBatch& batch, const Vec3* ignored) {
  const Real d;
  for (std::size_t i = 0; i < batch.count; i += hn::Lanes(d)) {
    auto off = hn::Zero(d);  // 0, or not a number
    auto differs = hn::Ne(off, off);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto x = hn::Load(d, batch.at[a].data() + i);
      off = hn::Add(off, hn::Sub(x, x));
      if (ignored != nullptr) differs = hn::Or(differs, hn::Ne(x, lanes_of(*ignored, a)));
    }
    auto returned = hn::Eq(off, hn::Zero(d));
    if (ignored != nullptr) returned = hn::And(returned, differs);
    store_bits(returned, batch.returned, i);
  }
}

void move_lanes(PointBatch& batch, const Pose& pose) {
  const Real d;
  for (std::size_t i = 0; i < batch.count; i += hn::Lanes(d)) {
    Reals p[3];
    for (std::size_t a = 0; a < 3; ++a) p[a] = hn::Load(d, batch.at[a].data() + i);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto row = static_cast<Eigen::Index>(a);
      auto moved = hn::Mul(hn::Set(d, pose.rotation()(row, 0)), p[0]);
      moved = hn::Add(moved, hn::Mul(hn::Set(d, pose.rotation()(row, 1)), p[1]));
      moved = hn::Add(moved, hn::Mul(hn::Set(d, pose.rotation()(row, 2)), p[2]));
      hn::Store(hn::Add(moved, lanes_of(pose.translation(), a)), d, batch.at[a].data() + i);
    }
  }
}

void locate_lanes(PointBatch& batch, const PointPlan& plan) {
  const Real d;
  const hn::Rebind<std::int32_t, Real> di;
  const hn::RebindToUnsigned<decltype(di)> du;
  const CellSize<Real> size(d, plan.resolution);
  const auto lowest = hn::Set(d, -2147483648.0), highest = hn::Set(d, 2147483647.0), half = hn::Set(d, 0.5);
  const auto range_sq = hn::Set(d, plan.max_range * plan.max_range);
  const bool numbered = plan.shift[0] != 0;
  for (std::size_t i = 0; i < batch.count; i += hn::Lanes(d)) {
    auto in_keys = hn::Eq(lowest, lowest);
    auto length_sq = hn::Zero(d);
    auto number = hn::Zero(du);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto p = hn::Load(d, batch.at[a].data() + i);
      const auto cell = size.cell_of(p);
      const auto is_key = hn::And(hn::Ge(cell, lowest), hn::Le(cell, highest));
      in_keys = hn::And(in_keys, is_key);
      hn::Store(hn::DemoteTo(di, hn::IfThenElseZero(is_key, cell)), di, batch.key[a].data() + i);
      if (numbered) {
        const auto k = hn::Sub(cell, hn::Set(d, static_cast<double>(plan.first_cell[a])));
        number = hn::Or(number, bits_of(hn::BitCast(du, hn::DemoteTo(di, k)), a, plan.shift[a]));
      }
      const auto target = plan.to_centers ? hn::Mul(hn::Add(cell, half), size.resolution) : p;
      hn::Store(target, d, batch.at[a].data() + i);
      const auto along = hn::Sub(target, lanes_of(plan.origin, a));
      length_sq = hn::Add(length_sq, hn::Mul(along, along));
    }
    if (numbered) hn::Store(number, du, batch.number.data() + i);
    store_bits(in_keys, batch.in_keys, i);
    store_bits(hn::Le(length_sq, range_sq), batch.within, i);
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
  for (std::size_t k = 0; k < 3; ++k)
    hn::Store(lowest[k], d, lows + k * width), hn::Store(highest[k], d, highs + k * width);
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

HWY_EXPORT(read_lanes);
HWY_EXPORT(returned_lanes);
HWY_EXPORT(move_lanes);
HWY_EXPORT(locate_lanes);
HWY_EXPORT(range_lanes);

void read(PointBatch& batch, const PointView& points, std::size_t first, const Vec3* ignored) {
  batch.count = std::min(PointBatch::kSize, points.size() - first);
  const float* packed = points.packed_floats();
  std::size_t i = packed != nullptr ? HWY_DYNAMIC_DISPATCH(read_lanes)(batch, packed + 3 * first, batch.count) : 0;
  for (; i < batch.count; ++i) {
    const Vec3 p = points[first + i];
    for (std::size_t a = 0; a < 3; ++a) batch.at[a][i] = p[static_cast<Eigen::Index>(a)];
  }
  HWY_DYNAMIC_DISPATCH(returned_lanes)(batch, ignored);
}

void move(PointBatch& batch, const Pose& pose) { HWY_DYNAMIC_DISPATCH(move_lanes)(batch, pose); }

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
