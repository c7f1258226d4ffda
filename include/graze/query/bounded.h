// Do two meshes touch, and how far apart are they: through trees of the caller's choice.
#pragma once

#include "graze/geometry/bounded_mesh.h"
#include "graze/query/distance.h"

namespace graze {

/// The same answer as collide() of two Mesh shells, found through the bounds of these. `margin` in metres, as there;
/// where it is negative, fewer depths are left undecided here (see distance). Never throws or allocates; both orders
/// give the same answer.
///
///     const BoundedMesh<Obb> a(…), b(…);
///     if (collide(a, pose_a, b, pose_b, 0.01)) …
template <class Bound>
bool collide(const BoundedMesh<Bound>& a, const Pose& pose_a, const BoundedMesh<Bound>& b, const Pose& pose_b,
             double margin = 0);

/// The same for distance(); `limit` in metres, as there. The tolerance of an overlap is O(n) work, and tighter than
/// that of Mesh.
template <class Bound>
Distance distance(const BoundedMesh<Bound>& a, const Pose& pose_a, const BoundedMesh<Bound>& b, const Pose& pose_b,
                  double limit = kInfinity);

}  // namespace graze
