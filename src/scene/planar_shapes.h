// The questions to each kind of obstacle in the plane.
#pragma once

#include "graze/scene/planar_obstacle.h"
#include "scene/planar_entry.h"

namespace graze::planar {

Ring ring_of(const Rectangle& rectangle);
Ring ring_of(const Polygon& polygon);
/// By which the corners of a rectangle may differ from the true ones, m.
double rounding_of(const Rectangle& rectangle);

Aabb2 bounds_of(const Circle& circle);
Aabb2 bounds_of(const Ring& ring);
Aabb2 bounds_of(const Grid& grid);

NearestPoint nearest_of(const Circle& circle, const Vec2& q);
NearestPoint nearest_of(const Ring& ring, const Vec2& q);
NearestPoint nearest_of(const Grid& grid, const Vec2& q);

/// Whether a disc at the point touches what is that near.
bool touches(const NearestPoint& near, double radius);
/// Whether any occupied cell is that near.
bool touches_within(const Grid& grid, const Vec2& q, double radius);
/// The first fraction of a path that does not start in contact, infinite if there is none.
double enters_grid(const Path& path, const Grid& grid, double radius);
/// By its own function, or by certified steps.
Hit sweep_of(const Custom& custom, const Path& path, double radius);

}  // namespace graze::planar
