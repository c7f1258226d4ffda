// A mesh that moves from one shape to the next.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graze/base/interval.h"
#include "graze/base/threads.h"
#include "graze/base/visitor.h"
#include "graze/geometry/mesh.h"

namespace graze {

namespace mesh {
struct Sweep;
}

/// The times in [0, 1] at which two boxes are not farther than `margin` (m) apart along any axis, while a goes from a0
/// to a1 and b from b0 to b1, all sides at constant speed. Rounded outwards; empty if there are none. Everything that
/// goes straight from a point in a0 to a point in a1 is in that box all the time. What is not a number is near always.
Interval meeting_times(const Aabb& a0, const Aabb& a1, const Aabb& b0, const Aabb& b1, double margin = 0);

/// A mesh whose vertices each go straight from one position to another over t in [0, 1], with bounds over the whole
/// move: what continuous collision searches. It is a type of its own, so that bounds over a move are never taken for
/// those of a mesh that stands (which still answers, as from()), nor asked before they hold: the states of FCL's Figure
/// 3, none of which can be left half done.
///
///     MovingMesh cloth(mesh, next_vertices);
///     cloth.visit_near(box, [&](std::size_t i, const Interval& times) { … });   // triangles that may meet the box
///     cloth.advance(vertices_after_that);                                       // from where the move ended
///
/// Other triangles make another mesh. Copies share their data, and moving is copying. Memory: about 100 bytes per
/// triangle beside the mesh's.
class MovingMesh {
 public:
  /// Stands still.
  explicit MovingMesh(const Mesh& mesh);
  /// Throws Error unless there are as many vertices as the mesh has and all are finite and in range, and for a solid
  /// that would be open at the end (see DeformingMesh). O(n): the mesh's tree, with other bounds.
  MovingMesh(const Mesh& from, std::span<const Vec3> to, const ThreadOptions& options = {});
  MovingMesh(const MovingMesh&) = default;
  MovingMesh& operator=(const MovingMesh&) = default;
  ~MovingMesh() = default;

  /// The end becomes the beginning of a move to `next`. Throws as the constructor does, and changes nothing then.
  /// O(n). Where from().cost_ratio() has grown, `MovingMesh(rebuilt, next)` starts from a mesh that was built anew.
  void advance(std::span<const Vec3> next, const ThreadOptions& options = {});

  std::size_t size() const { return from_.size(); }  ///< triangles
  bool empty() const { return from_.empty(); }
  /// At time 0.
  const Mesh& from() const { return from_; }
  /// The vertices at time 1.
  std::span<const Vec3> to() const;
  /// A triangle at time t, which is clamped to [0, 1]; exact at both ends.
  Triangle triangle(std::size_t i, double t) const;
  /// All vertices at time t. Allocates.
  std::vector<Vec3> vertices(double t) const;
  /// Around everything at all times, rounded outwards; empty if there are no triangles.
  Aabb bounds() const;
  /// The box of triangle i at the start of the move, exact.
  Aabb first_bounds(std::size_t i) const;
  /// The box of triangle i at the end of the move, exact.
  Aabb last_bounds(std::size_t i) const;

  /// Calls visit(i, times) for every triangle that meets `box` at any time (touching counts), and for some that only
  /// come near: those whose own box meets it, at `times` at most. If it returns a bool, false ends the search. About
  /// O(log n + found), no allocation.
  template <class Visit>
  void visit_near(const Aabb& box, Visit&& body) const {
    visit_erased(box, detail::erased(body),
                 &detail::call_visitor<std::remove_reference_t<Visit>, std::size_t, const Interval&>);
  }

  /// Bytes on the heap, without those of the mesh.
  std::size_t memory_bytes() const;
  /// Checks every invariant, O(n): empty if all hold, else what does not.
  std::string validate() const;

 private:
  friend struct detail::Access;
  void visit_erased(const Aabb& box, void* body, bool (*call)(void*, std::size_t, const Interval&)) const;

  Mesh from_;
  std::shared_ptr<const mesh::Sweep> sweep_;
};

}  // namespace graze
