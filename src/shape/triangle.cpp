#include "graze/shape/triangle.h"

namespace graze {

Triangle::Triangle(const Vec3& a, const Vec3& b, const Vec3& c)
    : vertices_{checked::point("triangle a", a), checked::point("triangle b", b), checked::point("triangle c", c)} {}

}  // namespace graze
