// What a SweptClearance is made of.
#pragma once

#include <mutex>
#include <vector>

#include "clearance/field.h"
#include "clearance/scan_index.h"
#include "clearance/sweep.h"
#include "graze/clearance/clearance.h"
#include "motion/pose_tree.h"

namespace graze::clearance {

/// Radians between knots at most: a part of the model at 10 m then leaves its chord by 12 mm.
inline constexpr double kLargestTurn = 0.1;

/// A frame of a deforming model: a rigid one on the two motions that meet at its pose.
struct Frame {
  PoseTree tree;
  std::uint32_t first_pose;
};

struct Engine {
  Model model;
  std::vector<Pose> path;
  Options options;
  double tolerance = kTolerance;

  /// What may turn out to be within the limit.
  double max_distance() const { return options.limit + tolerance; }

  // Of a rigid model.
  std::vector<PoseTree> tree;  // one
  mutable std::once_flag field_made;
  mutable Field field_;
  /// Made when it is first wanted: a few points are faster without.
  const Field& field() const;

  // Of a deforming one.
  std::vector<Frame> frames;
  Bvh frame_boxes;  // where each frame gets to in the world, grown by the limit

  PointClearance at(const Vec3& p, bool any) const;
  /// SweptClearance::at_most.
  double at_most(const Vec3& p, double slack) const;

 private:
  /// Returns the deforming model's frame at which it was found.
  std::size_t search(const Vec3& p, Closest& best, bool any, double slack) const;
};

/// One block of points, each result written to its own element.
struct BlockTask {
  std::span<const Vec3> points;
  std::span<PointClearance> results;  // empty: only whether
  std::span<std::uint8_t> hits;       // empty: how near

  bool any() const { return results.empty(); }
  void clear(std::size_t i) const {
    if (any()) {
      hits[i] = 0;
    } else {
      results[i] = {};
    }
  }
};

/// The finite points of the block using scan tree, pose tree and field.
void measure_block(const Engine& engine, const BlockTask& task, const ScanIndex& scan, const Progress& progress);

}  // namespace graze::clearance
