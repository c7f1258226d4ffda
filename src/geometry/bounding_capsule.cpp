#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/bounding_search.h"
#include "graze/base/elementary.h"

namespace graze::bounding {
namespace {

constexpr double kSmallerCapsule = 1 - 1e-9;
// The local search turns by the first step, and by halves of it down to the last, in radians.
constexpr double kFirstStep = 0.25, kLastStep = 1e-5;
constexpr int kMaxMoves = 400;
constexpr std::size_t kStarts = 3;
constexpr int kRadiusSteps = 40;  // of golden section: to 1e-8 of the range

struct Seen {
  double along, off_sq;  // of a point: along the axis, and from it
};

struct Core1d {
  double low, high;
  double length() const { return std::max(0.0, high - low); }
};

// The shortest core segment on the axis for balls of this radius to reach all points.
Core1d core_segment(const std::vector<Seen>& seen, double radius) {
  Core1d core{kInfinity, -kInfinity};
  for (const Seen& s : seen) {
    const double reach = std::sqrt(std::max(0.0, radius * radius - s.off_sq));
    core.low = std::min(core.low, s.along + reach), core.high = std::max(core.high, s.along - reach);
  }
  return core;
}

double volume_of(double radius, double length) {
  return std::numbers::pi * radius * radius * (length + 4 * radius / 3);
}

// The smallest capsule whose axis runs along `direction` through the smallest circle around the points seen along it.
CapsuleFit fit_along(std::span<const Vec3> points, const Vec3& direction, double grow) {
  const Vec3 u = any_orthogonal(direction), v = direction.cross(u);
  std::vector<Vec3> flat;
  flat.reserve(points.size());
  for (const Vec3& p : points) flat.emplace_back(p.dot(u), p.dot(v), 0);
  const Vec3 middle = smallest_ball(flat).center;
  std::vector<Seen> seen;
  seen.reserve(points.size());
  double off_sq = 0, lowest = kInfinity, highest = -kInfinity;
  for (std::size_t i = 0; i < points.size(); ++i) {
    seen.push_back({points[i].dot(direction), (flat[i] - middle).squaredNorm()});
    off_sq = std::max(off_sq, seen.back().off_sq);
    lowest = std::min(lowest, seen.back().along), highest = std::max(highest, seen.back().along);
  }
  // From the smallest radius, that of the circle, to one for which a ball is enough. The segment is convex in the
  // radius.
  const auto volume = [&](double radius) { return volume_of(radius + grow, core_segment(seen, radius).length()); };
  const double thin = std::sqrt(off_sq), ratio = (std::sqrt(5.0) - 1) / 2;
  double low = thin, high = elementary::hypot(thin, (highest - lowest) / 2);
  double a = high - ratio * (high - low), b = low + ratio * (high - low), at_a = volume(a), at_b = volume(b);
  for (int i = 0; i < kRadiusSteps; ++i) {
    if (at_a <= at_b) {
      high = b, b = a, at_b = at_a, a = high - ratio * (high - low), at_a = volume(a);
    } else {
      low = a, a = b, at_a = at_b, b = low + ratio * (high - low), at_b = volume(b);
    }
  }
  const double at_thin = volume(thin), radius = at_thin <= at_a ? thin : a;
  const Core1d core = core_segment(seen, radius);
  const Vec3 center = middle.x() * u + middle.y() * v + (core.low + core.high) / 2 * direction;
  return {direction, center, radius, std::min(at_thin, at_a)};
}

CapsuleFit improved(CapsuleFit fit, std::span<const Vec3> points, double grow) {
  int moves = 0;
  for (double step = kFirstStep; step > kLastStep && moves < kMaxMoves;) {
    const Vec3 u = any_orthogonal(fit.direction), v = fit.direction.cross(u);
    bool better = false;
    for (const Vec3& lean : {u, v, Vec3(-u), Vec3(-v)}) {
      const CapsuleFit tried = fit_along(points, unit_vector(fit.direction + step * lean), grow);
      ++moves;
      if (!(tried.volume < kSmallerCapsule * fit.volume)) continue;
      fit = tried;
      better = true;
      break;
    }
    if (!better) step /= 2;
  }
  return fit;
}

Vec3 farthest_pair(std::span<const Vec3> points) {
  Vec3 farthest = Vec3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const Vec3 d = points[j] - points[i];
      if (d.squaredNorm() > farthest.squaredNorm()) farthest = d;
    }
  }
  return farthest;
}

}  // namespace

CapsuleFit fit_capsule(std::span<const Vec3> points, const Core& core, double grow) {
  const double counted = std::max(grow, core.floor);
  std::vector<CapsuleFit> fits;
  for (const Mat3& axes : {Mat3(Mat3::Identity()), core.principal}) {
    for (int k = 2; k >= 0; --k) fits.push_back(fit_along(core.points, axes.col(k), counted));
  }
  fits.push_back(fit_along(core.points, unit_vector(farthest_pair(core.points)), counted));
  std::stable_sort(fits.begin(), fits.end(),
                   [](const CapsuleFit& a, const CapsuleFit& b) { return a.volume < b.volume; });
  const EnclosingBall ball = smallest_ball(points);
  CapsuleFit best{Vec3::UnitZ(), ball.center, ball.radius, volume_of(ball.radius + counted, 0)};
  for (std::size_t i = 0; i < kStarts; ++i) {
    const CapsuleFit fit = improved(fits[i], core.points, counted);
    const CapsuleFit whole = fit_along(points, fit.direction, counted);
    if (whole.volume < kSmallerCapsule * best.volume) best = whole;
  }
  return best;
}

}  // namespace graze::bounding
