// Where a grid keeps its points: three coordinates and the index of each, as arrays in one piece of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "index/buffer.h"

namespace graze::point_grid {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::size_t kPadding = 16;  // NaN points behind the last: SIMD reads whole vectors

struct Record {
  float x, y, z;
  std::uint32_t index;
};

/// One piece, so that large clouds lie on huge pages; a scatter of points to four arrays touches many pages at a time.
class Slots {
 public:
  float *x = nullptr, *y = nullptr, *z = nullptr;
  std::uint32_t* index = nullptr;

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return memory_.bytes(); }
  Record operator[](std::size_t i) const { return {x[i], y[i], z[i], index[i]}; }
  void set(std::size_t i, const Record& r) {
    x[i] = r.x;
    y[i] = r.y;
    z[i] = r.z;
    index[i] = r.index;
  }

  /// Slots from the old size on hold no particular points; nor do those of the padding behind the last.
  void resize(std::size_t size) {
    if (size + kPadding > stride_) grow(size);
    size_ = size;
  }
  /// No points from `begin` to `end`, which may be up to the end of the padding.
  void clear(std::size_t begin, std::size_t end) {
    for (float* axis : {x, y, z}) std::fill(axis + begin, axis + end, std::numeric_limits<float>::quiet_NaN());
    std::fill(index + begin, index + end, kNone);
  }

 private:
  void grow(std::size_t size) {
    // Whole cache lines, and an odd number of them, so that slots of one number do not share a set of the cache.
    constexpr std::size_t kLine = 16;
    const std::size_t stride = ((size + size / 8 * (size_ > 0 ? 1 : 0) + kPadding) / kLine | 1U) * kLine + 2 * kLine;
    Buffer<std::byte> memory;
    memory.resize(4 * stride * sizeof(float));
    auto* arrays = reinterpret_cast<float*>(memory.data());
    auto* indices = reinterpret_cast<std::uint32_t*>(memory.data() + 3 * stride * sizeof(float));
    if (size_ > 0) {
      std::copy_n(x, size_, arrays);
      std::copy_n(y, size_, arrays + stride);
      std::copy_n(z, size_, arrays + 2 * stride);
      std::copy_n(index, size_, indices);
    }
    memory_ = std::move(memory);
    stride_ = stride;
    x = arrays;
    y = arrays + stride;
    z = arrays + 2 * stride;
    index = indices;
  }

  Buffer<std::byte> memory_;
  std::size_t size_ = 0, stride_ = 0;
};

}  // namespace graze::point_grid
