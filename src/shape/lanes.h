// The innermost loops of convex hulls: the highest of many vertices or planes, in SIMD with run-time dispatch.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "graze/base/vec.h"

namespace graze::lanes {

/// Entries per block. Every instruction set reads whole blocks.
inline constexpr std::size_t kBlock = 8;

/// Arranges `count` entries of `kRows` numbers as blocks: row by row, eight entries each, the last block filled up by
/// repeating the last entry (which, having the same value and a higher index, never wins).
/// `Lane` is eight aligned doubles; entry(i) gives a std::array<double, kRows>.
template <class Lane, std::size_t kRows, class Entry>
std::vector<Lane> arranged(std::size_t count, const Entry& entry) {
  const std::size_t blocks = (count + kBlock - 1) / kBlock;
  std::vector<Lane> lanes(blocks * kRows);
  for (std::size_t i = 0; i < blocks * kBlock; ++i) {
    const std::array<double, kRows> numbers = entry(i < count ? i : count - 1);
    for (std::size_t row = 0; row < kRows; ++row) lanes[i / kBlock * kRows + row].values[i % kBlock] = numbers[row];
  }
  return lanes;
}

struct Highest {
  double value;
  std::size_t index;
};

/// The entry with the largest (x·dx + y·dy) + z·dz of `blocks` blocks of x y z; ties to the lower index. The same bits
/// on every target. If the direction is not finite, some entry.
std::size_t highest_vertex(const double* lanes, std::size_t blocks, const Vec3& direction);

/// The same over blocks of x y z offset for ((x·px + y·py) + z·pz) - offset. If p is not a number,
/// entry 0 with -∞: a point that is nowhere is not outside.
Highest highest_plane(const double* lanes, std::size_t blocks, const Vec3& p);

}  // namespace graze::lanes
