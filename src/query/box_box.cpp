#include "query/box_box.h"

#include <algorithm>

#include "query/clip.h"

namespace graze {

BoxSeparation separate(const BoxPair& pair, double enough) {
  const Mat3& r = pair.rotation;
  const Vec3 &ha = pair.a.box.half, &hb = pair.b.box.half, &t = pair.offset;
  const Mat3 ar = r.cwiseAbs();
  BoxSeparation best;

  // Faces of a, then of b.
  const Vec3 along_a = t.cwiseAbs() - ha - ar * hb;
  Eigen::Index face = 0;
  best.value = along_a.maxCoeff(&face);
  best.toward = std::copysign(1.0, t[face]) * Vec3::Unit(face);
  if (best.value > enough) return best;
  const Vec3 tb = r.transpose() * t;
  const Vec3 along_b = tb.cwiseAbs() - hb - ar.transpose() * ha;
  if (const double value = along_b.maxCoeff(&face); value > best.value) {
    best.value = value;
    best.toward = std::copysign(1.0, tb[face]) * r.col(face);
    if (value > enough) return best;
  }

  // Edge i of a across edge j of b: the axis is (unit i) × (column j), whose coordinates are two entries of r.
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Eigen::Index i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (Eigen::Index j = 0; j < 3; ++j) {
      const Eigen::Index j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double length_sq = r(i1, j) * r(i1, j) + r(i2, j) * r(i2, j);
      // Edges parallel to the last digit add nothing to the faces.
      if (length_sq < kEpsilon * kEpsilon) continue;
      const double gap = std::abs(r(i1, j) * t[i2] - r(i2, j) * t[i1]) -
                         (ha[i1] * ar(i2, j) + ha[i2] * ar(i1, j) + hb[j1] * ar(i, j2) + hb[j2] * ar(i, j1));
      // Compared before the root is taken: most axes are no better than the best one.
      if (best.value >= 0 ? gap <= 0 || gap * gap <= best.value * best.value * length_sq
                          : gap < 0 && gap * gap >= best.value * best.value * length_sq) {
        continue;
      }
      Vec3 axis = Vec3::Zero();
      axis[i1] = -r(i2, j), axis[i2] = r(i1, j);
      axis = unit(axis);
      if (axis.dot(t) < 0) axis = -axis;
      // The formula above takes r for exactly orthonormal, which counts for edges nearly parallel; the separation
      // along the axis itself is right for any axis.
      const double value = axis.dot(t) - axis.cwiseAbs().dot(ha) - (r.transpose() * axis).cwiseAbs().dot(hb);
      if (value > best.value) {
        best = {value, axis};
        if (value > enough) return best;
      }
    }
  }
  return best;
}

Vec3 deepest_point(const Box& a, const Box& b, const Relative& relative, const BoxSeparation& separation) {
  constexpr double kLevel = 1e-7;
  const Vec3& n = separation.toward;
  const Patch on_a = patch(a, n, kLevel);
  Patch on_b = patch(b, relative.rotation.transpose() * -n, kLevel);
  for (std::size_t i = 0; i < on_b.size; ++i) on_b.points[i] = relative.to_a(on_b.points[i]);
  // Moved apart along n the boxes touch in what the two features have in common: its middle.
  if (on_a.size == 1) return on_a.points[0];
  if (on_b.size == 1) return on_b.points[0] - separation.value * n;
  PatchContacts common;
  clip(on_a, on_b, n, common);
  if (common.size > 0) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < common.size; ++i) sum += common.items[i].on_a;
    return sum / static_cast<double>(common.size);
  }
  // Crossing edges: the point of a's edge nearest to b's, seen along n.
  const Vec3 along = on_a.points[1] - on_a.points[0], other = on_b.points[1] - on_b.points[0];
  const Vec3 across = other.cross(n);
  const double t = across.dot(on_b.points[0] - on_a.points[0]) / across.dot(along);
  return on_a.points[0] + std::clamp(t, 0.0, 1.0) * along;
}

}  // namespace graze
