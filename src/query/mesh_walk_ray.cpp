#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_ray.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <utility>

#include "base/lane_function.h"

#include "query/mesh_lanes-inl.h"
#include "query/mesh_walk.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

// One ray on its way, step by step: what is next is a node, a leaf, or nothing any more.
class RayWalk {
 public:
  void start(const MeshAndRay& ray, double limit) {
    ray_ = &ray;
    stack_.clear();
    next_ = 0;
    // Where the ray enters and leaves a box: which side that is along each axis is known for all nodes.
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t low = offsetof(bvh::Node, min) + i * sizeof(float[kWidth]),
                        high = offsetof(bvh::Node, max) + i * sizeof(float[kWidth]);
      const bool up = ray.inverse[i] > 0;
      in_[i] = (up ? low : high) / sizeof(float), out_[i] = (up ? high : low) / sizeof(float);
    }
    lower(limit);
  }
  bool ended() const { return next_ == kNone; }
  bool at_leaf() const { return (next_ & kLeafBit) != 0; }

  // Opens a node: on to its nearest child, if there is one.
  GRAZE_LANE_FUNCTION void open() {
    next_ = nearest_child(ray_->mesh.tree.nodes[next_]);
    if (next_ == kNone) take();
  }
  // Looks at a leaf: whether the ray may meet any of its triangles. Then each is to be measured.
  GRAZE_LANE_FUNCTION bool look() {
    block_ = &ray_->mesh.blocks[next_ & ~kLeafBit];
    met_ = may_meet(*block_);
    if (met_ != 0) met_ &= filled(*block_);
    return met_ != 0;
  }
  std::uint32_t triangle() const { return block_->triangle[std::countr_zero(met_)]; }
  // The triangle was measured, and the limit is this now. Whether others of the leaf are left.
  bool measured(double limit) {
    met_ &= met_ - 1;
    lower(limit);
    return met_ != 0;
  }
  // On to the nearest of what was left open.
  void take() {
    do {
      if (stack_.empty()) {
        next_ = kNone;
        return;
      }
      const Entry top = stack_.pop();
      next_ = top.near > limit_ ? kNone : top.child;
    } while (next_ == kNone);
  }

  // Asks for the memory of what is next, or of what probably follows it.
  GRAZE_LANE_FUNCTION void fetch() const { fetch(next_); }
  GRAZE_LANE_FUNCTION void fetch_top() const {
    if (!stack_.empty()) fetch(stack_.top().child);
  }
  GRAZE_LANE_FUNCTION void fetch_triangle() const { hwy::Prefetch(&ray_->mesh.triangles[triangle()]); }
  GRAZE_LANE_FUNCTION void fetch_corners() const {
    for (const std::uint32_t corner : ray_->mesh.triangles[triangle()]) hwy::Prefetch(&ray_->mesh.vertices[corner]);
  }

 private:
  struct Entry {
    std::uint32_t child;
    float near;  // along the ray
  };
  // Nearest on top.
  class Stack {
   public:
    bool empty() const { return size_ == 0; }
    void clear() { size_ = 0; }
    const Entry& top() const { return entries_[size_ - 1]; }
    Entry pop() { return entries_[--size_]; }
    void mark() { mark_ = size_; }
    void push(const Entry& entry) {
      std::size_t i = size_++;
      for (; i > mark_ && entries_[i - 1].near < entry.near; --i) entries_[i] = entries_[i - 1];
      entries_[i] = entry;
    }

   private:
    std::size_t size_ = 0, mark_ = 0;
    Entry entries_[(bvh::kMaxDepth + 2) * kWidth];
  };

  void lower(double limit) {
    limit_ = ray_->above(limit);
    if (limit == -kInfinity) stack_.clear(), met_ = 0, next_ = kNone;
  }

  GRAZE_LANE_FUNCTION void fetch(std::uint32_t child) const {
    const bool leaf = (child & kLeafBit) != 0;
    const std::size_t index = child == kNone ? 0 : child & ~kLeafBit, size = leaf ? sizeof(Block) : sizeof(bvh::Node);
    const void* all = leaf ? static_cast<const void*>(ray_->mesh.blocks.data()) : ray_->mesh.tree.nodes.data();
    const char* at = static_cast<const char*>(all) + index * size;
    for (std::size_t line = 0; line < sizeof(bvh::Node); line += 64) hwy::Prefetch(at + line);
    hwy::Prefetch(at + size - 64), hwy::Prefetch(at + size - 1);
  }

  // Puts the children that the ray meets onto the stack but for the nearest one, which it gives; kNone if there is
  // none. Boxes are grown by the slack, which is more than all that rounding moves the ray or the boxes by.
  GRAZE_LANE_FUNCTION std::uint32_t nearest_child(const bvh::Node& node) {
    const auto* planes = reinterpret_cast<const float*>(&node);
    const auto entered = [&](std::size_t i) {
      return (load(planes + in_[i]) - all(ray_->enter[i])) * all(ray_->inverse[i]);
    };
    const auto left = [&](std::size_t i) {
      return (load(planes + out_[i]) - all(ray_->leave[i])) * all(ray_->inverse[i]);
    };
    const Lanes near = max(max(all(ray_->begin), entered(0)), max(entered(1), entered(2)));
    const Lanes far = min(min(all(limit_), left(0)), min(left(1), left(2)));
    unsigned met = not_above(near, far);
    if (met == 0) return kNone;
    const auto first = static_cast<unsigned>(std::countr_zero(met));
    met &= met - 1;
    if (met == 0) return node.child[first];
    alignas(64) float each_near[kWidth];
    store(near, each_near);
    Entry nearest{node.child[first], each_near[first]};
    stack_.mark();
    for (; met != 0; met &= met - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(met));
      Entry other{node.child[k], each_near[k]};
      if (other.near < nearest.near) std::swap(other, nearest);
      stack_.push(other);
    }
    return nearest.child;
  }

  // The lanes whose triangles the ray may meet, seen along it: the origin of that view is within the slack of the box
  // of the corners and on no outer side of an edge. What is computed of a side is wrong by the slack times the lengths
  // that are multiplied.
  GRAZE_LANE_FUNCTION unsigned may_meet(const Block& block) const {
    const Lanes zero = all(0), slack = all(ray_->slack);
    Lanes x[3], y[3], z[3];
    for (std::size_t k = 0; k < 3; ++k) {
      z[k] = load(block.at[k][ray_->w]) - all(ray_->origin[ray_->w]);
      x[k] = load(block.at[k][ray_->u]) - all(ray_->origin[ray_->u]) - all(ray_->shear_u) * z[k];
      y[k] = load(block.at[k][ray_->v]) - all(ray_->origin[ray_->v]) - all(ray_->shear_v) * z[k];
      z[k] = z[k] * all(ray_->inverse[ray_->w]);
    }
    const auto low = [](const Lanes* of) { return min(min(of[0], of[1]), of[2]); };
    const auto high = [](const Lanes* of) { return max(max(of[0], of[1]), of[2]); };
    const Lanes beside = max(max(low(x), zero - high(x)), max(low(y), zero - high(y)));
    const Lanes beyond = max(low(z) - all(limit_), all(ray_->begin) - high(z));
    unsigned met = not_above(max(beside, beyond), slack);
    if (met == 0) return 0;
    Lanes least = zero, most = zero;  // of the sides, with room on either
    Lanes room = zero;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t n = (k + 1) % 3;
      const Lanes dx = x[n] - x[k], dy = y[n] - y[k];
      const Lanes side = dy * x[k] - dx * y[k];
      room = max(room, slack * (abs(dx) + abs(dy) + abs(x[k]) + abs(y[k])));
      least = k == 0 ? side : min(least, side);
      most = k == 0 ? side : max(most, side);
    }
    // Inside all edges, whichever way round they run.
    return met & not_above(min(zero - least, most), room);
  }

  const MeshAndRay* ray_ = nullptr;
  std::size_t in_[3] = {}, out_[3] = {};
  float limit_ = 0;
  std::uint32_t next_ = kNone;
  unsigned met_ = 0;
  const Block* block_ = nullptr;
  Stack stack_;
};

void visit_ray(const MeshAndRay& ray, double limit, const Visitor& visitor) {
  RayWalk walk;
  walk.start(ray, limit);
  while (!walk.ended()) {
    while (!walk.at_leaf()) walk.open();
    if (walk.ended()) return;
    walk.fetch_top();
    if (walk.look()) {
      while (walk.measured(visitor.call(visitor.self, walk.triangle()))) {
      }
    }
    walk.take();
  }
}

// The walks that are at the same stage, by slot.
struct Stage {
  std::size_t count = 0;
  std::uint8_t slots[kRaySlots + 1];

  void add_if(bool wanted, std::size_t slot) {
    slots[count] = static_cast<std::uint8_t>(slot);
    count += wanted ? 1 : 0;
  }
  // Takes all of them out; what each() adds to this very stage waits for the next round.
  template <class Each>
  GRAZE_LANE_FUNCTION void drain(const Each& each) {
    const std::size_t all = std::exchange(count, 0);
    for (std::size_t i = 0; i < all; ++i) each(slots[i]);
  }
};

// One stage after the other, each for all walks that are there: the memory that a walk asks for comes while the others
// go on. What a walk is at next cannot be foreseen, so that there are no branches for it.
void visit_rays(const RaysVisitor& visitor) {
  RayWalk walks[kRaySlots];
  Stage idle, nodes, leaves, corners, triangles;
  for (std::size_t slot = 0; slot < kRaySlots; ++slot) idle.add_if(true, slot);
  const auto go_on = [&](std::size_t slot) {
    const RayWalk& walk = walks[slot];
    walk.fetch();
    nodes.add_if(!walk.at_leaf(), slot);
    leaves.add_if(walk.at_leaf() && !walk.ended(), slot);
    idle.add_if(walk.ended(), slot);
  };
  const auto measure_or_go_on = [&](std::size_t slot, bool met) {
    if (met) {
      walks[slot].fetch_triangle();
      corners.add_if(true, slot);
    } else {
      walks[slot].take();
      go_on(slot);
    }
  };
  do {
    idle.drain([&](std::size_t slot) {
      double limit = 0;
      const MeshAndRay* ray = visitor.next(visitor.self, slot, limit);
      if (ray == nullptr) return;
      walks[slot].start(*ray, limit);
      go_on(slot);
    });
    nodes.drain([&](std::size_t slot) {
      walks[slot].open();
      go_on(slot);
    });
    triangles.drain([&](std::size_t slot) {
      RayWalk& walk = walks[slot];
      measure_or_go_on(slot, walk.measured(visitor.call(visitor.self, slot, walk.triangle())));
    });
    corners.drain([&](std::size_t slot) {
      walks[slot].fetch_corners();
      triangles.add_if(true, slot);
    });
    leaves.drain([&](std::size_t slot) { measure_or_go_on(slot, walks[slot].look()); });
  } while (idle.count + nodes.count + leaves.count + corners.count + triangles.count != 0);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_ray);
HWY_EXPORT(visit_rays);

void visit(const MeshAndRay& pair, double limit, const Visitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_ray)(pair, limit, visitor);
}

void visit(const RaysVisitor& visitor) { HWY_DYNAMIC_DISPATCH(visit_rays)(visitor); }

}  // namespace graze::walk
#endif
