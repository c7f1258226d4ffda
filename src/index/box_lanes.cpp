#include "index/box_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/box_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "index/box_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad {
namespace HWY_NAMESPACE {

// Nothing branches on what is found.
template <int N>
GRAZE_LANE_FUNCTION void scan_of(const LaneView<N>& boxes, std::size_t begin, std::size_t end, const FloatBox<N>& box,
                                 std::uint64_t* words) {
  const Spread<N> spread(box);
  const std::size_t lanes = hn::Lanes(Floats());
  for (std::size_t at = begin; at < end; at += kWordSlots) {
    const std::size_t slots = std::min(kWordSlots, end - at);
    std::uint64_t apart = 0;
    for (std::size_t k = 0; k < slots; k += lanes) {
      apart |= std::uint64_t{bits_of(apart_from<N>(boxes, at + k, spread))} << k;
    }
    *words++ = ~apart & (~std::uint64_t{0} >> (kWordSlots - slots));
  }
}

void scan2(const LaneView<2>& boxes, std::size_t begin, std::size_t end, const FloatBox<2>& box, std::uint64_t* words) {
  scan_of<2>(boxes, begin, end, box, words);
}
void scan3(const LaneView<3>& boxes, std::size_t begin, std::size_t end, const FloatBox<3>& box, std::uint64_t* words) {
  scan_of<3>(boxes, begin, end, box, words);
}
void scan_block2(const LaneView<2>& boxes, std::size_t end, const FloatBox<2>* block, std::size_t count,
                 std::uint64_t* words) {
  for (std::size_t i = 0; i < count; ++i) scan_of<2>(boxes, 0, end, block[i], words + i * words_of(end));
}
void scan_block3(const LaneView<3>& boxes, std::size_t end, const FloatBox<3>* block, std::size_t count,
                 std::uint64_t* words) {
  for (std::size_t i = 0; i < count; ++i) scan_of<3>(boxes, 0, end, block[i], words + i * words_of(end));
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

void scan(const LaneView<2>& boxes, std::size_t begin, std::size_t end, const FloatBox<2>& box, std::uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(scan2)(boxes, begin, end, box, words);
}
void scan(const LaneView<3>& boxes, std::size_t begin, std::size_t end, const FloatBox<3>& box, std::uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(scan3)(boxes, begin, end, box, words);
}
void scan_block(const LaneView<2>& boxes, std::size_t end, const FloatBox<2>* block, std::size_t count,
                std::uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(scan_block2)(boxes, end, block, count, words);
}
void scan_block(const LaneView<3>& boxes, std::size_t end, const FloatBox<3>* block, std::size_t count,
                std::uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(scan_block3)(boxes, end, block, count, words);
}

}  // namespace graze::broad
#endif
