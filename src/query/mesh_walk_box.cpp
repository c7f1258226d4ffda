#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_box.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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
    if (stopped_) return;
    offer(0);
    while (!stack_.empty() && !stopped_) {
      const Entry top = stack_.pop();
      if (top.bound_sq > limit_sq_) continue;
      if ((top.child & kLeafBit) != 0) leaf(top.child & ~kLeafBit);
      else offer(top.child);
    }
  }

 private:
  struct Entry {
    std::uint32_t child;
    float bound_sq, order;
  };

  HWY_INLINE void lower(double limit) {
    stopped_ = limit < 0;
    limit_sq_ = square_above(limit + radius_, pair_.slack);
  }

  HWY_INLINE void offer(std::uint32_t index) {
    const Wide& node = pair_.mesh.wide[index];
    Lanes bounds, between;
    unsigned near = near_children(node, box_, limit_sq_, bounds, between);
    if (near == 0) return;
    alignas(64) float each_bound[kWidth];
    store(bounds, each_bound);
    stack_.mark();
    for (; near != 0; near &= near - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(near));
      stack_.push({node.child[k], each_bound[k], each_bound[k]});
    }
  }

  void leaf(std::size_t index) {
    const Block& block = pair_.mesh.blocks[index];
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
    unsigned near = not_above(bound, all(limit_sq_)) & filled(block);
    alignas(64) float each_bound[kWidth];
    store(bound, each_bound);
    std::uint8_t found[kWidth];
    std::size_t count = 0;
    for (; near != 0; near &= near - 1) {
      const auto k = static_cast<std::uint8_t>(std::countr_zero(near));
      std::size_t j = count++;
      for (; j > 0 && each_bound[found[j - 1]] > each_bound[k]; --j) found[j] = found[j - 1];
      found[j] = k;
    }
    for (std::size_t i = 0; i < count && !stopped_; ++i) {
      if (each_bound[found[i]] > limit_sq_) break;
      lower(visitor_.call(visitor_.self, block.triangle[found[i]]));
    }
  }

  const MeshAndBox& pair_;
  const Visitor& visitor_;
  double radius_;
  Turned box_;
  float limit_sq_ = 0;
  bool stopped_ = false;
  NearFirst<(bvh::kMaxDepth + 2) * kWidth, Entry> stack_;
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
  HWY_DYNAMIC_DISPATCH(visit_box)(pair, limit, radius, visitor);
}

}  // namespace graze::walk
#endif
