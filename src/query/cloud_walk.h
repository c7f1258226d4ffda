// Walks through the tree of a cloud in SIMD lanes of doubles: which points may be within a limit of a convex body, near
// ones first. What the lanes rule out is ruled out for certain; the rest is for the caller to measure.
#pragma once

#include <cstddef>
#include <span>

#include "graze/geometry/cloud.h"
#include "graze/index/point_grid.h"
#include "graze/shape/convex.h"
#include "index/kd_tree_near.h"
#include "query/relative.h"

namespace graze::cloud_walk {

/// What the walk wants to know of a body, in the frame of that.
struct Outline {
  Aabb box;           // around its core
  double disc = 0;    // not 0: the core lies within a cylinder of this radius about the box's z, too
  double radius = 0;  // of a ball around every point of the core
  std::span<const Convex::Face> sides{};  // that bound the core
  Vec3 inner_center = Vec3::Zero();       // of a ball inside the body
  double inner = -kInfinity;              // its radius; −∞: there is none
  bool swept = false;                     // the ball may move along the longest side as far as the box goes
};

/// The same in the frame of the cloud: its box, and a slack that bounds what all of the arithmetic is wrong by, in
/// metres.
struct Body : kd_tree::NearBox {
  bool is_point;  // the core is
  const Outline& outline;
  Vec3 inner_center;

  /// `relative` maps the cloud's frame to the body's.
  Body(const Outline& outline, const Cloud& cloud, const Relative& relative);
};

/// What becomes of points that may be within the limit: called with the place of one in the tree (see CloudTree) or, if
/// `block` is not null, with the place of the first of a leaf and a bit for each of the leaf that is meant; gives the
/// new limit. −∞ ends the walk.
struct Visitor {
  void* self;
  double (*point)(void* self, std::size_t place) = nullptr;
  double (*block)(void* self, std::size_t first, unsigned near) = nullptr;
};

/// `limit`: of the signed distance (m) of body and points, those being balls of the cloud's radius. In the same order
/// on every machine.
void visit(const Cloud& cloud, const Body& body, double limit, const Visitor& visitor);

/// What the cloud's grid says of a body from balls inside and around it: free if all points are farther than the limit,
/// a hit if one is surely no farther.
PointGrid::Verdict verdict(const Cloud& cloud, const Body& body, double limit);
/// The signed distance of body and cloud is at most this; infinite if the grid cannot decide.
double distance_at_most(const Cloud& cloud, const Body& body);

}  // namespace graze::cloud_walk
