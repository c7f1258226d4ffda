// Two moving bodies in canonical order: where they are at a time, and how far their points can stray from straight
// lines.
#pragma once

#include "graze/query/sweep.h"
#include "query/dispatch.h"

namespace graze {

/// One of two moving bodies.
struct MovingBody {
  const Moving& body;
  bool placed;         // within the moving frame by a pose that is not the identity
  bool bounded;        // it has an end
  double radius = 0;   // no point is farther from the origin of the moving frame; infinite
  double uncertainty;  // metres, of where its points are, but for the motion's own rounding
  // A ball around all of it, in the geometry's frame.
  Vec3 center = Vec3::Zero();
  double ball = 0;

  explicit MovingBody(const Moving& moving);
  /// Of the geometry's frame.
  Pose at(double t) const { return placed ? body.motion.at(t) * body.local : body.motion.at(t); }
  /// A point of the geometry in the moving frame.
  double arm(const Vec3& p) const { return std::sqrt(norm_sq(placed ? body.local * p : p)); }
};

/// Poses of both geometries at a time.
struct Instant {
  double t;
  Pose a, b;
  Relative relative;

  Instant(double time, const Pose& pose_a, const Pose& pose_b)
      : t(time), a(pose_a), b(pose_b), relative(pose_a, pose_b) {}
};

/// How much points of a body accelerate, in metres per unit of time squared: all within `radius` of its origin by less
/// than rate · (arm + radius) · |n × axis| along a direction n.
struct Bending {
  double rate = 0, arm = 0;
  Vec3 axis = Vec3::Zero();  // zero: it is not known, all directions count
  bool known = true;         // if not, rate is of points within the radius that was asked for

  double size(double radius) const { return known ? rate * (arm + radius) : rate; }
  double across(const Vec3& n) const {
    return norm_sq(axis) > 0 ? std::sqrt(norm_sq(cross(n, axis))) + 8 * kEpsilon : 1;
  }
  double along(const Vec3& n, double radius) const {
    const double all = size(radius);
    return all > 0 ? all * across(n) : 0;
  }
};

class MovingPair {
 public:
  /// `a0` and `b0` are the bodies at time 0.
  MovingPair(const Moving& a, const Moving& b, const Placed& a0, const Placed& b0);

  const CanonicalPair& kinds() const { return kinds_; }
  bool swapped() const { return kinds_.swapped; }
  const MovingBody& first() const { return first_; }
  const MovingBody& second() const { return second_; }

  Instant at(double t) const { return {t, first_.at(t), second_.at(t)}; }
  /// The next time after t, or 1, up to which neither body changes its velocity by a jump.
  double smooth_until(double t) const;
  /// How much the bodies accelerate between two times.
  Bending bending_a(double begin, double end) const { return bending(first_, begin, end); }
  Bending bending_b(double begin, double end) const { return bending(second_, begin, end); }
  /// Metres: what rounding of motions, poses and times may hide between the two instants, and what is uncertain.
  double rounding(const Instant& begin, const Instant& end) const;

 private:
  static Bending bending(const MovingBody& body, double begin, double end);

  CanonicalPair kinds_;
  MovingBody first_, second_;
  double path_ = 0;  // metres that points of both move in all, where they may meet
};

}  // namespace graze
