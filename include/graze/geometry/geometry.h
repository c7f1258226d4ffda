// Everything that can be placed in space, behind one closed variant.
#pragma once

#include <concepts>
#include <string_view>
#include <utility>
#include <variant>

#include "graze/base/pose.h"
#include "graze/geometry/cloud.h"
#include "graze/geometry/height_field.h"
#include "graze/geometry/map_view.h"
#include "graze/geometry/mesh.h"
#include "graze/shape/shape.h"

namespace graze {

/// A closed set: a verb that lacks a kernel for a pair of these does not compile. Heavy kinds share immutable data, so
/// that copies are cheap. The order is the canonical order of pairs: that of Shape, then what is made of many parts.
using Geometry = std::variant<Sphere, Capsule, Box, Triangle, Cylinder, Cone, Ellipsoid, Convex, HalfSpace, Plane, Mesh,
                              Cloud, HeightField, MapView>;

/// A shape as a geometry.
Geometry geometry_of(const Shape& shape);

namespace detail {
Aabb bounds_of(const Geometry& geometry, const Pose& pose);
std::string_view name_of(const Geometry& geometry);
}  // namespace detail

// Templates, so that a single shape stays a Shape to those functions that know it as such.
/// Around the geometry at `pose`; a cloud's points with their radius; a height field without end below.
template <std::same_as<Geometry> G>
Aabb bounds(const G& geometry, const Pose& pose = {}) {
  return detail::bounds_of(geometry, pose);
}
/// "sphere" … "mesh", "cloud", "heightfield", "map"
template <std::same_as<Geometry> G>
std::string_view name_of(const G& geometry) {
  return detail::name_of(geometry);
}

/// A geometry somewhere in the world.
struct Placed {
  Geometry geometry;
  Pose pose;  ///< of the geometry's frame in the world
  /// Metres, not negative: no point of the body is farther than this from where `pose` puts it. What two bodies may
  /// touch within collides, and tolerances of distances include it.
  double uncertainty = 0;
};

/// Places a geometry at `pose`:   collide(at(Sphere{.radius = 1}), at(scan, pose))
template <class G>
requires std::constructible_from<Geometry, G> Placed at(G&& geometry, const Pose& pose = {}) {
  return {Geometry(std::forward<G>(geometry)), pose};
}
/// Places it at `pose * local`, as bodies of a robot or a file of parts are. The product of poses rounds, in proportion
/// to the larger translation; the body's uncertainty says by how much at most (nothing where it does not round).
Placed at(Geometry geometry, const Pose& pose, const Pose& local);
inline Placed at(const Shape& shape, const Pose& pose = {}) { return {geometry_of(shape), pose}; }

}  // namespace graze
