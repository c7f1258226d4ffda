// What frames do to the values of a brick, in SIMD lanes.
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

void observe_lanes(float* HWY_RESTRICT values, const std::uint64_t* misses, const std::uint64_t* hits,
                   const LogOddsModel& model) {
  const hn::CappedTag<float, 8> d;
  const std::size_t width = hn::Lanes(d);
  const auto hit = hn::Set(d, model.hit), miss = hn::Set(d, model.miss);
  const auto low = hn::Set(d, model.low), high = hn::Set(d, model.high);
  for (unsigned octet = 0; octet < 64; ++octet) {
    const auto m = static_cast<std::uint8_t>(misses[octet >> 3U] >> 8 * (octet & 7U));
    const auto h = static_cast<std::uint8_t>(hits[octet >> 3U] >> 8 * (octet & 7U));
    if ((m | h) == 0) continue;
    for (std::size_t k = 0; k < 8; k += width) {
      const auto missed_bits = static_cast<std::uint8_t>(m >> k), hit_bits = static_cast<std::uint8_t>(h >> k);
      float* at = values + 8 * octet + k;
      const auto old = hn::Load(d, at);
      // As OctoMap: what is at a clamp, or beyond it, stays there.
      const auto missed = hn::And(hn::LoadMaskBits(d, &missed_bits), hn::Gt(old, low));
      const auto hits_here = hn::And(hn::LoadMaskBits(d, &hit_bits), hn::Lt(old, high));
      auto next = hn::IfThenElse(missed, hn::Add(old, miss), hn::IfThenElse(hits_here, hn::Add(old, hit), old));
      next = hn::IfThenElse(hn::Or(missed, hits_here), hn::Min(hn::Max(next, low), high), next);
      hn::Store(next, d, at);
    }
  }
}

bool equal_lanes(const float* HWY_RESTRICT values) {
  const hn::CappedTag<float, 16> d;
  const auto first = hn::Set(d, values[0]);
  for (std::size_t i = 0; i < 512; i += hn::Lanes(d)) {
    if (!hn::AllTrue(d, hn::Eq(hn::Load(d, values + i), first))) return false;
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::map {

HWY_EXPORT(observe_lanes);
HWY_EXPORT(equal_lanes);

void observe_log_odds(float* values, const BrickBits& misses, const BrickBits& hits, const LogOddsModel& model) {
  HWY_DYNAMIC_DISPATCH(observe_lanes)(values, misses.data(), hits.data(), model);
}

bool all_equal(const float* values) { return HWY_DYNAMIC_DISPATCH(equal_lanes)(values); }

}  // namespace graze::map
#endif
