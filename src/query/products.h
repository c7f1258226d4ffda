// Products of small vectors, spelled out by coordinate. Inside the large loops of the solvers compilers leave Eigen's
// general reductions as calls at -O2, which costs a third of the time; these are always inlined.
#pragma once

#include <algorithm>

#include "graze/base/vec.h"

namespace graze {

#define GRAZE_INLINE [[gnu::always_inline]] inline

/// to = from, number by number. Eigen copies the first two at once, which must wait until what was written one by one
/// has left the processor's pipeline: in the solvers that is as long as an iteration.
GRAZE_INLINE void put(Vec3& to, const Vec3& from) {
  const double x = from.x(), y = from.y(), z = from.z();
  to.x() = x, to.y() = y, to.z() = z;
}
/// The same as a new value.
GRAZE_INLINE Vec3 copied(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
GRAZE_INLINE Mat3 copied(const Mat3& m) {
  Mat3 r;
  for (Eigen::Index i = 0; i < 9; ++i) r.data()[i] = m.data()[i];
  return r;
}

GRAZE_INLINE bool same(const Vec3& a, const Vec3& b) { return a.x() == b.x() && a.y() == b.y() && a.z() == b.z(); }
GRAZE_INLINE double dot(const Vec3& a, const Vec3& b) { return a.x() * b.x() + a.y() * b.y() + a.z() * b.z(); }
GRAZE_INLINE double norm_sq(const Vec3& a) { return dot(a, a); }
GRAZE_INLINE Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}
GRAZE_INLINE Vec3 minus(const Vec3& a, const Vec3& b) { return {a.x() - b.x(), a.y() - b.y(), a.z() - b.z()}; }
GRAZE_INLINE Vec3 plus(const Vec3& a, const Vec3& b) { return {a.x() + b.x(), a.y() + b.y(), a.z() + b.z()}; }
GRAZE_INLINE Vec3 times(double s, const Vec3& a) { return {s * a.x(), s * a.y(), s * a.z()}; }
/// a + s b
GRAZE_INLINE Vec3 along(const Vec3& a, double s, const Vec3& b) {
  return {a.x() + s * b.x(), a.y() + s * b.y(), a.z() + s * b.z()};
}
/// `value` moved into −limit … limit, without a jump.
GRAZE_INLINE double clamped(double value, double limit) { return std::min(std::max(value, -limit), limit); }
/// The sum of the coordinates' sizes: no less than the length.
GRAZE_INLINE double size_of(const Vec3& a) { return std::abs(a.x()) + std::abs(a.y()) + std::abs(a.z()); }
GRAZE_INLINE Vec3 turned(const Mat3& m, const Vec3& v) {
  return {m(0, 0) * v.x() + m(0, 1) * v.y() + m(0, 2) * v.z(), m(1, 0) * v.x() + m(1, 1) * v.y() + m(1, 2) * v.z(),
          m(2, 0) * v.x() + m(2, 1) * v.y() + m(2, 2) * v.z()};
}
/// By the inverse of the rotation m.
GRAZE_INLINE Vec3 turned_back(const Mat3& m, const Vec3& v) {
  return {m(0, 0) * v.x() + m(1, 0) * v.y() + m(2, 0) * v.z(), m(0, 1) * v.x() + m(1, 1) * v.y() + m(2, 1) * v.z(),
          m(0, 2) * v.x() + m(1, 2) * v.y() + m(2, 2) * v.z()};
}

}  // namespace graze
