// How parts of a BoundsTree are divided and their bounds turned.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numbers>
#include <vector>

#include "graze/base/elementary.h"
#include "graze/index/bounds_tree.h"

namespace graze {
namespace {

// Twice the centre: a difference less to round.
Vec3 twice_center(const Aabb& box) { return box.min + box.max; }

struct Widest {
  int axis = 0;
  Vec3 low = Vec3::Constant(kInfinity), high = Vec3::Constant(-kInfinity);  // of twice the centres

  explicit Widest(std::span<const Aabb> boxes) {
    for (const Aabb& box : boxes) {
      const Vec3 c = twice_center(box);
      low = low.cwiseMin(c), high = high.cwiseMax(c);
    }
    for (int i = 1; i < 3; ++i) {
      if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
    }
  }
};

Mat3 covariance(std::span<const Vec3> points) {
  // About the first point, so that those far from the origin keep their digits; scaled, so that squares are no problem.
  const Vec3& origin = points.front();
  double size = 0;
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) {
    const Vec3 from = p - origin;
    size = std::max(size, from.cwiseAbs().maxCoeff());
    sum += from;
  }
  if (!(size > 0)) return Mat3::Zero();
  const Vec3 mean = sum / static_cast<double>(points.size());
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (const Vec3& p : points) {
    const double x = (p.x() - origin.x() - mean.x()) / size, y = (p.y() - origin.y() - mean.y()) / size,
                 z = (p.z() - origin.z() - mean.z()) / size;
    xx += x * x, xy += x * y, xz += x * z, yy += y * y, yz += y * z, zz += z * z;
  }
  Mat3 m;
  m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return m / static_cast<double>(points.size());
}

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}

// From the largest to the smallest spread; a rotation whatever the solver makes of equal ones.
Mat3 principal_axes(const Mat3& covariance) {
  Eigen::SelfAdjointEigenSolver<Mat3> solver;
  solver.computeDirect(covariance);
  const Mat3 found = solver.eigenvectors();
  if (!found.allFinite()) return Mat3::Identity();
  constexpr double kAlike = 1e-3;
  const Vec3 first = unit_vector(found.col(2)), rest = found.col(1) - first.dot(found.col(1)) * first;
  const Vec3 second = rest.norm() > kAlike ? unit_vector(rest) : any_orthogonal(first);
  Mat3 axes;
  axes << first, second, unit_vector(cross(first, second));
  return axes;
}

double half_area_along(std::span<const Vec3> points, const Mat3& axes) { return half_area(Obb::around(points, axes)); }

}  // namespace

namespace split {

SplitPlane middle(std::span<const Aabb> boxes) {
  const Widest widest(boxes);
  return {Vec3::Unit(widest.axis), (widest.low[widest.axis] + widest.high[widest.axis]) / 4};
}

SplitPlane mean(std::span<const Aabb> boxes) {
  const Widest widest(boxes);
  double sum = 0;
  for (const Aabb& box : boxes) sum += twice_center(box)[widest.axis];
  return {Vec3::Unit(widest.axis), sum / (2 * static_cast<double>(boxes.size()))};
}

SplitPlane median(std::span<const Aabb> boxes) {
  const Widest widest(boxes);
  std::vector<double> at;
  at.reserve(boxes.size());
  for (const Aabb& box : boxes) at.push_back(twice_center(box)[widest.axis]);
  const auto half = at.begin() + static_cast<std::ptrdiff_t>(at.size() / 2);
  std::nth_element(at.begin(), half, at.end());
  return {Vec3::Unit(widest.axis), *half / 2};
}

SplitPlane principal(std::span<const Aabb> boxes) {
  std::vector<Vec3> centers;
  centers.reserve(boxes.size());
  Vec3 sum = Vec3::Zero();
  for (const Aabb& box : boxes) {
    centers.push_back(twice_center(box) / 2);
    sum += centers.back();
  }
  const Vec3 direction = principal_axes(covariance(centers)).col(0);
  return {direction, direction.dot(sum) / static_cast<double>(boxes.size())};
}

SplitPlane surface_area(std::span<const Aabb> boxes) {
  constexpr std::size_t kBins = 16;
  const Widest widest(boxes);
  SplitPlane best{Vec3::Unit(widest.axis), kInfinity};
  double best_cost = kInfinity;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = widest.low[axis], width = widest.high[axis] - low;
    if (!(width > 0)) continue;
    std::array<Aabb, kBins> bins;
    std::array<std::size_t, kBins> counts{};
    for (const Aabb& box : boxes) {
      const double at = (twice_center(box)[axis] - low) / width * static_cast<double>(kBins);
      const std::size_t bin = std::min(kBins - 1, static_cast<std::size_t>(at));
      bins[bin].extend(box), ++counts[bin];
    }
    // The cost of everything above each border, then below it.
    std::array<double, kBins> above{};
    Aabb grown;
    std::size_t count = 0;
    for (std::size_t i = kBins - 1; i > 0; --i) {
      grown.extend(bins[i]), count += counts[i];
      above[i] = count > 0 ? half_area(grown) * static_cast<double>(count) : kInfinity;
    }
    grown = {}, count = 0;
    for (std::size_t i = 1; i < kBins; ++i) {
      grown.extend(bins[i - 1]), count += counts[i - 1];
      if (count == 0 || count == boxes.size()) continue;
      const double cost = half_area(grown) * static_cast<double>(count) + above[i];
      if (!(cost < best_cost)) continue;
      best_cost = cost;
      best = {Vec3::Unit(axis), (low + width * static_cast<double>(i) / static_cast<double>(kBins)) / 2};
    }
  }
  return best;
}

}  // namespace split

namespace fit {

Mat3 frame(std::span<const Vec3>) { return Mat3::Identity(); }

Mat3 principal(std::span<const Vec3> points) {
  return points.empty() ? Mat3(Mat3::Identity()) : principal_axes(covariance(points));
}

Mat3 smallest(std::span<const Vec3> points) {
  Mat3 best = Mat3::Identity();
  if (points.empty()) return best;
  double lowest = half_area_along(points, best);
  const Mat3 start = principal(points);
  constexpr int kTurns = 8;  // of a quarter, after which a box looks the same
  for (int i = 0; i < kTurns; ++i) {
    const double angle = std::numbers::pi / 2 * i / kTurns, c = elementary::cos(angle), s = elementary::sin(angle);
    Mat3 axes;
    axes << Vec3(c * start.col(0) + s * start.col(1)), Vec3(c * start.col(1) - s * start.col(0)), start.col(2);
    const double area = half_area_along(points, axes);
    if (area < lowest) lowest = area, best = axes;
  }
  return best;
}

}  // namespace fit
}  // namespace graze
