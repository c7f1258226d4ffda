#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/clearance/paper.h"
#include "graze/index/kd_tree.h"

namespace graze::clearance {
namespace {

// Greatest of what any thread writes: does not depend on their order. Non-negative doubles are ordered as their bits.
void raise(double& to, double value) {
  std::atomic_ref<double> place(to);
  double now = place.load(std::memory_order_relaxed);
  while (now < value && !place.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}

struct Part {
  std::vector<Vec3> points;
  std::vector<std::size_t> whose;
};

Part part_of(std::span<const Vec3> scan, std::span<const std::uint8_t> colliding, bool wanted) {
  Part part;
  for (std::size_t i = 0; i < scan.size(); ++i) {
    if ((colliding[i] != 0) != wanted || !is_finite(scan[i])) continue;
    part.points.push_back(scan[i]);
    part.whose.push_back(i);
  }
  return part;
}

}  // namespace

std::vector<double> PaperClearance::depth(PaperMethod method, std::span<const Vec3> scan,
                                          std::span<const std::uint8_t> colliding) const {
  if (method != PaperMethod::kd_pd_fast && method != PaperMethod::kd_pd) {
    throw Error(std::string(name_of(method)), "finds sets, not depths");
  }
  if (scan.size() != colliding.size())
    throw Error("colliding", fmt::format("must be as many as the {} points, got {}", scan.size(), colliding.size()));
  std::vector<double> depth(scan.size(), 0);
  const Part hit = part_of(scan, colliding, true);
  const ParallelOptions parallel{.threads = options_.threads};
  if (hit.points.empty()) return depth;

  if (method == PaperMethod::kd_pd_fast) {
    const Part free = part_of(scan, colliding, false);
    const KdTree tree(free.points, {.threads = options_.threads});
    parallel_for(
        hit.points.size(),
        [&](std::size_t i) {
          depth[hit.whose[i]] = free.points.empty()
                                    ? kInfinity
                                    : tree.search(region::Ball(hit.points[i], kLargestLength / 4)).nearest().distance;
        },
        parallel);
    return depth;
  }

  const KdTree tree(hit.points, {.threads = options_.threads});
  const double r = options_.radius;
  const Aabb bounds = tree.bounds().grown(r);
  parallel_for(path_.size(),
               [&](std::size_t k) {
                 for (const Vec3& m : model(k)) {
                   Vec3 center = Vec3::Zero();
                   center[options_.axis] = m[options_.axis];
                   const Vec3 p = path_[k] * m, a = path_[k] * center;
                   if (!overlap(bounds, {p.cwiseMin(a), p.cwiseMax(a)})) continue;
                   const Neighbor nearest = tree.search(region::Segment(p, a, r)).nearest();
                   if (!nearest.found()) continue;
                   tree.search(region::Ball(hit.points[nearest.index], r)).visit([&](const Neighbor& n) {
                     raise(depth[hit.whose[n.index]], nearest.distance);
                   });
                 }
               },
               {.threads = options_.threads, .grain = 1});
  return depth;
}

}  // namespace graze::clearance
