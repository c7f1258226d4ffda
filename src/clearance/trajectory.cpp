#include "graze/clearance/trajectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/trajectory_limits.h"
#include "graze/base/error.h"
#include "graze/motion/motion.h"

namespace graze::clearance {
namespace {

double step_between(const Pose& a, const Pose& b) { return (b.translation() - a.translation()).norm(); }

}  // namespace

void Trajectory::check(const std::string& where) const {
  if (times.empty()) return;
  if (times.size() != poses.size()) {
    throw Error(where,
                fmt::format("has {} times for {} poses; it needs one each, or none", times.size(), poses.size()));
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) throw Error(where, fmt::format("the time of pose {} is {}", i, times[i]));
    if (i > 0 && !(times[i] > times[i - 1])) {
      throw Error(where, fmt::format("the time of pose {} is {}, not later than {} of the pose before it", i, times[i],
                                     times[i - 1]));
    }
  }
}

std::vector<double> Trajectory::chainage() const {
  check();
  std::vector<double> sums(poses.size());
  for (std::size_t i = 1; i < poses.size(); ++i) sums[i] = sums[i - 1] + step_between(poses[i - 1], poses[i]);
  return sums;
}

double Trajectory::length() const {
  const std::vector<double> sums = chainage();
  return sums.empty() ? 0 : sums.back();
}

Pose Trajectory::pose_at(double at) const {
  const std::vector<double> sums = chainage();
  if (empty()) throw Error("trajectory", "has no poses");
  if (std::isnan(at)) throw Error("chainage", "must be a number, got NaN");
  const auto behind = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin());
  if (behind == 0) return poses.front();
  if (behind == size()) return poses.back();
  return Motion(poses[behind - 1], poses[behind]).at((at - sums[behind - 1]) / (sums[behind] - sums[behind - 1]));
}

Trajectory Trajectory::resampled(double step) const {
  if (!(step > 0) || !std::isfinite(step))
    throw Error("step", fmt::format("must be positive and finite, got {}", step));
  const std::vector<double> sums = chainage();
  if (size() < 2) return *this;
  const double length = sums.back();
  const double wanted = std::ceil(length / step);
  if (!(wanted <= kMaxPoses)) {
    throw Error("step", fmt::format("{} m makes {:.3g} poses of {:.6g} m; the limit is 2^26", step, wanted, length));
  }
  const auto pieces = static_cast<std::size_t>(wanted);

  Trajectory even;
  const auto add = [&](std::size_t i, double fraction) {
    const Pose pose = fraction == 0 ? poses[i] : Motion(poses[i], poses[i + 1]).at(fraction);
    if (times.empty()) {
      if (even.empty() || !(even.poses.back() == pose)) even.poses.push_back(pose);
      return;
    }
    const double time = fraction == 0 ? times[i] : times[i] + fraction * (times[i + 1] - times[i]);
    if (!even.empty() && (even.poses.back() == pose || !(time > even.times.back()))) return;
    even.poses.push_back(pose);
    even.times.push_back(time);
  };

  add(0, 0);
  std::size_t next = 1;  // of the even places
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    const double width = sums[i + 1] - sums[i];
    if (!(width > 0)) {
      if (poses[i] == poses[i + 1]) continue;
      add(i, 0);
      add(i + 1, 0);
      continue;
    }
    for (; next < pieces; ++next) {
      const double at = length * (static_cast<double>(next) / static_cast<double>(pieces));
      if (!(at < sums[i + 1])) break;
      add(i, std::max(0.0, (at - sums[i]) / width));
    }
  }
  // The end is always there, in place of one that differs from it by rounding only.
  if (!times.empty() && even.size() > 1 && !(times.back() > even.times.back())) {
    even.poses.pop_back();
    even.times.pop_back();
  }
  add(size() - 1, 0);
  return even;
}

}  // namespace graze::clearance
