// The comparison of many boxes with one, included once per instruction set.
#if defined(GRAZE_BOX_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_BOX_LANES_INL
#undef GRAZE_BOX_LANES_INL
#else
#define GRAZE_BOX_LANES_INL
#endif

#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"
#include "index/box_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using Floats = hn::CappedTag<float, kMaxLanes>;
using Vec = hn::Vec<Floats>;
using Mask = hn::Mask<Floats>;

// A box in every lane.
template <int N>
struct Spread {
  Vec lo0, hi0, lo1, hi1, lo2, hi2;
  explicit HWY_INLINE Spread(const FloatBox<N>& b) {
    const Floats d;
    lo0 = hn::Set(d, b.lo[0]), hi0 = hn::Set(d, b.hi[0]);
    lo1 = hn::Set(d, b.lo[1]), hi1 = hn::Set(d, b.hi[1]);
    lo2 = hn::Set(d, b.lo[N - 1]), hi2 = hn::Set(d, b.hi[N - 1]);
  }
};

// Lanes whose boxes are apart from the box; what is not a number is not.
template <int N>
GRAZE_LANE_FUNCTION Mask apart_from(const LaneView<N>& boxes, std::size_t at, const Spread<N>& b) {
  const Floats d;
  Mask apart = hn::Or(hn::Gt(hn::LoadU(d, boxes.lo[0] + at), b.hi0), hn::Lt(hn::LoadU(d, boxes.hi[0] + at), b.lo0));
  apart = hn::Or(apart, hn::Gt(hn::LoadU(d, boxes.lo[1] + at), b.hi1));
  apart = hn::Or(apart, hn::Lt(hn::LoadU(d, boxes.hi[1] + at), b.lo1));
  if constexpr (N == 3) {
    apart = hn::Or(apart, hn::Gt(hn::LoadU(d, boxes.lo[2] + at), b.hi2));
    apart = hn::Or(apart, hn::Lt(hn::LoadU(d, boxes.hi[2] + at), b.lo2));
  }
  return apart;
}

// Lanes whose boxes overlap the box by more than nothing on every axis: their doubles do, too.
template <int N>
GRAZE_LANE_FUNCTION Mask surely_over(const LaneView<N>& boxes, std::size_t at, const Spread<N>& b) {
  const Floats d;
  Mask over = hn::And(hn::Lt(hn::LoadU(d, boxes.lo[0] + at), b.hi0), hn::Gt(hn::LoadU(d, boxes.hi[0] + at), b.lo0));
  over = hn::And(over, hn::Lt(hn::LoadU(d, boxes.lo[1] + at), b.hi1));
  over = hn::And(over, hn::Gt(hn::LoadU(d, boxes.hi[1] + at), b.lo1));
  if constexpr (N == 3) {
    over = hn::And(over, hn::Lt(hn::LoadU(d, boxes.lo[2] + at), b.hi2));
    over = hn::And(over, hn::Gt(hn::LoadU(d, boxes.hi[2] + at), b.lo2));
  }
  return over;
}

GRAZE_LANE_FUNCTION unsigned bits_of(Mask mask) { return mask_bits(Floats(), mask); }

}  // namespace HWY_NAMESPACE
}  // namespace graze::broad
HWY_AFTER_NAMESPACE();

#endif
