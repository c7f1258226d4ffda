// A smooth motion through poses.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "graze/base/pose.h"

namespace graze {

/// Through poses at equal times, without jumps of velocity: the translation is a cubic curve between each two, and so
/// is the rotation vector of the turn since the first pose. The velocity at an inner pose is that from the one before
/// it to the one after it, at the ends that of the chord (Catmull and Rom). Turns between two poses take the shorter
/// arc.
///
///     Spline swing(std::vector<Pose>{start, over_the_box, end});
///     Sweep s = sweep(at(tool, swing), at(box));
///
/// `graze ask` has no name for it: there, a path of poses is piecewise linear.
class Spline {
 public:
  /// Throws Error if there is no pose.
  explicit Spline(std::span<const Pose> poses);

  std::span<const Pose> poses() const { return poses_; }
  /// The pose at a time, clamped to [0, 1]; at the times of the given poses these, but for rounding, and at 0 and 1 to
  /// the bit.
  Pose at(double t) const;
  /// See RigidMotion.
  double reach(double radius, double begin = 0, double end = 1) const;
  /// No point within `radius` of the body's origin accelerates by more than this between the two times (metres per unit
  /// of time squared).
  double bend(double radius, double begin, double end) const;
  /// The velocity never jumps: 1.
  static double smooth_until(double) { return 1; }

 private:
  // A cubic curve over [0, 1] by its control points (Bernstein).
  struct Cubic {
    std::array<Vec3, 4> at;
    Vec3 value(double u) const;
    double max_velocity() const;      // per unit of u
    double max_acceleration() const;  // per unit of u squared
  };
  struct Piece {
    Cubic place, turn;
  };
  // Calls visit(piece, part of its time) for those between the times.
  template <class Visit>
  void each_piece(double begin, double end, const Visit& visit) const;

  std::vector<Pose> poses_;
  std::vector<Piece> pieces_;
};

}  // namespace graze
