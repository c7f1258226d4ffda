// A trajectory that is asked often: where is chainage s, and which chainage is this point at?
#pragma once

#include <cstddef>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/clearance/trajectory.h"

namespace graze::clearance {

/// A position on a track: between pose `segment` and the next.
struct TrackPosition {
  double chainage = 0;           ///< metres
  std::size_t segment = 0;       ///< index of the pose before it
  double fraction = 0;           ///< of the path to the next pose, in [0, 1]
  double distance = kInfinity;   ///< metres from the point that was asked for; infinite if nothing is within the limit
  Vec3 position = Vec3::Zero();  ///< on the track
};

/// A trajectory with its chainages and a tree over its segments. Queries are const, reentrant, do not allocate, and
/// never throw.
///
///     Track track(read_trajectory("track.tum"));
///     Pose pose = track.pose_at(120.5);
///     TrackPosition position = track.nearest(scan_point, 5);          // position.chainage, if position.distance is
///     finite
class Track {
 public:
  /// Throws Error for a trajectory that is empty or that `check` refuses. O(n).
  explicit Track(Trajectory trajectory);

  const Trajectory& trajectory() const { return trajectory_; }
  const std::vector<double>& chainage() const { return chainage_; }
  /// Metres from the first pose to the last.
  double length() const { return chainage_.back(); }

  /// The position at a chainage, clamped to the ends; where the origin rests, the last of the poses there. A chainage
  /// of NaN gives the start. O(log n). Its distance is 0.
  TrackPosition position_at(double chainage) const;
  Pose pose_at(double chainage) const { return pose_at(position_at(chainage)); }
  Pose pose_at(const TrackPosition& position) const;
  /// Seconds, between those of the two poses; 0 if the trajectory has no times.
  double time_at(const TrackPosition& position) const;

  /// The position on the track that is nearest to a point, the first of them if there are several; its distance is
  /// infinite if none is within `limit` metres, or if the point is not finite. O(log n) near the track.
  TrackPosition nearest(const Vec3& point, double limit = kInfinity) const;

  /// The first position behind `from`, towards the end, whose distance from the position of `from` is `distance`
  /// metres in a straight line, to rounding; its `distance` is infinite if the track ends before. O(m) for m segments
  /// between the two.
  TrackPosition ahead(const TrackPosition& from, double distance) const;
  /// The same towards the start.
  TrackPosition behind(const TrackPosition& from, double distance) const;

 private:
  const Vec3& start_of(std::size_t segment) const { return trajectory_.poses[segment].translation(); }
  const Vec3& end_of(std::size_t segment) const;
  TrackPosition position_in(std::size_t segment, double fraction) const;

  Trajectory trajectory_;
  std::vector<double> chainage_;
  std::size_t segments_ = 0;
  std::size_t leaves_ = 0;   // a power of two
  std::vector<Aabb> boxes_;  // a heap: children of k are 2k and 2k + 1; leaves cover some segments each
};

}  // namespace graze::clearance
