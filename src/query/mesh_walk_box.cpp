#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_box.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

#include "query/mesh_search-inl.h"
#include "query/mesh_walk.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

class BoxWalk : public MeshSearch {
 public:
  BoxWalk(const MeshAndBox& pair, double limit, double radius, const Visitor& visitor)
      : MeshSearch(pair.mesh, radius + pair.slack, limit), visitor_(visitor), box_(pair.half, pair.box_to_mesh) {}

  void run() {
    Open open({0, 0});
    near_first(*this, open);
  }

  void open(Place place, Children<float>& children) const {
    Lanes bounds, between;
    children.near = near_children(node(place), box_, limit_sq_, bounds, between);
    if (children.near != 0) store(bounds, children.bound);
  }

  void leaf(Place place) {
    const Triangles t = triangles_of(block(place));
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
    const Lanes apart = max(max(at - reach - t.highest, t.lowest - at - reach), zero);
    const auto visit = [&](std::uint32_t triangle) { return visitor_.call(visitor_.self, triangle); };
    visit_nearest_first(block(place), max(there, apart * apart), visit);
  }

 private:
  const Visitor& visitor_;
  Turned box_;
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
