#include "index/box_lanes.h"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/box_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "index/box_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad {
namespace HWY_NAMESPACE {

template <int N>
std::size_t scan_of(const LaneView<N>& boxes, std::size_t begin, std::size_t end, const FloatBox<N>& box,
                    std::uint32_t* out) {
  const Spread<N> spread(box);
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t count = 0;
  // Whole words of bits before the first is looked at: whether there are any is the one thing to guess.
  for (std::size_t at = begin; at < end; at += kWordSlots) {
    const std::size_t slots = std::min(kWordSlots, end - at);
    std::uint64_t apart = 0;
    for (std::size_t k = 0; k < slots; k += lanes) {
      apart |= std::uint64_t{bits_of(apart_from<N>(boxes, at + k, spread))} << k;
    }
    std::uint64_t near = ~apart & (~std::uint64_t{0} >> (kWordSlots - slots));
    for (; near != 0; near &= near - 1) {
      out[count++] = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(near));
    }
  }
  return count;
}

template <int N>
std::size_t scan_block_of(const LaneView<N>& boxes, std::size_t end, const FloatBox<N>* block, std::size_t count,
                          std::uint32_t* out) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = scan_of<N>(boxes, 0, end, block[i], out + found);
    for (std::size_t k = 0; k < n; ++k) out[found + k] |= static_cast<std::uint32_t>(i) << kBlockShift;
    found += n;
  }
  return found;
}

std::size_t scan2(const LaneView<2>& boxes, std::size_t begin, std::size_t end, const FloatBox<2>& box,
                  std::uint32_t* out) {
  return scan_of<2>(boxes, begin, end, box, out);
}
std::size_t scan_block2(const LaneView<2>& boxes, std::size_t end, const FloatBox<2>* block, std::size_t count,
                        std::uint32_t* out) {
  return scan_block_of<2>(boxes, end, block, count, out);
}
std::size_t scan3(const LaneView<3>& boxes, std::size_t begin, std::size_t end, const FloatBox<3>& box,
                  std::uint32_t* out) {
  return scan_of<3>(boxes, begin, end, box, out);
}
std::size_t scan_block3(const LaneView<3>& boxes, std::size_t end, const FloatBox<3>* block, std::size_t count,
                        std::uint32_t* out) {
  return scan_block_of<3>(boxes, end, block, count, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::broad
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad {

HWY_EXPORT(scan2);
HWY_EXPORT(scan_block2);
HWY_EXPORT(scan3);
HWY_EXPORT(scan_block3);

std::size_t scan(const LaneView<2>& boxes, std::size_t begin, std::size_t end, const FloatBox<2>& box,
                 std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(scan2)(boxes, begin, end, box, out);
}
std::size_t scan_block(const LaneView<2>& boxes, std::size_t end, const FloatBox<2>* block, std::size_t count,
                       std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(scan_block2)(boxes, end, block, count, out);
}
std::size_t scan(const LaneView<3>& boxes, std::size_t begin, std::size_t end, const FloatBox<3>& box,
                 std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(scan3)(boxes, begin, end, box, out);
}
std::size_t scan_block(const LaneView<3>& boxes, std::size_t end, const FloatBox<3>* block, std::size_t count,
                       std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(scan_block3)(boxes, end, block, count, out);
}

}  // namespace graze::broad
#endif
