#pragma once

#include <array>

#include "graze/shape/checked.h"

namespace graze {

/// A flat triangle without thickness. Degenerate ones (a segment, a point) are allowed and mean what they are.
class Triangle {
 public:
  /// Throws Error unless all coordinates are finite.
  Triangle(const Vec3& a, const Vec3& b, const Vec3& c);
  /// Of coordinates that are known to be finite: those of a mesh, which were checked when it was made.
  struct Known {};
  /// Does not check the coordinates.
  Triangle(Known, const Vec3& a, const Vec3& b, const Vec3& c) : vertices_{a, b, c} {}

  const Vec3& a() const { return vertices_[0]; }
  /// The second corner.
  const Vec3& b() const { return vertices_[1]; }
  /// The third corner.
  const Vec3& c() const { return vertices_[2]; }
  /// All three corners.
  const std::array<Vec3, 3>& vertices() const { return vertices_; }

 private:
  std::array<Vec3, 3> vertices_;
};

/// The corner farthest along `d`.
inline Vec3 support(const Triangle& t, const Vec3& d) {
  const double a = t.a().dot(d), b = t.b().dot(d), c = t.c().dot(d);
  if (a >= b) return a >= c ? t.a() : t.c();
  return b >= c ? t.b() : t.c();
}

}  // namespace graze
