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
  return norm_sq(pair.offset) > 0 ? copied(pair.offset) : Vec3(1, 0, 0);
}

/// The answer to a pair that overlaps at the point `common` (about a's centre) when the depth is not asked for.
template <class A, class B, class Pair>
PairDistance overlap_of_unknown_depth(const A& a, const B& b, const Pair& pair, const Vec3& common) {
  // Along any direction, the overlap of the shapes' shadows bounds the depth.
  PairDistance r;
  r.value = 0;
  put(r.normal, unit_vector(first_direction(pair)));
  Vec3 w, on_a, on_b;
  pair.support(r.normal, w, on_a, on_b);
  const double radii = rounding_radius(a) + rounding_radius(b);
  r.tolerance = std::max(0.0, -dot(r.normal, w)) + radii + 2 * (pair.rounding + 4 * kEpsilon * radii) + pair.placing;
  put(r.on_a, plus(pair.a.center(), common));
  return r;
}

/// `first` is the direction from a to b to try first.
template <class A, class B, class Pair>
PairDistance measure_cores(const A& a, const B& b, const Pair& pair, const Vec3& first, const PairQuestion& question) {
  const auto& core_a = pair.a;
  const double radius_a = rounding_radius(a), radii = radius_a + rounding_radius(b);
  const double rounding = pair.rounding + 4 * kEpsilon * radii;
  const double error = 2 * rounding + pair.placing;  // of the distance, whatever it is
  GjkGoal goal{.above = std::max(0.0, question.limit + radii) + rounding + pair.placing};
  if (!question.depth) goal.below = radii, goal.centers = true;
  const Gjk g = gjk(pair, first, goal, question.cache);
  if (g.end == Gjk::End::above) return beyond_limit();
  const auto apart = [&](const Gjk& gap) {
    PairDistance r;
    put(r.normal, unit_vector(gap.toward));
    r.value = gap.upper - radii;
    r.tolerance = std::max(0.0, gap.upper - gap.lower) + error;
    put(r.on_a, along(plus(core_a.center(), gap.on_a()), radius_a, r.normal));
    if (r.value - r.tolerance > question.limit) r.beyond = true, r.value = kInfinity;
    return r;
  };
  if (g.end == Gjk::End::measured) return apart(g);

  if (!question.depth) {
    // Between the cores' points lies one of both shapes.
    const double ball_a = radius_a + g.center_weight * core_a.inner();
    const double balls = radii + g.center_weight * (core_a.inner() + pair.b.inner());
    const double share = balls > 0 ? ball_a / balls : 0;
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
  put(r.normal, depth.toward);
  r.value = -(depth.upper + radii);
  r.tolerance = std::max(0.0, depth.upper - depth.lower) + error;
  Vec3 on_a = copied(depth.on_a);
  // No face of the polytope is proven to lie beyond the origin: they may as well be apart.
  const bool uncertain = depth.lower <= pair.rounding;
  if (uncertain || !depth.points_known) {
    const CorePoints touching = touching_points(pair, depth);
    put(on_a, touching.on_a);
    if (uncertain) {
      // By no more than the nearest points known.
      const double reached = std::sqrt(norm_sq(pair.difference(touching.on_a, touching.on_b)));
      r.tolerance = std::max(r.tolerance, reached + depth.upper + error);
    }
  }
  put(r.on_a, along(plus(core_a.center(), on_a), radius_a, r.normal));
  if (r.value - r.tolerance > question.limit) r.beyond = true, r.value = kInfinity;
  return r;
}

template <Bounded A, Bounded B>
PairDistance measure(const A& a, const B& b, const Relative& relative, const PairQuestion& question) {
  const auto core_a = core(a);
  const auto core_b = core(b);
  const CorePair pair(core_a, core_b, relative);
  if (!question.depth) {
    // Balls inside both that meet are proof enough of an overlap.
    const double inner_a = core_a.inner() + rounding_radius(a), inner_b = core_b.inner() + rounding_radius(b);
    const double inner = inner_a + inner_b;
    if (inner > 0 && norm_sq(pair.offset) <= inner * inner * (1 - 8 * kEpsilon))
      return overlap_of_unknown_depth(a, b, pair, times(inner_a / (inner_a + inner_b), pair.offset));
  }
  return measure_cores(a, b, pair, first_direction(pair), question);
}

/// True unless the shapes are proven farther apart than `margin` >= 0.
template <Bounded A, Bounded B>
bool touch(const A& a, const B& b, const Relative& relative, double margin, PairMemory* cache) {
  const auto core_a = core(a);
  const auto core_b = core(b);
  const CorePair pair(core_a, core_b, relative);
  const double reach = margin + rounding_radius(a) + rounding_radius(b);
  const double apart = std::sqrt(norm_sq(pair.offset));
  const double error = pair.rounding + pair.placing;
  if (apart > core_a.extent() + core_b.extent() + reach + error) return false;
  if (apart <= core_a.inner() + core_b.inner() + reach) return true;
  const GjkGoal goal{.above = reach + error + 4 * kEpsilon * reach, .below = reach, .boolean = true, .centers = true};
  const Gjk g = gjk(pair, first_direction(pair), goal, cache);
  if (g.end == Gjk::End::above) return false;
  if (g.end == Gjk::End::below || (g.end == Gjk::End::overlap && g.certain)) return true;
  // Rounding keeps the quick test from deciding: measure.
  const PairDistance d = measure_cores(a, b, pair, first_direction(pair), {.limit = margin});
  return !d.beyond && !(d.value - d.tolerance > margin);
}

// ---- Closed forms -------------------------------------------------------------------------------------------------

inline PairDistance measure(const Box& a, const Box& b, const Relative& relative, const PairQuestion& question) {
  const BoxCore core_a = core(a), core_b = core(b);
  const BoxCorePair pair(core_a, core_b, relative);
  const double proof = question.limit + pair.rounding + pair.placing;
  const BoxSeparation s = separate(pair, proof);
  if (s.value > proof) return beyond_limit();
  // Apart, the axes only bound the distance.
  if (s.value > 0) return measure_cores(a, b, pair, s.toward, question);
  PairDistance r;
  r.value = s.value, r.tolerance = 2 * pair.rounding + pair.placing, put(r.normal, s.toward);
  if (question.points) put(r.on_a, deepest_point(a, b, relative, s));
  return r;
}

inline bool touch(const Box& a, const Box& b, const Relative& relative, double margin, PairMemory* cache) {
  const BoxCore core_a = core(a), core_b = core(b);
  const BoxCorePair pair(core_a, core_b, relative);
  const double proof = margin + pair.rounding + pair.placing;
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

/// A sphere whose centre is measured from a shape. The answer is about that centre, in the axes of `d`.
GRAZE_INLINE PairDistance sphere_answer(const Sphere& a, const PointDistance& d, double rounding, double limit) {
  PairDistance r;
  r.tolerance = rounding;
  r.value = d.value - a.radius;
  if (r.value - r.tolerance > limit) r.beyond = true, r.value = kInfinity;
  put(r.normal, times(-1, d.normal));
  put(r.on_a, times(a.radius, r.normal));
  return r;
}

/// A sphere with its centre at `p` of b's frame. The answer is about that centre, along b's axes.
template <PointMeasurable B>
PairDistance measure_at(const Sphere& a, const Vec3& p, const B& b, double limit) {
  return sphere_answer(a, point_distance(b, p), point_rounding(a.radius + reach_of(b), p), limit);
}

template <PointMeasurable B>
PairDistance measure(const Sphere& a, const B& b, const Relative& relative, const PairQuestion& question) {
  PairDistance r = measure_at(a, relative.to_b(Vec3::Zero()), b, question.limit);
  put(r.normal, turned(relative.rotation, r.normal));
  put(r.on_a, turned(relative.rotation, r.on_a));
  return r;
}

/// Whether a length of which the square is given may be no more than `reach`.
GRAZE_INLINE bool within(double length_sq, double reach) { return !(length_sq > reach * reach * (1 + 16 * kEpsilon)); }

template <PointMeasurable B>
bool touch_at(const Sphere& a, const Vec3& p, const B& b, double margin) {
  const double reach = a.radius + margin + point_rounding(a.radius + reach_of(b), p);
  if constexpr (std::same_as<B, Box>) {
    const Vec3& half = b.half;
    return within(
        norm_sq({p.x() - clamped(p.x(), half.x()), p.y() - clamped(p.y(), half.y()), p.z() - clamped(p.z(), half.z())}),
        reach);
  } else {
    return !(point_distance(b, p).value > reach);
  }
}

template <PointMeasurable B>
bool touch(const Sphere& a, const B& b, const Relative& relative, double margin, PairMemory*) {
  return touch_at(a, relative.to_b(Vec3::Zero()), b, margin);
}

/// Two spheres, b's centre at `offset` from a's: the same bits in either order, in any frame's axes.
inline PairDistance measure_at(const Sphere& a, const Sphere& b, const Vec3& offset, double limit) {
  PairDistance r;
  const double apart = std::sqrt(norm_sq(offset)), radii = a.radius + b.radius;
  r.tolerance = 4 * kEpsilon * (radii + apart) + kSquareRootOfLeast;
  r.value = apart - radii;
  if (r.value - r.tolerance > limit) return beyond_limit();
  if (apart > 0) put(r.normal, times(1 / apart, offset));
  else if (size_of(offset) > 0) put(r.normal, unit_vector(offset));  // its square underflows
  else if (a.radius > b.radius) put(r.normal, {-1, 0, 0});
  put(r.on_a, times(a.radius, r.normal));
  return r;
}

inline PairDistance measure(const Sphere& a, const Sphere& b, const Relative& relative, const PairQuestion& question) {
  return measure_at(a, b, relative.translation, question.limit);
}

inline bool touch_at(const Sphere& a, const Sphere& b, const Vec3& offset, double margin) {
  return within(norm_sq(offset), a.radius + b.radius + margin);
}

inline bool touch(const Sphere& a, const Sphere& b, const Relative& relative, double margin, PairMemory*) {
  return touch_at(a, b, relative.translation, margin);
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
  PairMemory near;
  near.size = 3, near.stamp_a = core_a.stamp(), near.stamp_b = core_b.stamp();
  near.a.fill(Vec3::Zero());
  std::ranges::copy(corners_of(b, b.triangles_of(face)[0]), near.b.begin());
  return measure_cores(a, b, CorePair(core_a, core_b, relative), normal, {.limit = question.limit, .cache = &near});
}

inline double capsule_rounding(double radii, double lengths) { return 16 * kEpsilon * (radii + lengths); }

/// About the centre of a, in the axes of the gap; `lengths` are all that entered it.
GRAZE_INLINE PairDistance capsule_answer(const Capsule& a, const Capsule& b, const Vec3& axis_a, const SegmentGap& gap,
                                         double lengths, double limit) {
  const double value = std::sqrt(norm_sq(gap.off)), radii = a.radius + b.radius;
  PairDistance r;
  r.tolerance = capsule_rounding(radii, lengths);
  r.value = value - radii;
  if (r.value - r.tolerance > limit) r.beyond = true, r.value = kInfinity;
  put(r.normal, times(1 / value, gap.off));
  put(r.on_a, along(times(gap.on_a, axis_a), a.radius, r.normal));
  return r;
}

inline PairDistance measure(const Capsule& a, const Capsule& b, const Relative& relative,
                            const PairQuestion& question) {
  const Vec3 axis_a(0, 0, 1), axis_b(relative.rotation(0, 2), relative.rotation(1, 2), relative.rotation(2, 2));
  const Vec3& offset = relative.translation;
  const SegmentGap gap = segment_gap(axis_a, a.half_length, axis_b, b.half_length, offset);
  const double lengths = a.half_length + b.half_length + size_of(offset);
  if (norm_sq(gap.off) > kCrossing * lengths * lengths)
    return capsule_answer(a, b, axis_a, gap, lengths, question.limit);
  const SegmentDirection d = direction_of_crossing(gap, axis_a, a.half_length, axis_b, b.half_length, offset);
  const double value = std::sqrt(norm_sq(gap.off)), radii = a.radius + b.radius;
  PairDistance r;
  r.tolerance = capsule_rounding(radii, lengths) + std::max(0.0, value - d.separation);
  r.value = value - radii;
  if (r.value - r.tolerance > question.limit) return beyond_limit();
  put(r.normal, d.normal);
  put(r.on_a, along(times(gap.on_a, axis_a), a.radius, r.normal));
  return r;
}

inline bool touch(const Capsule& a, const Capsule& b, const Relative& relative, double margin, PairMemory*) {
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
bool touch(const A& a, const B& b, const Relative& relative, double margin, PairMemory*) {
  const PairDistance d = measure(a, b, relative, {.limit = margin});
  return !d.beyond;
}

}  // namespace graze

#if GRAZE_SANITIZED
#include "query/solvers.h"
#endif
