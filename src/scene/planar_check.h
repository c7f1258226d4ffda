// Numbers of the plane that are refused at the door.
#pragma once

#include "graze/base/aabb2.h"
#include "graze/shape/checked.h"

namespace graze::planar {

/// Returns the point; throws Error naming the field if it is not finite or beyond 1e50.
Vec2 checked_point(const char* field, const Vec2& point);
/// The same for sizes, of that sign and between 1e-50 and 1e50.
Vec2 checked_size(const char* field, checked::Sign sign, const Vec2& size);

}  // namespace graze::planar
