// Which of many boxes overlap: broad phases behind one interface, in the plane and in space.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "graze/base/aabb2.h"
#include "graze/base/visitor.h"

namespace graze {

namespace broad {
template <int N>
struct Body;
}

/// The structures; docs/broad-phases.md says which is best when. All give the same answers.
enum class BroadPhaseKind : std::uint8_t {
  automatic,        ///< chosen by number, sizes and use whenever it is built; see BroadPhase::kind()
  list,             ///< every box is looked at, sixteen at a time
  scalar_list,      ///< every box is looked at, one at a time in double: the oracle of all others
  sweep_and_prune,  ///< sorted ends of the boxes on every axis; overlapping pairs are kept while boxes move
  spatial_hash,     ///< cells of one size, hashed
  row_grid,         ///< cells by size of box, rows of cells side by side in memory; changes are pending until update()
  aabb_tree,        ///< a balanced tree, divided by area (volume in space) × count, changed in place
  morton_tree,      ///< a tree in the order of a space-filling curve, changed in place
  extent_masks,     ///< sets of boxes as bit masks along every axis, changed in place
};

/// The name of a kind, such as "row_grid".
const char* name_of(BroadPhaseKind kind);

/// What BroadPhaseKind::automatic is chosen for.
enum class BroadPhaseUse : std::uint8_t {
  queries,  ///< boxes, points and rays against the set, which changes a little at a time
  pairs,    ///< all overlapping pairs of boxes that all move, every step
};

/// Options of a BroadPhase.
struct BroadPhaseOptions {
  BroadPhaseKind kind = BroadPhaseKind::automatic;  ///< the structure
  BroadPhaseUse use = BroadPhaseUse::queries;       ///< for kind automatic
};

/// Names a box of a BroadPhase.
using BoxId = std::uint32_t;
/// No box.
inline constexpr BoxId kNoBox = std::numeric_limits<BoxId>::max();

/// Two boxes that overlap: of one set the lower id first, of two sets that of the first set first.
struct BoxPair {
  BoxId a = kNoBox;  ///< the first
  BoxId b = kNoBox;  ///< the second
  auto operator<=>(const BoxPair&) const = default;
};

/// The box nearest to something; kNoBox and infinity if none is within the limit.
struct NearestBox {
  BoxId id = kNoBox;            ///< of equally near ones the lowest
  double distance = kInfinity;  ///< 0 where they overlap or touch
};

/// The nearest boxes of two sets.
struct NearestBoxes {
  BoxPair pair;                 ///< of equally near ones the first in order
  double distance = kInfinity;  ///< 0 where they overlap or touch
};

/// The first box on a path; kNoBox and infinity if there is none.
struct BoxHit {
  BoxId id = kNoBox;        ///< of several at the same time the lowest
  double time = kInfinity;  ///< of the first contact, in multiples of the direction; never later than the truth
};

/// A changing set of boxes in the plane (N = 2) or in space (N = 3) and the questions of a broad phase about it. Boxes
/// are closed: touching counts. They may be unbounded (half-spaces, planes) or empty; an empty box has an id and
/// overlaps nothing. Answers are exact on the caller's doubles and do not depend on the kind of structure, on the
/// instruction set, nor on how the set came about.
///
/// Ids are given out from 0 upwards; the id that was removed last is the first to be used again. Queries are const,
/// reentrant and do not allocate. A query that is not a number overlaps everything.
///
/// A change that throws leaves all boxes and answers as they were, also std::bad_alloc where memory runs out: boxes may
/// then be looked at one by one until the next change. Only assign() may leave its new boxes: see size() and box().
///
/// Kinds whose changes are pending look at each changed box one by one until update(). Unbounded boxes and those beyond
/// 1e30 m are always looked at one by one.
///
///     BroadPhase<3> scene(boxes);
///     scene.move(7, box);
///     scene.visit_overlapping(query, [&](BoxId id) { … });      // false, if it returns a bool, ends the search
///     scene.visit_pairs([&](BoxPair pair) { … });
///     NearestBox near = scene.nearest(query, 0.5);
///     BoxHit hit = scene.raycast(from, direction);
template <int N>
class BroadPhase {
 public:
  /// A box of N coordinates.
  using Box = AabbOf<N>;
  /// A point or direction of as many.
  using Vec = VecOf<N>;

  /// No boxes.
  explicit BroadPhase(const BroadPhaseOptions& options = {});
  /// As after assign(boxes).
  explicit BroadPhase(std::span<const Box> boxes, const BroadPhaseOptions& options = {});
  BroadPhase(BroadPhase&&) noexcept;
  BroadPhase& operator=(BroadPhase&&) noexcept;
  ~BroadPhase();

  /// Replaces everything: box i gets the id i. The fastest route where all boxes move at once. Throws Error, and
  /// changes nothing, for a box with a coordinate that is not a number or that lies wholly at infinity.
  void assign(std::span<const Box> boxes);
  /// Adds a box. Throws as assign does.
  BoxId add(const Box& box);
  /// Moves or resizes a box. Throws as assign does, and for an id that is not in use.
  void move(BoxId id, const Box& box);
  /// Removes a box. Throws Error for an id that is not in use.
  void remove(BoxId id);
  /// Takes pending changes into the structure; without any it does nothing. O(n) where there are some.
  void update();

  /// How many boxes there are, empty ones included.
  std::size_t size() const;
  /// Whether the id is in use.
  bool contains(BoxId id) const;
  /// The box of an id that is in use.
  const Box& box(BoxId id) const;
  /// One more than the largest id ever given out.
  std::size_t id_limit() const;
  /// How many boxes are looked at one by one: unbounded ones, and those that wait for update().
  std::size_t loose() const;
  /// The structure in use; never automatic.
  BroadPhaseKind kind() const;

  /// Calls visit(BoxId) for every box that overlaps `box`, each once, in no particular order.
  template <class Visit>
  void visit_overlapping(const Box& box, Visit&& visit) const {
    visit_erased(box, detail::erased(visit), &detail::call_visitor<std::remove_reference_t<Visit>, BoxId>);
  }
  /// How many overlap `box`. The first of them go to the buffer; if all fit, they are sorted.
  std::size_t overlapping(const Box& box, std::span<BoxId> into) const;
  /// Whether any box overlaps `box`.
  bool overlaps(const Box& box) const;
  /// Calls visit(std::size_t query, BoxId) for every box that overlaps a query, query by query: the same as one at a
  /// time, and faster where the set is small.
  template <class Visit>
  void visit_overlapping_each(std::span<const Box> queries, Visit&& visit) const {
    visit_each_erased(queries, detail::erased(visit),
                      &detail::call_visitor<std::remove_reference_t<Visit>, std::size_t, BoxId>);
  }

  /// Calls visit(BoxPair) for every overlapping pair, each once, in no particular order.
  template <class Visit>
  void visit_pairs(Visit&& visit) const {
    visit_pairs_erased(detail::erased(visit), &call_each_pair<std::remove_reference_t<Visit>>);
  }
  /// How many pairs overlap. The first of them go to the buffer; if all fit, they are sorted.
  std::size_t pairs(std::span<BoxPair> into) const;
  /// Whether any pair overlaps.
  bool any_pair() const;

  /// The same for pairs of a box of this set and one of another.
  template <class Visit>
  void visit_pairs_with(const BroadPhase& other, Visit&& visit) const {
    visit_pairs_with_erased(other, detail::erased(visit), &call_each_pair<std::remove_reference_t<Visit>>);
  }
  /// The same for pairs of two sets as pairs() is for one.
  std::size_t pairs_with(const BroadPhase& other, std::span<BoxPair> into) const;
  /// Whether any box of this set overlaps one of the other.
  bool any_pair_with(const BroadPhase& other) const;

  /// The box nearest to `box`, no farther than `limit` metres.
  NearestBox nearest(const Box& box, double limit = kInfinity) const;
  /// The box nearest to a point.
  NearestBox nearest(const Vec& point, double limit = kInfinity) const { return nearest(Box{point, point}, limit); }
  /// The nearest two boxes of two sets, no farther apart than `limit` metres.
  NearestBoxes nearest(const BroadPhase& other, double limit = kInfinity) const;

  /// Calls visit(BoxHit) for every box that `box` overlaps along its path: moved by t · direction, 0 ≤ t ≤ `limit`.
  /// Each once, in no particular order. Perhaps also for some that it misses by the rounding of its coordinates.
  template <class Visit>
  void visit_swept(const Box& box, const Vec& direction, double limit, Visit&& visit) const {
    visit_swept_erased(box, direction, limit, detail::erased(visit),
                       &detail::call_visitor<std::remove_reference_t<Visit>, BoxHit>);
  }
  /// The first box that `box` overlaps while it moves by `move`.
  BoxHit sweep(const Box& box, const Vec& move) const;
  /// The first box on a ray.
  BoxHit raycast(const Vec& from, const Vec& direction, double limit = kInfinity) const;

  /// Bytes on the heap.
  std::size_t memory_bytes() const;
  /// Checks every invariant of the structure, O(n log n): empty if all hold, else what does not.
  std::string validate() const;

 protected:
  using CallPairs = bool (*)(void*, const BoxPair*, std::size_t);
  std::unique_ptr<broad::Body<N>> body_;

 private:
  template <class Visit>
  static bool call_each_pair(void* where, const BoxPair* pairs, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!detail::call_visitor<Visit, BoxPair>(where, pairs[i])) return false;
    }
    return true;
  }
  void visit_erased(const Box& box, void* body, bool (*call)(void*, BoxId)) const;
  void visit_each_erased(std::span<const Box> queries, void* body, bool (*call)(void*, std::size_t, BoxId)) const;
  void visit_pairs_erased(void* body, CallPairs call) const;
  void visit_pairs_with_erased(const BroadPhase& other, void* body, CallPairs call) const;
  void visit_swept_erased(const Box& box, const Vec& direction, double limit, void* body,
                          bool (*call)(void*, BoxHit)) const;
};

extern template class BroadPhase<2>;
extern template class BroadPhase<3>;

}  // namespace graze
