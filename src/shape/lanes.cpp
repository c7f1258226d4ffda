#include "shape/lanes.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shape/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::lanes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one in a fixed order: a fused multiply-add would round differently on the
// targets that have it, and near ties would then be decided differently.
template <std::size_t kRows>
GRAZE_LANE_FUNCTION Highest highest(const double* HWY_RESTRICT lanes, std::size_t blocks,
                                    const double* HWY_RESTRICT direction) {
  const hn::CappedTag<double, kBlock> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t width = hn::Lanes(d);
  const auto dx = hn::Set(d, direction[0]), dy = hn::Set(d, direction[1]), dz = hn::Set(d, direction[2]);
  auto best = hn::Set(d, -kInfinity);
  auto best_index = hn::Zero(di);
  auto index = hn::Iota(di, 0);
  const auto step = hn::Set(di, static_cast<std::int64_t>(width));
  for (std::size_t block = 0; block < blocks; ++block, lanes += kRows * kBlock) {
    for (std::size_t i = 0; i < kBlock; i += width) {
      auto value = hn::Mul(hn::Load(d, lanes + i), dx);
      value = hn::Add(value, hn::Mul(hn::Load(d, lanes + kBlock + i), dy));
      value = hn::Add(value, hn::Mul(hn::Load(d, lanes + 2 * kBlock + i), dz));
      if constexpr (kRows == 4) value = hn::Sub(value, hn::Load(d, lanes + 3 * kBlock + i));
      // Strictly greater: within a lane the earliest of equals stays.
      best_index = hn::IfThenElse(hn::RebindMask(di, hn::Gt(value, best)), index, best_index);
      best = hn::Max(value, best);  // a shorter chain than another blend
      index = hn::Add(index, step);
    }
  }
  const auto top = hn::MaxOfLanes(d, best);
  const auto wins = hn::Eq(best, top);
  alignas(64) std::int64_t indices[kBlock];
  hn::Store(best_index, di, indices);
  const intptr_t lane = hn::FindFirstTrue(d, wins);
  if (lane < 0) return {-kInfinity, 0};
  std::int64_t winner = indices[lane];
  if (hn::CountTrue(d, wins) > 1) {
    // Across lanes the lowest index of equals. Rare, so it may take its time.
    alignas(64) double values[kBlock];
    hn::Store(best, d, values);
    for (std::size_t i = 0; i < width; ++i) {
      if (values[i] == hn::GetLane(top)) winner = std::min(winner, indices[i]);
    }
  }
  return {hn::GetLane(top), static_cast<std::size_t>(winner)};
}

std::size_t highest_vertex(const double* lanes, std::size_t blocks, const double* direction) {
  return highest<3>(lanes, blocks, direction).index;
}

Highest highest_plane(const double* lanes, std::size_t blocks, const double* p) { return highest<4>(lanes, blocks, p); }

}  // namespace HWY_NAMESPACE
}  // namespace graze::lanes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::lanes {

HWY_EXPORT(highest_vertex);
HWY_EXPORT(highest_plane);

std::size_t highest_vertex(const double* lanes, std::size_t blocks, const Vec3& direction) {
  return HWY_DYNAMIC_DISPATCH(highest_vertex)(lanes, blocks, direction.data());
}

Highest highest_plane(const double* lanes, std::size_t blocks, const Vec3& p) {
  return HWY_DYNAMIC_DISPATCH(highest_plane)(lanes, blocks, p.data());
}

}  // namespace graze::lanes
#endif
