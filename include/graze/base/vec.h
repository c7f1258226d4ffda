// Vectors and small numeric facts shared by every room. Metres, radians, seconds; right-handed frames.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace graze {

/// A point or a direction, in metres where it is a length.
using Vec3 = Eigen::Vector3d;
/// A 3 × 3 matrix, such as a rotation.
using Mat3 = Eigen::Matrix3d;

/// No limit; the distance of what is empty.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Distance from 1 to the next double: every rounding bound of the library is a small multiple of it.
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Lengths and coordinates outside this range (zero aside) are refused at the door, so that no product in a query can
/// over- or underflow. The observable universe spans 1e27 m.
inline constexpr double kLargestLength = 1e50, kSmallestLength = 1e-50;

/// Whether no coordinate is NaN or infinite.
inline bool is_finite(const Vec3& v) { return std::isfinite(v.x()) && std::isfinite(v.y()) && std::isfinite(v.z()); }

namespace detail {
Vec3 unit_vector_of_any_length(const Vec3& v);
}

/// `v` scaled to length 1, safe for lengths whose square under- or overflows; the zero vector gives the x axis.
inline Vec3 unit_vector(const Vec3& v) {
  constexpr double kSmallestSquare = 1e-200, kLargestSquare = 1e200;
  const double square = v.x() * v.x() + v.y() * v.y() + v.z() * v.z();
  if (!(square > kSmallestSquare && square < kLargestSquare)) return detail::unit_vector_of_any_length(v);
  const double scale = 1 / std::sqrt(square);
  return {scale * v.x(), scale * v.y(), scale * v.z()};
}

/// A unit vector orthogonal to the unit vector `n`; the same input always gives the same one.
Vec3 any_orthogonal(const Vec3& n);

}  // namespace graze
