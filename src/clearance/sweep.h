// One scan point against a model in motion: the minimum distance over a part of the path.
#pragma once

#include "clearance/model_data.h"
#include "graze/clearance/clearance.h"
#include "motion/pose_tree.h"

namespace graze::clearance {

/// The smallest value found so far, and where.
struct Closest {
  double value;  ///< nothing above is of interest
  std::uint32_t step = 0, element = 0;
  double time = 0;  ///< of the step, in [0, 1]
  bool found = false;

  PointClearance result(const PoseTree& tree, double limit) const;
};

/// What a value is searched to: a part of the tolerance, since solids need several of it to tell inside from outside
/// (sweep_depth.cpp), and how coarse the coordinates themselves are.
inline double tolerance_at(const Vec3& p, const ModelData& model) {
  return kTolerance / 16 + 4 * kEpsilon * (p.cwiseAbs().maxCoeff() + model.reach);
}

/// Walks pairs of pose intervals and model nodes, nearest first: a pair whose chord and box are farther apart than the
/// best value cannot improve it. Single elements are minimised along the motion by tangents: the distance from a convex
/// element is convex along a chord, so that the tangents at its ends bound it from below.
///
/// Values are those of the elements' cores, less their radius; triangles are unsigned. No allocation.
class Sweep {
 public:
  /// With `any`, the search ends at the first value that is within the limit. With a slack, values that are better by
  /// no more than this are not looked for.
  Sweep(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, bool any = false, double slack = 0)
      : tree_(tree), model_(model), p_(p), best_(best), tolerance_(tolerance_at(p, model) + slack), any_(any) {}

  /// Looks for less than best.value in the part of the path below a node.
  void search(std::uint32_t pose_node);
  /// One element in one step: where a neighbour found its smallest value, as a good start.
  void try_element(std::uint32_t step, std::size_t slot);
  /// The slot of the element that was found last.
  std::size_t slot() const { return slot_; }
  bool done() const { return any_ && best_.found; }

 private:
  class Element;
  bool hopeless(double bound) const { return bound > best_.value - tolerance_; }
  void leaf(std::uint32_t leaf, std::uint32_t pose_node, const Chord& chord);

  const PoseTree& tree_;
  const ModelData& model_;
  const Vec3& p_;
  Closest& best_;
  double tolerance_;
  bool any_;
  std::size_t slot_ = 0;
};

/// The deepest place of a point in a solid mesh over the whole path: looks for less than best.value, which is at most 0
/// (best.value is negative inside). Exact to the same tolerance.
void search_depth(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, double slack = 0);

/// What a solid adds to a point whose smallest unsigned value over the whole path is known: the depth, if it is ever
/// inside. With `any`, only that it is.
void add_depth(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, bool any, double slack = 0);

/// Everything for one point and one rigid model.
void measure_point(const PoseTree& tree, const ModelData& model, const Vec3& p, Closest& best, bool any,
                   double slack = 0);

}  // namespace graze::clearance
