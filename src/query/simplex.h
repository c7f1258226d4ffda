// The point of a simplex nearest to the origin: the inner step of GJK.
#pragma once

#include <Eigen/Geometry>
#include <array>

#include "graze/base/vec.h"

namespace graze {

/// Up to four points w = b − a of the difference of two convex sets, each with the points it came from.
struct Simplex {
  int size = 0;
  std::array<Vec3, 4> w;        // in a's frame
  std::array<Vec3, 4> a;        // points of a, in its frame
  std::array<Vec3, 4> b;        // points of b, in b's own frame
  std::array<double, 4> weight;  // of the point nearest to the origin

  void push(const Vec3& wi, const Vec3& ai, const Vec3& bi) {
    const auto i = static_cast<std::size_t>(size++);
    w[i] = wi, a[i] = ai, b[i] = bi;
  }
  void keep(std::size_t to, std::size_t from) {
    if (to != from) w[to] = w[from], a[to] = a[from], b[to] = b[from];
  }
  bool holds(const Vec3& point) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
      if (w[i] == point) return true;
    }
    return false;
  }
  Vec3 mean_a() const { return mean(a); }
  Vec3 mean_b() const { return mean(b); }

 private:
  Vec3 mean(const std::array<Vec3, 4>& points) const {
    Vec3 sum = weight[0] * points[0];
    for (std::size_t i = 1; i < static_cast<std::size_t>(size); ++i) sum += weight[i] * points[i];
    return sum;
  }
};

/// The nearest point of a face of the simplex: which corners carry it, with which weights.
struct NearestOnFace {
  Vec3 point;
  double distance_sq = kInfinity;
  int size = 0;
  std::array<std::uint8_t, 3> corner{};
  std::array<double, 3> weight{};
};

inline NearestOnFace nearest_on_edge(const std::array<Vec3, 4>& w, std::uint8_t i, std::uint8_t j) {
  const Vec3 edge = w[j] - w[i];
  const double along = -w[i].dot(edge), length_sq = edge.squaredNorm();
  NearestOnFace r;
  if (!(along > 0)) {
    r.point = w[i], r.size = 1, r.corner = {i}, r.weight = {1};
  } else if (along >= length_sq) {
    r.point = w[j], r.size = 1, r.corner = {j}, r.weight = {1};
  } else {
    const double t = along / length_sq;
    r.point = w[i] + t * edge, r.size = 2, r.corner = {i, j}, r.weight = {1 - t, t};
    // Near the origin what rounding leaves along the edge would spoil the direction: taken off once more.
    r.point -= edge * (r.point.dot(edge) / length_sq);
  }
  r.distance_sq = r.point.squaredNorm();
  return r;
}

inline NearestOnFace nearest_on_triangle(const std::array<Vec3, 4>& w, std::uint8_t i, std::uint8_t j,
                                         std::uint8_t k) {
  const Vec3 ij = w[j] - w[i], ik = w[k] - w[i], jk = w[k] - w[j];
  const Vec3 normal = ij.cross(ik);
  const double area_sq = normal.squaredNorm();
  // Signed areas of the triangles that the origin's foot makes with the edges.
  const double at_i = normal.dot(w[j].cross(jk)), at_j = -normal.dot(w[k].cross(ik)), at_k = normal.dot(w[i].cross(ij));
  NearestOnFace r;
  if (at_i > 0 && at_j > 0 && at_k > 0) {
    // Along the normal, not as a mean of the corners: its direction stays right however near the origin is.
    r.point = normal * (normal.dot(w[i]) / area_sq);
    r.distance_sq = r.point.squaredNorm();
    const double all = at_i + at_j + at_k;
    r.size = 3, r.corner = {i, j, k}, r.weight = {at_i / all, at_j / all, at_k / all};
    return r;
  }
  const auto consider = [&](std::uint8_t p, std::uint8_t q) {
    const NearestOnFace e = nearest_on_edge(w, p, q);
    if (e.distance_sq < r.distance_sq) r = e;
  };
  if (!(at_i > 0)) consider(j, k);
  if (!(at_j > 0)) consider(i, k);
  if (!(at_k > 0)) consider(i, j);
  return r;
}

/// Shrinks the simplex to the face that carries the point nearest to the origin, with its weights, and returns that
/// point. A simplex that keeps four corners holds the origin, and the point is zero. With `all_faces` nothing is
/// assumed; otherwise the last corner was added because the face of the others could be improved upon.
inline Vec3 reduce(Simplex& s, bool all_faces) {
  NearestOnFace best;
  const auto consider = [&](std::uint8_t i, std::uint8_t j, std::uint8_t k) {
    const NearestOnFace f = nearest_on_triangle(s.w, i, j, k);
    if (f.distance_sq < best.distance_sq) best = f;
  };
  switch (s.size) {
    case 1:
      s.weight[0] = 1;
      return s.w[0];
    case 2:
      best = nearest_on_edge(s.w, 0, 1);
      break;
    case 3:
      consider(0, 1, 2);
      break;
    default: {
      const auto& w = s.w;
      const Vec3 e0 = w[0] - w[3], e1 = w[1] - w[3], e2 = w[2] - w[3];
      const Vec3 n01 = e0.cross(e1), n12 = e1.cross(e2), n20 = e2.cross(e0);
      const double volume = n01.dot(e2);
      const double o01 = -n01.dot(w[3]), o12 = -n12.dot(w[3]), o20 = -n20.dot(w[3]);
      // A tetrahedron without volume never holds the origin: its nearest face decides.
      constexpr double kFlat = 1e-14;
      const bool flat = volume * volume <= kFlat * kFlat * e0.squaredNorm() * e1.squaredNorm() * e2.squaredNorm();
      const double sign = volume < 0 ? -1 : 1;
      if (flat || sign * o01 < 0) consider(0, 1, 3);
      if (flat || sign * o12 < 0) consider(1, 2, 3);
      if (flat || sign * o20 < 0) consider(0, 2, 3);
      if (all_faces) {
        const Vec3 n = (w[1] - w[0]).cross(w[2] - w[0]);
        if (flat || n.dot(w[0]) * n.dot(e0) < 0) consider(0, 1, 2);
      }
      if (best.size == 0) {
        // The weights of the origin itself.
        const double w2 = o01 / volume, w0 = o12 / volume, w1 = o20 / volume;
        s.weight = {w0, w1, w2, 1 - w0 - w1 - w2};
        return Vec3::Zero();
      }
    }
  }
  if (best.size == 0) {  // only non-finite corners lead here
    s.size = 1, s.weight[0] = 1;
    return s.w[0];
  }
  // Ascending corners, so that moving them down never overwrites one still needed.
  for (std::size_t i = 0; i < static_cast<std::size_t>(best.size); ++i) {
    s.keep(i, best.corner[i]);
    s.weight[i] = best.weight[i];
  }
  s.size = best.size;
  return best.point;
}

}  // namespace graze
