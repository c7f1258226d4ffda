#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "clearance/smoothing_spline.h"
#include "clearance/trajectory_limits.h"
#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "graze/clearance/trajectory.h"
#include "graze/motion/motion.h"

namespace graze::clearance {
namespace {

using Row = SmoothingSpline::Row;

// A turn counts as much as the path of a point this far from the origin, so that a body that turns on the
// spot has somewhere to be.
constexpr double kArm = 1;  // metres
// Poses nearer to each other than this part of the mean distance are one knot, nothing lies between them, if the
// tolerances leave room for it; and those that are the same but for rounding are in any case.
constexpr double kNearest = 1e-4, kSame = 1e-12;
// Stiffness, at a mean distance of knots of 1: from none at all to curves that follow some three hundred poses at once.
constexpr double kSoftest = 1e-8, kStiffest = 1e10;
constexpr int kTrials = 30;

struct Knots {
  std::vector<double> at;               // mean distance 1
  std::vector<double> weights;          // how many poses stand there
  std::vector<std::size_t> of_pose;     // which knot a pose belongs to
  std::vector<std::size_t> first_pose;  // of a knot
};

Knots knots_of(const std::vector<Pose>& poses, const SmoothingOptions& options) {
  std::vector<double> travelled(poses.size());
  for (std::size_t i = 1; i < poses.size(); ++i)
    travelled[i] = travelled[i - 1] + Motion(poses[i - 1], poses[i]).reach(kArm);
  const double mean = travelled.back() > 0 ? travelled.back() / static_cast<double>(poses.size() - 1) : 1;
  Knots knots;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double at = travelled[i] / mean;
    const auto belongs = [&](const Pose& first) {
      if (at - knots.at.back() <= kSame) return true;
      // So near to the first that the mean of all is within the tolerance of each.
      const Motion apart(first, poses[i]);
      return at - knots.at.back() <= kNearest && apart.travel() <= options.tolerance / 2 &&
             apart.turn() <= options.turn_tolerance / 2;
    };
    if (i == 0 || !belongs(poses[knots.first_pose.back()])) {
      knots.at.push_back(at);
      knots.weights.push_back(0);
      knots.first_pose.push_back(i);
    }
    ++knots.weights.back();
    knots.of_pose.push_back(knots.at.size() - 1);
  }
  return knots;
}

/// The mean of the rows that belong to each knot; to the bit that of the first where they are equal.
SmoothingSpline spline_over(const Knots& knots, const std::vector<Row>& rows) {
  SmoothingSpline::Columns data = SmoothingSpline::Columns::Zero(static_cast<Eigen::Index>(knots.at.size()), 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t k = knots.of_pose[i];
    data.row(static_cast<Eigen::Index>(k)) += (rows[i] - rows[knots.first_pose[k]]) / knots.weights[k];
  }
  for (std::size_t k = 0; k < knots.at.size(); ++k) data.row(static_cast<Eigen::Index>(k)) += rows[knots.first_pose[k]];
  return {knots.at, std::move(data), knots.weights};
}

/// Fits the stiffest spline that is found whose largest residual is within the tolerance.
template <class Residual>
void fit_within(SmoothingSpline& spline, double tolerance, const Residual& residual) {
  spline.fit(0);
  if (tolerance == 0) return;
  const auto holds = [&](double stiffness) {
    spline.fit(stiffness);
    return residual() <= tolerance;
  };
  if (holds(kStiffest)) return;
  double low = 0, soft = elementary::log(kSoftest), stiff = elementary::log(kStiffest);
  for (int trial = 0; trial < kTrials; ++trial) {
    const double middle = (soft + stiff) / 2;
    if (holds(elementary::exp(middle))) {
      low = elementary::exp(middle);
      soft = middle;
    } else {
      stiff = middle;
    }
  }
  spline.fit(low);
}

Row quaternion_row(const Pose& pose) {
  const Eigen::Quaterniond q(pose.rotation());
  return {q.x(), q.y(), q.z(), q.w()};
}

/// The angle between the rotations of two quaternions of any length; pi if one of them has none.
double angle_between(const Row& a, const Row& b) {
  const Eigen::Quaterniond p(a[3], a[0], a[1], a[2]), q(b[3], b[0], b[1], b[2]);
  const Eigen::Quaterniond relative = p.conjugate() * q;
  if (!(relative.norm() > 0)) return static_cast<double>(EIGEN_PI);
  return 2 * elementary::atan2(relative.vec().norm(), std::abs(relative.w()));
}

class Smoother {
 public:
  Smoother(const Trajectory& given, const SmoothingOptions& options)
      : given_(given),
        origin_(given.poses.front().translation()),
        knots_(knots_of(given.poses, options)),
        places_(spline_over(knots_, place_rows())),
        turns_(spline_over(knots_, turn_rows())) {
    fit_within(places_, options.tolerance, [&] { return largest_residual(places_, place_rows_, distance); });
    fit_within(turns_, options.turn_tolerance, [&] { return largest_residual(turns_, turn_rows_, angle_between); });
  }

  SmoothedTrajectory result(double step) const {
    SmoothedTrajectory out;
    double squares = 0;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const Pose curve = pose(knots_.of_pose[i], 0);
      const double off = (curve.translation() - given_.poses[i].translation()).norm();
      squares += off * off;
      out.residual = std::max(out.residual, off);
      out.turn_residual = std::max(out.turn_residual, Motion(curve, given_.poses[i]).turn());
      if (step == 0) out.trajectory.poses.push_back(curve);
    }
    out.mean_residual = std::sqrt(squares / static_cast<double>(given_.size()));
    if (step == 0) {
      out.trajectory.times = given_.times;
    } else {
      add_fine(step, out.trajectory);
    }
    return out;
  }

 private:
  static double distance(const Row& a, const Row& b) { return (a - b).norm(); }

  // Relative to the first position, so that far coordinates cost no digits.
  const std::vector<Row>& place_rows() {
    for (const Pose& pose : given_.poses) {
      const Vec3 p = pose.translation() - origin_;
      place_rows_.emplace_back(p.x(), p.y(), p.z(), 0);
    }
    return place_rows_;
  }

  // Of the two quaternions of a rotation the one nearer to that of the pose before.
  const std::vector<Row>& turn_rows() {
    for (const Pose& pose : given_.poses) {
      const Row row = quaternion_row(pose);
      const bool other = !turn_rows_.empty() && turn_rows_.back().dot(row) < 0;
      turn_rows_.push_back(other ? Row(-row) : row);
    }
    return turn_rows_;
  }

  template <class Measure>
  double largest_residual(const SmoothingSpline& spline, const std::vector<Row>& rows, const Measure& measure) const {
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double off = measure(spline.at_knot(knots_.of_pose[i]), rows[i]);
      if (!(off <= largest)) largest = off;  // also where it is no number
    }
    return largest;
  }

  Pose pose(std::size_t knot, double fraction) const {
    const Row p = places_.at(knot, fraction), q = turns_.at(knot, fraction);
    const Vec3 place = origin_ + Vec3(p[0], p[1], p[2]);
    constexpr double kMinLength = 1e-3;
    if (q.norm() > kMinLength) return Pose::from_xyzw(place, q[0], q[1], q[2], q[3]);
    const Row near = turns_.at_knot(knot);
    return Pose::from_xyzw(place, near[0], near[1], near[2], near[3]);
  }

  void add_fine(double step, Trajectory& out) const {
    double poses = 1;
    for (std::size_t k = 0; k + 1 < knots_.at.size(); ++k)
      poses += std::max(1.0, std::ceil(places_.speed_bound(k) / step));
    if (!(poses <= kMaxPoses)) {
      throw Error("step", fmt::format("{} m makes {:.3g} poses; the limit is 2^26", step, poses));
    }
    const auto add = [&](std::size_t k, double fraction) {
      out.poses.push_back(pose(k, fraction));
      if (given_.times.empty()) return;
      const double from = given_.times[knots_.first_pose[k]];
      const double to = fraction > 0 ? given_.times[knots_.first_pose[k + 1]] : from;
      out.times.push_back(from + fraction * (to - from));
    };
    for (std::size_t k = 0; k + 1 < knots_.at.size(); ++k) {
      const auto pieces = static_cast<std::size_t>(std::max(1.0, std::ceil(places_.speed_bound(k) / step)));
      for (std::size_t i = 0; i < pieces; ++i) add(k, static_cast<double>(i) / static_cast<double>(pieces));
    }
    add(knots_.at.size() - 1, 0);
    if (!given_.times.empty()) out.check("smoothed trajectory");
  }

  const Trajectory& given_;
  Vec3 origin_;
  Knots knots_;
  std::vector<Row> place_rows_, turn_rows_;
  SmoothingSpline places_, turns_;
};

}  // namespace

SmoothedTrajectory Trajectory::smoothed(const SmoothingOptions& options) const {
  const auto demand = [](const char* name, double value) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw Error(name, fmt::format("must be finite and not negative, got {}", value));
    }
  };
  demand("tolerance", options.tolerance);
  demand("turn_tolerance", options.turn_tolerance);
  demand("step", options.step);
  check();
  if (size() < 2) return {.trajectory = *this};
  return Smoother(*this, options).result(options.step);
}

}  // namespace graze::clearance
