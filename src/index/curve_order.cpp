#include "index/curve_order.h"

#include <array>
#include <utility>

namespace graze {
Curve::Curve(const Aabb& box) : low_(box.min) {
  const Vec3 extent = box.max - box.min;
  for (int axis = 0; axis < 3; ++axis) scale_[axis] = extent[axis] > kSmallestLength ? kCells / extent[axis] : 0;
}

// By the digits of the key, the last one first. Each pass keeps the order of equal ones.
void sort_places(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch) {
  constexpr unsigned kBits = Curve::kBits;
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  scratch.resize(places.size());
  for (unsigned shift = 0; shift < 3 * kBits; shift += kBits) {
    const auto digit = [shift](const CurvePlace& p) { return p.key >> shift & (kDigits - 1); };
    std::array<std::size_t, kDigits> at{};
    for (const CurvePlace& p : places) ++at[digit(p)];
    std::size_t sum = 0;
    for (std::size_t& n : at) sum += std::exchange(n, sum);
    for (const CurvePlace& p : places) scratch[at[digit(p)]++] = p;
    places.swap(scratch);
  }
}
void sort_places(std::vector<CurvePlace>& places) {
  std::vector<CurvePlace> scratch;
  sort_places(places, scratch);
}

}  // namespace graze
