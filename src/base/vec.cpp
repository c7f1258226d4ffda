#include "graze/base/vec.h"

#include <Eigen/Geometry>

namespace graze {

Vec3 detail::unit_vector_of_any_length(const Vec3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return Vec3::UnitX();
  const Vec3 scaled = v / largest;
  return scaled / scaled.norm();
}

Vec3 any_orthogonal(const Vec3& n) {
  Eigen::Index smallest = 0;
  n.cwiseAbs().minCoeff(&smallest);
  return n.cross(Vec3::Unit(smallest)).normalized();
}

}  // namespace graze
