#include "graze/geometry/geometry.h"

namespace graze {

Geometry geometry_of(const Shape& shape) {
  return std::visit([](const auto& s) -> Geometry { return s; }, shape);
}

Aabb detail::bounds_of(const Geometry& geometry, const Pose& pose) {
  if (const auto* cloud = std::get_if<Cloud>(&geometry)) {
    const Aabb& points = cloud->bounds();
    return points.empty() ? points : transformed(points, pose).grown(cloud->radius());
  }
  if (const auto* mesh = std::get_if<Mesh>(&geometry)) {
    return mesh->empty() ? mesh->bounds() : transformed(mesh->bounds(), pose);
  }
  return std::visit(
      [&](const auto& g) -> Aabb {
        if constexpr (std::constructible_from<Shape, decltype(g)>) return bounds(Shape(g), pose);
        else return {};
      },
      geometry);
}

std::string_view detail::name_of(const Geometry& geometry) {
  return std::visit(
      [](const auto& g) -> std::string_view {
        if constexpr (std::constructible_from<Shape, decltype(g)>) return graze::name_of(Shape(g));
        else return std::same_as<std::decay_t<decltype(g)>, Mesh> ? "mesh" : "cloud";
      },
      geometry);
}

}  // namespace graze
