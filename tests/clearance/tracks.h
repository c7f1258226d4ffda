// Tracks whose geometry is known.
#pragma once

#include <cmath>

#include "graze/clearance/trajectory.h"
#include "support/generator.h"

namespace graze_test {

/// An origin as in national grids: far enough to lose digits.
inline const graze::Vec3 kFar(450'000, 4'500'000, 400);

/// A level curve to the left about center + (0, radius, 0), from its lowest point on, with a constant roll.
inline graze::clearance::Trajectory circle(double radius, double length, double step,
                                           const graze::Vec3& origin = {0, 0, 0}, double roll = 0) {
  graze::clearance::Trajectory track;
  const auto pieces = static_cast<int>(std::ceil(length / step));
  for (int i = 0; i <= pieces; ++i) {
    const double angle = length / radius * i / pieces;
    const graze::Vec3 p(radius * std::sin(angle), radius * (1 - std::cos(angle)), 0);
    track.poses.push_back(graze::Pose::from_rpy(origin + p, roll, 0, angle));
    track.times.push_back(0.1 * i);
  }
  return track;
}

/// A random path with random rotations.
inline graze::clearance::Trajectory wandering(Generator& random, int poses, const graze::Vec3& start = {0, 0, 0}) {
  graze::clearance::Trajectory track;
  graze::Vec3 p = start, direction(1, 0, 0);
  for (int i = 0; i < poses; ++i) {
    track.poses.push_back(random.pose(1).moved_to(p));
    direction = (direction + 0.3 * random.in_cube(1)).normalized();
    if (random.integer(0, 9) > 0) p += random.uniform(0.01, 1) * direction;  // sometimes it rests
  }
  return track;
}

/// Distance of a point from the straight line between two others, by an independent formula: Heron's area over the
/// base.
inline double segment_distance(const graze::Vec3& p, const graze::Vec3& a, const graze::Vec3& b) {
  const graze::Vec3 along = b - a;
  if (along.norm() == 0 || along.dot(p - a) <= 0) return (p - a).norm();
  if (along.dot(p - b) >= 0) return (p - b).norm();
  return along.cross(p - a).norm() / along.norm();
}

inline double line_distance(const graze::Vec3& p, const graze::clearance::Trajectory& track) {
  double nearest = (p - track.poses[0].translation()).norm();
  for (std::size_t i = 1; i < track.size(); ++i) {
    nearest = std::min(nearest, segment_distance(p, track.poses[i - 1].translation(), track.poses[i].translation()));
  }
  return nearest;
}

}  // namespace graze_test
