#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/base/error.h"
#include "graze/clearance/report_view.h"

namespace graze::clearance {
namespace {

constexpr std::uint32_t kGrid = 64;  // cells per axis of a node; each shows one of its points
constexpr int kDeepest = 20;         // a node of a kilometre is divided to a millimetre

// SplitMix64: neighbouring numbers fall far apart, so that no pattern of the scanner survives the choice.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

std::uint64_t threshold(double share) {
  constexpr double kAll = 0x1p64;
  return share >= 1 ? std::numeric_limits<std::uint64_t>::max()
                    : static_cast<std::uint64_t>(std::max(share, 0.0) * kAll);
}

struct Task {
  std::uint32_t node;
  int depth;
  std::vector<std::uint32_t> points;
};

}  // namespace

std::uint8_t clearance_code(double clearance, const ReportOptions& options, double limit) {
  constexpr double kSteps = 63, kClearSteps = 62;
  const auto share = [](double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0; };
  const auto byte = [](int base, double steps) { return static_cast<std::uint8_t>(base + static_cast<int>(steps)); };
  switch (level_of(clearance, options)) {
    case Level::hit:
      return std::isnan(clearance) ? std::uint8_t{0} : byte(0, kSteps * (1 - share(-clearance, limit)));
    case Level::fail:
      return byte(64, kSteps * share(clearance, options.fail));
    case Level::warn:
      return byte(128, kSteps * share(clearance - options.fail, options.warn - options.fail));
    case Level::clear:
      break;
  }
  if (!(clearance <= limit)) return 255;
  return byte(192, kClearSteps * share(clearance - options.warn, limit - options.warn));
}

ReportCloudBuilder::ReportCloudBuilder(const Report& report, const ReportPath& path, const ReportCloudOptions& options)
    : thresholds_(report.options), options_(options) {
  if (options.points > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("points", fmt::format("a report cannot show {} points", options.points));
  }
  Aabb swept;
  for (const Pose& pose : path.poses()) swept.extend(pose.translation());
  // Whole metres, so that differences to it are exact for the coordinates of most scans.
  origin_ = swept.center().array().floor();
  const auto near = static_cast<double>(report.levels[0] + report.levels[1] + report.levels[2]);
  const auto rest = static_cast<double>(report.points - report.skipped) - near;
  const auto budget = static_cast<double>(options.points);
  const double near_share = std::min(1.0, budget / 2 / std::max(near, 1.0));
  near_below_ = threshold(near_share);
  rest_below_ = threshold((budget - near * near_share) / std::max(rest, 1.0));
}

void ReportCloudBuilder::add(std::span<const Vec3> points, std::span<const PointClearance> results,
                             std::uint64_t first) {
  if (points.size() != results.size()) {
    throw Error("results", fmt::format("{} of them for {} points", results.size(), points.size()));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) continue;
    const bool near = level_of(results[i].clearance, thresholds_) != Level::clear;
    if (mixed(first + i) > (near ? near_below_ : rest_below_)) continue;
    const Eigen::Vector3f place = (points[i] - origin_).cast<float>();
    if (!place.allFinite()) continue;
    kept_.push_back(
        {{place.x(), place.y(), place.z()}, clearance_code(results[i].clearance, thresholds_, options_.limit)});
  }
}

ReportCloud ReportCloudBuilder::finish() && {
  ReportCloud cloud;
  cloud.origin = origin_;
  if (kept_.empty()) return cloud;
  Eigen::Array3f low = Eigen::Array3f::Constant(std::numeric_limits<float>::infinity()), high = -low;
  for (const Kept& k : kept_) {
    const Eigen::Map<const Eigen::Array3f> p(k.place.data());
    low = low.min(p);
    high = high.max(p);
  }
  // A little larger than the points, so that none lies on the upper faces.
  const float size = std::max((high - low).maxCoeff() * 1.0001F, 1e-3F);
  cloud.nodes.push_back({{low[0], low[1], low[2]}, size, 0, 0, 0, 0});
  std::vector<Task> tasks(1);
  tasks[0] = {0, 0, {}};
  tasks[0].points.resize(kept_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) tasks[0].points[i] = static_cast<std::uint32_t>(i);

  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> best(std::size_t{kGrid} * kGrid * kGrid, kNone);  // code and number of a cell's worst
  const auto place_in = [&](const ReportCloudNode& node, const Kept& k, std::size_t axis) {
    return std::clamp((k.place[axis] - node.min[axis]) / node.size, 0.0F, 1.0F);
  };
  // First in, first out: parents come before children, and those of one parent stand together.
  for (std::size_t next = 0; next < tasks.size(); ++next) {
    Task task = std::move(tasks[next]);
    const ReportCloudNode node = cloud.nodes[task.node];
    const auto cell_of = [&](const Kept& k) {
      const auto axis = [&](std::size_t a) {
        return std::min(static_cast<std::uint32_t>(place_in(node, k, a) * kGrid), kGrid - 1);
      };
      return (std::size_t{axis(2)} * kGrid + axis(1)) * kGrid + axis(0);
    };
    const auto key_of = [&](std::uint32_t i) { return std::uint64_t{kept_[i].code} << 32U | i; };
    const bool leaf = task.points.size() <= options_.leaf || task.depth == kDeepest;
    if (!leaf) {
      for (const std::uint32_t i : task.points) {
        std::uint64_t& b = best[cell_of(kept_[i])];
        b = std::min(b, key_of(i));
      }
    }
    std::array<std::vector<std::uint32_t>, 8> rest;
    const auto first = static_cast<std::uint32_t>(cloud.places.size());
    for (const std::uint32_t i : task.points) {
      const Kept& k = kept_[i];
      if (!leaf && best[cell_of(k)] != key_of(i)) {
        std::size_t octant = 0;
        for (std::size_t a = 0; a < 3; ++a) octant |= (place_in(node, k, a) >= 0.5F ? std::size_t{1} : 0U) << a;
        rest[octant].push_back(i);
        continue;
      }
      std::array<std::uint16_t, 3> at{};
      for (std::size_t a = 0; a < 3; ++a) at[a] = static_cast<std::uint16_t>(std::lround(place_in(node, k, a) * 65535));
      cloud.places.push_back(at);
      cloud.codes.push_back(k.code);
    }
    if (!leaf) {
      for (const std::uint32_t i : task.points) best[cell_of(kept_[i])] = kNone;
    }
    cloud.nodes[task.node].first = first;
    cloud.nodes[task.node].count = static_cast<std::uint32_t>(cloud.places.size()) - first;
    for (std::size_t octant = 0; octant < 8; ++octant) {
      if (rest[octant].empty()) continue;
      const auto child = static_cast<std::uint32_t>(cloud.nodes.size());
      if (cloud.nodes[task.node].child_count++ == 0) cloud.nodes[task.node].children = child;
      const float half = node.size / 2;
      ReportCloudNode made{node.min, half, 0, 0, 0, 0};
      for (std::size_t a = 0; a < 3; ++a) made.min[a] += (octant >> a & 1U) != 0 ? half : 0;
      cloud.nodes.push_back(made);
      tasks.push_back({child, task.depth + 1, std::move(rest[octant])});
    }
  }
  return cloud;
}

}  // namespace graze::clearance
