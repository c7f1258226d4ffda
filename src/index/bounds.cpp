#include "graze/index/bounds.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace graze {
namespace {

// More than the projections of a point onto axes, and their sums, are rounded by, as a part of the numbers' sizes.
constexpr double kRounding = 16 * kEpsilon;

double size_of(const Vec3& v) { return std::abs(v.x()) + std::abs(v.y()) + std::abs(v.z()); }

// Coordinates along axes about the first point: those far from the origin lose nothing by being turned.
struct Extents {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  double size = 0;  // largest, of what was projected

  Extents(std::span<const Vec3> points, const Mat3& axes) {
    for (const Vec3& p : points) {
      const Vec3 from = p - points.front(), at = axes.transpose() * from;
      low = low.cwiseMin(at), high = high.cwiseMax(at);
      size = std::max(size, size_of(from));
    }
  }
  Vec3 half() const { return (high - low) / 2; }
};

}  // namespace

Obb Obb::around(std::span<const Vec3> points, const Mat3& axes) {
  const Extents extents(points, axes);
  Obb box;
  box.axes = axes;
  box.center = points.front() + axes * ((extents.low + extents.high) / 2);
  const double grow = kRounding * (extents.size + size_of(box.center));
  box.half = extents.half().array() + grow;
  return box;
}

bool Obb::contains(const Vec3& p) const {
  const Vec3 at = axes.transpose() * (p - center);
  return (at.cwiseAbs().array() <= half.array()).all();
}

Rss Rss::around(std::span<const Vec3> points, const Mat3& given) {
  // The normal is the axis along which the points are thinnest.
  Extents extents(points, given);
  Eigen::Index thinnest = 0;
  const Vec3 halves = extents.half();
  for (Eigen::Index i = 1; i < 3; ++i) {
    if (halves[i] <= halves[thinnest]) thinnest = i;
  }
  const Eigen::Index x = (thinnest + 1) % 3, y = (thinnest + 2) % 3;
  Rss rss;
  rss.axes.col(0) = given.col(x), rss.axes.col(1) = given.col(y), rss.axes.col(2) = given.col(thinnest);
  const double middle = (extents.low[thinnest] + extents.high[thinnest]) / 2, thick = halves[thinnest];

  // The shortest sides for balls of that radius to reach every point from some point along the side; ball by ball,
  // since points near the middle plane are reached from farther off.
  const auto at = [&](const Vec3& p) {
    const Vec3 from = p - points.front();
    return Vec3(rss.axes.transpose() * from - Vec3(0, 0, middle));
  };
  const auto reach_sq = [&](const Vec3& q) { return std::max(0.0, thick * thick - q.z() * q.z()); };
  double low_x = kInfinity, high_x = -kInfinity, low_y = kInfinity, high_y = -kInfinity;
  for (const Vec3& p : points) {
    const Vec3 q = at(p);
    const double reach = std::sqrt(reach_sq(q));
    low_x = std::min(low_x, q.x() + reach), high_x = std::max(high_x, q.x() - reach);
    low_y = std::min(low_y, q.y() + reach), high_y = std::max(high_y, q.y() - reach);
  }
  if (low_x > high_x) low_x = high_x = (low_x + high_x) / 2;
  if (low_y > high_y) low_y = high_y = (low_y + high_y) / 2;
  // Points beyond a corner are farther than along either side: the corner goes as far towards them as it must.
  for (const Vec3& p : points) {
    const Vec3 q = at(p);
    const double off_x = std::max({0.0, low_x - q.x(), q.x() - high_x});
    const double off_y = std::max({0.0, low_y - q.y(), q.y() - high_y});
    const double off_sq = off_x * off_x + off_y * off_y;
    if (off_sq <= reach_sq(q)) continue;
    const double part = 1 - std::sqrt(reach_sq(q) / off_sq);
    if (q.x() < low_x) low_x -= part * off_x;
    if (q.x() > high_x) high_x += part * off_x;
    if (q.y() < low_y) low_y -= part * off_y;
    if (q.y() > high_y) high_y += part * off_y;
  }
  rss.center = points.front() + rss.axes * Vec3((low_x + high_x) / 2, (low_y + high_y) / 2, middle);
  rss.half_x = (high_x - low_x) / 2, rss.half_y = (high_y - low_y) / 2;
  rss.radius = thick;
  // What was rounded so far is made good by the radius.
  double farthest_sq = 0;
  for (const Vec3& p : points) {
    const Vec3 q = rss.axes.transpose() * (p - rss.center);
    const double off_x = std::max(0.0, std::abs(q.x()) - rss.half_x);
    const double off_y = std::max(0.0, std::abs(q.y()) - rss.half_y);
    farthest_sq = std::max(farthest_sq, off_x * off_x + off_y * off_y + q.z() * q.z());
  }
  rss.radius = std::sqrt(farthest_sq) + kRounding * (extents.size + size_of(rss.center));
  return rss;
}

bool Rss::contains(const Vec3& p) const {
  const Vec3 q = axes.transpose() * (p - center);
  const double off_x = std::max(0.0, std::abs(q.x()) - half_x), off_y = std::max(0.0, std::abs(q.y()) - half_y);
  return off_x * off_x + off_y * off_y + q.z() * q.z() <= radius * radius;
}

template <std::size_t K>
const Vec3& KDop<K>::normal(std::size_t k) {
  static const std::array<Vec3, K> normals = [] {
    const Vec3 half[12] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, 0, 1},  {0, 1, 1},
                           {1, -1, 0}, {1, 0, -1}, {0, 1, -1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    std::array<Vec3, K> all;
    for (std::size_t i = 0; i < K / 2; ++i) all[i] = half[i], all[i + K / 2] = -half[i];
    return all;
  }();
  return normals[k];
}

template <std::size_t K>
KDop<K> KDop<K>::around(std::span<const Vec3> points) {
  constexpr std::size_t kHalf = K / 2;
  KDop dop;
  double size = 0;
  for (const Vec3& p : points) {
    const double x = p.x(), y = p.y(), z = p.z();
    const double along[12] = {x, y, z, x + y, x + z, y + z, x - y, x - z, y - z, x + y - z, x - y + z, y - x + z};
    for (std::size_t i = 0; i < kHalf; ++i) {
      dop.reach[i] = std::max(dop.reach[i], along[i]);
      dop.reach[i + kHalf] = std::max(dop.reach[i + kHalf], -along[i]);
    }
    size = std::max(size, size_of(p));
  }
  // Coordinates are not rounded at all, sums of them are.
  for (std::size_t i = 3; i < kHalf; ++i) {
    dop.reach[i] += 2 * kEpsilon * size;
    dop.reach[i + kHalf] += 2 * kEpsilon * size;
  }
  return dop;
}

template <std::size_t K>
void KDop<K>::extend(const KDop& other) {
  for (std::size_t i = 0; i < K; ++i) reach[i] = std::max(reach[i], other.reach[i]);
}

template <std::size_t K>
bool KDop<K>::contains(const Vec3& p) const {
  for (std::size_t i = 0; i < K; ++i) {
    const Vec3& n = normal(i);
    if (!(n.x() * p.x() + n.y() * p.y() + n.z() * p.z() <= reach[i])) return false;
  }
  return true;
}

template <std::size_t K>
Aabb KDop<K>::box() const {
  return {{-reach[K / 2], -reach[K / 2 + 1], -reach[K / 2 + 2]}, {reach[0], reach[1], reach[2]}};
}

double half_area(const Aabb& bound) {
  const Vec3 s = bound.max - bound.min;
  return s.x() * s.y() + s.y() * s.z() + s.z() * s.x();
}
double half_area(const Obb& bound) {
  const Vec3& h = bound.half;
  return 4 * (h.x() * h.y() + h.y() * h.z() + h.z() * h.x());
}
double half_area(const Rss& bound) {
  const double x = bound.half_x + bound.radius, y = bound.half_y + bound.radius;
  return 4 * (x * y + (x + y) * bound.radius);
}

template struct KDop<16>;
template struct KDop<18>;
template struct KDop<24>;

}  // namespace graze
