// The minimum distance of two bounds, wherever they stand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "graze/index/bounds.h"

namespace graze {

/// A lower bound of the signed distance between anything in bound a and anything in bound b, where b stands at a pose
/// in a's frame: p_a = rotation * p_b + translation. Made once per pose, asked for many pairs of nodes.
///
///     const Separation<Obb> between(rotation, translation);
///     if (between(a, b) > margin) …                            // nothing in them is within the margin
///
/// Every answer is the gap of both bounds along some direction, rounded down: it is never more than the distance of two
/// sets that lie in them, and, negative, never more than their signed distance if they are convex. It is positive
/// wherever an Aabb or an Obb is apart from its like (all fifteen axes are tried), and within 1 % of the distance for
/// nearly all Rss; of a k-DOP the 2 K directions of both are tried, with bounds of the other's reach along each.
///
/// Answers above `enough` need not be the best. Const, reentrant, no allocation. What is not a number answers −∞.
/// With the traversal around it about 60 ns (Aabb), 100 ns (Obb, Rss) or 150 ns (KDop) a pair; making one for KDop
/// costs some microseconds.
template <class Bound>
class Separation;

template <>
class Separation<Aabb> {
 public:
  Separation(const Mat3& rotation, const Vec3& translation);
  double operator()(const Aabb& a, const Aabb& b, double enough = kInfinity) const;

 private:
  Mat3 rotation_;
  Vec3 translation_;
  double size_;  // of the translation
};

template <>
class Separation<Obb> {
 public:
  Separation(const Mat3& rotation, const Vec3& translation);
  double operator()(const Obb& a, const Obb& b, double enough = kInfinity) const;

 private:
  Mat3 rotation_;
  Vec3 translation_;
  double size_;
};

template <>
class Separation<Rss> {
 public:
  Separation(const Mat3& rotation, const Vec3& translation);
  double operator()(const Rss& a, const Rss& b, double enough = kInfinity) const;

 private:
  Mat3 rotation_;
  Vec3 translation_;
  double size_;
};

template <std::size_t K>
class Separation<KDop<K>> {
 public:
  Separation(const Mat3& rotation, const Vec3& translation);
  double operator()(const KDop<K>& a, const KDop<K>& b, double enough = kInfinity) const;

 private:
  // Minus a normal of one, in the frame of the other, as a sum of the other's normals with positive weights: the other
  // reaches no farther along it than the sum of its reaches.
  struct Row {
    std::array<std::uint32_t, 3> normal;
    std::array<double, 3> weight;
    double offset;  // of the translation along the normal
    double scale;   // 1 / length of the normal
  };
  using Rows = std::array<Row, K>;

  static Rows rows(const Mat3& rotation, const Vec3& translation);
  static double apart(const Rows& rows, const KDop<K>& near, const KDop<K>& far, double slack, double enough);

  Rows of_a_, of_b_;
  double size_;
};

extern template class Separation<KDop<16>>;
extern template class Separation<KDop<18>>;
extern template class Separation<KDop<24>>;

}  // namespace graze
