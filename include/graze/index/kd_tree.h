// Every volume × every kind of result over points: the k-d tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/parallel.h"
#include "graze/base/visitor.h"
#include "graze/index/points.h"
#include "graze/index/search_volume.h"

namespace graze {

namespace detail {
struct Access;
}
namespace kd_tree {
struct Gather;
template <class T>
struct Tree;
}  // namespace kd_tree

/// Options of a search.
struct PointSearchOptions {
  bool to_axis = false;  ///< distances are those from the axis of a line, ray, segment or cylinder
};

/// Options of a KdTree.
struct KdTreeOptions {
  int threads = 0;  ///< that build; 0: as many as the machine has. The tree does not depend on it.
};

class KdTree;

/// A search that waits to be told what is wanted of it. Const, reentrant, does not allocate and does not throw. Valid
/// as long as the tree (and the sides of a polytope) are.
class PointSearch {
 public:
  /// Is there any point in the volume? Stops at the first.
  bool any() const;
  /// How many are there?
  std::size_t count() const;
  /// The nearest of them; not found, and infinitely far, if there is none.
  Neighbor nearest() const;
  /// As many of the nearest as the buffer has room for, sorted; returns the part of the buffer that was filled.
  std::span<Neighbor> nearest(std::span<Neighbor> buffer) const;
  /// How many there are. The buffer gets all of them, sorted; where it is too small, the nearest that fit.
  std::size_t all(std::span<Neighbor> buffer) const;
  /// Calls visit(Neighbor) for all of them in no particular order. If it returns a bool, false ends the search.
  /// Returns whether all were visited.
  template <class Visit>
  bool visit(Visit&& body) const {
    return visit_erased(detail::erased(body), &detail::call_visitor<std::remove_reference_t<Visit>, const Neighbor&>);
  }

 private:
  friend class KdTree;
  PointSearch(const KdTree& tree, const SearchVolume& volume, bool to_axis)
      : tree_(&tree), volume_(volume), to_axis_(to_axis) {}
  bool visit_erased(void* body, bool (*call)(void*, const Neighbor&)) const;
  std::size_t count_up_to(std::size_t enough) const;
  void run(kd_tree::Gather& gather) const;

  const KdTree* tree_;
  SearchVolume volume_;
  bool to_axis_;
};

/// A k-d tree over points, after paper 001 section 3.4: all search volumes with all kinds of results.
///
/// Splits at the median of the widest axis, so its depth is that of a full tree whatever the points are: duplicates
/// cost nothing extra. Leaves hold 16 points side by side, inner nodes the exact bounds of 8 children; both are tested
/// in SIMD lanes. Results are those of a loop over the caller's floats or doubles: indices are the
/// caller's, points on the border are inside (see search_volume.h for the arithmetic), equal distances go to the lower
/// index, and nothing depends on threads or instruction set.
///
/// Build O(n log n); a search costs O(log n) and what it finds. Memory: about 18 bytes per point of floats, 31 of
/// doubles. Points with a NaN or an infinity are skipped and counted.
///
///     KdTree tree(PointView(floats));
///     Neighbor n = tree.search(region::Segment(p, q, 0.2)).nearest();                      // nearest to p
///     Neighbor m = tree.search(region::Segment(p, q, 0.2), {.to_axis = true}).nearest();   // nearest to the segment
///     std::array<Neighbor, 8> eight;
///     for (const Neighbor& x : tree.search(region::Ball(p, kFar)).nearest(eight)) …
class KdTree {
 public:
  /// No points.
  KdTree();
  /// Copies the points. All of these throw Error for a finite coordinate beyond 1e50 and for 2^32 - 1 points and more.
  explicit KdTree(const PointView& points, const KdTreeOptions& options = {});
  KdTree(KdTree&&) noexcept;
  KdTree& operator=(KdTree&&) noexcept;
  ~KdTree();

  /// Throws Error if distances from an axis are wanted of a volume that has none. What is found lies in the volume
  /// and, for the nearest ones, is ordered by distance.
  PointSearch search(const SearchVolume& volume, const PointSearchOptions& options = {}) const;

  /// Calls body(i, search) once for the search in each of the volumes, on several threads and in an order in which
  /// searches find in the cache what those before them have read: in a large tree up to twice as fast as a loop. What
  /// is found for volume i depends neither on the threads nor on the other volumes.
  ///
  ///     tree.search_each(std::span<const region::Ball>(balls),
  ///                      [&](std::size_t i, const PointSearch& s) { counts[i] = s.count(); });
  ///
  /// Allocates 16 bytes per volume, for the order. Throws like search() and passes on what the bodies throw.
  template <class Volume, class Body>
  void search_each(std::span<const Volume> volumes, Body&& body, const PointSearchOptions& options = {},
                   const ParallelOptions& parallel = {}) const {
    const std::vector<std::uint32_t> order = side_by_side(
        volumes.data(), volumes.size(),
        [](const void* all, std::size_t i) { return center_of(static_cast<const Volume*>(all)[i]); }, parallel);
    parallel_for(
        volumes.size(),
        [&](std::size_t at) {
          const std::size_t i = order.empty() ? at : order[at];
          body(i, search(volumes[i], options));
        },
        parallel);
  }

  /// Points in the tree, and points left out because a coordinate was NaN or infinite.
  std::size_t size() const;
  std::size_t skipped() const { return skipped_; }
  /// Exact; empty without points.
  Aabb bounds() const;
  /// Bytes on the heap.
  std::size_t memory_bytes() const;
  /// Checks every invariant, O(n): empty if all hold, else what does not.
  std::string validate() const;

 private:
  friend class PointSearch;
  friend struct detail::Access;
  // The numbers of the volumes in an order in which neighbours lie near each other; none where that does not pay.
  std::vector<std::uint32_t> side_by_side(const void* volumes, std::size_t count,
                                          Vec3 (*center)(const void*, std::size_t),
                                          const ParallelOptions& parallel) const;

  std::size_t skipped_ = 0;  // first: making the tree sets it
  // At most one of them; which one determines the type of the caller's coordinates.
  std::unique_ptr<kd_tree::Tree<float>> floats_;
  std::unique_ptr<kd_tree::Tree<double>> doubles_;
};

}  // namespace graze
