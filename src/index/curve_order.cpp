#include "index/curve_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace graze {
namespace {

constexpr unsigned kBits = 10;  // per axis
constexpr double kCells = 1U << kBits;

// abc -> a00b00c
std::uint32_t spread(std::uint32_t x) {
  x = (x | x << 16U) & 0x030000FFU;
  x = (x | x << 8U) & 0x0300F00FU;
  x = (x | x << 4U) & 0x030C30C3U;
  return (x | x << 2U) & 0x09249249U;
}

}  // namespace

Curve::Curve(const Aabb& box) : low_(box.min) {
  const Vec3 extent = box.max - box.min;
  for (int axis = 0; axis < 3; ++axis) scale_[axis] = extent[axis] > kSmallestLength ? kCells / extent[axis] : 0;
}

std::uint32_t Curve::operator()(const Vec3& p) const {
  std::uint32_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double cell = (p[axis] - low_[axis]) * scale_[axis];
    const double at = cell > 0 ? std::min(cell, kCells - 1) : 0;  // of what is no number, too
    key |= spread(static_cast<std::uint32_t>(at)) << static_cast<unsigned>(axis);
  }
  return key;
}

// By the digits of the key, the last one first. Each pass keeps the order of equal ones.
void sort_places(std::vector<CurvePlace>& places) {
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  std::vector<CurvePlace> sorted(places.size());
  for (unsigned shift = 0; shift < 3 * kBits; shift += kBits) {
    const auto digit = [shift](const CurvePlace& p) { return p.key >> shift & (kDigits - 1); };
    std::array<std::size_t, kDigits> at{};
    for (const CurvePlace& p : places) ++at[digit(p)];
    std::size_t sum = 0;
    for (std::size_t& n : at) sum += std::exchange(n, sum);
    for (const CurvePlace& p : places) sorted[at[digit(p)]++] = p;
    places.swap(sorted);
  }
}

}  // namespace graze
