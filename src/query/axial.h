// Closed forms for which a body's axis is enough: the answers come in the world's axes, and nothing is turned into the
// frame of a body and back.
#pragma once

#include <concepts>

#include "query/pair.h"

namespace graze {

template <class S>
concept Axial = std::same_as<S, Capsule> || std::same_as<S, Cylinder> || std::same_as<S, Cone>;

/// Pairs in canonical order that are answered here.
template <class A, class B>
concept InWorldAxes = (std::same_as<A, Sphere> && Axial<B>) || (std::same_as<A, Capsule> && std::same_as<B, Capsule>);

GRAZE_INLINE Vec3 axis_of(const Pose& pose) {
  const Mat3& m = pose.rotation();
  return {m(0, 2), m(1, 2), m(2, 2)};
}

/// What of p lies across an axis, in squares. Below this part of all of it rounding counts, and the frame's own
/// coordinates, in which that is exact, have to do.
inline constexpr double kWellAcross = 0.01;

/// Signed distance of a body about an axis from the point p of the world's axes, relative to the body's centre, and the
/// direction in which it grows.
template <Axial S>
GRAZE_INLINE PointDistance distance_about_axis(const S& shape, const Pose& pose, const Vec3& p) {
  const Vec3 axis = axis_of(pose);
  const double axial = dot(axis, p);
  const Vec3 across = along(p, -axial, axis);
  const double across_sq = norm_sq(across);
  if (!(across_sq > kWellAcross * norm_sq(p))) {
    PointDistance d = point_distance(shape, turned_back(pose.rotation(), p));
    put(d.normal, turned(pose.rotation(), d.normal));
    return d;
  }
  if constexpr (std::same_as<S, Capsule>) {
    const Vec3 off = along(p, -clamped(axial, shape.half_length), axis);
    const double distance = std::sqrt(norm_sq(off));
    return {distance - shape.radius, times(1 / distance, off)};
  } else {
    const double radial = std::sqrt(across_sq);
    const PlanarDistance d = planar_distance(shape, radial, axial);
    return {d.value, along(times(d.radial / radial, across), d.axial, axis)};
  }
}

/// The answer about the sphere's centre.
template <Axial B>
GRAZE_INLINE PairDistance measure_in_world(const Sphere& a, const Pose& pose_a, const B& b, const Pose& pose_b,
                                           double limit) {
  const Vec3 p = minus(pose_a.translation(), pose_b.translation());
  const PointDistance d = distance_about_axis(b, pose_b, p);
  return sphere_answer(a, d, point_rounding(a.radius + reach_of(b), p), limit);
}

template <Axial B>
GRAZE_INLINE bool touch_in_world(const Sphere& a, const Pose& pose_a, const B& b, const Pose& pose_b, double margin) {
  const Vec3 p = minus(pose_a.translation(), pose_b.translation());
  const double reach = a.radius + margin + point_rounding(a.radius + reach_of(b), p);
  if constexpr (std::same_as<B, Capsule>) {
    const Vec3 axis = axis_of(pose_b);
    const Vec3 off = along(p, -clamped(dot(axis, p), b.half_length), axis);
    return within(norm_sq(off), b.radius + reach);
  } else {
    const Vec3 axis = axis_of(pose_b);
    const double axial = dot(axis, p);
    return !(planar_distance(b, std::sqrt(norm_sq(along(p, -axial, axis))), axial).value > reach);
  }
}

/// The same where only the frame of a shows what lies across its axis.
[[gnu::noinline]] inline PairDistance measure_crossing(const Capsule& a, const Pose& pose_a, const Capsule& b,
                                                       const Pose& pose_b, double limit) {
  PairDistance r = measure(a, b, Relative(pose_a, pose_b), {.limit = limit});
  put(r.normal, turned(pose_a.rotation(), r.normal));
  put(r.on_a, turned(pose_a.rotation(), r.on_a));
  return r;
}

/// The answer about the centre of a.
GRAZE_INLINE PairDistance measure_in_world(const Capsule& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b,
                                           double limit) {
  const Vec3 axis_a = axis_of(pose_a), axis_b = axis_of(pose_b);
  const Vec3 offset = minus(pose_b.translation(), pose_a.translation());
  const SegmentGap gap = segment_gap(axis_a, a.half_length, axis_b, b.half_length, offset);
  const double lengths = a.half_length + b.half_length + size_of(offset);
  // Axes that cross or coincide.
  if (!(norm_sq(gap.off) > kCrossing * lengths * lengths)) return measure_crossing(a, pose_a, b, pose_b, limit);
  return capsule_answer(a, b, axis_a, gap, lengths, limit);
}

GRAZE_INLINE bool touch_in_world(const Capsule& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b,
                                 double margin) {
  const Vec3 offset = minus(pose_b.translation(), pose_a.translation());
  const SegmentGap gap = segment_gap(axis_of(pose_a), a.half_length, axis_of(pose_b), b.half_length, offset);
  const double radii = a.radius + b.radius, lengths = a.half_length + b.half_length + size_of(offset);
  return within(norm_sq(gap.off), radii + margin + capsule_rounding(radii, lengths));
}

}  // namespace graze
