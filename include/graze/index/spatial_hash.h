// A broad phase of hashed cells that takes the caller's memory to see each box once.
#pragma once

#include <algorithm>
#include <vector>

#include "graze/index/broad_phase.h"

namespace graze {

/// For queries of a SpatialHash: which boxes the current one has seen. One per thread; it may serve any number of
/// hashes and queries, one after the other.
class QueryStamps {
 public:
  /// Starts a query about ids below `limit`. Allocates where there were fewer before.
  void start(std::size_t limit) {
    if (limit > seen_.size()) seen_.resize(limit, 0);
    if (++now_ == 0) {
      std::fill(seen_.begin(), seen_.end(), 0);
      now_ = 1;
    }
  }
  /// Whether this query sees the box for the first time.
  bool first(BoxId id) { return seen_[id] != now_ && ((seen_[id] = now_), true); }

 private:
  std::vector<std::uint32_t> seen_;  // by id: the last query that saw it
  std::uint32_t now_ = 0;
};

/// A BroadPhase of kind spatial_hash. A box lies in every cell that it overlaps. The queries of BroadPhase report it
/// from the first cell that it shares with the query; those with stamps (motion planning thesis, 3.1.2) remember it.
///
///     SpatialHash<2> hash(boxes);
///     QueryStamps stamps;
///     hash.visit_overlapping(box, stamps, [&](BoxId id) { … });
template <int N>
class SpatialHash : public BroadPhase<N> {
 public:
  /// A box of N coordinates.
  using Box = AabbOf<N>;
  /// As after assign(boxes).
  explicit SpatialHash(std::span<const Box> boxes = {})
      : BroadPhase<N>(boxes, {.kind = BroadPhaseKind::spatial_hash}) {}

  /// As BroadPhase::visit_overlapping.
  using BroadPhase<N>::visit_overlapping;
  template <class Visit>
  void visit_overlapping(const Box& box, QueryStamps& stamps, Visit&& visit) const {
    visit_stamped(box, stamps, detail::erased(visit), &detail::call_visitor<std::remove_reference_t<Visit>, BoxId>);
  }

 private:
  void visit_stamped(const Box& box, QueryStamps& stamps, void* body, bool (*call)(void*, BoxId)) const;
};

extern template class SpatialHash<2>;
extern template class SpatialHash<3>;

}  // namespace graze
