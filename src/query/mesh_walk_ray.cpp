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

class RayWalk {
 public:
  RayWalk(const MeshAndRay& pair, double limit, const Visitor& visitor) : pair_(pair), visitor_(visitor) {
    lower(limit);
  }

  void run() {
    if (stopped_) return;
    // Where the ray enters and leaves a box: which side that is along each axis is known for all nodes.
    std::size_t in[3], out[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t low = offsetof(bvh::Node, min) + i * sizeof(float[kWidth]),
                        high = offsetof(bvh::Node, max) + i * sizeof(float[kWidth]);
      const bool up = pair_.inverse[i] > 0;
      in[i] = (up ? low : high) / sizeof(float), out[i] = (up ? high : low) / sizeof(float);
    }
    std::uint32_t next = 0;
    for (;;) {
      while ((next & kLeafBit) == 0) next = nearest_child(next, in, out);
      if (!stack_.empty()) fetch(stack_.top().child);
      if (next != kNone) leaf(next & ~kLeafBit);
      if (stopped_) return;
      do {
        if (stack_.empty()) return;
        const Entry top = stack_.pop();
        next = top.near > limit_ ? kNone : top.child;
      } while (next == kNone);
    }
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
    stopped_ = limit == -kInfinity;
    limit_ = pair_.above(limit);
  }

  // Asks for the memory of what is probably next while the triangles of a leaf are looked at.
  GRAZE_LANE_FUNCTION void fetch(std::uint32_t child) const {
    const auto* at = (child & kLeafBit) == 0 ? reinterpret_cast<const char*>(&pair_.mesh.tree.nodes[child])
                                             : reinterpret_cast<const char*>(&pair_.mesh.blocks[child & ~kLeafBit]);
    for (std::size_t line = 0; line < sizeof(bvh::Node); line += 64) hwy::Prefetch(at + line);
  }

  // Puts the children that the ray meets onto the stack but for the nearest one, which it gives; kNone if there is
  // none. Boxes are grown by the slack, which is more than all that rounding moves the ray or the boxes by.
  GRAZE_LANE_FUNCTION std::uint32_t nearest_child(std::uint32_t index, const std::size_t (&in)[3],
                                                  const std::size_t (&out)[3]) {
    const bvh::Node& node = pair_.mesh.tree.nodes[index];
    const auto* planes = reinterpret_cast<const float*>(&node);
    const auto entered = [&](std::size_t i) {
      return (load(planes + in[i]) - all(pair_.enter[i])) * all(pair_.inverse[i]);
    };
    const auto left = [&](std::size_t i) {
      return (load(planes + out[i]) - all(pair_.leave[i])) * all(pair_.inverse[i]);
    };
    const Lanes near = max(max(all(pair_.begin), entered(0)), max(entered(1), entered(2)));
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
    const Lanes zero = all(0), slack = all(pair_.slack);
    Lanes x[3], y[3], z[3];
    for (std::size_t k = 0; k < 3; ++k) {
      z[k] = load(block.at[k][pair_.w]) - all(pair_.origin[pair_.w]);
      x[k] = load(block.at[k][pair_.u]) - all(pair_.origin[pair_.u]) - all(pair_.shear_u) * z[k];
      y[k] = load(block.at[k][pair_.v]) - all(pair_.origin[pair_.v]) - all(pair_.shear_v) * z[k];
      z[k] = z[k] * all(pair_.inverse[pair_.w]);
    }
    const auto low = [](const Lanes* of) { return min(min(of[0], of[1]), of[2]); };
    const auto high = [](const Lanes* of) { return max(max(of[0], of[1]), of[2]); };
    const Lanes beside = max(max(low(x), zero - high(x)), max(low(y), zero - high(y)));
    const Lanes beyond = max(low(z) - all(limit_), all(pair_.begin) - high(z));
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

  void leaf(std::size_t index) {
    const Block& block = pair_.mesh.blocks[index];
    for (unsigned met = may_meet(block) & filled(block); met != 0 && !stopped_; met &= met - 1)
      lower(visitor_.call(visitor_.self, block.triangle[std::countr_zero(met)]));
  }

  const MeshAndRay& pair_;
  const Visitor& visitor_;
  float limit_ = 0;
  bool stopped_ = false;
  Stack stack_;
};

void visit_ray(const MeshAndRay& pair, double limit, const Visitor& visitor) {
  RayWalk walk(pair, limit, visitor);
  walk.run();
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_ray);

void visit(const MeshAndRay& pair, double limit, const Visitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_ray)(pair, limit, visitor);
}

}  // namespace graze::walk
#endif
