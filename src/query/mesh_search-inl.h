// What walks through the tree of one mesh share, whatever is asked about. Included once per instruction set.
#if defined(GRAZE_QUERY_MESH_SEARCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_QUERY_MESH_SEARCH_INL_H_
#undef GRAZE_QUERY_MESH_SEARCH_INL_H_
#else
#define GRAZE_QUERY_MESH_SEARCH_INL_H_
#endif

#include "graze/index/near_first.h"
#include "query/mesh_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

/// For `near_first`, but for open() and leaf().
class MeshSearch {
 public:
  using Place = std::uint32_t;  // a node or, with kLeafBit, a leaf
  using Bound = float;          // squared
  using Open = NearStack<Place, float, bvh::kMaxDepth>;

  bool is_leaf(Place place) const { return (place & kLeafBit) != 0; }
  Place child(Place place, std::size_t k) const { return mesh_.wide[place].child[k]; }
  bool beyond(float bound_sq) const { return bound_sq > limit_sq_; }

 protected:
  /// Bounds are wrong by up to `slack`, and limits are of something that is nearer by this.
  MeshSearch(const Data& mesh, double slack, double limit) : mesh_(mesh), slack_(slack) { lower(limit); }

  GRAZE_LANE_FUNCTION void lower(double limit) { limit_sq_ = square_above(limit, slack_); }
  const Block& block(Place leaf) const { return mesh_.blocks[leaf & ~kLeafBit]; }
  const Wide& node(Place place) const { return mesh_.wide[place]; }

  /// Triangles of the block by their bounds, nearest first; visit(triangle) gives the new limit.
  template <class Visit>
  void visit_nearest_first(const Block& block_of_leaf, const Lanes& bound, Visit& visit) {
    const unsigned near = not_above(bound, all(limit_sq_)) & filled(block_of_leaf);
    if (near == 0) return;
    alignas(64) float each_bound[kWidth];
    store(bound, each_bound);
    std::size_t order[kWidth];
    std::size_t left = sorted_children(near, each_bound, [&](std::size_t at, std::size_t k) { order[at] = k; });
    while (left-- > 0 && !beyond(each_bound[order[left]])) lower(visit(block_of_leaf.triangle[order[left]]));
  }

  float limit_sq_ = 0;

 private:
  const Data& mesh_;
  double slack_;
};

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
