// Volumes that nodes of a tree can wear: boxes along their own axes, rounded rectangles, k-DOPs. The fourth, boxes
// along the frame's axes, is Aabb.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "graze/base/aabb.h"

namespace graze {

/// A box along axes of its own: p with |axes.col(i) · (p − center)| <= half[i]. Thin around what is flat or long,
/// however it is turned. 120 bytes.
struct Obb {
  Mat3 axes = Mat3::Identity();  ///< columns, orthonormal
  Vec3 center = Vec3::Zero();
  Vec3 half = Vec3::Zero();  ///< metres

  /// The smallest one along these axes that holds all points, rounded outwards. Needs a point. O(n)
  static Obb around(std::span<const Vec3> points, const Mat3& axes);
  /// Whether p is inside or on it.
  bool contains(const Vec3& p) const;
};

/// A rectangle swept by a ball (Larsen et al. 1999): all points within `radius` of the rectangle that lies about
/// `center` along the first two axes. The distance of two of them is that of the rectangles less the radii. 128 bytes.
struct Rss {
  Mat3 axes = Mat3::Identity();  ///< columns, orthonormal; the third is the rectangle's normal
  Vec3 center = Vec3::Zero();
  double half_x = 0, half_y = 0;  ///< of the rectangle, metres
  double radius = 0;

  /// One along these axes that holds all points, rounded outwards; the axis along which they are thinnest becomes the
  /// normal. Needs a point. O(n)
  static Rss around(std::span<const Vec3> points, const Mat3& axes);
  /// Whether p is inside or on it.
  bool contains(const Vec3& p) const;
};

/// What lies between K / 2 pairs of parallel planes (Klosowski et al. 1998), whose normals are the frame's axes, then
/// (1, 1, 0) and its kind: five of the six for K = 16, all for 18; then (1, 1, −1) and its kind for 24. 8 K bytes.
template <std::size_t K>
struct KDop {
  static_assert(K == 16 || K == 18 || K == 24);

  /// The normals, not of unit length; that of k + K / 2 is minus that of k.
  static const Vec3& normal(std::size_t k);

  /// p is inside if normal(k) · p <= reach[k] for all k.
  std::array<double, K> reach;

  /// Holds nothing.
  KDop() { reach.fill(-kInfinity); }
  /// The smallest one that holds all points, rounded outwards. O(n)
  static KDop around(std::span<const Vec3> points);
  /// Grows to hold another one.
  void extend(const KDop& other);
  /// Whether p is inside or on it.
  bool contains(const Vec3& p) const;
  /// The box along the frame's axes that it lies in.
  Aabb box() const;
};

/// Half the surface of the volume, or of a box around it, in m²: what a test of it is expected to cost.
double half_area(const Aabb& bound);
double half_area(const Obb& bound);
double half_area(const Rss& bound);
template <std::size_t K>
double half_area(const KDop<K>& bound) {
  return half_area(bound.box());
}

/// The square of its diagonal, in m²: of two nodes the traversal opens the larger one.
inline double size_sq(const Aabb& bound) { return (bound.max - bound.min).squaredNorm(); }
inline double size_sq(const Obb& bound) { return 4 * bound.half.squaredNorm(); }
inline double size_sq(const Rss& bound) {
  const double x = bound.half_x + bound.radius, y = bound.half_y + bound.radius;
  return 4 * (x * x + y * y + bound.radius * bound.radius);
}
template <std::size_t K>
double size_sq(const KDop<K>& bound) {
  return size_sq(bound.box());
}

extern template struct KDop<16>;
extern template struct KDop<18>;
extern template struct KDop<24>;

}  // namespace graze
