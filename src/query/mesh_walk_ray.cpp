#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_ray.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <limits>
#include <utility>

#include "base/lane_function.h"

#include "query/mesh_lanes-inl.h"
#include "query/mesh_rays.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

// Which planes of a node's boxes a ray enters and leaves by, along each axis: floats from the start of the node.
struct Planes {
  std::uint8_t in[3], out[3];
};
constexpr Planes planes_of(unsigned backwards) {
  constexpr std::size_t kLow = offsetof(bvh::Node, min) / sizeof(float),
                        kHigh = offsetof(bvh::Node, max) / sizeof(float);
  Planes planes{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto low = static_cast<std::uint8_t>(kLow + i * kWidth), high = static_cast<std::uint8_t>(kHigh + i * kWidth);
    const bool down = (backwards >> i & 1U) != 0;
    planes.in[i] = down ? high : low, planes.out[i] = down ? low : high;
  }
  return planes;
}
constexpr Planes kPlanes[8] = {planes_of(0), planes_of(1), planes_of(2), planes_of(3),
                               planes_of(4), planes_of(5), planes_of(6), planes_of(7)};

// All bits, or none. What is chosen by these bits is chosen without a branch, which would be mispredicted.
GRAZE_LANE_FUNCTION std::uint32_t if_true(bool condition) { return 0U - std::uint32_t{condition}; }

// The lanes of a register whose bits are set come first, for all sets of bits.
template <std::size_t kLanes>
struct Packing {
  alignas(32) std::int32_t order[std::size_t{1} << kLanes][kLanes];
};
template <std::size_t kLanes>
constexpr Packing<kLanes> packing() {
  Packing<kLanes> made{};
  for (std::size_t bits = 0; bits < std::size_t{1} << kLanes; ++bits) {
    std::size_t count = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if ((bits >> lane & 1U) != 0) made.order[bits][count++] = static_cast<std::int32_t>(lane);
    }
  }
  return made;
}
constexpr Packing<hn::MaxLanes(kF)> kPacking = packing<hn::MaxLanes(kF)>();

// The lanes whose bits are set, packed into the first ones. Highway 1.0's Compress copies its table at every call where
// there is no AVX-512.
template <class Tag>
GRAZE_LANE_FUNCTION hn::Vec<Tag> packed(Tag d, hn::Vec<Tag> v, unsigned bits) {
  return hn::TableLookupLanes(v, hn::SetTableIndices(d, kPacking.order[bits]));
}

// One ray of a block in a mesh: what it may meet of a node or a leaf.
class RayTests {
 public:
  void start(const mesh::Data& mesh, const RayLanes& lanes, std::size_t lane, double limit) {
    mesh_ = &mesh, lanes_ = &lanes, lane_ = lane;
    planes_ = &kPlanes[lanes.backwards[lane]];
    set_limit(limit);
  }
  const mesh::Data& mesh() const { return *mesh_; }
  float limit() const { return limit_; }
  void set_limit(double limit) { limit_ = above(limit, lanes_->slack[lane_]); }

  // Where the ray enters and leaves the boxes of the children; it meets those with near <= far. Boxes are grown by the
  // slack, which is more than all that rounding moves the ray or the boxes by.
  GRAZE_LANE_FUNCTION void spans(const bvh::Node& node, Lanes& near, Lanes& far) const {
    const auto* floats = reinterpret_cast<const float*>(&node);
    const auto entered = [&](std::size_t i) {
      return (load(floats + planes_->in[i]) - of(lanes_->enter[i])) * of(lanes_->inverse[i]);
    };
    const auto left = [&](std::size_t i) {
      return (load(floats + planes_->out[i]) - of(lanes_->leave[i])) * of(lanes_->inverse[i]);
    };
    near = max(max(of(lanes_->start), entered(0)), max(entered(1), entered(2)));
    far = min(min(all(limit_), left(0)), min(left(1), left(2)));
  }

  GRAZE_LANE_FUNCTION Lanes start_lanes() const { return of(lanes_->start); }

  // The lanes whose triangles the ray may meet, seen along it: the origin of that view is within the slack of the box
  // of the corners and on no outer side of an edge. The computed side of an edge is wrong by the slack times the
  // lengths that are multiplied.
  GRAZE_LANE_FUNCTION unsigned near_triangles(const Block& block) const {
    constexpr std::uint8_t kAxes[5] = {0, 1, 2, 0, 1};
    const std::size_t w = lanes_->steepest[lane_], u = kAxes[w + 1], v = kAxes[w + 2];
    const Lanes zero = all(0), slack = of(lanes_->slack);
    Lanes x[3], y[3], z[3];
    for (std::size_t k = 0; k < 3; ++k) {
      z[k] = load(block.at[k][w]) - of(lanes_->origin[w]);
      x[k] = load(block.at[k][u]) - of(lanes_->origin[u]) - of(lanes_->shear_u) * z[k];
      y[k] = load(block.at[k][v]) - of(lanes_->origin[v]) - of(lanes_->shear_v) * z[k];
      z[k] = z[k] * of(lanes_->inverse[w]);
    }
    const auto low = [](const Lanes* values) { return min(min(values[0], values[1]), values[2]); };
    const auto high = [](const Lanes* values) { return max(max(values[0], values[1]), values[2]); };
    const Lanes beside = max(max(low(x), zero - high(x)), max(low(y), zero - high(y)));
    const Lanes beyond = max(low(z) - all(limit_), of(lanes_->start) - high(z));
    Lanes min_side = zero, max_side = zero, room = zero;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t n = (k + 1) % 3;
      const Lanes dx = x[n] - x[k], dy = y[n] - y[k];
      const Lanes side = dy * x[k] - dx * y[k];
      room = max(room, slack * (abs(dx) + abs(dy) + abs(x[k]) + abs(y[k])));
      min_side = k == 0 ? side : min(min_side, side);
      max_side = k == 0 ? side : max(max_side, side);
    }
    // Inside all edges, in either orientation.
    return not_above(max(beside, beyond), slack) & not_above(min(zero - min_side, max_side), room) & filled(block);
  }

  // Asks for the memory of a node or a leaf: four or five lines of the cache.
  GRAZE_LANE_FUNCTION void fetch(std::uint32_t child) const {
    static_assert(sizeof(Block) == 5 * 64 && sizeof(bvh::Node) <= 4 * 64);
    const std::size_t leaf = child / kLeafBit;  // 0 or 1
    const std::size_t index = child & ~kLeafBit & if_true(child != kNone);
    const void* const starts[2] = {mesh_->tree.nodes.data(), mesh_->blocks.data()};
    const std::size_t size = sizeof(bvh::Node) + leaf * (sizeof(Block) - sizeof(bvh::Node));
    const char* at = static_cast<const char*>(starts[leaf]) + index * size;
    for (std::size_t line = 0; line < 4 * 64; line += 64) hwy::Prefetch(at + line);
    hwy::Prefetch(at + size - 1);
  }

 private:
  GRAZE_LANE_FUNCTION Lanes of(const float (&values)[kWidth]) const { return all(values[lane_]); }

  const mesh::Data* mesh_ = nullptr;
  const RayLanes* lanes_ = nullptr;
  std::size_t lane_ = 0;
  const Planes* planes_ = nullptr;
  float limit_ = 0;
};

// A child that was left open, and where along the ray its box starts.
struct Open {
  float near;
  std::uint32_t child;
};
// Levels of a tree leave up to seven open each, and one level all eight for a moment.
constexpr std::size_t kMaxOpen = (bvh::kMaxDepth + 2) * kWidth;

// A single ray: the nearest child of a node is next, the others wait sorted.
class RayWalk {
 public:
  RayWalk(const mesh::Data& mesh, const RayLanes& ray, double limit, const Visitor& visitor) : visitor_(visitor) {
    tests_.start(mesh, ray, 0, limit);
  }

  void run() {
    for (std::uint32_t next = 0; next != kNone; next = take()) {
      while ((next & kLeafBit) == 0) {
        next = nearest_child(tests_.mesh().tree.nodes[next]);
        if (next == kNone && (next = take()) == kNone) return;
      }
      if (size_ > 0) tests_.fetch(open_[size_ - 1].child);
      const Block& block = tests_.mesh().blocks[next & ~kLeafBit];
      for (unsigned near = tests_.near_triangles(block); near != 0; near &= near - 1) {
        const double limit = visitor_.call(visitor_.self, block.triangle[std::countr_zero(near)]);
        if (limit == -kInfinity) return;
        tests_.set_limit(limit);
      }
    }
  }

 private:
  std::uint32_t take() {
    while (size_ > 0) {
      if (const Open& top = open_[--size_]; !(top.near > tests_.limit())) return top.child;
    }
    return kNone;
  }

  GRAZE_LANE_FUNCTION std::uint32_t nearest_child(const bvh::Node& node) {
    Lanes near, far;
    tests_.spans(node, near, far);
    unsigned met = not_above(near, far);
    if (met == 0) return kNone;
    const auto first = static_cast<unsigned>(std::countr_zero(met));
    met &= met - 1;
    if (met == 0) return node.child[first];
    alignas(64) float each_near[kWidth];
    store(near, each_near);
    Open nearest{each_near[first], node.child[first]};
    const std::size_t begin = size_;
    for (; met != 0; met &= met - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(met));
      Open other{each_near[k], node.child[k]};
      if (other.near < nearest.near) std::swap(other, nearest);
      std::size_t i = size_++;
      for (; i > begin && open_[i - 1].near < other.near; --i) open_[i] = open_[i - 1];
      open_[i] = other;
    }
    return nearest.child;
  }

  const Visitor& visitor_;
  RayTests tests_;
  std::size_t size_ = 0;
  Open open_[kMaxOpen];
};

void visit_ray(const mesh::Data& mesh, const RayLanes& ray, double limit, const Visitor& visitor) {
  RayWalk(mesh, ray, limit, visitor).run();
}

// One of many rays that are walked side by side, step by step. How many children a ray meets cannot be predicted, so
// that a step has no branches for it: the nearest is next, and the others are packed onto the stack as they come.
class RayInFlight {
 public:
  void start(const mesh::Data& mesh, const RayLanes& lanes, std::size_t lane, std::size_t ray, double limit) {
    tests_.start(mesh, lanes, lane, limit);
    ray_ = ray;
    next_ = 0;
    near_[0] = -std::numeric_limits<float>::infinity(), child_[0] = kNone;  // below all others
    size_ = 1;
  }
  std::size_t ray() const { return ray_; }
  enum Where : unsigned { kAtNode, kAtLeaf, kEnded };
  // What is next.
  unsigned where() const { return next_ / kLeafBit + static_cast<unsigned>(next_ == kNone); }
  GRAZE_LANE_FUNCTION void fetch() const { tests_.fetch(next_); }

  // Opens a node: its nearest child is next, or what was left open last. The others that are met are left open.
  GRAZE_LANE_FUNCTION void open() {
    constexpr hn::RebindToUnsigned<decltype(kF)> kU;
    constexpr std::size_t kLanes = hn::MaxLanes(kF);
    const bvh::Node& node = tests_.mesh().tree.nodes[next_];
    Lanes near, far;
    tests_.spans(node, near, far);
    // How far the boxes are from the start, in the order of the numbers' bits, with the lane in the lowest ones.
    hn::Vec<decltype(kU)> keys[kRegisters], nearest = hn::Set(kU, kNone);
    M mask[kRegisters];
    const Lanes from_start = near - tests_.start_lanes();
    for (std::size_t i = 0; i < kRegisters; ++i) {
      mask[i] = hn::Le(near.of[i], far.of[i]);
      const auto lane = hn::Iota(kU, static_cast<std::uint32_t>(i * kLanes));
      const auto key = hn::Or(hn::AndNot(hn::Set(kU, kWidth - 1), hn::BitCast(kU, from_start.of[i])), lane);
      keys[i] = hn::IfThenElse(hn::RebindMask(kU, mask[i]), key, hn::Set(kU, kNone));
      nearest = hn::Min(nearest, keys[i]);
    }
    nearest = hn::MinOfLanes(kU, nearest);
    std::size_t end = size_;
    for (std::size_t i = 0; i < kRegisters; ++i) {
      const unsigned rest = mask_bits(kU, hn::And(hn::RebindMask(kU, mask[i]), hn::Ne(keys[i], nearest)));
      hn::StoreU(packed(kF, near.of[i], rest), kF, near_ + end);
      hn::StoreU(packed(kU, hn::Load(kU, node.child + i * kLanes), rest), kU, child_ + end);
      end += static_cast<std::size_t>(std::popcount(rest));
    }
    size_ = end;
    const std::uint32_t key = hn::GetLane(nearest);
    const std::uint32_t none = if_true(key == kNone);
    next_ = (none & child_[size_ - 1]) | (~none & node.child[key % kWidth]);
    size_ -= none & 1U;
    if ((none & if_true(near_[size_] > tests_.limit())) != 0) take();
  }
  // On to what was left open last.
  GRAZE_LANE_FUNCTION void take() {
    do next_ = child_[--size_];
    while (near_[size_] > tests_.limit());
  }

  // Looks at a leaf: whether the ray may meet any of its triangles. Then each is to be measured.
  GRAZE_LANE_FUNCTION bool look() {
    block_ = &tests_.mesh().blocks[next_ & ~kLeafBit];
    met_ = tests_.near_triangles(*block_);
    return met_ != 0;
  }
  std::uint32_t triangle() const { return block_->triangle[std::countr_zero(met_)]; }
  // The triangle was measured, and the limit is this now. Whether others of the leaf are left.
  bool measured(double limit) {
    if (limit == -kInfinity) {
      size_ = 1, met_ = 0;
      return false;
    }
    met_ &= met_ - 1;
    tests_.set_limit(limit);
    return met_ != 0;
  }
  GRAZE_LANE_FUNCTION void fetch_triangle() const { hwy::Prefetch(&tests_.mesh().triangles[triangle()]); }
  GRAZE_LANE_FUNCTION void fetch_corners() const {
    for (const std::uint32_t corner : tests_.mesh().triangles[triangle()])
      hwy::Prefetch(&tests_.mesh().vertices[corner]);
  }

 private:
  RayTests tests_;
  std::uint32_t next_ = kNone;
  unsigned met_ = 0;
  std::size_t ray_ = 0;
  const Block* block_ = nullptr;
  std::size_t size_ = 0;
  // One more for what is below all, and whole registers are stored.
  float near_[kMaxOpen + kWidth];
  std::uint32_t child_[kMaxOpen + kWidth];
};

constexpr std::size_t kInFlight = 16;

// The rays that are at the same stage, by slot.
struct Stage {
  std::size_t count = 0;
  std::uint8_t slots[kInFlight];

  void add(std::size_t slot) { slots[count++] = static_cast<std::uint8_t>(slot); }
  // Takes all of them out; what each() adds to this very stage waits for the next round.
  template <class Each>
  GRAZE_LANE_FUNCTION void drain(const Each& each) {
    const std::size_t all = std::exchange(count, 0);
    for (std::size_t i = 0; i < all; ++i) each(slots[i]);
  }
};

// One stage after the other, each for all rays that are there: the memory that a ray asks for arrives while the others
// go on.
void visit_rays(const mesh::Data& mesh, const RayBlock* blocks, std::size_t count, const RaysVisitor& visitor) {
  RayInFlight rays[kInFlight];
  Stage by_next[3], corners, triangles;
  Stage &nodes = by_next[RayInFlight::kAtNode], &leaves = by_next[RayInFlight::kAtLeaf],
        &idle = by_next[RayInFlight::kEnded];
  for (std::size_t slot = 0; slot < kInFlight; ++slot) idle.add(slot);
  std::size_t next = 0;
  const auto go_on = [&](std::size_t slot) {
    rays[slot].fetch();
    by_next[rays[slot].where()].add(slot);
  };
  const auto measure_or_go_on = [&](std::size_t slot, bool met) {
    if (met) {
      rays[slot].fetch_triangle();
      corners.add(slot);
    } else {
      rays[slot].take();
      go_on(slot);
    }
  };
  do {
    idle.drain([&](std::size_t slot) {
      while (next < count && !blocks[next / kWidth].lanes.fits[next % kWidth]) ++next;
      if (next == count) return;
      const RayBlock& block = blocks[next / kWidth];
      const std::size_t lane = next % kWidth;
      rays[slot].start(mesh, block.lanes, lane, next++, block.local.length[lane] - block.local.shift[lane]);
      nodes.add(slot);
    });
    nodes.drain([&](std::size_t slot) {
      rays[slot].open();
      go_on(slot);
    });
    triangles.drain([&](std::size_t slot) {
      RayInFlight& ray = rays[slot];
      measure_or_go_on(slot, ray.measured(visitor.call(visitor.self, ray.ray(), ray.triangle())));
    });
    corners.drain([&](std::size_t slot) {
      rays[slot].fetch_corners();
      triangles.add(slot);
    });
    leaves.drain([&](std::size_t slot) { measure_or_go_on(slot, rays[slot].look()); });
  } while (idle.count + nodes.count + leaves.count + corners.count + triangles.count != 0);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_ray);
HWY_EXPORT(visit_rays);

void visit(const mesh::Data& mesh, const RayLanes& ray, double limit, const Visitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_ray)(mesh, ray, limit, visitor);
}

void visit(const mesh::Data& mesh, std::span<const RayBlock> blocks, std::size_t count, const RaysVisitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_rays)(mesh, blocks.data(), count, visitor);
}

}  // namespace graze::walk
#endif
