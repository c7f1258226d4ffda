// What frames do to the values of a brick, in SIMD lanes.
#include <bit>
#include <limits>

#include "map/cell_store.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/cell_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::map {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

CubeChange observe_lanes(float* HWY_RESTRICT values, std::uint64_t misses, std::uint64_t hits, std::uint64_t known,
                         const LogOddsModel& model) {
  const hn::CappedTag<float, 8> d;
  const std::size_t width = hn::Lanes(d);
  const auto hit_by = hn::Set(d, model.hit), miss_by = hn::Set(d, model.miss);
  const auto low = hn::Set(d, model.low), high = hn::Set(d, model.high);
  const auto first = hn::Set(d, std::numeric_limits<float>::infinity());
  auto smallest = first, largest = hn::Neg(first);
  auto changed = hn::Ne(first, first);
  for (std::size_t i = 0; i < 64; i += width) {
    const auto bits = [&](std::uint64_t word) {
      const auto byte = static_cast<std::uint8_t>(word >> i);
      return hn::LoadMaskBits(d, &byte);
    };
    const auto old = hn::Load(d, values + i);
    const auto missed_here = hn::And(bits(misses), hn::Gt(old, low));
    const auto hit_here = hn::And(bits(hits), hn::Lt(old, high));
    auto next = hn::IfThenElse(missed_here, hn::Add(old, miss_by), hn::IfThenElse(hit_here, hn::Add(old, hit_by), old));
    next = hn::IfThenElse(hn::Or(missed_here, hit_here), hn::Min(hn::Max(next, low), high), next);
    changed = hn::Or(changed, hn::Ne(next, old));
    hn::Store(next, d, values + i);
    smallest = hn::Min(smallest, hn::IfThenElse(bits(known), next, smallest));
    largest = hn::Max(largest, hn::IfThenElse(bits(known), next, largest));
  }
  const bool one_value = hn::GetLane(hn::MinOfLanes(d, smallest)) >= hn::GetLane(hn::MaxOfLanes(d, largest));
  return {!hn::AllFalse(d, changed), one_value};
}

/// Compiled where the processor may count bits in one instruction.
std::size_t count_bits(const std::uint64_t* words) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < 8; ++w) count += static_cast<std::size_t>(std::popcount(words[w]));
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::map {

HWY_EXPORT(observe_lanes);
HWY_EXPORT(count_bits);

CubeChange observe_cube(CubeValues& values, std::uint64_t misses, std::uint64_t hits, std::uint64_t known,
                        const LogOddsModel& model) {
  return HWY_DYNAMIC_DISPATCH(observe_lanes)(values.of.data(), misses, hits, known, model);
}

std::size_t count_of(const BrickBits& bits) { return HWY_DYNAMIC_DISPATCH(count_bits)(bits.data()); }

}  // namespace graze::map
#endif
