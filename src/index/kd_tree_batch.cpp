// The order in which the searches of a batch run.
#include <algorithm>
#include <array>
#include <utility>

#include "graze/index/kd_tree.h"

namespace graze {
namespace {

// Smaller trees stay in the cache whatever the order; fewer volumes have no neighbours.
constexpr std::size_t kLeastPoints = std::size_t{1} << 15U, kLeastVolumes = 256;
constexpr unsigned kBits = 10;  // per axis

// abc -> a00b00c
std::uint32_t spread(std::uint32_t x) {
  x = (x | x << 16U) & 0x030000FFU;
  x = (x | x << 8U) & 0x0300F00FU;
  x = (x | x << 4U) & 0x030C30C3U;
  return (x | x << 2U) & 0x09249249U;
}

// A place on the curve of Morton through the box.
class Curve {
 public:
  explicit Curve(const Aabb& box) : low_(box.min) {
    const Vec3 extent = box.max - box.min;
    for (int axis = 0; axis < 3; ++axis) scale_[axis] = extent[axis] > kSmallestLength ? kCells / extent[axis] : 0;
  }
  std::uint32_t operator()(const Vec3& p) const {
    std::uint32_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double cell = std::clamp((p[axis] - low_[axis]) * scale_[axis], 0.0, kCells - 1);
      key |= spread(static_cast<std::uint32_t>(cell)) << static_cast<unsigned>(axis);
    }
    return key;
  }

 private:
  static constexpr double kCells = 1U << kBits;
  Vec3 low_, scale_;
};

struct Place {
  std::uint32_t key, volume;
};

// By the digits of the key, the last one first. Each pass keeps the order of equal ones.
void sort_places(std::vector<Place>& places) {
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  std::vector<Place> sorted(places.size());
  for (unsigned shift = 0; shift < 3 * kBits; shift += kBits) {
    const auto digit = [shift](const Place& p) { return p.key >> shift & (kDigits - 1); };
    std::array<std::size_t, kDigits> at{};
    for (const Place& p : places) ++at[digit(p)];
    std::size_t sum = 0;
    for (std::size_t& n : at) sum += std::exchange(n, sum);
    for (const Place& p : places) sorted[at[digit(p)]++] = p;
    places.swap(sorted);
  }
}

}  // namespace

std::vector<std::uint32_t> KdTree::side_by_side(const void* volumes, std::size_t count,
                                                Vec3 (*center)(const void*, std::size_t),
                                                const ParallelOptions& parallel) const {
  std::vector<std::uint32_t> order;
  if (size() < kLeastPoints || count < kLeastVolumes || count > 0xFFFFFFFFU) return order;
  const Curve curve(bounds());
  std::vector<Place> places(count);
  parallel_for(
      count,
      [&](std::size_t i) {
        places[i] = {curve(center(volumes, i)), static_cast<std::uint32_t>(i)};
      },
      parallel);
  sort_places(places);
  order.resize(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = places[i].volume;
  return order;
}

}  // namespace graze
