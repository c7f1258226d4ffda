// Questions about a cloud and a body whose core is a point, a segment or a box: the nearest points answer them.
#pragma once

#include <concepts>
#include <span>

#include "graze/geometry/cloud.h"
#include "graze/shape/shape.h"
#include "query/parts.h"
#include "query/relative.h"

namespace graze {

/// Bodies of which the nearest points of a cloud are found in float32.
template <class A>
concept NearCore = std::same_as<A, Sphere> || std::same_as<A, Capsule> || std::same_as<A, Box>;

/// Whether any point is within the margin (m, not negative).
template <NearCore A>
bool cloud_collides(const A& a, const Cloud& b, const Relative& relative, double margin);

/// The same for a sphere at many positions in front of a placed cloud, `margin` including what is uncertain.
void cloud_collides_each(const Sphere& a, std::span<const Pose> poses, const Cloud& b, const Pose& pose_of_b,
                         double margin, std::span<bool> hits);

/// What parts_distance() answers of a body and a cloud that are apart, or of which the depth is not asked for. False if
/// that is not so, or not known.
template <NearCore A>
bool cloud_distance(const A& a, const Cloud& b, const Relative& relative, const PairQuestion& question,
                    PartsDistance& r);

}  // namespace graze
