// The hull of a mesh, and spheres, boxes and capsules around points, meshes and clouds.
#pragma once

#include <span>

#include "graze/base/pose.h"
#include "graze/geometry/cloud.h"
#include "graze/geometry/mesh.h"
#include "graze/shape/box.h"
#include "graze/shape/capsule.h"
#include "graze/shape/convex.h"
#include "graze/shape/sphere.h"

namespace graze {

// Every point of the input lies inside or on the shape at its pose: exactly, for the caller's doubles and the doubles
// of the result, whether the pose is undone by the inverse or the transpose of its matrix. That holds a million metres
// from the origin, for tiny and huge bodies, and for points that coincide or lie on a line or in a plane. Shapes that
// need positive sizes have 1e-50 m where the points have no extent.
//
// Of a mesh only the vertices count that triangles name. Of a cloud the balls of its radius about its points are
// inside; skipped points do not count. The same points in the same order give the same result.
//
// All throw Error if there are no points, or if one is not finite or has a coordinate beyond 1e49 (naming its index).
//
//     const BoundingCapsule link = bounding_capsule(mesh);
//     collide(at(link.capsule, pose * link.pose), at(cloud));   // free of the capsule: free of the mesh

/// A sphere around the input, at its pose.
struct BoundingSphere {
  Sphere sphere;  ///< its radius
  Pose pose;      ///< a translation
  /// The radius exceeds that of the smallest ball around the input by no more than this part of it; proven from the
  /// points that hold the ball. At most 1e-12, and more only by what rounding the centre to doubles costs: half a unit
  /// in the last place of its coordinates over the radius. 0 for a single point.
  double excess;
};

/// A box around the input, at its pose.
struct BoundingBox {
  Box box;    ///< its half extents
  Pose pose;  ///< center and axes
  /// Volume over a lower bound of that of the convex hull. No box can be smaller than the hull, so this is no less than
  /// the volume over that of the smallest box, and may be far more: a ball has 6/π in its best box. Infinite if the
  /// input is flat: without volume, or thinner than rounding.
  double volume_over_hull;
};

/// A capsule around the input, at its pose.
struct BoundingCapsule {
  Capsule capsule;          ///< its radius and half length
  Pose pose;                ///< the core segment lies along its z axis
  double volume_over_hull;  ///< as for the box
};

/// The smallest ball: exact but for rounding (see `excess`). O(n) for each of a few rounds: about 1 ms for 1e5 points.
BoundingSphere bounding_sphere(std::span<const Vec3> points);
BoundingSphere bounding_sphere(const Mesh& mesh);
BoundingSphere bounding_sphere(const Cloud& cloud);

/// A small box in any direction: the best of the box along the axes of the frame, along the principal axes, of the
/// smallest ones flush with a face of the hull, and of the smallest ones across two of its longest edges, the best of
/// them improved by turning them about their own axes until that gains nothing. Not proven to be the smallest. With
/// more than 512 points the directions come from 512 extreme ones, the extents from all. O(512 n), and for m corners of
/// the hull O(m² log m): below a millisecond for ten, tens of milliseconds for a hundred, up to a second for 1e5
/// points.
BoundingBox bounding_box(std::span<const Vec3> points);
BoundingBox bounding_box(const Mesh& mesh);
BoundingBox bounding_box(const Cloud& cloud);

/// A capsule of small volume: the direction is found by local search from the principal axes, the axes of the frame and
/// the farthest pair; for a direction the axis runs through the smallest circle around the points seen along it, and
/// the radius trades against the length for the smallest volume. A ball (half_length 1e-50 m) where that is smaller.
/// Not proven to be the smallest. Costs about what the box does.
BoundingCapsule bounding_capsule(std::span<const Vec3> points);
BoundingCapsule bounding_capsule(const Mesh& mesh);
BoundingCapsule bounding_capsule(const Cloud& cloud);

/// The convex hull of the vertices that triangles name, with all that Convex::hull_of (which takes points) says: if
/// they lie in a plane, on a line or in one point, the hull is flat, without faces and volume, and keeps every distinct
/// one. Throws Error if the mesh has no triangles.
Convex hull_of(const Mesh& mesh);

}  // namespace graze
