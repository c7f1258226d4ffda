// What Capt is made of, and its SIMD kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "graze/index/capt.h"
#include "index/buffer.h"
#include "index/thresholds.h"

namespace graze {

struct Capt::Data {
  /// Bounds of a leaf's list.
  struct Box {
    float low[3], high[3];
  };

  CaptOptions options;
  std::size_t size = 0, skipped = 0;
  int depth = 0;               // the tree has 2^depth leaves
  Buffer<float> tests;         // of the inner nodes; the children of i are 2i + 1 and 2i + 2
  Buffer<Box> boxes;           // per leaf
  Buffer<std::size_t> starts;  // per leaf and one behind; the leaf's own point is the first of its list
  Buffer<float> x, y, z;       // the lists, each filled up to whole vectors with NaN

  std::size_t leaves() const { return std::size_t{1} << static_cast<unsigned>(depth); }
};

namespace capt {

inline constexpr std::size_t kWidth = 16;  // lists are filled up to multiples of this

bool search(const Capt::Data& tree, const SphereCheck& ball);
std::uint64_t search_batch(const Capt::Data& tree, const SpheresView& spheres, std::size_t first, std::size_t count,
                           bool only_any);

}  // namespace capt
}  // namespace graze
