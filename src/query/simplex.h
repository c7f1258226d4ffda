// The point of a simplex nearest to the origin: the inner step of GJK.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "query/products.h"

namespace graze {

/// Up to four points w = b − a of the difference of two convex sets, each with the points it came from.
struct Simplex {
  int size = 0;
  std::array<Vec3, 4> w;         // in a's frame
  std::array<Vec3, 4> a;         // points of a, in its frame
  std::array<Vec3, 4> b;         // points of b, in b's own frame
  std::array<double, 4> weight;  // of the point nearest to the origin

  GRAZE_INLINE void push(const Vec3& wi, const Vec3& ai, const Vec3& bi) {
    const auto i = static_cast<std::size_t>(size++);
    put(w[i], wi), put(a[i], ai), put(b[i], bi);
  }
  bool holds(const Vec3& point) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
      if (w[i].x() == point.x() && w[i].y() == point.y() && w[i].z() == point.z()) return true;
    }
    return false;
  }
  /// The points of a, of b and of the difference at the weights.
  Vec3 mean_a() const { return mean(a); }
  Vec3 mean_b() const { return mean(b); }
  Vec3 mean_w() const { return mean(w); }

 private:
  Vec3 mean(const std::array<Vec3, 4>& points) const {
    Vec3 sum = times(weight[0], points[0]);
    for (std::size_t i = 1; i < static_cast<std::size_t>(size); ++i) put(sum, along(sum, weight[i], points[i]));
    return sum;
  }
};

/// The nearest point of a simplex: which of its corners carry it, ascending, and with which weights. Four corners
/// carry the origin itself.
struct Nearest {
  Vec3 point;
  double distance_sq = kInfinity;
  int size = 0;
  std::array<std::uint8_t, 4> corner;
  std::array<double, 4> weight;
};

GRAZE_INLINE void consider_corner(const std::array<Vec3, 4>& w, std::uint8_t i, Nearest& best) {
  const double distance_sq = norm_sq(w[i]);
  if (distance_sq < best.distance_sq) {
    put(best.point, w[i]), best.distance_sq = distance_sq;
    best.size = 1, best.corner[0] = i, best.weight[0] = 1;
  }
}

inline void consider_edge(const std::array<Vec3, 4>& w, std::uint8_t i, std::uint8_t j, Nearest& best) {
  const Vec3 edge = minus(w[j], w[i]);
  const double ahead = -dot(w[i], edge), length_sq = norm_sq(edge);
  if (!(ahead > 0)) return consider_corner(w, i, best);
  if (ahead >= length_sq) return consider_corner(w, j, best);
  const double inverse = 1 / length_sq, t = ahead * inverse;
  const Vec3 rough = along(w[i], t, edge);
  // Near the origin what rounding leaves along the edge would spoil the direction: taken off once more.
  const Vec3 point = along(rough, -dot(rough, edge) * inverse, edge);
  const double distance_sq = norm_sq(point);
  if (distance_sq < best.distance_sq) {
    put(best.point, point), best.distance_sq = distance_sq;
    best.size = 2, best.corner[0] = i, best.corner[1] = j, best.weight[0] = 1 - t, best.weight[1] = t;
  }
}

/// `rounding` is the error of the corners: a triangle no higher than a few of it has no direction of its own.
inline void consider_triangle(const std::array<Vec3, 4>& w, std::uint8_t i, std::uint8_t j, std::uint8_t k,
                              double rounding, Nearest& best) {
  const Vec3 ij = minus(w[j], w[i]), ik = minus(w[k], w[i]), jk = minus(w[k], w[j]);
  const Vec3 normal = cross(ij, ik);
  // Signed areas of the triangles that the origin's foot makes with the edges.
  const double at_i = dot(normal, cross(w[j], jk)), at_j = -dot(normal, cross(w[k], ik)),
               at_k = dot(normal, cross(w[i], ij));
  const double area_sq = norm_sq(normal);
  const double longest_sq = std::max({norm_sq(ij), norm_sq(ik), norm_sq(jk)});
  if (at_i > 0 && at_j > 0 && at_k > 0 && area_sq > 64 * rounding * rounding * longest_sq) {
    const double height = dot(normal, w[i]);
    const double distance_sq = height * height / area_sq;
    if (distance_sq < best.distance_sq) {
      // Along the normal, not as a mean of the corners: its direction stays right however near the origin is.
      put(best.point, times(height / area_sq, normal)), best.distance_sq = distance_sq;
      const double all = 1 / (at_i + at_j + at_k);
      best.size = 3, best.corner = {i, j, k}, best.weight = {at_i * all, at_j * all, at_k * all};
    }
    return;
  }
  const bool sliver = at_i > 0 && at_j > 0 && at_k > 0;
  if (sliver || !(at_i > 0)) consider_edge(w, j, k, best);
  if (sliver || !(at_j > 0)) consider_edge(w, i, k, best);
  if (sliver || !(at_k > 0)) consider_edge(w, i, j, best);
}

inline void consider_tetrahedron(const std::array<Vec3, 4>& w, bool all_faces, double rounding, Nearest& best) {
  const Vec3 e0 = minus(w[0], w[3]), e1 = minus(w[1], w[3]), e2 = minus(w[2], w[3]);
  const Vec3 n01 = cross(e0, e1), n12 = cross(e1, e2), n20 = cross(e2, e0);
  const double volume = dot(n01, e2);
  const double o01 = -dot(n01, w[3]), o12 = -dot(n12, w[3]), o20 = -dot(n20, w[3]);
  // A tetrahedron no higher than the error of its corners never holds the origin: its nearest face decides.
  const double area_sq = std::max({norm_sq(n01), norm_sq(n12), norm_sq(n20)});
  const bool flat = volume * volume <= rounding * rounding * area_sq;
  const double sign = volume < 0 ? -1 : 1;
  if (flat || sign * o01 < 0) consider_triangle(w, 0, 1, 3, rounding, best);
  if (flat || sign * o12 < 0) consider_triangle(w, 1, 2, 3, rounding, best);
  if (flat || sign * o20 < 0) consider_triangle(w, 0, 2, 3, rounding, best);
  if (all_faces) {
    const Vec3 n = cross(minus(w[1], w[0]), minus(w[2], w[0]));
    if (flat || dot(n, w[0]) * dot(n, e0) < 0) consider_triangle(w, 0, 1, 2, rounding, best);
  }
  if (best.size == 0) {
    const double w2 = o01 / volume, w0 = o12 / volume, w1 = o20 / volume;
    best.point.setZero(), best.distance_sq = 0;
    best.size = 4, best.corner = {0, 1, 2, 3}, best.weight = {w0, w1, w2, 1 - w0 - w1 - w2};
  }
}

/// The point of the simplex nearest to the origin. With `all_faces` nothing is assumed; otherwise the last of four
/// corners was added because the face of the others could be improved upon.
inline Nearest nearest_to_origin(const Simplex& s, bool all_faces, double rounding) {
  Nearest best;
  switch (s.size) {
    case 1:
      consider_corner(s.w, 0, best);
      break;
    case 2:
      consider_edge(s.w, 0, 1, best);
      break;
    case 3:
      consider_triangle(s.w, 0, 1, 2, rounding, best);
      break;
    default:
      consider_tetrahedron(s.w, all_faces, rounding, best);
  }
  if (best.size == 0) {  // only corners that are not finite lead here
    put(best.point, s.w[0]), best.size = 1, best.corner[0] = 0, best.weight[0] = 1;
  }
  return best;
}

/// Leaves only the corners that carry the nearest point, with its weights.
inline void shrink(Simplex& s, const Nearest& nearest) {
  s.size = nearest.size;
  // Ascending corners: moving them down never overwrites one still needed.
  for (std::size_t i = 0; i < static_cast<std::size_t>(nearest.size); ++i) {
    const std::size_t from = nearest.corner[i];
    if (from != i) put(s.w[i], s.w[from]), put(s.a[i], s.a[from]), put(s.b[i], s.b[from]);
    s.weight[i] = nearest.weight[i];
  }
}

}  // namespace graze
