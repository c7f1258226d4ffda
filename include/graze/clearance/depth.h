// How deep a scan point intrudes, in the directions in which somebody would have to cut it back.
#pragma once

#include "graze/clearance/clearance.h"

namespace graze::clearance {

/// Clearances in the cross-section of the model's frame: y is horizontal, z vertical.
///
/// From the point, look outwards (away from the model's travel axis x, the sign of the point's y or z decides): the
/// value is minus the largest distance s at which the point, moved outwards by s, still touches the model. So it is
///   negative   the point has to move by this much,
///   positive   the model's outermost part in this direction ends so far before the point,
///   +inf       the line through the point in this direction does not meet the model.
/// The hollow of an open wagon counts as wagon here, unlike in the signed clearance.
struct DirectionalClearance {
  double horizontal = kInfinity, vertical = kInfinity;  ///< metres
};

/// Of a point of the world from a rigid model (a frame of a deforming one) that stands at `pose`, grown by `margin`
/// metres on all sides; clouds of radius 0 need one, or lines slip between their points. Found by marching from
/// outside, to 1e-6 m where the surface is not met at a grazing angle. A point that is not finite: −inf in both
/// directions.
DirectionalClearance directional_clearance(const Model& model, const Pose& pose, const Vec3& point, double margin = 0);

/// Options of exit_depth().
struct ExitDepthOptions {
  double margin = 0;         ///< metres; the swept volume is grown by it; not above the limit of the engine
  int directions = 32;       ///< equally spaced in the cross-section at the pose of minimum clearance, y first
  double resolution = 1e-3;  ///< metres; intervals closer than this to each other along a direction are one
  double farthest = 10;      ///< metres; the search ends there
};

/// The shortest translation out of the swept volume.
struct ExitDepth {
  double depth = 0;               ///< metres the point has to move to be out of the swept volume; 0 if it is out
  Vec3 direction = Vec3::Zero();  ///< unit, world: where to; zero if it is out
  /// No direction at all gets out sooner than this, since the clearance cannot grow faster than the point moves.
  double at_least = 0;
  bool found = true;  ///< false if no direction was out within `farthest`; the depth is then +inf
};

/// How far a scan point has to move within the cross-section to be clear of the whole motion, not only of the model at
/// one pose. Of the directions tried the one with the shortest translation; ties to the first.
ExitDepth exit_depth(const SweptClearance& swept, const Vec3& point, const ExitDepthOptions& options = {});
/// Of several models that move together: out of what all of them sweep. Throws Error without any.
ExitDepth exit_depth(std::span<const SweptClearance> together, const Vec3& point, const ExitDepthOptions& options = {});

}  // namespace graze::clearance
