#include "graze/geometry/bounding.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "geometry/bounding_search.h"
#include "graze/base/error.h"
#include "graze/shape/shape.h"

namespace graze {
namespace {

// The half diagonal of any box within it is a legal size.
constexpr double kLargestCoordinate = kLargestLength / 10;

constexpr double kUp = 1 + 8 * kEpsilon, kDown = 1 - 8 * kEpsilon;

// Points shifted and scaled to about [-1, 1]. The shift rounds by half a unit in the last place of the difference, the
// scale by nothing: far and tiny bodies have all their digits here.
struct Local {
  std::span<const Vec3> given;
  double grow;  // the radius of each point, metres
  Vec3 origin = Vec3::Zero();
  double size = 1;
  std::vector<Vec3> points;

  Vec3 outside(const Vec3& p) const { return origin + size * p; }
  /// What the rounding of the caller's coordinates may be.
  double noise() const { return 32 * kEpsilon * (1 + origin.cwiseAbs().maxCoeff() / size); }
};

Local local_of(const char* what, std::span<const Vec3> given, double grow) {
  if (given.empty()) throw Error(what, "needs at least one point, got none");
  Aabb box;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Vec3& p = given[i];
    if (!is_finite(p) || p.cwiseAbs().maxCoeff() > kLargestCoordinate) {
      throw Error(fmt::format("{} point {}", what, i),
                  fmt::format("coordinates must be finite and at most {:g}, got ({}, {}, {})", kLargestCoordinate,
                              p.x(), p.y(), p.z()));
    }
    box.extend(p);
  }
  Local local{.given = given, .grow = grow, .points = {}};
  local.origin = box.center();
  int exponent = 0;
  std::frexp(box.half().maxCoeff(), &exponent);
  local.size = std::ldexp(1.0, std::max(exponent, std::numeric_limits<double>::min_exponent));
  local.points.reserve(given.size());
  for (const Vec3& p : given) local.points.emplace_back((p - local.origin) / local.size);
  return local;
}

std::vector<Vec3> used_vertices(const char* what, const Mesh& mesh) {
  if (mesh.empty()) throw Error(what, "needs at least one triangle, got a mesh without any");
  std::vector<char> used(mesh.vertices().size(), 0);
  for (const MeshTriangle& t : mesh.triangles()) used[t[0]] = used[t[1]] = used[t[2]] = 1;
  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) vertices.push_back(mesh.vertices()[i]);
  }
  return vertices;
}

std::vector<Vec3> points_of(const char* what, const Cloud& cloud) {
  std::vector<Vec3> points;
  points.reserve(cloud.size() - cloud.skipped());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (!cloud.is_skipped(i)) points.push_back(cloud.point(i));
  }
  if (points.empty()) throw Error(what, "needs at least one point, got a cloud without any");
  return points;
}

// A size that shapes accept.
double positive(double size) { return std::max(size, kSmallestLength); }

// A point in the frame of a shape, to within `slack` along each axis.
struct Frame {
  Pose pose;
  double slack = 0;

  Frame(Pose p, std::span<const Vec3> points) : pose(std::move(p)) {
    if (pose.rotation() == Mat3::Identity()) return;  // nothing but differences, which round by parts of themselves
    double farthest = 0;
    for (const Vec3& point : points) farthest = std::max(farthest, (point - pose.translation()).cwiseAbs().maxCoeff());
    // Rounding of the products, and what the inverse of the matrix differs from its transpose.
    slack = 32 * kEpsilon * farthest;
  }
  Vec3 operator()(const Vec3& point) const { return pose.rotation().transpose() * (point - pose.translation()); }
};

// The volume over a lower bound of that of the hull, which is at least (by Steiner's formula) that of the hull of the
// points, a coat on its surface as thick as the points' radius, and one ball.
double over_hull(double volume_in_local_units, const Local& local, const bounding::Core& core) {
  const double grow = local.grow / local.size;
  const double lower = core.volume + core.area * grow + volume(Sphere{1.0}) * grow * grow * grow * kDown;
  const double ratio = volume_in_local_units / lower * kUp;
  return lower > 0 && std::isfinite(ratio) ? ratio : kInfinity;
}

BoundingSphere sphere_around(const Local& local) {
  const bounding::EnclosingBall ball = bounding::smallest_ball(local.points);
  const Vec3 center = local.outside(ball.center);
  double farthest = 0;
  for (const Vec3& p : local.given) farthest = std::max(farthest, ((p - center) / local.size).squaredNorm());
  if (farthest == 0) return {{local.grow}, Pose::at(center), 0};
  const double radius = positive((std::sqrt(farthest) * local.size * kUp + local.grow) * kUp);
  const double lower = std::max(0.0, ball.lower - bounding::kBallRounding) * local.size + local.grow;
  return {{radius}, Pose::at(center), lower > 0 ? (radius / lower - 1) * kUp + kEpsilon : kInfinity};
}

BoundingBox box_around(const Local& local) {
  const bounding::Core core = bounding::core_of(local.points, local.noise());
  const Mat3 axes = bounding::box_axes(local.points, core, local.grow / local.size);
  const Pose turned = Pose::from_matrix(Vec3::Zero(), axes);
  Aabb bounds;
  for (const Vec3& p : local.points) bounds.extend(turned.rotation().transpose() * p);
  const Frame frame(turned.moved_to(local.outside(turned.rotation() * bounds.center())), local.given);
  Vec3 half = Vec3::Zero();
  for (const Vec3& p : local.given) half = half.cwiseMax(frame(p).cwiseAbs());
  for (double& h : half) h = positive((h * kUp + frame.slack + local.grow) * kUp);
  const Vec3 sides = half / local.size * 2;
  return {{half}, frame.pose, over_hull(sides.prod(), local, core)};
}

// The pose whose z axis is the unit vector `direction`.
Pose along(const Vec3& direction) {
  if (direction == Vec3::UnitZ()) return {};
  Mat3 axes;
  axes.col(2) = direction;
  axes.col(0) = any_orthogonal(direction);
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return Pose::from_matrix(Vec3::Zero(), axes);
}

BoundingCapsule capsule_around(const Local& local) {
  const bounding::Core core = bounding::core_of(local.points, local.noise());
  const bounding::CapsuleFit fit = bounding::fit_capsule(local.points, core, local.grow / local.size);
  const Frame frame(along(fit.direction).moved_to(local.outside(fit.center)), local.given);
  // In local units, where no square under- or overflows: no point is farther off the axis than the radius, …
  const double slack = frame.slack / local.size;
  const auto seen = [&](const Vec3& p) {
    const Vec3 at = frame(p) / local.size;
    return std::pair(std::sqrt(at.x() * at.x() + at.y() * at.y()) * kUp + 2 * slack, std::abs(at.z()) * kUp + slack);
  };
  double radius = fit.radius, half_length = 0;
  for (const Vec3& p : local.given) radius = std::max(radius, seen(p).first);
  // … and the end of the core is near enough to each.
  for (const Vec3& p : local.given) {
    const auto [off, height] = seen(p);
    const double reach = std::sqrt((radius - off) * (radius + off)) * kDown;
    half_length = std::max(half_length, height - reach);
  }
  const Capsule capsule{.radius = positive((radius * local.size * kUp + local.grow) * kUp),
                        .half_length = positive(half_length * local.size * kUp)};
  const double r = capsule.radius / local.size, length = 2 * capsule.half_length / local.size;
  return {capsule, frame.pose, over_hull(volume(Sphere{1.0}) * r * r * (r + 0.75 * length), local, core)};
}

constexpr const char *kSphere = "bounding sphere", *kBox = "bounding box", *kCapsule = "bounding capsule";

}  // namespace

BoundingSphere bounding_sphere(std::span<const Vec3> points) { return sphere_around(local_of(kSphere, points, 0)); }
BoundingSphere bounding_sphere(const Mesh& mesh) { return bounding_sphere(used_vertices(kSphere, mesh)); }
BoundingSphere bounding_sphere(const Cloud& cloud) {
  const std::vector<Vec3> points = points_of(kSphere, cloud);
  return sphere_around(local_of(kSphere, points, cloud.radius()));
}

BoundingBox bounding_box(std::span<const Vec3> points) { return box_around(local_of(kBox, points, 0)); }
BoundingBox bounding_box(const Mesh& mesh) { return bounding_box(used_vertices(kBox, mesh)); }
BoundingBox bounding_box(const Cloud& cloud) {
  const std::vector<Vec3> points = points_of(kBox, cloud);
  return box_around(local_of(kBox, points, cloud.radius()));
}

BoundingCapsule bounding_capsule(std::span<const Vec3> points) { return capsule_around(local_of(kCapsule, points, 0)); }
BoundingCapsule bounding_capsule(const Mesh& mesh) { return bounding_capsule(used_vertices(kCapsule, mesh)); }
BoundingCapsule bounding_capsule(const Cloud& cloud) {
  const std::vector<Vec3> points = points_of(kCapsule, cloud);
  return capsule_around(local_of(kCapsule, points, cloud.radius()));
}

Convex hull_of(const Mesh& mesh) { return Convex::hull_of(used_vertices("convex hull", mesh)); }

}  // namespace graze
