#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_box.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

#include "graze/index/near_first.h"
#include "query/mesh_lanes-inl.h"
#include "query/mesh_walk.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

class BoxWalk {
 public:
  BoxWalk(const MeshAndBox& pair, double limit, double radius, const Visitor& visitor)
      : pair_(pair), visitor_(visitor), radius_(radius), box_(pair.half, pair.box_to_mesh) {
    lower(limit);
  }

  void run() {
    NearStack<Place, float, bvh::kMaxDepth> open({0, 0});
    near_first(*this, open);
  }

  using Place = std::uint32_t;  // a node or, with kLeafBit, a leaf
  using Bound = float;          // squared
  bool is_leaf(Place place) const { return (place & kLeafBit) != 0; }
  Place child(Place place, std::size_t k) const { return pair_.mesh.wide[place].child[k]; }
  bool beyond(float bound_sq) const { return bound_sq > limit_sq_; }

  void open(Place place, Children<float>& children) const {
    Lanes bounds, between;
    children.near = near_children(pair_.mesh.wide[place], box_, limit_sq_, bounds, between);
    if (children.near != 0) store(bounds, children.bound);
  }

  void leaf(Place place) {
    const Block& block = pair_.mesh.blocks[place & ~kLeafBit];
    const Triangles t = triangles_of(block);
    const Lanes zero = all(0);
    const Lanes3 center = all3(box_.center);
    // Along the normals, then along the box's axes.
    Lanes reach = zero, there = zero;
    for (int k = 0; k < 3; ++k) {
      const Lanes3 axis = all3(box_.axis[k]);
      const Lanes half = all(box_.half[k]);
      reach = reach + abs(dot(t.normal, axis)) * half;
      const Lanes p = dot(axis, t.at[0] - center), q = dot(axis, t.at[1] - center), r = dot(axis, t.at[2] - center);
      const Lanes gap = max(max(min(min(p, q), r), zero - max(max(p, q), r)) - half, zero);
      there = there + gap * gap;
    }
    const Lanes at = dot(t.normal, center);
    const Lanes apart = max(max(at - reach - t.most, t.least - at - reach), zero);
    const Lanes bound = max(there, apart * apart);
    const unsigned near = not_above(bound, all(limit_sq_)) & filled(block);
    alignas(64) float each_bound[kWidth];
    store(bound, each_bound);
    std::size_t order[kWidth];
    std::size_t left =
        sorted_children(near, each_bound, [&](std::size_t at_place, std::size_t k) { order[at_place] = k; });
    while (left-- > 0 && !beyond(each_bound[order[left]]))
      lower(visitor_.call(visitor_.self, block.triangle[order[left]]));
  }

 private:
  GRAZE_LANE_FUNCTION void lower(double limit) { limit_sq_ = square_above(limit, radius_ + pair_.slack); }

  const MeshAndBox& pair_;
  const Visitor& visitor_;
  double radius_;
  Turned box_;
  float limit_sq_ = 0;
};

void visit_box(const MeshAndBox& pair, double limit, double radius, const Visitor& visitor) {
  BoxWalk walk(pair, limit, radius, visitor);
  walk.run();
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_box);

void visit(const MeshAndBox& pair, double limit, double radius, const Visitor& visitor) {
  if (pair.half[0] == 0 && pair.half[1] == 0 && pair.half[2] == 0) {
    visit_about_point(MeshAndPoint(pair), limit, radius, visitor);
    return;
  }
  HWY_DYNAMIC_DISPATCH(visit_box)(pair, limit, radius, visitor);
}

}  // namespace graze::walk
#endif
