// What the indices of points are checked against: loops over all points, exact where it matters.
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <string>
#include <vector>

#include "graze/index/points.h"
#include "support/clouds.h"

namespace graze_test {

inline bool finite(const Point& p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }

/// |p - c| <= radius + point_radius, in rational arithmetic where long doubles cannot decide.
inline bool touches_exactly(const Point& p, const graze::Vec3& c, double radius, double point_radius) {
  const long double x = p[0] - static_cast<long double>(c.x()), y = p[1] - static_cast<long double>(c.y()),
                    z = p[2] - static_cast<long double>(c.z());
  const long double squared = x * x + y * y + z * z, reach = static_cast<long double>(radius) + point_radius;
  constexpr long double kUnsure = 1e-18L;
  if (squared * (1 - kUnsure) > reach * reach) return false;
  if (squared < reach * reach * (1 - kUnsure)) return true;
  mpq_class sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const mpq_class d = mpq_class(static_cast<double>(p[axis])) - mpq_class(c[static_cast<int>(axis)]);
    sum += d * d;
  }
  const mpq_class r = mpq_class(radius) + mpq_class(point_radius);
  return sum <= r * r;
}

inline bool valid_query(const graze::Vec3& c, double radius) {
  return c.cwiseAbs().maxCoeff() <= graze::kLargestLength && std::isfinite(c.sum()) && radius >= 0 &&
         radius <= graze::kLargestLength;
}

inline bool collides_by_loop(const Points& points, double point_radius, const graze::Vec3& c, double radius) {
  if (!valid_query(c, radius)) return true;
  Point last{NAN, NAN, NAN};  // of equal points only the first is tested
  for (const Point& p : points) {
    if (p == last || !finite(p)) continue;
    if (touches_exactly(p, c, radius, point_radius)) return true;
    last = p;
  }
  return false;
}

inline graze::Neighbor nearest_by_loop(const Points& points, double point_radius, const graze::Vec3& c,
                                       double limit = graze::kInfinity) {
  graze::Neighbor best;
  const double reach = std::min(limit + point_radius, 2 * graze::kLargestLength);
  if (reach < 0) return best;
  double nearest_sq = reach * reach;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    if (!finite(p)) continue;
    const double x = p[0] - c.x(), y = p[1] - c.y(), z = p[2] - c.z();
    const double squared = (x * x + y * y) + z * z;
    if (squared < nearest_sq || (squared == nearest_sq && !best.found())) {
      nearest_sq = squared;
      best.index = i;
    }
  }
  if (best.found()) best.distance = std::sqrt(nearest_sq) - point_radius;
  return best;
}

struct Query {
  graze::Vec3 center;
  double radius;
};

/// Spheres around, in and far from a cloud: radii from 0 to more than the cloud, some that touch a point exactly or
/// within a rounding.
inline Query random_query(const NamedCloud& cloud, Generator& random) {
  const auto& points = cloud.points;
  graze::Vec3 at = random.in_cube(cloud.size);
  Point p{};
  if (!points.empty()) p = points[random.bits() % points.size()];
  if (!finite(p)) p = {};
  const graze::Vec3 near(p[0], p[1], p[2]);
  const double scale = cloud.size * random.magnitude(-5, 0.3);
  switch (random.integer(0, 6)) {
    case 0:
      return {at, scale};
    case 1:
      return {near + at, scale};
    case 2:  // beside a point, so that about half of them touch it
      return {near + scale * random.direction(), scale * random.uniform(0.5, 1.5)};
    case 3: {  // touching, or just not
      const graze::Vec3 c = near + scale * random.direction();
      const double d = (near - c).norm();
      const int ulps = random.integer(-2, 2);
      double r = d;
      for (int i = 0; i < std::abs(ulps); ++i) r = std::nextafter(r, ulps > 0 ? graze::kInfinity : 0);
      return {c, r};
    }
    case 4: {  // touching exactly: along an axis by a power of two
      const double step = std::ldexp(1.0, std::ilogb(scale));
      graze::Vec3 c = near;
      c[random.integer(0, 2)] += step;
      return {c, step};
    }
    case 5:
      return {near, random.integer(0, 1) == 0 ? 0 : scale};
    default:
      return {near + random.in_cube(1) * cloud.size * 0.05, cloud.size * random.uniform(0.003, 0.04)};
  }
}

}  // namespace graze_test
