// Everything a user can place in space, behind one closed variant.
#pragma once

#include <utility>
#include <variant>

#include "graze/base/pose.h"
#include "graze/shape/shape.h"

namespace graze {

/// A closed set: a verb that lacks a kernel for a pair of these does not compile. Heavy kinds share immutable data, so
/// that copies are cheap. The order is the canonical order of pairs.
using Geometry = Shape;

/// A geometry somewhere in the world.
struct Placed {
  Geometry geometry;
  Pose pose;
};

/// Places `geometry` at `pose`:   collide(at(Sphere{.radius = 1}), at(wall, pose))
inline Placed at(Geometry geometry, const Pose& pose = {}) { return {std::move(geometry), pose}; }

}  // namespace graze
