// The check of old: a section in two dimensions, drawn along the track.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/aabb2.h"
#include "graze/base/progress.h"
#include "graze/clearance/track.h"

namespace graze::clearance {

/// A closed outline in the plane across a track: (y, z), y to the left and z up from the track's line, in metres. No
/// scan point should lie inside of it.
///
///     Gauge gauge({{-1.6, 0.1}, {1.6, 0.1}, {1.6, 3.9}, {-1.6, 3.9}});
///     gauge.clearance({1.5, 1.0});                                      // -0.1: 0.1 m inside
class Gauge {
 public:
  /// Corners in either order around it; throws Error for fewer than three, for corners that are not finite, for edges
  /// that cross or touch others and for an outline without area. O(n²).
  explicit Gauge(std::vector<Vec2> outline);

  /// The convex hull of points in a frame whose y and z are those of the track (a vehicle on straight track, after its
  /// pose), grown by `margin` metres of distance on every side of its edges. Points that are not finite are left out.
  static Gauge around(std::span<const Vec3> points, double margin = 0);

  const std::vector<Vec2>& outline() const { return outline_; }
  /// The largest distance of the outline from the track's line.
  double reach() const { return reach_; }

  /// Metres from the outline, negative inside, 0 on it. NaN for NaN. O(n).
  double clearance(const Vec2& p) const;

 private:
  std::vector<Vec2> outline_;
  double reach_ = 0;
};

/// Where a point is.
enum class GaugeState : std::uint8_t {
  clear,    ///< outside of the outline
  inside,   ///< inside or on it
  beyond,   ///< before the start or behind the end of the track: there is no section for it
  nothing,  ///< not a number: no point
};

/// What check_gauge() says of a point.
struct GaugePoint {
  double clearance = kInfinity;          ///< metres from the outline, negative inside; infinite beyond the limit
  double chainage = 0;                   ///< metres; of the nearest position on the track, if that is within reach
  Vec2 section = Vec2::Zero();           ///< y and z of the point in the section at that chainage
  GaugeState state = GaugeState::clear;  ///< which side of the outline
};

/// Options of check_gauge().
struct GaugeOptions {
  double limit = 1;  ///< clearances above this are not measured, in metres
  int threads = 0;   ///< 0: as many as the machine has. The result does not depend on it.
};

/// For every point, whether it lies inside of the gauge at its own chainage: where the track is nearest to it, in the
/// frame of the track there (so that cant tilts the section). This is what a structure gauge says, and all it says: it
/// knows nothing of the length of a vehicle, whose middle and ends leave the section in curves. Compare with
/// SweptClearance. O(log m) per point near a track of m poses; result of any size in the caller's buffer.
///
///     std::vector<GaugePoint> results(points.size());
///     check_gauge(gauge, track, points, results);
///
/// Throws Error unless there are as many results as points, or if the limit is negative or no number.
void check_gauge(const Gauge& gauge, const Track& track, std::span<const Vec3> points, std::span<GaugePoint> results,
                 const GaugeOptions& options = {});

}  // namespace graze::clearance
