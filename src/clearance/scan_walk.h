// From the nodes of a scan tree down to its leaves, with the pose intervals that may matter to each.
#pragma once

#include <vector>

#include "clearance/field.h"
#include "clearance/scan_index.h"
#include "graze/base/parallel.h"
#include "graze/base/progress.h"
#include "motion/halves.h"
#include "motion/pose_tree.h"

namespace graze::clearance {

/// A leaf of the scan tree, ready for SIMD lanes.
struct ScanLeaf {
  const ScanNode* node;
  std::span<const std::uint32_t> points;  ///< indices of the caller's points, kLeaf at most
  LeafPoints lanes;                       ///< about the node's centre

  std::uint32_t all() const { return points.size() == kLeaf ? ~0U : (1U << points.size()) - 1; }
};

struct ScanWalkOptions {
  double max_distance = 0;  ///< core distances above are of no interest
  double longest = 4;       ///< half of an interval's chord is at most so many radii of the points it is listed for
};

class ScanWalk {
 public:
  ScanWalk(const PoseTree& tree, const Field& field, const ScanIndex& scan, std::span<const Vec3> points,
           const ScanWalkOptions& options)
      : tree_(tree), field_(field), scan_(scan), points_(points), options_(options) {}

  /// Calls visit(leaf, intervals) for every leaf below a node that the model may come near to, with the nodes of the
  /// pose tree in which it may. Their order is that of the path.
  template <class Visit>
  void run(std::size_t level, std::size_t i, Visit&& visit) {
    list_.assign(1, PoseTree::kRoot);
    descend(level, i, 0, visit);
  }

 private:
  // The intervals from `begin` on are those that matter to the parent.
  template <class Visit>
  void descend(std::size_t level, std::size_t i, std::size_t begin, Visit& visit) {
    const ScanNode& node = scan_.level(level)[i];
    const std::size_t end = list_.size();
    for (std::size_t k = begin; k < end; ++k) refine(list_[k], node);
    if (list_.size() > end) {
      if (level == 0) {
        fill(node, i);
        visit(static_cast<const ScanLeaf&>(leaf_), std::span<const std::uint32_t>(list_).subspan(end));
      } else {
        for (std::size_t k = scan_.first(level, i); k < scan_.last(level, i); ++k) descend(level - 1, k, end, visit);
      }
    }
    list_.resize(end);
  }

  // Appends the parts of a pose interval that may matter to the points of a node.
  void refine(std::uint32_t interval, const ScanNode& points) {
    motion::halve<PoseTree::kMaxDepth>(interval, [&](std::uint32_t id, std::uint32_t& first, std::uint32_t& second) {
      const PoseNode& node = tree_.node(id);
      Chord chord = tree_.chord(node, points.center);
      chord.deviation += (node.turn + 1e-12) * points.radius;
      double slack = 0;
      if (field_.bound(chord, points.radius, slack) > options_.max_distance) return false;
      const double half = (chord.to - chord.from).norm() / 2;
      if (!node.leaf() && (half > options_.longest * points.radius || slack > points.radius)) {
        first = node.left, second = node.right;
        return true;
      }
      list_.push_back(id);
      return false;
    });
  }

  void fill(const ScanNode& node, std::size_t i) {
    const std::size_t first = scan_.first(0, i), count = scan_.last(0, i) - first;
    leaf_.node = &node;
    leaf_.points = scan_.order().subspan(first, count);
    for (std::size_t k = 0; k < kLeaf; ++k) {
      const Vec3 off = k < count ? Vec3(points_[leaf_.points[k]] - node.center) : Vec3(Vec3::Zero());
      for (int axis = 0; axis < 3; ++axis) leaf_.lanes.of[axis][k] = static_cast<float>(off[axis]);
    }
  }

  const PoseTree& tree_;
  const Field& field_;
  const ScanIndex& scan_;
  std::span<const Vec3> points_;
  ScanWalkOptions options_;
  std::vector<std::uint32_t> list_;  // by level of the walk, one behind the other
  ScanLeaf leaf_{};
};

/// Calls work(level, i) for nodes of the scan tree that together hold all points; each thread makes its own worker.
template <class MakeWorker>
void for_each_part(const ScanIndex& scan, int threads, const Progress& progress, MakeWorker&& make) {
  constexpr std::size_t kParts = 1024;  // at least, so that threads share them evenly
  if (scan.size() == 0) return;
  std::size_t level = scan.levels() - 1;
  while (level > 0 && scan.level(level).size() < kParts) --level;
  const std::size_t count = scan.level(level).size();
  ProgressCounter counter(progress, count);
  parallel_chunks(count,
                  [&](std::size_t begin, std::size_t end) {
                    auto worker = make();
                    for (std::size_t i = begin; i < end && !counter.cancelled(); ++i) {
                      worker.run(level, i);
                      counter.advance();
                    }
                  },
                  {.threads = threads});
}

}  // namespace graze::clearance
