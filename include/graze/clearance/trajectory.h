// Where a body stands one moment after the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graze/base/pose.h"

namespace graze::clearance {

struct SmoothedTrajectory;

/// Options of Trajectory::smoothed().
struct SmoothingOptions {
  /// No pose is moved farther than this, in metres; 0: the curve runs through every position.
  double tolerance = 0.01;
  /// No pose is turned farther than this, in radians; 0: the curve has every rotation.
  double turn_tolerance = 0.002;
  /// Metres between the poses of the result, at most; 0: as many poses as before.
  double step = 0;
};

/// Poses in the order in which a body takes them, with or without times. From each to the next it moves as Motion says:
/// the origin on a straight line. Chainage is the length of the origin's path from the first pose on, in metres.
///
/// Frames: x forward, y left, z up.
///
///     Trajectory track = read_trajectory("track.tum");
///     Pose half_way = track.pose_at(track.length() / 2);
///     Trajectory even = track.resampled(0.06);
///     SmoothedTrajectory smooth = track.smoothed({.tolerance = 0.005});     // smooth.residual: at most 0.005
///
/// The members may be set directly; `check` states what is required of them. Track answers many
/// questions about one trajectory faster.
struct Trajectory {
  std::vector<double> times;  ///< seconds, each later than the one before; one per pose, or none at all
  std::vector<Pose> poses;    ///< of the moving frame in the world

  std::size_t size() const { return poses.size(); }
  bool empty() const { return poses.empty(); }

  /// Throws Error, naming `where` and the number of the pose (the first is 0), unless the times are finite, increase
  /// and are as many as the poses, or there are none. All functions below check.
  void check(const std::string& where = "trajectory") const;

  /// Of every pose; starts with 0 and never decreases. O(n).
  std::vector<double> chainage() const;
  /// The chainage of the last pose; 0 if there is none.
  double length() const;
  /// The pose at a chainage, clamped to the ends; where the origin rests, the last of the poses there. O(n). Throws
  /// Error for an empty trajectory and for a chainage of NaN.
  Pose pose_at(double chainage) const;

  /// Poses at equal distances of chainage, as large as they can be up to `step` metres; the ends are kept, and so is
  /// every pose at which the body turns on the spot. Between the new poses the path is straight, so that a bend of
  /// radius R is cut by step² / 8R. Throws Error unless `step` is positive, and for more than 2^26 poses.
  Trajectory resampled(double step) const;

  /// A smooth curve that passes near every pose: for positions and rotations each the smoothest cubic spline (the
  /// smallest integral of its squared second derivative) within the tolerance. With tolerance 0 and a step it turns a
  /// coarse track into a fine one with round bends. O(n) per trial, some 30 trials. Throws Error for tolerances that
  /// are negative or no numbers, and for more than 2^26 poses.
  SmoothedTrajectory smoothed(const SmoothingOptions& options = {}) const;
};

/// A smooth trajectory and how far it is from the given one.
struct SmoothedTrajectory {
  Trajectory trajectory;     ///< the smooth one
  double residual = 0;       ///< metres between a given position and the curve there, the largest
  double mean_residual = 0;  ///< the root of the mean of their squares
  double turn_residual = 0;  ///< radians between a given rotation and that of the curve, the largest
};

}  // namespace graze::clearance
