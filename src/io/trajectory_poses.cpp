// From rows to poses: what is checked, what is repaired, and where rotations come from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/trajectory_rows.h"

namespace graze::io {
namespace {

// Lengths of quaternions that are farther from 1 than printing explains.
constexpr double kOddLength = 1e-3;

double length_of(const std::array<double, 4>& q) {
  return elementary::hypot(elementary::hypot(q[0], q[1]), elementary::hypot(q[2], q[3]));
}

class PoseMaker {
 public:
  PoseMaker(TrajectoryRows&& rows, const ReadTrajectoryOptions& options) : in_(std::move(rows)), options_(options) {}

  TrajectoryFile make() {
    TrajectoryFile file;
    file.format = in_.format;
    file.lines = in_.rows.size();
    drop_faults();
    order_times();
    if (in_.rows.empty()) throw Error(in_.name, "holds no poses that could be kept");
    if (in_.rotations) note_lengths();
    const Pose turn = turn_to_flu(options_.axes);
    file.trajectory.poses.reserve(in_.rows.size());
    for (std::size_t i = 0; i < in_.rows.size(); ++i) {
      file.trajectory.poses.push_back(in_.rotations ? given_pose(in_.rows[i]) * turn : pose_along(i));
    }
    if (in_.times) {
      file.trajectory.times.reserve(in_.rows.size());
      for (const TrajectoryRow& row : in_.rows) file.trajectory.times.push_back(row.time);
    }
    if (!in_.rotations) in_.notes.emplace_back("rotations follow the path from pose to pose, with z up");
    file.notes = std::move(in_.notes);
    return file;
  }

 private:
  [[noreturn]] void refuse(const TrajectoryRow& row, const std::string& why) const {
    throw Error(in_.name, row.line, why);
  }

  // Why a row is not a pose; null if it is one.
  const char* fault_of(const TrajectoryRow& row) const {
    if (in_.times && !std::isfinite(row.time)) return "the time is not finite";
    if (!is_finite(row.position)) return "the position is not finite";
    if (!(options_.unit * row.position.cwiseAbs().maxCoeff() <= kLargestLength)) return "the position is beyond 1e50 m";
    const double length = length_of(row.rotation);
    if (!std::isfinite(length)) return "the rotation is not finite";
    if (in_.rotations && !(length > 0)) return "the quaternion is zero";
    return nullptr;
  }

  void drop_faults() {
    std::size_t dropped = 0, first = 0;
    const char* why_first = nullptr;
    std::erase_if(in_.rows, [&](const TrajectoryRow& row) {
      const char* why = fault_of(row);
      if (why == nullptr) return false;
      if (!options_.repair) refuse(row, why);
      if (dropped++ == 0) first = row.line, why_first = why;
      return true;
    });
    if (dropped > 0) {
      in_.notes.push_back(
          fmt::format("{} poses were left out: the first at line {}, where {}", dropped, first, why_first));
    }
  }

  void order_times() {
    if (!in_.times) return;
    std::vector<TrajectoryRow>& rows = in_.rows;
    std::size_t out_of_order = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].time > rows[i - 1].time) continue;
      if (!options_.repair) {
        refuse(rows[i], fmt::format("the time {} is not later than {} at line {}; to sort them, ask for repair",
                                    rows[i].time, rows[i - 1].time, rows[i - 1].line));
      }
      out_of_order += rows[i].time < rows[i - 1].time;
    }
    if (out_of_order > 0) {
      std::stable_sort(rows.begin(), rows.end(),
                       [](const TrajectoryRow& a, const TrajectoryRow& b) { return a.time < b.time; });
      in_.notes.push_back(fmt::format("sorted by time: it went back {} times", out_of_order));
    }
    const std::size_t before = rows.size();
    rows.erase(std::unique(rows.begin(), rows.end(),
                           [](const TrajectoryRow& a, const TrajectoryRow& b) { return a.time == b.time; }),
               rows.end());
    if (rows.size() < before) {
      in_.notes.push_back(
          fmt::format("{} poses were left out: an earlier line has the same time", before - rows.size()));
    }
  }

  void note_lengths() {
    double shortest = kInfinity, longest = 0;
    for (const TrajectoryRow& row : in_.rows) {
      const double length = length_of(row.rotation);
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    if (shortest > 1 - kOddLength && longest < 1 + kOddLength) return;
    in_.notes.push_back(fmt::format("quaternions of length {:.6g} to {:.6g} were normalised", shortest, longest));
  }

  Pose given_pose(const TrajectoryRow& row) const {
    const std::array<double, 4>& q = row.rotation;
    return Pose::from_xyzw(options_.unit * row.position, q[0], q[1], q[2], q[3]);
  }

  // Forward is from the previous pose to the next one, up is z, then the roll.
  Pose pose_along(std::size_t i) {
    const std::vector<TrajectoryRow>& rows = in_.rows;
    const std::size_t from = i > 0 ? i - 1 : 0, to = std::min(i + 1, rows.size() - 1);
    const Vec3 step = rows[to].position - rows[from].position;
    if (step.squaredNorm() > 0) {
      last_step_ = step;
    } else if (i == 0) {
      // Where it rests at first, it looks where it will go.
      const auto moved = std::find_if(rows.begin(), rows.end(),
                                      [&](const TrajectoryRow& row) { return row.position != rows[0].position; });
      if (moved != rows.end()) last_step_ = moved->position - rows[0].position;
    }
    const double level = elementary::hypot(last_step_.x(), last_step_.y());
    constexpr double kMinSlant = 1e-6;
    if (!(level > kMinSlant * std::abs(last_step_.z()))) {
      refuse(rows[i], "the path goes straight up, so that no rotation follows from it; give one");
    }
    return Pose::from_rpy(options_.unit * rows[i].position, rows[i].rotation[0],
                          -elementary::atan2(last_step_.z(), level), elementary::atan2(last_step_.y(), last_step_.x()));
  }

  TrajectoryRows in_;
  const ReadTrajectoryOptions& options_;
  Vec3 last_step_ = Vec3::UnitX();
};

}  // namespace

TrajectoryFile poses_of(TrajectoryRows&& rows, const ReadTrajectoryOptions& options) {
  return PoseMaker(std::move(rows), options).make();
}

}  // namespace graze::io
