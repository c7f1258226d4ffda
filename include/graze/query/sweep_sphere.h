// When does a sphere on a straight path first touch something?
#pragma once

#include "graze/geometry/geometry.h"
#include "graze/query/distance.h"

namespace graze {

/// A sphere whose center goes straight from one point of the world to another.
class SphereMove {
 public:
  /// Throws Error for coordinates that are not finite or beyond 1e50, and for a radius that is negative or not finite.
  /// A radius of 0 is a point; a move without length is a check of the sphere where it stands.
  SphereMove(const Vec3& from, const Vec3& to, double radius);

  const Vec3& from() const { return from_; }            ///< where the center starts
  const Vec3& to() const { return to_; }                ///< where it ends
  double radius() const { return radius_; }             ///< metres
  double length() const { return length_; }             ///< metres
  const Vec3& direction() const { return direction_; }  ///< unit; of a move without length any
  /// The center after a fraction of the path, 0 … 1.
  Vec3 at(double fraction) const { return from_ + fraction * (to_ - from_); }

 private:
  Vec3 from_, to_, direction_;
  double radius_, length_;
};

/// The first contact on a move.
struct SphereHit {
  /// The fraction of the path that is free for certain, 0 … 1: never later than the truth. Infinite if all of it is
  /// free.
  double fraction = kInfinity;
  Vec3 center = Vec3::Zero();   ///< of the sphere then, world
  Vec3 normal = Vec3::UnitX();  ///< unit, world, from the body to the sphere's center
  Feature feature = 0;          ///< of the body
  /// The sphere touches the body there, up to rounding. False: the steps were used up before, and all that is known is
  /// that the path is free up to `fraction`.
  bool certain = true;

  /// Whether it touches anything. If not, that is proven for the whole path.
  bool found() const { return fraction < kInfinity; }
};

/// The first contact of the sphere with the body; of equally early ones that with the lowest feature. Margin (m, not
/// negative) counts as if the sphere were that much larger. A sphere that starts in contact, or inside a solid, hits at
/// 0. Convex bodies, triangles of meshes and balls of clouds are approached by planes: where the plane between the
/// nearest points is passed, and not before, the body can be touched, and a plane that is never passed ends the search.
/// So no step is too long, a sphere that grazes a face needs one step however near it is, and nothing tunnels, however
/// thin. Never throws or allocates (but see Cloud::prepare).
///
///     SphereHit hit = sweep_sphere(at(wall), SphereMove({0, 0, 1}, {5, 0, 1}, 0.1));
///     if (hit.found()) stop_at(hit.center);
SphereHit sweep_sphere(const Placed& body, const SphereMove& move, double margin = 0);

}  // namespace graze
