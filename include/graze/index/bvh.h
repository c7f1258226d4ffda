// Boxes in a tree that stays fast when they move: the index of meshes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "graze/base/aabb.h"
#include "graze/base/visitor.h"

namespace graze {

namespace detail {
struct Access;
}
namespace bvh {
struct Tree;
}

/// Options of a Bvh.
struct BvhOptions {
  int threads = 0;  ///< that build; 0: as many as the machine has. The tree does not depend on it.
};

/// A bounding volume hierarchy over boxes: nodes of eight boxes side by side, which SIMD lanes test together, and
/// leaves of up to eight primitives. Built from the top by the surface area heuristic; below a fixed number of levels
/// by count, so that no input makes it deep. Bounds are float32 about one origin, rounded outwards: by less than 1e-6
/// of the largest extent.
///
/// Build O(n log n), about 150 ns per box on one core; refit O(n), about 10 ns per box. Memory about 15 bytes per box.
/// Primitives are the caller's indices.
///
///     Bvh tree(boxes);
///     tree.visit_overlapping(box, [&](std::size_t i) { … });   // every i whose box overlaps, perhaps a few more
///     tree.refit(moved);                                       // the same boxes elsewhere
///     if (tree.cost_ratio() > 2) tree = Bvh(moved);                 // searches cost twice what they did
class Bvh {
 public:
  /// Nothing.
  Bvh();
  /// Throws Error, naming the index, for a box that is empty or not finite, for coordinates beyond 1e30 and for 2^31
  /// boxes and more.
  explicit Bvh(std::span<const Aabb> boxes, const BvhOptions& options = {});
  Bvh(Bvh&&) noexcept;
  Bvh& operator=(Bvh&&) noexcept;
  ~Bvh();

  /// Moves the boxes in place: the division stays, the bounds follow. Throws Error, and changes nothing, unless there
  /// are as many boxes as before and all are as the constructor wants them.
  void refit(std::span<const Aabb> boxes);
  /// The same for moving boxes: box i goes from from[i] to to[i], its sides straight (or is that of something
  /// whose points do). Searches then find what overlaps at any time of the move; the next refit or build ends that.
  /// Throws as refit does.
  void refit_over_move(std::span<const Aabb> from, std::span<const Aabb> to);

  std::size_t size() const;
  /// Around everything, rounded outwards; empty without boxes.
  Aabb bounds() const;

  /// How many boxes a search is expected to test: the sum of the areas of all boxes over that of the root.
  double cost() const;
  /// The cost now over the cost when it was built: 1 at first; refits let it grow as the division fits less and less.
  double cost_ratio() const;

  /// Calls visit(i) for every box that overlaps `box` or touches it, and perhaps for some that miss it by no more than
  /// the rounding of the bounds (their node does overlap). If it returns a bool, false ends the search. Const,
  /// reentrant, no allocation. A box that is not a number overlaps everything.
  template <class Visit>
  void visit_overlapping(const Aabb& box, Visit&& body) const {
    visit_erased(box, detail::erased(body), &detail::call_visitor<std::remove_reference_t<Visit>, std::size_t>);
  }

  /// Bytes on the heap.
  std::size_t memory_bytes() const;
  /// Checks every invariant against the boxes it was built or refitted with, O(n): empty if all hold, else what does
  /// not.
  std::string validate(std::span<const Aabb> boxes) const;

 private:
  friend struct detail::Access;
  void visit_erased(const Aabb& box, void* body, bool (*call)(void*, std::size_t)) const;

  std::unique_ptr<bvh::Tree> tree_;
};

}  // namespace graze
