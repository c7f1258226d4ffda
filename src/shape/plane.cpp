#include "graze/shape/plane.h"

#include "shape/unit_plane.h"

namespace graze {

Plane::Plane(const Vec3& normal, double offset) {
  const UnitPlane plane = unit_plane("plane", normal, offset);
  normal_ = plane.normal;
  offset_ = plane.offset;
}

}  // namespace graze
