// Vectors over long double: 64 bits of mantissa, 2048 times finer than what is being tested.
#pragma once

#include <array>
#include <cmath>
#include <limits>

namespace graze_oracle {

using Real = long double;
inline constexpr Real kRealEpsilon = std::numeric_limits<Real>::epsilon();
inline constexpr Real kRealInfinity = std::numeric_limits<Real>::infinity();

struct Vec {
  Real x = 0, y = 0, z = 0;
  Real operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  Real& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
};

inline Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator-(const Vec& a) { return {-a.x, -a.y, -a.z}; }
inline Vec operator*(Real s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Real dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Real norm(const Vec& a) { return std::sqrt(dot(a, a)); }  // the exponent range of Real makes squares safe
inline Real clamp(Real x, Real lo, Real hi) { return x < lo ? lo : x > hi ? hi : x; }

/// Length 1; the zero vector gives z.
inline Vec unit(const Vec& a) {
  const Real length = norm(a);
  return length > 0 ? (1 / length) * a : Vec{0, 0, 1};
}

/// Two unit vectors that complete the unit vector n to an orthonormal frame.
inline std::array<Vec, 2> complement(const Vec& n) {
  const Vec pick = std::abs(n.x) <= std::abs(n.y) && std::abs(n.x) <= std::abs(n.z) ? Vec{1, 0, 0}
                   : std::abs(n.y) <= std::abs(n.z)                                 ? Vec{0, 1, 0}
                                                                                    : Vec{0, 0, 1};
  const Vec u = unit(cross(n, pick));
  return {u, cross(n, u)};
}

struct Mat {
  Vec col[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};
inline Vec operator*(const Mat& m, const Vec& v) { return v.x * m.col[0] + v.y * m.col[1] + v.z * m.col[2]; }
inline Vec transposed_times(const Mat& m, const Vec& v) {
  return {dot(m.col[0], v), dot(m.col[1], v), dot(m.col[2], v)};
}

/// The rotation of a quaternion of any length.
inline Mat rotation_of(Real w, Real x, Real y, Real z) {
  const Real s = 2 / (w * w + x * x + y * y + z * z);
  return {{{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
           {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
           {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)}}};
}

}  // namespace graze_oracle
