// Spheres and clouds, one by one and in batches: the shortest path from the verbs to the index. A sphere takes the axes
// of the cloud, as in CanonicalPair: only where it stands matters.
#pragma once

#include <cstdint>
#include <span>

#include "graze/geometry/cloud.h"
#include "graze/query/distance.h"
#include "graze/shape/sphere.h"
#include "query/distance_answer.h"
#include "query/pair_result.h"

namespace graze {

/// A cloud that spheres are held against, and where it stands.
struct PlacedCloud {
  const Cloud& cloud;
  const Pose& pose;
};

/// Whether any point is within the margin (m, not negative, what is uncertain included) of a sphere at `at`.
bool sphere_collides(const Sphere& a, const Vec3& at, const PlacedCloud& b, double margin);
/// The same for many positions.
void sphere_collides_each(const Sphere& a, std::span<const Pose> poses, const PlacedCloud& b, double margin,
                          std::span<bool> hits);

/// What distance() answers of a sphere at `at`, which comes first in canonical order, and a cloud that are apart, or of
/// which the depth is not asked for. False, and `d` is as it was, if that is not so, or not known.
bool sphere_distance(const Sphere& a, const Vec3& at, const PlacedCloud& b, const PairQuestion& question,
                     const AskedAs& asked, Distance& d);
/// As many as sphere_distance_each() and cloud_distance_each() take.
inline constexpr std::size_t kBodiesAtATime = 16;
/// The same for up to kBodiesAtATime positions: a bit for each answer that was given.
std::uint32_t sphere_distance_each(const Sphere& a, std::span<const Pose> poses, const PlacedCloud& b,
                                   const PairQuestion& question, const AskedAs& asked, std::span<Distance> distances);

}  // namespace graze
