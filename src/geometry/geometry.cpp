#include "graze/geometry/geometry.h"

#include <algorithm>
#include <cmath>

#include "base/overloads.h"
#include "geometry/largest_coordinate.h"
#include "graze/geometry/occupancy_map.h"

namespace graze {

Geometry geometry_of(const Shape& shape) {
  return std::visit([](const auto& s) -> Geometry { return s; }, shape);
}

namespace {

double size_of(const Vec3& v) { return std::abs(v.x()) + std::abs(v.y()) + std::abs(v.z()); }

// Turning by right angles rounds nothing.
bool along_axes(const Mat3& m) { return ((m.array() == 0) || (m.array().abs() == 1)).all(); }

// Whether the sums of the coordinates are not rounded.
bool sums_exactly(const Vec3& a, const Vec3& b) {
  for (Eigen::Index i = 0; i < 3; ++i) {
    const double sum = a[i] + b[i], other = sum - a[i];
    if (a[i] - (sum - other) != 0 || b[i] - other != 0) return false;
  }
  return true;
}

// The box and all that is below it in the frame of the pose, without end.
Aabb below(Aabb box, const Pose& pose) {
  for (Eigen::Index i = 0; i < 3; ++i) {
    const double up = pose.rotation()(i, 2);
    if (up > 0) box.min[i] = -kInfinity;
    else if (up < 0) box.max[i] = kInfinity;
  }
  return box;
}

}  // namespace

double largest_coordinate(const Geometry& geometry) {
  const auto of_box = [](const Aabb& box) { return box.empty() ? 0 : std::max(size_of(box.min), size_of(box.max)); };
  return std::visit(Overloads{[](const HalfSpace& s) { return std::abs(s.offset()); },
                              [](const Plane& s) { return std::abs(s.offset()); },
                              [&](const ShapeKind auto& s) { return of_box(bounds(Shape(s))); },
                              [&](const Mesh&) { return of_box(bounds(geometry)); },
                              [&](const Cloud&) { return of_box(bounds(geometry)); },
                              [&](const HeightField& field) { return of_box(field.surface_bounds()); },
                              [&](const MapView& view) { return of_box(view.map().bounds()); }},
                    geometry);
}

Placed at(Geometry geometry, const Pose& pose, const Pose& local) {
  // Rounding of matrices: of their entries (which stand for the caller's quaternions), of their products, of what they
  // turn. One more rounding for the sum.
  constexpr double kTurned = 16 * kEpsilon;
  const Pose product = pose * local;
  double uncertainty = 0;
  if (!along_axes(pose.rotation())) {
    uncertainty = kTurned * size_of(local.translation()) + kEpsilon * size_of(product.translation());
    if (!along_axes(local.rotation())) uncertainty += kTurned * largest_coordinate(geometry);
  } else if (!sums_exactly(pose.rotation() * local.translation(), pose.translation())) {
    uncertainty = kEpsilon * size_of(product.translation());
  }
  return {std::move(geometry), product, uncertainty};
}

Aabb detail::bounds_of(const Geometry& geometry, const Pose& pose) {
  return std::visit(
      Overloads{[&](const ShapeKind auto& s) { return bounds(Shape(s), pose); },
                [&](const Mesh& mesh) { return mesh.empty() ? mesh.bounds() : transformed(mesh.bounds(), pose); },
                [&](const Cloud& cloud) {
                  const Aabb& points = cloud.bounds();
                  return points.empty() ? points : transformed(points, pose).grown(cloud.radius());
                },
                [&](const HeightField& field) { return below(transformed(field.surface_bounds(), pose), pose); },
                [&](const MapView& view) {
                  const Aabb cells = view.bounds();
                  return cells.empty() ? cells : transformed(cells, pose);
                }},
      geometry);
}

std::string_view detail::name_of(const Geometry& geometry) {
  using Name = std::string_view;
  return std::visit(
      Overloads{[](const ShapeKind auto& s) -> Name { return graze::name_of(Shape(s)); },
                [](const Mesh&) -> Name { return "mesh"; }, [](const Cloud&) -> Name { return "cloud"; },
                [](const HeightField&) -> Name { return "heightfield"; }, [](const MapView&) -> Name { return "map"; }},
      geometry);
}

}  // namespace graze
