#include "scene/tree_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/tree_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::scene {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The same operations as lower_axis_gap, so that the bounds have the same bits.
unsigned near_boxes_of(const EightBoxes& boxes, const Aabb& box, double limit, double* bounds) {
  const hn::CappedTag<double, kWide> d;
  const auto lowest = hn::Set(d, -kInfinity), shrink = hn::Set(d, 1 - 8 * kEpsilon), far = hn::Set(d, limit);
  unsigned near = 0;
  for (std::size_t i = 0; i < kWide; i += hn::Lanes(d)) {
    auto between = lowest;
    for (int k = 0; k < 3; ++k) {
      between = hn::Max(between, hn::Sub(hn::LoadU(d, boxes.min[k] + i), hn::Set(d, box.max[k])));
      between = hn::Max(between, hn::Sub(hn::Set(d, box.min[k]), hn::LoadU(d, boxes.max[k] + i)));
    }
    const auto apart = hn::Gt(between, hn::Zero(d));
    const auto bound = hn::IfThenElse(apart, hn::Mul(between, shrink), lowest);
    hn::StoreU(bound, d, bounds + i);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Gt(bound, far), bits);
    near |= (~unsigned{bits[0]} & ((1U << hn::Lanes(d)) - 1)) << i;
  }
  return near;
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::scene
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::scene {

HWY_EXPORT(near_boxes_of);

unsigned near_boxes(const EightBoxes& boxes, const Aabb& box, double limit, double* bounds) {
  return HWY_DYNAMIC_DISPATCH(near_boxes_of)(boxes, box, limit, bounds);
}

}  // namespace graze::scene
#endif
