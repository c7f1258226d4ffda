#include <algorithm>
#include <vector>

#include "clearance/engine.h"
#include "clearance/scan_walk.h"

namespace graze::clearance {
namespace {

class BlockWorker {
 public:
  BlockWorker(const Engine& engine, const BlockTask& task, const ScanIndex& scan)
      : engine_(engine),
        tree_(engine.tree[0]),
        model_(data_of(engine.model)),
        field_(engine.field()),
        task_(task),
        max_distance_(engine.max_distance()),
        walk_(tree_, field_, scan, task.points, {.max_distance = max_distance_ + model_.radius}) {}

  void run(std::size_t level, std::size_t i) {
    walk_.run(level, i, [&](const ScanLeaf& leaf, std::span<const std::uint32_t> list) { measure(leaf, list); });
  }

 private:
  struct Near {
    float bound;
    std::uint32_t interval;
  };
  // Where the last point was nearest to the model: its neighbour is probably so too.
  struct Seed {
    bool known = false;
    std::uint32_t step = 0;
    std::size_t slot = 0;
  };

  void measure(const ScanLeaf& leaf, std::span<const std::uint32_t> list) {
    bounds_.resize(list.size() * kLeaf);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const LeafMotion motion = field_.motion(tree_, tree_.node(list[k]), leaf.node->center, leaf.node->radius);
      field_.lane_bounds(motion, leaf.lanes, leaf.all(), bounds_.data() + k * kLeaf);
    }
    Seed seed;
    for (std::size_t lane = 0; lane < leaf.points.size(); ++lane) {
      near_.clear();
      for (std::size_t k = 0; k < list.size(); ++k) {
        const float bound = bounds_[k * kLeaf + lane];
        if (double{bound} <= max_distance_ + model_.radius) near_.push_back({bound, list[k]});
      }
      if (!near_.empty()) point(leaf.points[lane], seed);
    }
  }

  void point(std::uint32_t index, Seed& seed) {
    std::sort(near_.begin(), near_.end(), [](const Near& a, const Near& b) {
      return a.bound != b.bound ? a.bound < b.bound : a.interval < b.interval;
    });
    const Vec3& p = task_.points[index];
    Closest best{max_distance_};
    Sweep sweep(tree_, model_, p, best, task_.any());
    if (seed.known) sweep.try_element(seed.step, seed.slot);
    for (const Near& near : near_) {
      // Inside of shapes the field knows nothing but that it is inside.
      if (sweep.done() || double{near.bound} > std::max(best.value + model_.radius, 0.0)) break;
      sweep.search(near.interval);
    }
    if (best.found) seed = {true, best.step, sweep.slot()};
    if (model_.solid()) add_depth(tree_, model_, p, best, task_.any());
    if (!best.found) return;
    if (task_.any()) {
      task_.hits[index] = 1;
    } else {
      task_.results[index] = best.result(tree_, engine_.options.limit);
    }
  }

  const Engine& engine_;
  const PoseTree& tree_;
  const ModelData& model_;
  const Field& field_;
  const BlockTask& task_;
  double max_distance_;
  ScanWalk walk_;
  std::vector<float> bounds_;  // by interval and lane
  std::vector<Near> near_;
};

}  // namespace

void measure_block(const Engine& engine, const BlockTask& task, const ScanIndex& scan, const Progress& progress) {
  for_each_part(scan, engine.options.threads, progress, [&] { return BlockWorker(engine, task, scan); });
}

}  // namespace graze::clearance
