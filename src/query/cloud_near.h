// The points of a cloud that may be nearest to a body: what index/kd_tree_near.h finds, for balls in the frame of a
// cloud and for the signed distances that the kernels measure.
#pragma once

#include "graze/geometry/cloud.h"
#include "index/kd_tree_near.h"
#include "query/cloud_slack.h"
#include "query/cloud_walk.h"

namespace graze::cloud_walk {

/// What is asked about signed distances (m) of a body and points, those being balls of the cloud's radius.
struct NearQuestion {
  double limit = kInfinity;    ///< what is farther does not matter
  double enough = -kInfinity;  ///< a point that is surely no farther than this goes to the visitor at once
};

/// A sphere in the frame of a cloud; the slack is that of a Body.
struct SphereInCloud {
  Vec3 center;
  double radius;
  double slack;

  SphereInCloud(double radius_of_sphere, const Cloud& cloud, const Relative& relative)
      : center(relative.to_b(Vec3::Zero())),
        radius(radius_of_sphere),
        slack(slack_of(cloud, relative, center, radius)) {}

  /// Points no farther from the centre than this are within the limit for certain …
  double inner(const Cloud& cloud, double limit) const { return radius + limit + cloud.radius() - slack; }
  /// … and those that are farther than this are not.
  double outer(const Cloud& cloud, double limit) const {
    return (radius + limit + cloud.radius() + slack) * (1 + 8 * kEpsilon);
  }
};

/// What the cloud's grid says of a sphere.
PointGrid::Verdict verdict(const Cloud& cloud, const SphereInCloud& sphere, double limit);

/// Calls the visitor for every point within the limit that the kernels may find to be the nearest, until one of the
/// calls gives false. In the same order on every machine. False, and nothing is called, if float32 cannot answer:
/// doubles, or numbers whose squares it does not hold.
bool visit_nearest(const Cloud& cloud, const SphereInCloud& sphere, const NearQuestion& question,
                   const kd_tree::NearVisitor& visitor);
/// The same for a body whose core is a box; a segment is a thin one.
bool visit_nearest(const Cloud& cloud, const Body& body, const NearQuestion& question,
                   const kd_tree::NearVisitor& visitor);

}  // namespace graze::cloud_walk
