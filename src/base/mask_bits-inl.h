// A mask of lanes as bits of a number, included once per instruction set.
#if defined(GRAZE_MASK_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_MASK_BITS_INL
#undef GRAZE_MASK_BITS_INL
#else
#define GRAZE_MASK_BITS_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze {
namespace HWY_NAMESPACE {

/// A bit for each lane, the first one the lowest; of 16 lanes at most.
template <class D>
GRAZE_LANE_FUNCTION unsigned mask_bits(D d, hwy::HWY_NAMESPACE::Mask<D> mask) {
  static_assert(hwy::HWY_NAMESPACE::MaxLanes(D()) <= 16);
  std::uint8_t bytes[8] = {};
  hwy::HWY_NAMESPACE::StoreMaskBits(d, mask, bytes);
  if constexpr (hwy::HWY_NAMESPACE::MaxLanes(D()) <= 8) {
    return bytes[0];
  } else if constexpr (std::endian::native == std::endian::little) {  // in one piece
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    return bits;
  } else {
    return static_cast<unsigned>(bytes[0]) | static_cast<unsigned>(bytes[1]) << 8U;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze
HWY_AFTER_NAMESPACE();

#endif
