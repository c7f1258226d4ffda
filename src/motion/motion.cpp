#include "graze/motion/motion.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "graze/base/elementary.h"
#include "graze/base/error.h"

namespace graze {
namespace {

/// About an axis of the world through the origin.
Pose turned_by(const Vec3& axis, double angle) {
  const auto [sine, cosine] = elementary::sin_cos(angle / 2);
  const Vec3 v = sine * axis;
  return Pose::from_wxyz(Vec3::Zero(), cosine, v.x(), v.y(), v.z());
}

Pose turned_in_place(const Pose& pose, const Vec3& axis, double angle, const Vec3& place) {
  return (turned_by(axis, angle) * pose.moved_to(Vec3::Zero())).moved_to(place);
}

Vec3 unit_axis(const Vec3& axis) {
  const double size = axis.cwiseAbs().maxCoeff();
  if (!is_finite(axis) || !(size > 0)) throw Error("axis", "must be finite and have a length");
  return (axis / size).normalized();
}

/// Of the two directions of an axis one points up: towards +z, or where it is level towards +y, or else +x.
bool points_down(const Vec3& axis) {
  constexpr double kLevel = 1e-6;
  for (const Eigen::Index k : {2, 1}) {
    if (std::abs(axis[k]) > kLevel) return axis[k] < 0;
  }
  return axis[0] < 0;
}

void check_angle(double angle) {
  if (!std::isfinite(angle)) throw Error("angle", fmt::format("must be finite, got {}", angle));
}

}  // namespace

Motion::Motion(const Pose& from, const Pose& to, int turns) : from_(from), to_(to) {
  // What is equal to the bit does not turn; the product would round.
  const Mat3& first = from.rotation();
  const Eigen::Quaterniond relative(first == to.rotation() ? Mat3(Mat3::Identity())
                                                           : Mat3(to.rotation() * first.transpose()));
  const Vec3 v = relative.vec();
  const double sine = v.norm();  // of half the angle; atan2 keeps small turns accurate
  constexpr double kHalfTurn = 1e-6;
  const bool reversed = std::abs(relative.w()) < kHalfTurn ? points_down(v) : relative.w() < 0;
  turn_ = 2 * elementary::atan2(sine, reversed ? -relative.w() : relative.w());
  if (sine > 0) axis_ = v * ((reversed ? -1.0 : 1.0) / sine);
  if (turns == 0) return;
  constexpr double kLostAxis = 5e-8;  // an axis of so small a turn is off by more than 4e-9 radians
  if (!(sine > kLostAxis))
    throw Error(
        "turns",
        "the two rotations are the same, or nearly, so there is no axis to turn about: give a path of poses less than "
        "half a turn apart, or in C++ Motion::turning");
  turn_ += 2 * std::numbers::pi * turns;
  if (turn_ < 0) turn_ = -turn_, axis_ = -axis_;
}

Motion Motion::turning(const Pose& from, const Vec3& travel, const Vec3& axis, double angle) {
  check_angle(angle);
  const Vec3 about = unit_axis(axis);
  const Pose to = turned_in_place(from, about, angle, from.translation() + travel);
  return {from, to, angle < 0 ? Vec3(-about) : about, std::abs(angle)};
}

Pose Motion::at(double t) const {
  if (!(t > 0)) return from_;
  if (t >= 1) return to_;
  return turned_in_place(from_, axis_, t * turn_, from_.translation() + t * (to_.translation() - from_.translation()));
}

MotionPiece Motion::piece(double) const {
  return {.velocity = to_.translation() - from_.translation(), .axis = axis_, .spin = turn_};
}

Screw::Screw(const Pose& from, const Vec3& point, const Vec3& axis, double angle, double advance)
    : from_(from), axis_(unit_axis(axis)), angle_(angle), advance_(advance) {
  check_angle(angle);
  if (!std::isfinite(advance)) throw Error("advance", fmt::format("must be finite, got {}", advance));
  point_ = Pose::at(point).translation();  // which checks it
  arm_ = (from.translation() - point_).cross(axis_).norm();
  to_ = place_at(1);
}

Screw Screw::between(const Pose& from, const Pose& to) {
  const Motion motion(from, to);
  Screw s;
  s.from_ = from, s.to_ = to;
  const Vec3 travel = to.translation() - from.translation();
  // Turns that are lost in rounding would have their line anywhere.
  constexpr double kMinTurn = 1e-12;
  if (motion.turn() < kMinTurn) {
    s.advance_ = travel.norm();
    if (s.advance_ > 0) s.axis_ = travel / s.advance_;
    s.point_ = from.translation();
    return s;
  }
  s.axis_ = motion.axis(), s.angle_ = motion.turn(), s.advance_ = travel.dot(s.axis_);
  // Seen along the axis, the origin goes along an arc whose chord is the rest of the path.
  const Vec3 across = travel - s.advance_ * s.axis_;
  const auto [sine, cosine] = elementary::sin_cos(s.angle_ / 2);
  const Vec3 to_line = across / 2 + s.axis_.cross(across) * (cosine / (2 * sine));
  s.point_ = from.translation() + to_line;
  s.arm_ = to_line.norm();
  return s;
}

Pose Screw::place_at(double t) const {
  const Pose turned = turned_by(axis_, t * angle_);
  const Vec3 place = point_ + turned * Vec3(from_.translation() - point_) + t * advance_ * axis_;
  return (turned * from_.moved_to(Vec3::Zero())).moved_to(place);
}

Pose Screw::at(double t) const {
  if (!(t > 0)) return from_;
  return t >= 1 ? to_ : place_at(t);
}

MotionPiece Screw::piece(double) const {
  return {.velocity = advance_ * axis_, .axis = axis_, .spin = std::abs(angle_), .arm = arm_};
}

double Screw::reach(double radius, double begin, double end) const {
  return (end - begin) * elementary::hypot(advance_, angle_ * (arm_ + radius));
}

namespace {

std::vector<double> equal_times(std::size_t count) {
  std::vector<double> times(count);
  for (std::size_t i = 0; i < count; ++i) {
    times[i] = i == 0 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return times;
}

}  // namespace

PosePath::PosePath(std::span<const Pose> poses) : PosePath(poses, equal_times(poses.size())) {}

PosePath::PosePath(std::span<const Pose> poses, std::span<const double> times)
    : poses_(poses.begin(), poses.end()), times_(times.begin(), times.end()) {
  if (poses.empty()) throw Error("path", "has no poses");
  if (times.size() != poses.size()) {
    throw Error("path times", fmt::format("must be as many as the poses, {}, got {}", poses.size(), times.size()));
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool in_order = i == 0 ? times[i] == 0 : times[i] > times[i - 1];
    if (in_order && (i + 1 < times.size() || i == 0 || times[i] == 1)) continue;
    throw Error(fmt::format("path times[{}]", i), fmt::format("must ascend from 0 to 1, got {}", times[i]));
  }
  for (std::size_t i = 0; i + 1 < poses.size(); ++i) steps_.emplace_back(poses[i], poses[i + 1]);
}

std::size_t PosePath::step_at(double t) const {
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  return static_cast<std::size_t>(after - times_.begin()) - 1;
}

Pose PosePath::at(double t) const {
  if (steps_.empty() || !(t > 0)) return poses_.front();
  if (t >= 1) return poses_.back();
  const std::size_t i = step_at(t);
  return steps_[i].at((t - times_[i]) / (times_[i + 1] - times_[i]));
}

double PosePath::reach(double radius, double begin, double end) const {
  if (steps_.empty()) return 0;
  begin = std::clamp(begin, 0.0, 1.0), end = std::clamp(end, begin, 1.0);
  double sum = 0;
  for (std::size_t i = step_at(begin); i < steps_.size() && times_[i] <= end; ++i) {
    const double from = std::max(begin, times_[i]), to = std::min(end, times_[i + 1]);
    sum += steps_[i].reach(radius) * ((to - from) / (times_[i + 1] - times_[i]));
  }
  return sum;
}

MotionPiece PosePath::piece(double t) const {
  if (steps_.empty() || t >= 1) return {};
  const std::size_t i = step_at(std::max(t, 0.0));
  MotionPiece piece = steps_[i].piece(0);
  const double length = times_[i + 1] - times_[i];
  piece.end = times_[i + 1];
  piece.velocity /= length, piece.spin /= length;
  return piece;
}

namespace {

struct Still {
  Pose pose;
  Pose at(double) const { return pose; }
  static double reach(double, double, double) { return 0; }
  static MotionPiece piece(double) { return {}; }
};

}  // namespace

AnyMotion::AnyMotion(const Pose& still) : AnyMotion(Still{still}) {}

}  // namespace graze
