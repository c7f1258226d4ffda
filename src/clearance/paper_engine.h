// One rigid model on one path, ready to decide for scan points which of them collide as the paper has it.
#pragma once

#include "clearance/model_data.h"
#include "clearance/paper_table.h"
#include "clearance/scan_index.h"
#include "graze/clearance/paper.h"
#include "motion/pose_tree.h"

namespace graze::clearance {

struct PaperEngine {
  std::span<const Pose> path;
  std::span<const Vec3> points;
  double radius;
  bool segments;  // kd-CD, not kd-CD-simple
  int threads;
  Model model;
  PoseTree tree;
  Field field;
  PaperTable table;

  /// The paper's model and path must live as long. The model has points.
  PaperEngine(const PaperClearance& paper, bool along);

  /// Sets to 1 what collides.
  void decide(std::span<const Vec3> scan, const ScanIndex& index, std::span<std::uint8_t> hits) const;

  /// Rounding of a place in the world, and of what is computed from it: decisions nearer than this to r are made by
  /// the naive expression.
  double doubt(const Vec3& p) const { return 32 * kEpsilon * (p.norm() + data_of(model).reach + 2 * radius); }
};

}  // namespace graze::clearance
