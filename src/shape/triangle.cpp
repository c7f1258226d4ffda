#include "graze/shape/triangle.h"

namespace graze {

Triangle::Triangle(const Vec3& a, const Vec3& b, const Vec3& c)
    : vertices_{checked_point("triangle a", a), checked_point("triangle b", b), checked_point("triangle c", c)} {}

}  // namespace graze
