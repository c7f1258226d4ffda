// How a body moves over a time t from 0 to 1.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graze/base/pose.h"

namespace graze {

/// What a question about a moving body needs to know of its motion: where the body is, and how far any of its points
/// can get between two times. The links of a robot can give the same.
template <class M>
concept RigidMotion = requires(const M& motion, double number) {
  /// The pose at a time, clamped to [0, 1].
  { motion.at(number) } -> std::same_as<Pose>;
  /// reach(radius, begin, end): no point of the body within `radius` of its origin moves along a path longer than this
  /// between the two times, but for rounding.
  { motion.reach(number, number, number) } -> std::same_as<double>;
};

/// A part of a motion as questions like it best: from a time up to `end` the body moves at one velocity and turns at
/// one rate. All of it per unit of time, in world coordinates.
struct MotionPiece {
  double end = 1;
  Vec3 velocity = Vec3::Zero();
  Vec3 axis = Vec3::UnitZ();  ///< unit; the body turns about a line along it, which moves with it
  double spin = 0;            ///< radians, not negative
  double arm = 0;             ///< metres from that line to the body's origin, at most
};

/// From one pose to another: the translation is linear, the rotation runs at constant speed about the body's origin,
/// along the shorter arc and for as many whole turns more as are wanted. Of rotations that are half a turn apart (to
/// 2e-6 radians) no arc is the shorter one: these turn to the left about the axis that points up, towards +z, or where
/// it is level towards +y, or else +x.
///
///     Motion swing(Pose::at({0, 0, 0}), Pose::from_rpy({1, 0, 0}, 0, 0, 0.5));
///     Pose half_way = swing.at(0.5);
class Motion {
 public:
  /// Whole turns run in the direction of the shorter arc, negative ones in the opposite direction. Throws Error if
  /// there are any and the two rotations are the same, to 1e-7 radians: about which axis would they be?
  Motion(const Pose& from, const Pose& to, int turns = 0);
  /// By `travel` in all while turning by `angle` (radians, any number of turns) about an axis of the world through the
  /// body's origin. Throws Error unless all of it is finite and the axis has a length.
  static Motion turning(const Pose& from, const Vec3& travel, const Vec3& axis, double angle);

  /// The pose at time 0.
  const Pose& from() const { return from_; }
  const Pose& to() const { return to_; }
  /// at(0) and at(1) are the given poses to the bit.
  Pose at(double t) const;

  /// Metres that the body's origin moves in all.
  double travel() const { return (to_.translation() - from_.translation()).norm(); }
  /// Radians that the body turns in all; not negative, at most pi if there are no whole turns.
  double turn() const { return turn_; }
  /// The unit axis of the turn in world coordinates.
  const Vec3& axis() const { return axis_; }
  /// See RigidMotion.
  double reach(double radius, double begin = 0, double end = 1) const {
    return (end - begin) * (travel() + turn_ * radius);
  }
  /// What the motion is from time t on.
  MotionPiece piece(double t) const;

 private:
  Motion(const Pose& from, const Pose& to, const Vec3& axis, double turn)
      : from_(from), to_(to), axis_(axis), turn_(turn) {}

  Pose from_, to_;
  Vec3 axis_ = Vec3::UnitZ();
  double turn_ = 0;
};

/// About a line of the world that stays where it is, and along it: how a door swings, a bolt is driven in, and how any
/// pose can be reached from any other.
///
///     Screw door(closed, hinge, Vec3::UnitZ(), 1.5);
class Screw {
 public:
  /// About the line through `point` along `axis`, by `angle` (radians, any number of turns) and `advance` (m). Throws
  /// Error unless all of it is finite and the axis has a length.
  Screw(const Pose& from, const Vec3& point, const Vec3& axis, double angle, double advance = 0);
  /// The one that leads from a pose to another with a turn of at most pi; without a turn, straight on.
  static Screw between(const Pose& from, const Pose& to);

  const Pose& from() const { return from_; }
  /// The pose at time 1.
  const Pose& to() const { return to_; }
  /// at(0) and at(1) are the given poses to the bit.
  Pose at(double t) const;
  /// A point of the line.
  const Vec3& point() const { return point_; }
  /// The unit direction of the line, in world coordinates.
  const Vec3& axis() const { return axis_; }
  /// Radians that the body turns in all.
  double angle() const { return angle_; }
  /// Metres that the body moves along the line in all.
  double advance() const { return advance_; }
  /// See RigidMotion.
  double reach(double radius, double begin = 0, double end = 1) const;
  /// What the motion is from time t on.
  MotionPiece piece(double t) const;

 private:
  Screw() = default;
  Pose place_at(double t) const;

  Pose from_, to_;
  Vec3 point_ = Vec3::Zero(), axis_ = Vec3::UnitZ();
  double angle_ = 0, advance_ = 0;
  double arm_ = 0;  // metres of the body's origin from the line
};

/// Through poses one after the other, with a Motion between each two.
class PosePath {
 public:
  /// At equal times. Throws Error if there is no pose.
  explicit PosePath(std::span<const Pose> poses);
  /// At these times, of which the first is 0 and the last 1, and each later than the one before. Throws Error if they
  /// are not, or not as many as the poses.
  PosePath(std::span<const Pose> poses, std::span<const double> times);

  std::span<const Pose> poses() const { return poses_; }
  /// The pose at a time in [0, 1].
  Pose at(double t) const;
  /// See RigidMotion.
  double reach(double radius, double begin = 0, double end = 1) const;
  /// What the motion is from time t on, up to the next pose.
  MotionPiece piece(double t) const;

 private:
  std::size_t step_at(double t) const;

  std::vector<Pose> poses_;
  std::vector<double> times_;
  std::vector<Motion> steps_;
};

/// Any motion as a value; copies share it.
class AnyMotion {
 public:
  /// Nothing moves.
  AnyMotion(const Pose& still);  // NOLINT(google-explicit-constructor): a pose is a motion that stays there
  template <RigidMotion M>
  requires(!std::same_as<M, AnyMotion>) AnyMotion(M motion)  // NOLINT(google-explicit-constructor)
      : kind_(std::make_shared<const KindOf<M>>(std::move(motion))) {}

  /// See RigidMotion.
  Pose at(double t) const { return kind_->at(t); }
  /// See RigidMotion.
  double reach(double radius, double begin = 0, double end = 1) const { return kind_->reach(radius, begin, end); }
  /// What the motion is from time t on, if it has a member `piece`.
  std::optional<MotionPiece> piece(double t) const { return kind_->piece(t); }
  /// No point of the body within `radius` of its origin accelerates by more than this between the two times (metres per
  /// unit of time squared). Infinite if the motion has neither a member `bend` nor one piece for all of that time.
  double bend(double radius, double begin, double end) const { return kind_->bend(radius, begin, end); }
  /// The velocity does not jump before this time, at most 1: the end of the piece, or as its member `smooth_until`
  /// says.
  double smooth_until(double t) const { return kind_->smooth_until(t); }

 private:
  struct Kind {
    Kind() = default;
    Kind(const Kind&) = delete;
    Kind& operator=(const Kind&) = delete;
    virtual ~Kind() = default;
    virtual Pose at(double t) const = 0;
    virtual double reach(double radius, double begin, double end) const = 0;
    virtual std::optional<MotionPiece> piece(double t) const = 0;
    virtual double bend(double radius, double begin, double end) const = 0;
    virtual double smooth_until(double t) const = 0;
  };
  template <class M>
  struct KindOf final : Kind {
    explicit KindOf(M m) : motion(std::move(m)) {}
    Pose at(double t) const override { return motion.at(t); }
    double reach(double radius, double begin, double end) const override { return motion.reach(radius, begin, end); }
    std::optional<MotionPiece> piece(double t) const override {
      if constexpr (requires { motion.piece(t); }) return motion.piece(t);
      else return std::nullopt;
    }
    double bend(double radius, double begin, double end) const override {
      if constexpr (requires { motion.bend(radius, begin, end); }) {
        return motion.bend(radius, begin, end);
      } else if constexpr (requires { motion.piece(begin); }) {
        const MotionPiece p = motion.piece(begin);
        if (!(p.spin > 0)) return p.end >= end ? 0 : kInfinity;
        return p.end >= end ? p.spin * p.spin * (p.arm + radius) : kInfinity;
      } else {
        return kInfinity;
      }
    }
    double smooth_until(double t) const override {
      if constexpr (requires { motion.smooth_until(t); }) return motion.smooth_until(t);
      else if constexpr (requires { motion.piece(t); }) return motion.piece(t).end;
      else return 1;
    }
    M motion;
  };

  std::shared_ptr<const Kind> kind_;
};

}  // namespace graze
