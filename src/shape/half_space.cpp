#include "graze/shape/half_space.h"

#include "shape/unit_plane.h"

namespace graze {

HalfSpace::HalfSpace(const Vec3& normal, double offset) {
  const UnitPlane plane = unit_plane("half-space", normal, offset);
  normal_ = plane.normal;
  offset_ = plane.offset;
}

}  // namespace graze
