// Converts the caller's numbers to graze: the only link between the oracle and the library.
#pragma once

#include <vector>

#include "graze/geometry/geometry.h"
#include "oracle/real.h"
#include "oracle/spec.h"

namespace graze_test {

inline graze::Vec3 vec3(const graze_oracle::Triple& t) { return {t[0], t[1], t[2]}; }

/// Throws graze::Error where the library rejects the numbers.
inline graze::Shape shape_of(const graze_oracle::Spec& s) {
  using graze_oracle::Kind;
  switch (s.kind) {
    case Kind::sphere:
      return graze::Sphere{.radius = s.size[0]};
    case Kind::capsule:
      return graze::Capsule{.radius = s.size[0], .half_length = s.size[1]};
    case Kind::box:
      return graze::Box{.half = vec3(s.size)};
    case Kind::triangle:
      return graze::Triangle(vec3(s.points[0]), vec3(s.points[1]), vec3(s.points[2]));
    case Kind::cylinder:
      return graze::Cylinder{.radius = s.size[0], .half_length = s.size[1]};
    case Kind::cone:
      return graze::Cone{.radius = s.size[0], .half_length = s.size[1]};
    case Kind::ellipsoid:
      return graze::Ellipsoid{.radii = vec3(s.size)};
    case Kind::convex: {
      std::vector<graze::Vec3> points;
      for (const auto& p : s.points) points.push_back(vec3(p));
      return graze::Convex::hull_of(points);
    }
    case Kind::half_space:
      return graze::HalfSpace(vec3(s.normal), s.offset);
    case Kind::plane:
      break;
  }
  return graze::Plane(vec3(s.normal), s.offset);
}

inline graze::Pose pose_of(const graze_oracle::Spec& s) {
  if (s.wxyz == std::array<double, 4>{1, 0, 0, 0}) return graze::Pose::at(vec3(s.xyz));
  return graze::Pose::from_wxyz(vec3(s.xyz), s.wxyz[0], s.wxyz[1], s.wxyz[2], s.wxyz[3]);
}

inline graze::Placed placed_of(const graze_oracle::Spec& s) { return at(shape_of(s), pose_of(s)); }

/// A world point of the library relative to the oracle's origin.
inline graze_oracle::Vec relative(const graze::Vec3& p, const graze_oracle::Triple& origin) {
  using graze_oracle::Real;
  return {Real(p.x()) - Real(origin[0]), Real(p.y()) - Real(origin[1]), Real(p.z()) - Real(origin[2])};
}
inline graze_oracle::Vec real(const graze::Vec3& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace graze_test
