#include "graze/clearance/gauge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze::clearance {
namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

double side(const Vec2& a, const Vec2& b, const Vec2& p) { return cross(b - a, p - a); }

double distance_squared(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 edge = b - a, offset = p - a;
  const double square = edge.squaredNorm();
  const double fraction = square > 0 ? std::clamp(edge.dot(offset) / square, 0.0, 1.0) : 0;
  return (offset - fraction * edge).squaredNorm();
}

/// Whether two edges share a point.
bool meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const bool apart = side(a, b, c) * side(a, b, d) > 0 || side(c, d, a) * side(c, d, b) > 0;
  if (apart) return false;
  const auto overlap = [](double a0, double a1, double b0, double b1) {
    return std::max(std::min(a0, a1), std::min(b0, b1)) <= std::min(std::max(a0, a1), std::max(b0, b1));
  };
  return overlap(a.x(), b.x(), c.x(), d.x()) && overlap(a.y(), b.y(), c.y(), d.y());
}

double area_of(const std::vector<Vec2>& outline) {
  double twice = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    twice += cross(outline[i] - outline[0], outline[(i + 1) % outline.size()] - outline[0]);
  }
  return twice / 2;
}

/// Counter-clockwise, without corners on a straight line.
std::vector<Vec2> hull_of(std::vector<Vec2> points) {
  const auto before = [](const Vec2& a, const Vec2& b) { return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y()); };
  std::sort(points.begin(), points.end(), before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= start + 2 && side(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();  // it begins the other half
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

/// Every edge moved outwards by `margin`; the corners are where they meet then.
std::vector<Vec2> grown(const std::vector<Vec2>& hull, double margin) {
  const std::size_t n = hull.size();
  const auto outwards = [&](std::size_t i) {
    const Vec2 edge = (hull[(i + 1) % n] - hull[i]).normalized();
    return Vec2(edge.y(), -edge.x());
  };
  std::vector<Vec2> corners(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 a = outwards((i + n - 1) % n), b = outwards(i);
    corners[i] = hull[i] + margin / (1 + a.dot(b)) * (a + b);
  }
  return corners;
}

}  // namespace

Gauge::Gauge(std::vector<Vec2> outline) : outline_(std::move(outline)) {
  const std::size_t n = outline_.size();
  if (n < 3) throw Error("gauge", fmt::format("has {} corners; an outline needs three", n));
  for (std::size_t i = 0; i < n; ++i) {
    if (!(outline_[i].cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= kLargestLength)) {
      throw Error("gauge",
                  fmt::format("corner {} is ({}, {}); it must be finite", i, outline_[i].x(), outline_[i].y()));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (outline_[i] != outline_[(i + 1) % n]) continue;
    throw Error("gauge", fmt::format("corners {} and {} are the same", i, (i + 1) % n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 &a = outline_[i], &b = outline_[(i + 1) % n];
    for (std::size_t k = i + 2; k < n; ++k) {
      if (i == 0 && k + 1 == n) continue;  // neighbours
      if (meet(a, b, outline_[k], outline_[(k + 1) % n])) {
        throw Error("gauge", fmt::format("the edges from corner {} and from corner {} meet", i, k));
      }
    }
    const Vec2& c = outline_[(i + 2) % n];
    if (side(a, b, c) == 0 && (b - a).dot(c - b) < 0) {
      throw Error("gauge", fmt::format("turns back at corner {}", (i + 1) % n));
    }
  }
  if (area_of(outline_) == 0) throw Error("gauge", "has no area");
  for (const Vec2& corner : outline_) reach_ = std::max(reach_, corner.norm());
}

Gauge Gauge::around(std::span<const Vec3> points, double margin) {
  if (!(margin >= 0) || !std::isfinite(margin)) {
    throw Error("margin", fmt::format("must be finite and not negative, got {}", margin));
  }
  std::vector<Vec2> section;
  section.reserve(points.size());
  for (const Vec3& p : points) {
    if (is_finite(p)) section.emplace_back(p.y(), p.z());
  }
  std::vector<Vec2> hull = hull_of(std::move(section));
  if (hull.size() < 3) throw Error("gauge", "the points have no area across the track");
  if (margin > 0) hull = grown(hull, margin);
  return Gauge(std::move(hull));
}

double Gauge::clearance(const Vec2& p) const {
  if (!std::isfinite(p.x()) || !std::isfinite(p.y())) return std::numeric_limits<double>::quiet_NaN();
  double nearest = kInfinity;
  bool inside = false;
  for (std::size_t i = 0; i < outline_.size(); ++i) {
    const Vec2 &a = outline_[i], &b = outline_[i + 1 == outline_.size() ? 0 : i + 1];
    nearest = std::min(nearest, distance_squared(p, a, b));
    // A ray to the right crosses edges that begin below or on it and end above it, or the other way round.
    if ((a.y() <= p.y()) != (b.y() <= p.y()) && (side(a, b, p) > 0) == (b.y() > a.y())) inside = !inside;
  }
  return inside ? -std::sqrt(nearest) : std::sqrt(nearest);
}

void check_gauge(const Gauge& gauge, const Track& track, std::span<const Vec3> points, std::span<GaugePoint> results,
                 const GaugeOptions& options) {
  if (points.size() != results.size()) {
    throw Error("results", fmt::format("must be as many as the {} points, got {}", points.size(), results.size()));
  }
  if (!(options.limit >= 0)) throw Error("limit", fmt::format("must not be negative, got {}", options.limit));
  const double reach = gauge.reach() + options.limit;
  const auto check = [&](const Vec3& p) {
    GaugePoint result;
    if (!is_finite(p)) {
      result.clearance = std::numeric_limits<double>::quiet_NaN();
      result.state = GaugeState::nothing;
      return result;
    }
    const TrackPosition place = track.nearest(p, reach);
    if (!(place.distance <= reach)) return result;
    result.chainage = place.chainage;
    const Pose pose = track.pose_at(place);
    const Vec3 local = pose.rotation().transpose() * (p - pose.translation());
    result.section = {local.y(), local.z()};
    const std::vector<Pose>& poses = track.trajectory().poses;
    const std::size_t last = std::max<std::size_t>(poses.size(), 2) - 2;
    const Vec3 edge =
        poses[std::min(place.segment + 1, poses.size() - 1)].translation() - poses[place.segment].translation();
    const double along = edge.dot(p - place.position);
    if ((place.segment == 0 && place.fraction == 0 && along < 0) ||
        (place.segment == last && place.fraction == 1 && along > 0)) {
      result.state = GaugeState::beyond;
      return result;
    }
    const double clearance = gauge.clearance(result.section);
    if (clearance <= options.limit) result.clearance = clearance;
    if (!(clearance > 0)) result.state = GaugeState::inside;
    return result;
  };
  parallel_for(points.size(), [&](std::size_t i) { results[i] = check(points[i]); }, {.threads = options.threads});
}

}  // namespace graze::clearance
