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
  constexpr unsigned kBits = Curve::kBits, kPasses = 3;
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  scratch.resize(places.size());
  const auto digit = [](const CurvePlace& p, unsigned pass) { return p.key >> pass * kBits & (kDigits - 1); };
  std::array<std::array<std::uint32_t, kDigits>, kPasses> at{};
  for (const CurvePlace& p : places) {
    for (unsigned pass = 0; pass < kPasses; ++pass) ++at[pass][digit(p, pass)];
  }
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    std::uint32_t sum = 0;
    for (std::uint32_t& n : at[pass]) sum += std::exchange(n, sum);
    for (const CurvePlace& p : places) scratch[at[pass][digit(p, pass)]++] = p;
    places.swap(scratch);
  }
}
void sort_places(std::vector<CurvePlace>& places) {
  std::vector<CurvePlace> scratch;
  sort_places(places, scratch);
}

}  // namespace graze
