// Every convex primitive behind one closed variant, and what all of them offer.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <variant>

#include "graze/base/aabb.h"
#include "graze/shape/box.h"
#include "graze/shape/capsule.h"
#include "graze/shape/cone.h"
#include "graze/shape/convex.h"
#include "graze/shape/cylinder.h"
#include "graze/shape/ellipsoid.h"
#include "graze/shape/half_space.h"
#include "graze/shape/plane.h"
#include "graze/shape/sphere.h"
#include "graze/shape/triangle.h"

namespace graze {

/// The order is the canonical order of pairs: kernels are written for (earlier, later).
using Shape = std::variant<Sphere, Capsule, Box, Triangle, Cylinder, Cone, Ellipsoid, Convex, HalfSpace, Plane>;

namespace detail {
template <class S, class Variant>
inline constexpr bool kIsAlternative = false;
template <class S, class... Kinds>
inline constexpr bool kIsAlternative<S, std::variant<Kinds...>> = (std::same_as<S, Kinds> || ...);
}  // namespace detail

/// One of the kinds of Shape.
template <class S>
concept ShapeKind = detail::kIsAlternative<S, Shape>;

/// "sphere", "half-space", …
std::string_view name_of(const Shape& shape);

/// The smallest axis-aligned box around the shape at `pose`, widened by its rounding error so that it always encloses;
/// unbounded shapes give an unbounded box (bounded on one side where an axis is the normal).
Aabb bounds(const Shape& shape, const Pose& pose = {});

/// Cubic metres; 0 for thin shapes, infinite for the half-space.
double volume(const Shape& shape);

/// Mass properties of a solid of density 1 (kg/m³); scale all of them by the density.
struct MassProperties {
  double mass;   ///< kg
  Vec3 center;   ///< of mass, in the shape's frame, metres
  Mat3 inertia;  ///< about the centre of mass, axes of the shape's frame, kg m²
};
/// None for shapes without a finite positive volume: half-spaces, planes, triangles, flat hulls, whatever has a size of
/// 0 that takes its volume away (a rectangle, disc, segment or point has no mass at a density per volume), and sizes so
/// small that the volume vanishes as a double.
std::optional<MassProperties> mass_properties(const Shape& shape);

}  // namespace graze
