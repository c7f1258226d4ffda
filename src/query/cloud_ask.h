// Questions about a cloud and a body whose core is a segment or a box: the nearest points answer them. Spheres have a
// shorter path: cloud_sphere.h.
#pragma once

#include <concepts>

#include "graze/geometry/cloud.h"
#include "graze/shape/shape.h"
#include "query/cloud_sphere.h"
#include "query/parts.h"
#include "query/relative.h"

namespace graze {

/// Bodies of which the nearest points of a cloud are found in float32.
template <class A>
concept NearCore = std::same_as<A, Capsule> || std::same_as<A, Box>;

/// Whether any point is within the margin (m, not negative).
template <NearCore A>
bool cloud_collides(const A& a, const Cloud& b, const Relative& relative, double margin);

/// What parts_distance() answers of a body and a cloud that are apart, or of which the depth is not asked for. False if
/// that is not so, or not known.
template <NearCore A>
bool cloud_distance(const A& a, const Cloud& b, const Relative& relative, const PairQuestion& question,
                    PartsDistance& r);
/// What distance() answers of those for up to kBodiesAtATime poses of the body: a bit for each answer that was given.
template <NearCore A>
std::uint32_t cloud_distance_each(const A& a, std::span<const Pose> poses, const PlacedCloud& b,
                                  const PairQuestion& question, const AskedAs& asked, std::span<Distance> distances);

}  // namespace graze
