// The order in which the searches of a batch run: along a curve through space, so that neighbours use the same memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/parallel.h"

namespace graze {

/// A place on the curve of Morton through a box; what lies outside of it counts as at its border.
class Curve {
 public:
  static constexpr unsigned kBits = 10;  ///< per axis

  explicit Curve(const Aabb& box);
  std::uint32_t operator()(const Vec3& p) const {
    // Axis by axis: as a loop it is not unrolled.
    return spread(cell(p, 0)) | spread(cell(p, 1)) << 1U | spread(cell(p, 2)) << 2U;
  }

  /// abc -> a00b00c
  static std::uint32_t spread(std::uint32_t x) {
    x = (x | x << 16U) & 0x030000FFU;
    x = (x | x << 8U) & 0x0300F00FU;
    x = (x | x << 4U) & 0x030C30C3U;
    return (x | x << 2U) & 0x09249249U;
  }

 private:
  static constexpr double kCells = 1U << kBits;
  std::uint32_t cell(const Vec3& p, int axis) const {
    const double at = (p[axis] - low_[axis]) * scale_[axis];
    return static_cast<std::uint32_t>(at > 0 ? std::min(at, kCells - 1) : 0);  // of what is no number, too
  }
  Vec3 low_, scale_;
};

struct CurvePlace {
  std::uint32_t key, index;
};
/// By key, and keeps the order of equal ones. O(n)
void sort_places(std::vector<CurvePlace>& places);
/// The same with memory that is kept for the next time.
void sort_places(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch);

}  // namespace graze
