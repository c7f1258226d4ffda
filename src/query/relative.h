// The second shape as the first one sees it.
#pragma once

#include <algorithm>

#include "graze/base/aabb.h"
#include "graze/base/pose.h"
#include "query/products.h"

namespace graze {

/// Whether two rotations are the same to the bit; mostly the first number decides.
inline bool same_rotation(const Mat3& a, const Mat3& b) {
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (a.data()[i] != b.data()[i]) return false;
  }
  return true;
}

/// Whether a rotation is by right angles, to the bit: turning by it rounds nothing. Mostly the first number decides.
inline bool along_axes(const Mat3& m) {
  for (Eigen::Index i = 0; i < m.size(); ++i) {
    if (m.data()[i] != 0 && std::abs(m.data()[i]) != 1) return false;
  }
  return true;
}

/// Whether a rotation is none, or one by so little (1e-8) that what it adds to a coordinate is rounded like a sum.
inline bool hardly_turns(const Mat3& m) { return m(0, 0) == 1 && m(1, 1) == 1 && m(2, 2) == 1; }

/// Maps coordinates of b to coordinates of a: p_a = rotation * p_b + translation.
struct Relative {
  Mat3 rotation;
  Vec3 translation;
  bool aligned;  ///< rotation is the identity
  /// Turning rounds: the translation of bodies turned alike; anything of others that are not turned by right angles.
  bool rounded;

  // The difference of the translations is taken first: bodies far from the origin lose nothing.
  Relative(const Mat3& rotation_a, const Vec3& translation_a, const Pose& b)
      : translation(turned_back(rotation_a, minus(b.translation(), translation_a))),
        // Bodies turned alike are exactly parallel.
        aligned(&rotation_a == &b.rotation() || same_rotation(rotation_a, b.rotation())),
        rounded(aligned ? !hardly_turns(rotation_a) : !along_axes(b.rotation()) || !along_axes(rotation_a)) {
    if (aligned) {
      rotation.setIdentity();
    } else {
      turn_column<0>(rotation_a, b.rotation()), turn_column<1>(rotation_a, b.rotation());
      turn_column<2>(rotation_a, b.rotation());
    }
  }
  Relative(const Pose& a, const Pose& b) : Relative(a.rotation(), a.translation(), b) {}

  /// Axes alike, b's origin at `translation`.
  explicit Relative(const Vec3& translation_of_b) : translation(translation_of_b), aligned(true), rounded(false) {
    rotation.setIdentity();
  }

  Relative inverse() const {
    Relative r = *this;
    r.rotation = rotation.transpose();
    r.translation = times(-1, turned_back(rotation, translation));
    return r;
  }

  /// Where a body stands is uncertain by this: no point of b with a size_of() up to `size` is farther, in a's frame,
  /// from where the caller's numbers put it than this, plus a few roundings of the coordinates that it has there. All
  /// that answers in a's frame counts it. It is what is lost where large numbers cancel: the difference of the
  /// translations, the rotations (matrices are off from the caller's quaternions by some roundings, too), their
  /// product, and the sum. Bodies turned alike about one point lose nothing, however far they are.
  GRAZE_INLINE double placing_error(double size) const {
    const double moved = size_of(translation);
    if (aligned && moved == 0) return 0;
    constexpr double kTurned = 16 * kEpsilon, kMoved = 4 * kEpsilon;
    return (rounded ? kTurned : kMoved) * (moved + size);
  }
  double placing_error(const Vec3& point_of_b) const { return placing_error(size_of(point_of_b)); }

  Vec3 to_a(const Vec3& point_of_b) const { return plus(turned(rotation, point_of_b), translation); }
  Vec3 to_b(const Vec3& point_of_a) const { return turned_back(rotation, minus(point_of_a, translation)); }
  /// A box in a's frame around a box of b.
  Aabb box_to_a(const Aabb& box) const {
    const double error = placing_error(std::max(size_of(box.min), size_of(box.max)));
    return transformed(box, rotation, translation).grown(error);
  }

 private:
  // Number by number: a column that is stored in one width and loaded in another stalls the processor.
  template <Eigen::Index i>
  GRAZE_INLINE void turn_column(const Mat3& ra, const Mat3& rb) {
    rotation(0, i) = ra(0, 0) * rb(0, i) + ra(1, 0) * rb(1, i) + ra(2, 0) * rb(2, i);
    rotation(1, i) = ra(0, 1) * rb(0, i) + ra(1, 1) * rb(1, i) + ra(2, 1) * rb(2, i);
    rotation(2, i) = ra(0, 2) * rb(0, i) + ra(1, 2) * rb(1, i) + ra(2, 2) * rb(2, i);
  }
};

}  // namespace graze
