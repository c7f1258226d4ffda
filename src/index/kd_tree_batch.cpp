// The order in which the searches of a batch run.
#include "graze/index/kd_tree.h"
#include "index/curve_order.h"

namespace graze {
namespace {

// Smaller trees stay in the cache whatever the order; fewer volumes have no neighbours.
constexpr std::size_t kMinPoints = std::size_t{1} << 15U, kMinVolumes = 256;

}  // namespace

std::vector<std::uint32_t> KdTree::side_by_side(const void* volumes, std::size_t count,
                                                Vec3 (*center)(const void*, std::size_t),
                                                const ParallelOptions& parallel) const {
  std::vector<std::uint32_t> order;
  if (size() < kMinPoints || count < kMinVolumes || count > 0xFFFFFFFFU) return order;
  const Curve curve(bounds());
  std::vector<CurvePlace> places(count);
  parallel_for(
      count,
      [&](std::size_t i) {
        places[i] = {curve(center(volumes, i)), static_cast<std::uint32_t>(i)};
      },
      parallel);
  sort_places(places);
  order.resize(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = places[i].index;
  return order;
}

}  // namespace graze
