// Boxes side by side in float32, and which of them overlap a box, many at a time.
#pragma once

#include "index/bit_words.h"
#include "index/broad_structure.h"
#include "index/buffer.h"

namespace graze::broad {

/// The widest vector of float32. Arrays are readable that far behind their end.
inline constexpr std::size_t kMaxLanes = 16;
/// Slots that are compared before any is looked at: a bit each.
inline constexpr std::size_t kWordSlots = 64;

/// Boxes by axis.
template <int N>
struct LaneView {
  const float *lo[N], *hi[N];
};

/// Boxes by axis, with their ids.
template <int N>
class LaneStore {
 public:
  std::size_t size() const { return size_; }
  void clear() noexcept { size_ = 0; }
  /// Where memory runs out, some arrays may have grown; that of the ids is the last to.
  void resize(std::size_t size) {
    for (int k = 0; k < N; ++k) {
      for (Buffer<float>* side : {&lo_[k], &hi_[k]}) {
        side->resize(size + kMaxLanes);
        std::fill(side->begin() + size, side->end(), 0.0F);
      }
    }
    id_.resize(size + kMaxLanes);
    size_ = size;
  }
  void push_back(const FloatBox<N>& box, BoxId id) {
    if (size_ + kMaxLanes >= id_.size()) {
      const std::size_t size = size_;
      resize(2 * size + kMaxLanes);
      size_ = size;
    }
    set(size_++, box, id);
  }
  void pop_back() { --size_; }
  void set(std::size_t slot, const FloatBox<N>& box, BoxId id) {
    each_axis<N>([&](int k) { lo_[k][slot] = box.lo[k], hi_[k][slot] = box.hi[k]; });
    id_[slot] = id;
  }
  FloatBox<N> box(std::size_t slot) const {
    FloatBox<N> b;
    each_axis<N>([&](int k) { b.lo[k] = lo_[k][slot], b.hi[k] = hi_[k][slot]; });
    return b;
  }
  BoxId id(std::size_t slot) const { return id_[slot]; }
  const BoxId* ids() const { return id_.data(); }
  LaneView<N> view() const {
    LaneView<N> v;
    each_axis<N>([&](int k) { v.lo[k] = lo_[k].data(), v.hi[k] = hi_[k].data(); });
    return v;
  }
  std::size_t memory_bytes() const { return static_cast<std::size_t>(2 * N) * lo_[0].bytes() + id_.bytes(); }

 private:
  Buffer<float> lo_[N], hi_[N];
  Buffer<BoxId> id_;
  std::size_t size_ = 0;
};

/// At most so many slots at a time.
inline constexpr std::size_t kScanned = 512;

/// Which of the slots from `begin` up to `end`, at most kScanned, have floats that are not apart from `box`: doubles
/// decide. A bit each, from the first word on.
void scan(const LaneView<2>& boxes, std::size_t begin, std::size_t end, const FloatBox<2>& box, std::uint64_t* words);
void scan(const LaneView<3>& boxes, std::size_t begin, std::size_t end, const FloatBox<3>& box, std::uint64_t* words);

/// Several boxes against the first `end` slots, of few: words_of(end) words for each.
inline constexpr std::size_t kBlockBoxes = 32, kBlockSlots = 256;
constexpr std::size_t words_of(std::size_t slots) { return (slots + kWordSlots - 1) / kWordSlots; }
void scan_block(const LaneView<2>& boxes, std::size_t end, const FloatBox<2>* block, std::size_t count,
                std::uint64_t* words);
void scan_block(const LaneView<3>& boxes, std::size_t end, const FloatBox<3>* block, std::size_t count,
                std::uint64_t* words);

/// Calls see(slot) for each of any number of slots; false ends it, and is returned.
template <int N, class See>
bool scan_all(const LaneView<N>& boxes, std::size_t begin, std::size_t end, const FloatBox<N>& box, const See& see) {
  std::uint64_t words[words_of(kScanned)];
  for (; begin < end; begin += kScanned) {
    const std::size_t stop = std::min(end, begin + kScanned);
    scan(boxes, begin, stop, box, words);
    for (std::size_t at = begin; at < stop; at += kWordSlots) {
      if (!see_bits(words[(at - begin) / kWordSlots], at, see)) return false;
    }
  }
  return true;
}

}  // namespace graze::broad
