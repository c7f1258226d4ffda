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
  // What is loaded comes second, so that comparisons take it from memory.
  Mask apart = hn::Or(hn::Lt(b.hi0, hn::LoadU(d, boxes.lo[0] + at)), hn::Gt(b.lo0, hn::LoadU(d, boxes.hi[0] + at)));
  apart = hn::Or(apart, hn::Lt(b.hi1, hn::LoadU(d, boxes.lo[1] + at)));
  apart = hn::Or(apart, hn::Gt(b.lo1, hn::LoadU(d, boxes.hi[1] + at)));
  if constexpr (N == 3) {
    apart = hn::Or(apart, hn::Lt(b.hi2, hn::LoadU(d, boxes.lo[2] + at)));
    apart = hn::Or(apart, hn::Gt(b.lo2, hn::LoadU(d, boxes.hi[2] + at)));
  }
  return apart;
}

// How far boxes are apart on the axis on which they are farthest: below 0 they overlap by more than nothing on every
// axis, and their doubles do, too. Differences of floats have the right sign.
template <int N>
GRAZE_LANE_FUNCTION Vec gap_of(const LaneView<N>& boxes, std::size_t at, const Spread<N>& b) {
  const Floats d;
  const auto along = [&](int k, Vec lo, Vec hi) HWY_ATTR {
    return hn::Max(hn::Sub(hn::LoadU(d, boxes.lo[k] + at), hi), hn::Sub(lo, hn::LoadU(d, boxes.hi[k] + at)));
  };
  const Vec gap = hn::Max(along(0, b.lo0, b.hi0), along(1, b.lo1, b.hi1));
  return N == 3 ? hn::Max(gap, along(N - 1, b.lo2, b.hi2)) : gap;
}

GRAZE_LANE_FUNCTION unsigned bits_of(Mask mask) { return mask_bits(Floats(), mask); }

}  // namespace HWY_NAMESPACE
}  // namespace graze::broad
HWY_AFTER_NAMESPACE();

#endif
