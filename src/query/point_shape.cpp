#include "query/point_shape.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "query/simplex.h"

namespace graze {
namespace {

// Turned back into space.
PointDistance revolve(const Vec3& p, double radial, const PlanarDistance& d) {
  const double nx = radial > 0 ? p.x() / radial : 1, ny = radial > 0 ? p.y() / radial : 0;
  return {d.value, {d.radial * nx, d.radial * ny, d.axial}};
}

double radius_of(const Vec3& p) { return std::sqrt(p.x() * p.x() + p.y() * p.y()); }

}  // namespace

PointDistance point_distance(const Capsule& shape, const Vec3& p) {
  const double half = shape.half_length;
  const Vec3 off(p.x(), p.y(), p.z() - clamped(p.z(), half));
  const double distance = std::sqrt(norm_sq(off));
  if (!(distance > 0)) return {-shape.radius, Vec3::UnitX()};
  return {distance - shape.radius, times(1 / distance, off)};
}

PointDistance point_distance(const Box& shape, const Vec3& p) {
  const Vec3& half = shape.half;
  const Vec3 off(p.x() - clamped(p.x(), half.x()), p.y() - clamped(p.y(), half.y()), p.z() - clamped(p.z(), half.z()));
  const double distance = std::sqrt(norm_sq(off));
  if (distance > 0) return {distance, times(1 / distance, off)};
  // The first of the faces that are nearest.
  const double x = std::abs(p.x()) - half.x(), y = std::abs(p.y()) - half.y(), z = std::abs(p.z()) - half.z();
  const double value = std::max(std::max(x, y), z);
  if (x == value) return {value, {std::copysign(1.0, p.x()), 0, 0}};
  if (y == value) return {value, {0, std::copysign(1.0, p.y()), 0}};
  return {value, {0, 0, std::copysign(1.0, p.z())}};
}

PointDistance point_distance(const Triangle& shape, const Vec3& p) {
  const std::array<Vec3, 4> corners = {shape.a() - p, shape.b() - p, shape.c() - p, Vec3::Zero()};
  Nearest nearest;
  consider_triangle(corners, 0, 1, 2, 0, nearest);
  const double distance = std::sqrt(nearest.distance_sq);
  if (distance > 0) return {distance, -nearest.point / distance};
  const Vec3 normal = (shape.b() - shape.a()).cross(shape.c() - shape.a());
  return {0, normal.squaredNorm() > 0 ? unit_vector(normal) : any_orthogonal(unit_vector(shape.b() - shape.a()))};
}

PointDistance point_distance(const Cylinder& shape, const Vec3& p) {
  const double radial = radius_of(p);
  return revolve(p, radial, planar_distance(shape, radial, p.z()));
}

PointDistance point_distance(const Cone& shape, const Vec3& p) {
  const double radial = radius_of(p);
  return revolve(p, radial, planar_distance(shape, radial, p.z()));
}

PointDistance point_distance(const Ellipsoid& shape, const Vec3& p) {
  const Vec3& r = shape.radii;
  // The nearest point x has p − x = t x / r²; with y = x / r this asks for |y(t)| = 1, y = r p / (t + r²). The unknown
  // is u = t + r_min², so that the pole, near which the root of deep points lies, keeps all its digits.
  const double lowest = r.minCoeff();
  const Vec3 shift = (r.array() - lowest) * (r.array() + lowest);
  const Vec3 rp = r.cwiseProduct(p.cwiseAbs());
  const auto y_at = [&](double u) -> Vec3 {
    const auto term = [&](Eigen::Index i) { return rp[i] > 0 ? rp[i] / (shift[i] + u) : 0; };
    return {term(0), term(1), term(2)};
  };
  // At the lower bound one term alone reaches 1; from there Newton on 1 − 1/|y| rises to the root without passing it.
  double u = std::max(0.0, (rp - shift).maxCoeff());
  Vec3 y = y_at(u);
  if (!(u > 0) && y.squaredNorm() <= 1) {
    // The point lies in the plane of symmetry across the shortest axis, so deep that both sides are equally near.
    Eigen::Index shortest = 0;
    r.minCoeff(&shortest);
    y[shortest] = std::sqrt(1 - y.squaredNorm());
  } else {
    constexpr int kSteps = 32;
    constexpr double kSmallStep = 1e-8;
    for (int step = 0; step < kSteps; ++step) {
      const double length_sq = y.squaredNorm(), length = std::sqrt(length_sq);
      double slope = 0;
      for (Eigen::Index i = 0; i < 3; ++i) slope += rp[i] > 0 ? y[i] * y[i] / (shift[i] + u) : 0;
      const double next = u + length_sq / slope * (length - 1);
      // Convergence is quadratic: after a step this small the next one is lost in rounding.
      const bool last = !(next - u > kSmallStep * next);
      u = std::max(u, next);
      y = y_at(u);
      if (last) break;
    }
  }
  Vec3 normal = unit_vector(y.cwiseQuotient(r));
  for (Eigen::Index i = 0; i < 3; ++i) normal[i] = std::copysign(normal[i], p[i]);
  // Whatever the root's error: a direction's own separation never overstates the distance.
  return {normal.dot(p) - r.cwiseProduct(normal).norm(), normal};
}

}  // namespace graze
