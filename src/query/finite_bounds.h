// How far a body reaches where its numbers are: what has no end counts up to where it is known.
#pragma once

#include "base/overloads.h"
#include "graze/geometry/occupancy_map.h"
#include "query/dispatch.h"

namespace graze {

/// Around the geometry in its frame; of a height field around its surface, of a map around what is known. Without end
/// for half-spaces and planes only.
inline Aabb finite_bounds(const Geometry& g) {
  return std::visit(
      Overloads{[](const HeightField& field) { return field.surface_bounds(); },
                [](const MapView& view) { return view.map().bounds(); },
                [](const Cloud& cloud) { return cloud.size() == 0 ? Aabb() : cloud.bounds().grown(cloud.radius()); },
                [&](const Composite auto&) { return bounds(g); }, [&](const ShapeKind auto&) { return bounds(g); }},
      g);
}

}  // namespace graze
