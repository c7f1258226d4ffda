// How deep a point lies in a geometry.
#pragma once

#include <concepts>
#include <variant>

#include "query/pair_query.h"

namespace graze {

struct PointDepth {
  double depth = -kInfinity;  ///< metres to the nearest surface: positive inside, minus the distance outside
  double tolerance = 0;
  Vec3 out = Vec3::UnitX();  ///< unit: along it the point leaves, or gets farther
  Feature feature = 0;
};

/// `p` in the geometry's frame. Of solids: to where inside meets outside. Shells and flat things hold nothing.
PointDepth point_depth(const Geometry& g, const Vec3& p);
PointDepth point_depth(const Mesh& mesh, const Vec3& p);

// Which kinds can be solid is known of these; another one would be taken for a shell by solid_of.
template <class>
inline constexpr bool solidity_known = false;
template <class... Kinds>
inline constexpr bool solidity_known<std::variant<Kinds...>> = ((ShapeKind<Kinds> || Composite<Kinds> ||
                                                                 BlockKind<Kinds>)&&...);

/// The solid mesh, if the geometry is one that has triangles; what is made of blocks is solid in other ways.
inline const Mesh* solid_of(const Geometry& g) {
  static_assert(solidity_known<Geometry>);
  const auto* mesh = std::get_if<Mesh>(&g);
  return mesh != nullptr && mesh->solid() && !mesh->empty() ? mesh : nullptr;
}

}  // namespace graze
