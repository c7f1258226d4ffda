#include "graze/shape/shape.h"

#include <algorithm>
#include <numbers>

#include "shape/cross.h"

namespace graze {
namespace {

constexpr double kPi = std::numbers::pi;

struct Name {
  std::string_view operator()(const Sphere&) const { return "sphere"; }
  std::string_view operator()(const Capsule&) const { return "capsule"; }
  std::string_view operator()(const Box&) const { return "box"; }
  std::string_view operator()(const Triangle&) const { return "triangle"; }
  std::string_view operator()(const Cylinder&) const { return "cylinder"; }
  std::string_view operator()(const Cone&) const { return "cone"; }
  std::string_view operator()(const Ellipsoid&) const { return "ellipsoid"; }
  std::string_view operator()(const Convex&) const { return "convex"; }
  std::string_view operator()(const HalfSpace&) const { return "half-space"; }
  std::string_view operator()(const Plane&) const { return "plane"; }
};

double ball_volume(double radius) { return 4 * kPi / 3 * radius * radius * radius; }
double rod_volume(double radius, double half_length) { return 2 * kPi * radius * radius * half_length; }

// Mass, first and second moments ∫ x xᵀ of a solid hull about its centre.
struct Moments {
  double mass = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};

// Signed tetrahedra between the centre and the triangles of the surface.
Moments moments_of(const Convex& c) {
  Moments sum;
  for (const auto& [i, j, k] : c.triangles()) {
    const Vec3 p = c.vertices()[static_cast<std::size_t>(i)] - c.center();
    const Vec3 q = c.vertices()[static_cast<std::size_t>(j)] - c.center();
    const Vec3 r = c.vertices()[static_cast<std::size_t>(k)] - c.center();
    const double volume = p.dot(accurate_cross(q, r)) / 6;
    const Vec3 total = p + q + r;
    sum.mass += volume;
    sum.first += volume / 4 * total;
    sum.second += volume / 20 * (total * total.transpose() + p * p.transpose() + q * q.transpose() + r * r.transpose());
  }
  return sum;
}

struct Volume {
  double operator()(const Sphere& s) const { return ball_volume(s.radius); }
  double operator()(const Capsule& c) const { return ball_volume(c.radius) + rod_volume(c.radius, c.half_length); }
  double operator()(const Box& b) const { return 8 * b.half->prod(); }
  double operator()(const Triangle&) const { return 0; }
  double operator()(const Cylinder& c) const { return rod_volume(c.radius, c.half_length); }
  double operator()(const Cone& c) const { return rod_volume(c.radius, c.half_length) / 3; }
  double operator()(const Ellipsoid& e) const { return 4 * kPi / 3 * e.radii->prod(); }
  double operator()(const Convex& c) const { return std::max(0.0, moments_of(c).mass); }
  double operator()(const HalfSpace&) const { return kInfinity; }
  double operator()(const Plane&) const { return 0; }
};

// None without a volume.
std::optional<MassProperties> about_origin(double mass, const Vec3& diagonal) {
  if (!(mass > 0)) return std::nullopt;
  return MassProperties{mass, Vec3::Zero(), mass * Mat3(diagonal.asDiagonal())};
}

// The inertia per mass of a body of which the coordinates' mean squares about the centre of mass are given.
Vec3 inertia_of(const Vec3& mean_squares) {
  return {mean_squares.y() + mean_squares.z(), mean_squares.z() + mean_squares.x(),
          mean_squares.x() + mean_squares.y()};
}

struct Mass {
  using Result = std::optional<MassProperties>;

  Result operator()(const Sphere& s) const {
    return about_origin(Volume{}(s), inertia_of(Vec3::Constant(s.radius * s.radius / 5)));
  }
  Result operator()(const Capsule& c) const {
    // The rod, and two half balls whose centres of mass lie 3/8 of the radius beyond its ends.
    const double r = c.radius, h = c.half_length, rr = r * r;
    const double rod = rod_volume(r, h), ball = ball_volume(r);
    const double zz = rod * h * h / 3 + ball * (rr / 5 + h * h + 3 * h * r / 4);
    const double xx = rod * rr / 4 + ball * rr / 5;
    const double mass = rod + ball;
    if (!(mass > 0)) return std::nullopt;
    return about_origin(mass, inertia_of({xx / mass, xx / mass, zz / mass}));
  }
  Result operator()(const Box& b) const { return about_origin(Volume{}(b), inertia_of(b.half->cwiseAbs2() / 3)); }
  Result operator()(const Triangle&) const { return std::nullopt; }
  Result operator()(const Cylinder& c) const {
    const double rr = c.radius * c.radius;
    return about_origin(Volume{}(c), inertia_of({rr / 4, rr / 4, c.half_length * c.half_length / 3}));
  }
  Result operator()(const Cone& c) const {
    // The centre of mass is a quarter of the height above the base; the height is 2 half_length.
    const double rr = c.radius * c.radius, h = c.half_length;
    Result cone = about_origin(Volume{}(c), inertia_of({3 * rr / 20, 3 * rr / 20, 3 * h * h / 20}));
    if (cone) cone->center.z() = -h / 2;
    return cone;
  }
  Result operator()(const Ellipsoid& e) const {
    return about_origin(Volume{}(e), inertia_of(e.radii->cwiseAbs2() / 5));
  }
  Result operator()(const Convex& c) const {
    const Moments sum = moments_of(c);
    if (!(sum.mass > 0)) return std::nullopt;
    const Vec3 shift = sum.first / sum.mass;
    const Mat3 second = sum.second - sum.mass * shift * shift.transpose();
    return MassProperties{sum.mass, c.center() + shift, second.trace() * Mat3::Identity() - second};
  }
  Result operator()(const HalfSpace&) const { return std::nullopt; }
  Result operator()(const Plane&) const { return std::nullopt; }
};

}  // namespace

std::string_view name_of(const Shape& shape) { return std::visit(Name{}, shape); }

double volume(const Shape& shape) { return std::visit(Volume{}, shape); }

std::optional<MassProperties> mass_properties(const Shape& shape) { return std::visit(Mass{}, shape); }

}  // namespace graze
