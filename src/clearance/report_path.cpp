#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/base/error.h"
#include "graze/clearance/report.h"
#include "graze/motion/motion.h"

namespace graze::clearance {

std::string_view name_of(Side side) {
  constexpr std::array<std::string_view, kSides> kNames = {"left", "right", "above", "below"};
  return kNames[static_cast<std::size_t>(side)];
}

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, kLevels> kNames = {"hit", "fail", "warn", "clear"};
  return kNames[static_cast<std::size_t>(level)];
}

Level level_of(double clearance, const ReportOptions& options) {
  // In this form of the comparison NaN fails, and so does what is equal but for the tolerance.
  const double surely = clearance - options.tolerance;
  if (surely >= options.warn && surely > 0) return Level::clear;
  if (surely >= options.fail && surely > 0) return Level::warn;
  return surely > 0 ? Level::fail : Level::hit;
}

std::string_view level_name(const ProfileRow& row, const ReportOptions& options) {
  const Level level = level_of(row.min_clearance(), options);
  return level == Level::clear && row.swept && !row.scanned ? "not scanned" : name_of(level);
}

double ProfileRow::min_clearance() const {
  double out = kInfinity;
  for (const ReportPoint& place : nearest) out = std::min(out, place.clearance);
  return out;
}

Verdict Report::verdict() const {
  if (!passed()) return Verdict::fails;
  if (!coverage.checked()) return Verdict::not_checked;
  return coverage.complete() ? Verdict::clear : Verdict::partly_checked;
}

ReportPath::ReportPath(std::span<const Pose> poses, std::span<const double> chainage, const Aabb& model)
    : poses_(poses), chainage_(chainage), model_(model), directions_(poses.size()) {
  if (poses.empty()) throw Error("path", "has no poses");
  if (poses.size() != chainage.size()) {
    throw Error("path", fmt::format("has {} poses and {} chainages", poses.size(), chainage.size()));
  }
  for (std::size_t i = 0; i < chainage.size(); ++i) {
    if (!std::isfinite(chainage[i]) || (i > 0 && chainage[i] < chainage[i - 1])) {
      throw Error("path", fmt::format("chainage {} of pose {} is not finite or falls", chainage[i], i));
    }
  }
  if (model.empty() || !model.bounded()) throw Error("model", "is empty or without end");
  // Where the vehicle stands still, it is about to go where it goes next; at the end, where it went last; and if it
  // never moves, ahead.
  Vec3 next = Vec3::Zero();
  for (std::size_t i = poses.size(); i-- > 0;) {
    if (i + 1 < poses.size()) {
      const Vec3 step = poses[i + 1].translation() - poses[i].translation();
      if (step.squaredNorm() > 0) next = unit_vector(step);
    }
    directions_[i] = next;
  }
  Vec3 last = Vec3::Zero();
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (directions_[i].isZero(0)) directions_[i] = last.isZero(0) ? Vec3(poses[i].rotation().col(0)) : last;
    last = directions_[i];
  }
}

ReportPath::PlaceAlong ReportPath::place_along(const Vec3& point, std::size_t near) const {
  // Each step lands in the segment that the last one pointed to; two or three do on any path that does not double back
  // within the length of the vehicle.
  constexpr int kSteps = 8;
  std::size_t i = std::min(near, poses_.size() - 1);
  double s = chainage_[i];
  for (int step = 0; step < kSteps; ++step) {
    s = chainage_[i] + directions_[i].dot(point - poses_[i].translation());
    const auto after = std::upper_bound(chainage_.begin(), chainage_.end(), s);
    const auto landed = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - chainage_.begin() - 1, 0));
    if (landed == i) break;
    i = landed;
  }
  return {s, i};
}

Side ReportPath::side_of(const Vec3& in_vehicle) const {
  const Vec3 half = model_.half(), off = in_vehicle - model_.center();
  // Ties of a vehicle without width or height go to left and right.
  const double across = std::abs(off.y()) * half.z(), up = std::abs(off.z()) * half.y();
  if (across >= up) return off.y() >= 0 ? Side::left : Side::right;
  return off.z() >= 0 ? Side::above : Side::below;
}

Pose ReportPath::pose_at(const ReportPoint& place) const {
  const std::size_t i = place.pose;
  if (i + 1 >= poses_.size() || !(place.fraction > 0)) return poses_[std::min(i, poses_.size() - 1)];
  return Motion(poses_[i], poses_[i + 1]).at(static_cast<double>(place.fraction));
}

ReportPoint ReportPath::point_of(const Vec3& point, const PointClearance& result, std::uint64_t index) const {
  ReportPoint place;
  place.index = index;
  place.point = point;
  place.clearance = result.clearance;
  place.pose = result.pose;
  place.fraction = result.fraction;
  place.element = result.element;
  const Pose pose = pose_at(place);
  place.in_vehicle = pose.rotation().transpose() * (point - pose.translation());
  const std::size_t i = std::min<std::size_t>(result.pose, poses_.size() - 1);
  const double step = i + 1 < poses_.size() ? chainage_[i + 1] - chainage_[i] : 0;
  place.pose_chainage = chainage_[i] + static_cast<double>(result.fraction) * step;
  place.chainage = chainage_of(point, i);
  place.side = side_of(place.in_vehicle);
  return place;
}

std::vector<std::size_t> ReportPath::frames_at(const ReportPoint& place, std::size_t frames) const {
  if (frames <= 1) return std::vector<std::size_t>(frames, 0);
  std::vector<std::size_t> out;
  const std::size_t at = place.pose;
  if (place.fraction == 0 && at > 0) out.push_back(at - 1);
  for (std::size_t i = at; i < std::min(at + 2, frames); ++i) out.push_back(i);
  return out;
}

PlaceDepth depth_of(std::span<const SweptClearance> together, const ReportPath& path, const ReportPoint& place,
                    double fail) {
  PlaceDepth depth;
  const Pose pose = path.pose_at(place);
  const auto look_at = [&](const Model& model) {
    const DirectionalClearance d = directional_clearance(model, pose, place.point, fail);
    depth.directional.horizontal = std::min(depth.directional.horizontal, d.horizontal);
    depth.directional.vertical = std::min(depth.directional.vertical, d.vertical);
  };
  for (const SweptClearance& swept : together) {
    const std::span<const Model> frames = swept.model().frames();
    if (frames.empty()) look_at(swept.model());
    for (const std::size_t i : path.frames_at(place, frames.size())) look_at(frames[i]);
  }
  depth.exit = exit_depth(together, place.point, {.margin = fail});
  const Vec3 exit = pose.rotation().transpose() * depth.exit.direction;
  if (!depth.exit.found) depth.left = depth.up = kInfinity;
  else if (depth.exit.depth > 0) depth.left = depth.exit.depth * exit.y(), depth.up = depth.exit.depth * exit.z();
  return depth;
}

}  // namespace graze::clearance
