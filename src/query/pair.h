// The leaf kernels: distance and collision of every unordered pair of shapes, written once for (earlier, later) in the
// order of the Shape variant. Closed forms first; whatever has none meets in the general solver at the end.
#pragma once

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "query/box_box.h"
#include "query/epa.h"
#include "query/gjk.h"
#include "query/pair_result.h"
#include "query/point_shape.h"
#include "query/segment_segment.h"
#include "query/unbounded.h"

namespace graze {

// Lengths below this have squares that underflow.
inline constexpr double kSquareRootOfLeast = 2e-154;

template <class S>
concept Unbounded = std::same_as<S, HalfSpace> || std::same_as<S, Plane>;
template <class S>
concept Bounded = requires(const S& s) {
  core(s);
};

// Shapes whose signed distance from a point has a closed form.
template <class S>
concept PointMeasurable = requires(const S& s, const Vec3& p) {
  { point_distance(s, p) } -> std::same_as<PointDistance>;
};

// ---- The general solver -------------------------------------------------------------------------------------------

// Relative accuracy to which EPA is driven.
inline constexpr double kDepthTolerance = 1e-10, kDepthToleranceFlat = 1e-14;

template <class A, class B>
Depth overlap_depth(const CorePair<A, B>& pair, const Simplex& simplex) {
  using Pair = CorePair<A, B>;
  Difference difference{};
  difference.pair = &pair;
  difference.rounding = pair.rounding;
  difference.support = [](const void* p, const Vec3& direction, Vec3& w, Vec3& on_a, Vec3& on_b) {
    static_cast<const Pair*>(p)->support(direction, w, on_a, on_b);
  };
  if constexpr (A::kSmooth && B::kSmooth) {
    // The rims of thin ones are as sharp as edges.
    constexpr double kThin = 0.01;
    difference.smooth = pair.a.inner() + pair.b.inner() > kThin * (pair.a.extent() + pair.b.extent());
  }
  if constexpr (A::kCurved || B::kCurved) {
    difference.refine = [](const void* p, const Vec3& n, std::span<const Vec3> points_a,
                           std::span<const Vec3> points_b) {
      return refine(*static_cast<const Pair*>(p), n, points_a, points_b, false);
    };
  }
  return epa(difference, simplex, A::kCurved || B::kCurved ? kDepthTolerance : kDepthToleranceFlat);
}

/// Points of the cores (b's in b's frame).
struct CorePoints {
  Vec3 on_a, on_b;
};

/// Where a and b touch after b was moved out of a: the nearest points with b a little farther out still.
template <class A, class B>
CorePoints touching_points(const CorePair<A, B>& pair, const Depth& depth) {
  constexpr double kLittle = 1e-7;
  CorePair<A, B> moved = pair;
  moved.offset = along(pair.offset, depth.upper + kLittle * pair.reach, depth.toward);
  const Gjk g = gjk(moved, depth.toward, {}, nullptr);
  if (g.end == Gjk::End::measured) return {g.on_a(), g.on_b()};
  return {depth.on_a, turned_back(pair.rotation, minus(along(depth.on_a, -depth.upper, depth.toward), pair.offset))};
}

/// The direction from a's centre to b's; some direction if they coincide.
template <class A, class B>
Vec3 first_direction(const CorePair<A, B>& pair) {
  return pair.offset.squaredNorm() > 0 ? pair.offset : Vec3(Vec3::UnitX());
}

/// The answer to a pair that overlaps at the point `common` (about a's centre) when the depth is not asked for.
template <class A, class B, class Pair>
PairDistance overlap_of_unknown_depth(const A& a, const B& b, const Pair& pair, const Vec3& common) {
  // Along any direction, the overlap of the shapes' shadows bounds the depth.
  PairDistance r;
  r.value = 0;
  r.normal = unit(first_direction(pair));
  Vec3 w, on_a, on_b;
  pair.support(r.normal, w, on_a, on_b);
  const double radii = rounding_radius(a) + rounding_radius(b);
  r.tolerance = std::max(0.0, -dot(r.normal, w)) + radii + 2 * (pair.rounding + 4 * kEpsilon * radii);
  r.on_a = plus(pair.a.center(), common);
  return r;
}

/// `first` is the direction from a to b to try first.
template <class A, class B, class Pair>
PairDistance measure_cores(const A& a, const B& b, const Pair& pair, const Vec3& first, const PairQuestion& question) {
  const auto& core_a = pair.a;
  const double radius_a = rounding_radius(a), radii = radius_a + rounding_radius(b);
  const double rounding = pair.rounding + 4 * kEpsilon * radii;
  GjkGoal goal{.above = std::max(0.0, question.limit + radii) + rounding};
  if (!question.depth) goal.below = radii;
  const Gjk g = gjk(pair, first, goal, question.cache);
  if (g.end == Gjk::End::above) return beyond_limit();
  const auto within = [&](const PairDistance& r) {
    return r.value - r.tolerance > question.limit ? beyond_limit() : r;
  };
  const auto apart = [&](const Gjk& gap) {
    PairDistance r;
    r.normal = unit(gap.toward);
    r.value = gap.upper - radii;
    r.tolerance = std::max(0.0, gap.upper - gap.lower) + 2 * rounding;
    r.on_a = core_a.center() + gap.on_a() + radius_a * r.normal;
    return within(r);
  };
  if (g.end == Gjk::End::measured) return apart(g);

  if (!question.depth) {
    // Between the cores' points lies one of both shapes.
    const double share = radii > 0 ? radius_a / radii : 0;
    return overlap_of_unknown_depth(a, b, pair, along(g.simplex.mean_a(), share, g.simplex.mean_w()));
  }
  const Depth depth = overlap_depth(pair, g.simplex);
  if (depth.upper < -pair.rounding) {
    // What looked like an overlap was none: a direction proves it, and GJK starts anew from there.
    const Gjk again = gjk(pair, depth.toward, goal, nullptr);
    if (again.end == Gjk::End::above) return beyond_limit();
    if (again.end == Gjk::End::measured) return apart(again);
  }
  PairDistance r;
  r.normal = depth.toward;
  r.value = -(depth.upper + radii);
  r.tolerance = std::max(0.0, depth.upper - depth.lower) + 2 * rounding;
  Vec3 on_a = depth.on_a;
  const bool uncertain = depth.upper <= pair.rounding;
  if (uncertain || !depth.points_known) {
    const CorePoints touching = touching_points(pair, depth);
    on_a = touching.on_a;
    if (uncertain) {
      // Where they hardly touch, if at all, the shapes may as well be apart by as much as the nearest points known.
      const double reached = std::sqrt(norm_sq(pair.difference(touching.on_a, touching.on_b)));
      r.tolerance = std::max(r.tolerance, reached + depth.upper + 2 * rounding);
    }
  }
  r.on_a = core_a.center() + on_a + radius_a * r.normal;
  return within(r);
}

template <Bounded A, Bounded B>
PairDistance measure(const A& a, const B& b, const Relative& relative, const PairQuestion& question) {
  const auto core_a = core(a);
  const auto core_b = core(b);
  const CorePair pair(core_a, core_b, relative);
  if (!question.depth) {
    // Balls inside both that meet are proof enough of an overlap.
    const double inner_a = core_a.inner() + rounding_radius(a), inner_b = core_b.inner() + rounding_radius(b);
    if (std::sqrt(norm_sq(pair.offset)) <= inner_a + inner_b)
      return overlap_of_unknown_depth(a, b, pair, times(inner_a / (inner_a + inner_b), pair.offset));
  }
  return measure_cores(a, b, pair, first_direction(pair), question);
}

/// True unless the shapes are proven farther apart than `margin` >= 0.
template <Bounded A, Bounded B>
bool touch(const A& a, const B& b, const Relative& relative, double margin, PairCache* cache) {
  const auto core_a = core(a);
  const auto core_b = core(b);
  const CorePair pair(core_a, core_b, relative);
  const double reach = margin + rounding_radius(a) + rounding_radius(b);
  const double apart = pair.offset.norm();
  if (apart > core_a.extent() + core_b.extent() + reach + pair.rounding) return false;
  if (apart <= core_a.inner() + core_b.inner() + reach) return true;
  const GjkGoal goal{.above = reach + pair.rounding + 4 * kEpsilon * reach, .below = reach, .boolean = true};
  const Gjk g = gjk(pair, first_direction(pair), goal, cache);
  if (g.end == Gjk::End::above) return false;
  if (g.end == Gjk::End::below || (g.end == Gjk::End::overlap && g.certain)) return true;
  // Rounding keeps the quick way from deciding: measure.
  const PairDistance d = measure_cores(a, b, pair, first_direction(pair), {.limit = margin});
  return !d.beyond && !(d.value - d.tolerance > margin);
}

// ---- Closed forms -------------------------------------------------------------------------------------------------

inline PairDistance measure(const Box& a, const Box& b, const Relative& relative, const PairQuestion& question) {
  const BoxCore core_a = core(a), core_b = core(b);
  const BoxPair pair(core_a, core_b, relative);
  const BoxSeparation s = separate(pair, question.limit + pair.rounding);
  if (s.value > question.limit + pair.rounding) return beyond_limit();
  // Apart, the axes only bound the distance.
  if (s.value > 0) return measure_cores(a, b, pair, s.toward, question);
  PairDistance r;
  r.value = s.value, r.tolerance = 2 * pair.rounding, r.normal = s.toward;
  if (question.points) r.on_a = deepest_point(a, b, relative, s);
  return r;
}

inline bool touch(const Box& a, const Box& b, const Relative& relative, double margin, PairCache* cache) {
  const BoxCore core_a = core(a), core_b = core(b);
  const BoxPair pair(core_a, core_b, relative);
  const double proof = margin + pair.rounding;
  const BoxSeparation s = separate(pair, proof);
  if (s.value > proof) return false;
  if (margin == 0 || s.value <= 0) return true;
  // Between the margin's reach along the axes and around the corners only the distance decides.
  return gjk(pair, s.toward, {.above = proof, .below = margin, .boolean = true}, cache).end != Gjk::End::above;
}

/// What a distance from a point is wrong by at most, for a shape and a sphere that reach this far together.
inline double point_rounding(double reach, const Vec3& p) {
  return 16 * kEpsilon * (reach + size_of(p)) + kSquareRootOfLeast;
}

template <PointMeasurable B>
double reach_of(const B& b) {
  const auto core_b = core(b);
  return size_of(core_b.center()) + core_b.reach() + rounding_radius(b);
}

/// A sphere with its centre at `p` of b's frame. The answer is about that centre, along b's axes.
template <PointMeasurable B>
PairDistance measure_at(const Sphere& a, const Vec3& p, const B& b, double limit) {
  const PointDistance d = point_distance(b, p);
  PairDistance r;
  r.tolerance = point_rounding(a.radius + reach_of(b), p);
  r.value = d.value - a.radius;
  if (r.value - r.tolerance > limit) return beyond_limit();
  r.normal = times(-1, d.normal);
  r.on_a = times(a.radius, r.normal);
  return r;
}

template <PointMeasurable B>
PairDistance measure(const Sphere& a, const B& b, const Relative& relative, const PairQuestion& question) {
  PairDistance r = measure_at(a, relative.to_b(Vec3::Zero()), b, question.limit);
  r.normal = turned(relative.rotation, r.normal);
  r.on_a = turned(relative.rotation, r.on_a);
  return r;
}

template <PointMeasurable B>
bool touch(const Sphere& a, const B& b, const Relative& relative, double margin, PairCache*) {
  const Vec3 p = relative.to_b(Vec3::Zero());
  return !(point_distance(b, p).value - a.radius > margin + point_rounding(a.radius + reach_of(b), p));
}

/// Two spheres, b's centre at `offset` from a's: the same bits either way round, in any frame's axes.
inline PairDistance measure_at(const Sphere& a, const Sphere& b, const Vec3& offset, double limit) {
  PairDistance r;
  const double apart = std::sqrt(norm_sq(offset)), radii = a.radius + b.radius;
  r.tolerance = 4 * kEpsilon * (radii + apart) + kSquareRootOfLeast;
  r.value = apart - radii;
  if (r.value - r.tolerance > limit) return beyond_limit();
  if (apart > 0) r.normal = times(1 / apart, offset);
  else if (size_of(offset) > 0) r.normal = unit(offset);  // its square underflows
  else if (a.radius > b.radius) r.normal = -r.normal;
  r.on_a = times(a.radius, r.normal);
  return r;
}

inline PairDistance measure(const Sphere& a, const Sphere& b, const Relative& relative, const PairQuestion& question) {
  return measure_at(a, b, relative.translation, question.limit);
}

inline bool touch(const Sphere& a, const Sphere& b, const Relative& relative, double margin, PairCache*) {
  const double apart_sq = norm_sq(relative.translation), reach = a.radius + b.radius + margin;
  return !(apart_sq > reach * reach * (1 + 16 * kEpsilon));
}

/// The corners of a triangle of the hull, about its centre.
inline std::array<Vec3, 3> corners_of(const Convex& hull, const std::array<int, 3>& triangle) {
  const auto corner = [&](int i) { return hull.centered_vertices()[static_cast<std::size_t>(i)]; };
  return {corner(triangle[0]), corner(triangle[1]), corner(triangle[2])};
}

/// Whether a point of the face's plane, about the hull's centre, lies on the face.
inline bool on_face(const Convex& hull, std::size_t face, const Vec3& foot) {
  for (const auto& triangle : hull.triangles_of(face)) {
    if (foot_on(core(hull), foot, hull.faces()[face].normal, corners_of(hull, triangle))) return true;
  }
  return false;
}

inline PairDistance measure(const Sphere& a, const Convex& b, const Relative& relative, const PairQuestion& question) {
  if (b.flat()) return measure<Sphere, Convex>(a, b, relative, question);
  const Vec3 p = relative.to_b(Vec3::Zero());
  const auto [height, face] = b.highest_face(p);
  const Vec3& outward = b.faces()[face].normal;
  const Vec3 normal = times(-1, turned(relative.rotation, outward));
  const double rounding = point_rounding(a.radius + b.radius() + size_of(b.center()), p);
  if (height - a.radius - rounding > question.limit) return beyond_limit();
  // Outside, the face that is farthest below the point is the nearest one if the point's foot lies on it.
  if (height <= 0 || on_face(b, face, along(minus(p, b.center()), -height, outward))) {
    PairDistance r;
    r.value = height - a.radius, r.tolerance = 2 * rounding;
    r.normal = normal;
    r.on_a = times(a.radius, normal);
    return r;
  }
  // And if not, one of its corners or a face beside it mostly is.
  const PointCore core_a = core(a);
  const ConvexCore core_b = core(b);
  PairCache near;
  near.size = 3, near.stamp_a = core_a.stamp(), near.stamp_b = core_b.stamp();
  near.a.fill(Vec3::Zero());
  std::ranges::copy(corners_of(b, b.triangles_of(face)[0]), near.b.begin());
  return measure_cores(a, b, CorePair(core_a, core_b, relative), normal, {.limit = question.limit, .cache = &near});
}

inline PairDistance measure(const Capsule& a, const Capsule& b, const Relative& relative,
                            const PairQuestion& question) {
  const Vec3 axis_b = relative.rotation.col(2);
  const SegmentDistance d = segment_distance(a.half_length, axis_b, b.half_length, relative.translation);
  PairDistance r;
  r.tolerance = 16 * kEpsilon * (a.half_length + b.half_length + a.radius + b.radius + size_of(relative.translation));
  r.value = d.value - (a.radius + b.radius);
  if (r.value - r.tolerance > question.limit) return beyond_limit();
  r.normal = d.normal;
  r.on_a = d.on_a + a.radius * r.normal;
  return r;
}

inline bool touch(const Capsule& a, const Capsule& b, const Relative& relative, double margin, PairCache*) {
  const PairDistance d = measure(a, b, relative, {.limit = margin});
  return !d.beyond;
}

template <class A>
PairDistance measure(const A& a, const HalfSpace& b, const Relative& relative, const PairQuestion& question) {
  return measure_half_space(a, b, relative, question);
}
template <class A>
PairDistance measure(const A& a, const Plane& b, const Relative& relative, const PairQuestion& question) {
  return measure_plane(a, b, relative, question);
}
template <class A, Unbounded B>
bool touch(const A& a, const B& b, const Relative& relative, double margin, PairCache*) {
  const PairDistance d = measure(a, b, relative, {.limit = margin});
  return !d.beyond;
}

}  // namespace graze
