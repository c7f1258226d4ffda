// Which triangles of moving meshes may meet: what continuous collision has to look at.
#pragma once

#include <type_traits>

#include "graze/base/pose.h"
#include "graze/base/visitor.h"
#include "graze/geometry/moving_mesh.h"

namespace graze {

namespace detail {
using NearPairCall = bool (*)(void*, std::size_t, std::size_t, const Interval&);
void visit_near_pairs(const MovingMesh& a, const Pose& pose_a, const MovingMesh& b, const Pose& pose_b, double margin,
                      void* body, NearPairCall call);
void visit_near_pairs(const MovingMesh& mesh, double margin, void* body, NearPairCall call);
}  // namespace detail

/// Calls visit(i, j, times) for every triangle i of a and j of b that are within `margin` (m, not negative) at the same
/// time of their moves, and for some that only come near: those whose boxes, along a's axes, are, at `times` at most.
/// The poses stay as they are during the move. Each pair once, in an order that depends on the input alone. If visit
/// returns a bool, false ends the search. No allocation, does not throw. A margin that is not a number finds all pairs.
///
///     visit_near_pairs(cloth, {}, body, pose, 0, [&](std::size_t i, std::size_t j, const Interval& times) { … });
template <class Visit>
void visit_near_pairs(const MovingMesh& a, const Pose& pose_a, const MovingMesh& b, const Pose& pose_b, double margin,
                      Visit&& body) {
  using Body = std::remove_reference_t<Visit>;
  detail::visit_near_pairs(a, pose_a, b, pose_b, margin, detail::erased(body),
                           &detail::call_visitor<Body, std::size_t, std::size_t, const Interval&>);
}

/// The same within one mesh, for i < j; neighbours, which always touch, included.
template <class Visit>
void visit_near_pairs(const MovingMesh& mesh, double margin, Visit&& body) {
  using Body = std::remove_reference_t<Visit>;
  detail::visit_near_pairs(mesh, margin, detail::erased(body),
                           &detail::call_visitor<Body, std::size_t, std::size_t, const Interval&>);
}

}  // namespace graze
