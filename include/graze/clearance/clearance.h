// How near a moving model comes to every point of a scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "graze/base/progress.h"
#include "graze/clearance/model.h"

namespace graze::clearance {

struct Engine;

/// The minimum clearance of one scan point over the whole motion.
struct PointClearance {
  static constexpr std::uint32_t kNoPose = 0xFFFFFFFF;   ///< nothing within the limit
  static constexpr std::uint32_t kSkipped = 0xFFFFFFFE;  ///< the point was not finite and was not measured

  double clearance = kInfinity;  ///< metres, negative: inside of the model; +inf beyond the limit or skipped; never NaN
  std::uint32_t pose = kNoPose;  ///< where that is: after this pose of the path …
  float fraction = 0;            ///< … by so much of the path to the next, in [0, 1); 0 at the last pose
  std::uint32_t element = 0;     ///< the point, triangle or shape of the model that is nearest there

  /// Whether the clearance is within the limit.
  bool found() const { return pose < kSkipped; }
  /// Whether the point was not finite.
  bool skipped() const { return pose == kSkipped; }
  bool operator==(const PointClearance&) const = default;
};

/// What the search for the minimum clearance leaves open, in metres. SweptClearance::tolerance() is this and what the
/// caller's numbers add.
inline constexpr double kTolerance = 1e-9;

/// Options of SweptClearance.
struct Options {
  /// Metres. Clearances above are not measured but +inf; exactly at the limit still counts. The smaller, the faster.
  double limit = 0.5;
  int threads = 0;  ///< 0: as many as the machine has. Answers do not depend on it.
};

/// What measuring a block of points came to.
struct Counts {
  std::size_t skipped = 0;  ///< points with a NaN or an infinity
  std::size_t within = 0;   ///< points whose clearance is within the limit
  bool complete = true;     ///< false if the progress listener cancelled: the results then mean nothing
};

/// The clearance of a model along a path, asked for points of a scan.
///
///     SweptClearance swept(wagon, trajectory.poses, {.limit = 0.3});
///     std::vector<PointClearance> results(scan.size());
///     swept.measure(scan, results);
///     if (results[i].clearance <= 0.1) …            // point i is missed by 10 cm at most, or hit
///
/// Exact and continuous: between consecutive poses the model moves as `Motion` says, the full model counts, and nothing
/// slips between samples, however far the model turns. One pose: it stands there. Repeated poses do no harm.
///
/// The reverse of a search around each model point at each pose (docs/clearance.md): scan points and
/// poses are both divided into trees, pairs of both are ruled out by a distance field of the model, and only what is
/// left is measured in double precision. The cost hardly depends on the number of poses.
class SweptClearance {
 public:
  /// Throws Error for an empty path, 2^31 poses and more, a limit that is negative or not a number, an empty model, and
  /// a deforming model whose number of frames is not that of the poses.
  SweptClearance(const Model& model, std::span<const Pose> path, const Options& options = {});
  /// Moving is copying: what was moved from answers as before.
  SweptClearance(const SweptClearance&) = default;
  SweptClearance& operator=(const SweptClearance&) = default;
  ~SweptClearance() = default;

  /// Measures a block of points into `results`, which has the same size. Big scans come block by block: beside both
  /// spans it needs 24 bytes per point of the block, and what a block answers depends on nothing but its points.
  /// Blocks should be near in space (consecutive parts of a scan are) and some millions long; at most 2^31.
  /// Throws Error if the sizes differ.
  Counts measure(std::span<const Vec3> block, std::span<PointClearance> results, const Progress& progress = {}) const;

  /// The same set, without saying how near: hits[i] is 1 where the clearance of point i is within the limit, else 0.
  /// Faster than to measure.
  Counts collide(std::span<const Vec3> block, std::span<std::uint8_t> hits, const Progress& progress = {}) const;

  /// One point. No allocation.
  PointClearance at(const Vec3& point) const;

  /// A value that the clearance of a point is not above, and below by no more than `slack` metres (and the tolerance);
  /// +inf only if the clearance is beyond the limit, −inf for a point that is not finite. The larger the slack, the
  /// faster: for questions whose answer needs no more digits. No allocation.
  double at_most(const Vec3& point, double slack) const;

  /// Metres: no clearance is reported that is above the truth by more than this, or below it by more than this, and no
  /// point that is within the limit is left out. kTolerance, the uncertainty of the model, and the rounding of
  /// coordinates: some 1e-12 m for a model and a path within 100 m of their origins, 4e-8 m at 5e6 m.
  double tolerance() const;

  const Model& model() const;
  std::span<const Pose> path() const;
  /// As given.
  const Options& options() const;
  /// The pose of the model where a result was found.
  Pose pose_of(const PointClearance& result) const;

 private:
  std::shared_ptr<const Engine> engine_;
};

/// The same by looking at every element in every motion, O(points × poses × elements): what the engine is checked with.
PointClearance brute_force_clearance(const Model& model, std::span<const Pose> path, const Vec3& point, double limit);

}  // namespace graze::clearance
