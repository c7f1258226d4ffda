#include "query/mesh_walk.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using bvh::kLeafBit;
using bvh::kNone;
using bvh::kWidth;
using bvh::Node;
using mesh::Block;
using mesh::Data;

// Eight lanes, in as many registers as it takes. Products and sums are rounded one by one, so that all machines agree.
constexpr hn::CappedTag<float, kWidth> kF;
using F = hn::Vec<decltype(kF)>;
using M = hn::Mask<decltype(kF)>;
constexpr std::size_t kRegisters = kWidth / hn::MaxLanes(kF);

struct Lanes {
  F of[kRegisters];
};
template <class Op>
HWY_INLINE Lanes each(const Op& op) {
  Lanes r;
  for (std::size_t i = 0; i < kRegisters; ++i) r.of[i] = op(i);
  return r;
}
HWY_INLINE Lanes load(const float* at) {
  return each([&](std::size_t i) { return hn::Load(kF, at + i * hn::MaxLanes(kF)); });
}
HWY_INLINE void store(const Lanes& a, float* at) {
  for (std::size_t i = 0; i < kRegisters; ++i) hn::Store(a.of[i], kF, at + i * hn::MaxLanes(kF));
}
HWY_INLINE Lanes all(float x) {
  return each([&](std::size_t) { return hn::Set(kF, x); });
}
HWY_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Add(a.of[i], b.of[i]); });
}
HWY_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Sub(a.of[i], b.of[i]); });
}
HWY_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Mul(a.of[i], b.of[i]); });
}
HWY_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Div(a.of[i], b.of[i]); });
}
HWY_INLINE Lanes root(const Lanes& a) {
  return each([&](std::size_t i) { return hn::Sqrt(a.of[i]); });
}
HWY_INLINE Lanes abs(const Lanes& a) {
  return each([&](std::size_t i) { return hn::Abs(a.of[i]); });
}
HWY_INLINE Lanes max(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Max(a.of[i], b.of[i]); });
}
HWY_INLINE Lanes min(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Min(a.of[i], b.of[i]); });
}
// Bits of the lanes where a is not above b.
HWY_INLINE unsigned not_above(const Lanes& a, const Lanes& b) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < kRegisters; ++i) {
    uint8_t part[8] = {};
    hn::StoreMaskBits(kF, hn::Le(a.of[i], b.of[i]), part);
    bits |= static_cast<unsigned>(part[0]) << (i * hn::MaxLanes(kF));
  }
  return bits;
}

struct Lanes3 {
  Lanes x, y, z;
};
HWY_INLINE Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE Lanes dot(const Lanes3& a, const Lanes3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HWY_INLINE Lanes3 cross(const Lanes3& a, const Lanes3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE Lanes3 load3(const float (*at)[kWidth]) { return {load(at[0]), load(at[1]), load(at[2])}; }
HWY_INLINE Lanes3 all3(const float* at) { return {all(at[0]), all(at[1]), all(at[2])}; }
HWY_INLINE Lanes3 min(const Lanes3& a, const Lanes3& b) { return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
HWY_INLINE Lanes3 max(const Lanes3& a, const Lanes3& b) { return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
// Zero where the vector is: then nothing is told apart by it.
HWY_INLINE Lanes3 unit(const Lanes3& a) {
  const Lanes scale = all(1) / max(root(dot(a, a)), all(1e-18F));
  return {a.x * scale, a.y * scale, a.z * scale};
}

// The distance, squared, between boxes of one frame.
HWY_INLINE Lanes gap_sq(const Lanes3& min_a, const Lanes3& max_a, const Lanes3& min_b, const Lanes3& max_b) {
  const Lanes zero = all(0);
  const Lanes x = max(max(min_a.x - max_b.x, min_b.x - max_a.x), zero);
  const Lanes y = max(max(min_a.y - max_b.y, min_b.y - max_a.y), zero);
  const Lanes z = max(max(min_a.z - max_b.z, min_b.z - max_a.z), zero);
  return x * x + y * y + z * z;
}

// A box of another frame, as a tree sees it.
struct Turned {
  float center[3], half[3];  // half: along its own axes
  float axis[3][3];          // axis[k]: its k-th axis in the tree's frame
  float around[3];           // half of the box around it along the tree's axes

  HWY_INLINE Turned(const float* at, const float* size, const Frame& f) {
    for (int i = 0; i < 3; ++i) {
      center[i] = f.r[i][0] * at[0] + f.r[i][1] * at[1] + f.r[i][2] * at[2] + f.t[i];
      around[i] = std::abs(f.r[i][0]) * size[0] + std::abs(f.r[i][1]) * size[1] + std::abs(f.r[i][2]) * size[2];
      half[i] = size[i];
      for (int k = 0; k < 3; ++k) axis[k][i] = f.r[i][k];
    }
  }
};

// No child of the node is nearer to the box than the root of this: the larger of what the axes of both tell.
HWY_INLINE Lanes bound_sq(const Node& node, const Turned& box) {
  const Lanes3 low = load3(node.min), high = load3(node.max);
  const Lanes3 center = all3(box.center), around = all3(box.around);
  const Lanes3 box_min = center - around, box_max = {center.x + around.x, center.y + around.y, center.z + around.z};
  const Lanes seen_here = gap_sq(low, high, box_min, box_max);
  const Lanes two = all(0.5F), zero = all(0);
  const Lanes3 d = {(low.x + high.x) * two - center.x, (low.y + high.y) * two - center.y,
                    (low.z + high.z) * two - center.z};
  const Lanes3 h = {(high.x - low.x) * two, (high.y - low.y) * two, (high.z - low.z) * two};
  Lanes seen_there = zero;
  for (int k = 0; k < 3; ++k) {
    const Lanes3 axis = all3(box.axis[k]);
    const Lanes reach = abs(axis.x) * h.x + abs(axis.y) * h.y + abs(axis.z) * h.z + all(box.half[k]);
    const Lanes gap = max(abs(dot(axis, d)) - reach, zero);
    seen_there = seen_there + gap * gap;
  }
  return max(seen_here, seen_there);
}

// The square that a squared bound must not exceed.
HWY_INLINE float square_above(double limit, double slack) {
  const double reach = std::max(limit, 0.0) + slack;
  return static_cast<float>(std::min(reach * reach * (1 + 1e-6), 1e38)) + 1e-37F;
}

// Triangles of a block, with what the tests want of them.
struct Triangles {
  Lanes3 at[3], low, high, normal;
  Lanes least, most;  // of the corners along the normal

  HWY_INLINE void complete() {
    low = min(min(at[0], at[1]), at[2]);
    high = max(max(at[0], at[1]), at[2]);
    normal = unit(cross(at[1] - at[0], at[2] - at[0]));
    const Lanes p = dot(normal, at[0]), q = dot(normal, at[1]), r = dot(normal, at[2]);
    least = min(min(p, q), r), most = max(max(p, q), r);
  }
};
HWY_INLINE Triangles triangles_of(const Block& block) {
  Triangles t;
  for (int k = 0; k < 3; ++k) t.at[k] = load3(block.at[k]);
  t.complete();
  return t;
}
HWY_INLINE Triangles moved_triangles(const Block& block, const Frame& f) {
  Triangles t;
  for (int k = 0; k < 3; ++k) {
    const Lanes3 p = load3(block.at[k]);
    t.at[k].x = all(f.r[0][0]) * p.x + all(f.r[0][1]) * p.y + all(f.r[0][2]) * p.z + all(f.t[0]);
    t.at[k].y = all(f.r[1][0]) * p.x + all(f.r[1][1]) * p.y + all(f.r[1][2]) * p.z + all(f.t[1]);
    t.at[k].z = all(f.r[2][0]) * p.x + all(f.r[2][1]) * p.y + all(f.r[2][2]) * p.z + all(f.t[2]);
  }
  t.complete();
  return t;
}

HWY_INLINE unsigned filled(const Block& block) {
  unsigned bits = 0;
  for (unsigned k = 0; k < kWidth; ++k) bits |= (block.triangle[k] != kNone ? 1U : 0U) << k;
  return bits;
}

template <std::size_t kSize, class Entry>
class NearFirst {
 public:
  HWY_INLINE bool empty() const { return size_ == 0; }
  HWY_INLINE Entry pop() { return entries_[--size_]; }
  HWY_INLINE void mark() { mark_ = size_; }
  HWY_INLINE void push(const Entry& entry) {
    std::size_t i = size_++;
    for (; i > mark_ && entries_[i - 1].bound_sq < entry.bound_sq; --i) entries_[i] = entries_[i - 1];
    entries_[i] = entry;
  }

 private:
  std::size_t size_ = 0, mark_ = 0;
  Entry entries_[kSize];
};

// A child of a node: kWidth × node + lane.
using Ref = std::uint32_t;
HWY_INLINE const Node& node_of(const Data& d, Ref ref) { return d.tree.nodes[ref / kWidth]; }
HWY_INLINE std::uint32_t child_of(const Data& d, Ref ref) { return node_of(d, ref).child[ref % kWidth]; }
HWY_INLINE void box_of(const Data& d, Ref ref, float* center, float* half) {
  const Node& node = node_of(d, ref);
  const std::size_t k = ref % kWidth;
  for (int i = 0; i < 3; ++i) {
    center[i] = (node.min[i][k] + node.max[i][k]) * 0.5F;
    half[i] = (node.max[i][k] - node.min[i][k]) * 0.5F;
  }
}

// ---- two meshes -----------------------------------------------------------------------------------------------------

class PairWalk {
 public:
  PairWalk(const MeshPair& pair, double limit, const PairVisitor& visitor) : pair_(pair), visitor_(visitor) {
    lower(limit);
  }

  void run() {
    if (stopped_) return;
    const Node &root_a = pair_.a.tree.nodes[0], &root_b = pair_.b.tree.nodes[0];
    stack_.mark();
    for (Ref k = 0; k < kWidth && root_b.child[k] != kNone; ++k) {
      float center[3], half[3];
      box_of(pair_.b, k, center, half);
      offer(root_a, 0, Turned(center, half, pair_.b_to_a), [&](Ref a) { return Entry{a, k, 0}; });
    }
    while (!stack_.empty() && !stopped_) {
      const Entry top = stack_.pop();
      if (top.bound_sq > limit_sq_) continue;
      const std::uint32_t child_a = child_of(pair_.a, top.a), child_b = child_of(pair_.b, top.b);
      const bool leaf_a = (child_a & kLeafBit) != 0, leaf_b = (child_b & kLeafBit) != 0;
      if (leaf_a && leaf_b) {
        leaves(child_a & ~kLeafBit, child_b & ~kLeafBit);
        continue;
      }
      float center_a[3], half_a[3], center_b[3], half_b[3];
      box_of(pair_.a, top.a, center_a, half_a);
      box_of(pair_.b, top.b, center_b, half_b);
      const auto size = [](const float* h) { return h[0] * h[0] + h[1] * h[1] + h[2] * h[2]; };
      stack_.mark();
      if (leaf_b || (!leaf_a && size(half_a) >= size(half_b))) {
        offer(pair_.a.tree.nodes[child_a], static_cast<Ref>(child_a * kWidth), Turned(center_b, half_b, pair_.b_to_a),
              [&](Ref a) { return Entry{a, top.b, 0}; });
      } else {
        offer(pair_.b.tree.nodes[child_b], static_cast<Ref>(child_b * kWidth), Turned(center_a, half_a, pair_.a_to_b),
              [&](Ref b) { return Entry{top.a, b, 0}; });
      }
    }
  }

 private:
  struct Entry {
    Ref a, b;
    float bound_sq;
  };

  HWY_INLINE void lower(double limit) {
    stopped_ = limit < 0;
    limit_sq_ = square_above(limit, pair_.slack);
  }

  template <class Make>
  HWY_INLINE void offer(const Node& node, Ref first, const Turned& box, const Make& make) {
    const Lanes bounds = bound_sq(node, box);
    unsigned near = not_above(bounds, all(limit_sq_));
    alignas(64) float each_bound[kWidth];
    store(bounds, each_bound);
    for (; near != 0; near &= near - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(near));
      if (node.child[k] == kNone) break;
      Entry entry = make(first + k);
      entry.bound_sq = each_bound[k];
      stack_.push(entry);
    }
  }

  void leaves(std::size_t leaf_a, std::size_t leaf_b) {
    const Block &block_a = pair_.a.blocks[leaf_a], &block_b = pair_.b.blocks[leaf_b];
    const Triangles b = moved_triangles(block_b, pair_.b_to_a);
    Triangles a;
    for (int k = 0; k < 3; ++k) a.at[k] = load3(block_a.at[k]);
    a.complete();
    alignas(64) float normal[3][kWidth], low[3][kWidth], high[3][kWidth], least[kWidth], most[kWidth];
    store(a.normal.x, normal[0]), store(a.normal.y, normal[1]), store(a.normal.z, normal[2]);
    store(a.low.x, low[0]), store(a.low.y, low[1]), store(a.low.z, low[2]);
    store(a.high.x, high[0]), store(a.high.y, high[1]), store(a.high.z, high[2]);
    store(a.least, least), store(a.most, most);

    struct Found {
      float bound_sq;
      std::uint8_t a, b;
    };
    Found found[kWidth * kWidth];
    std::size_t count = 0;
    const unsigned filled_b = filled(block_b);
    const Lanes zero = all(0);
    for (std::size_t i = 0; i < kWidth && block_a.triangle[i] != kNone; ++i) {
      const auto one = [&](const float (*rows)[kWidth]) -> Lanes3 {
        return {all(rows[0][i]), all(rows[1][i]), all(rows[2][i])};
      };
      const Lanes limit_sq = all(limit_sq_);
      Lanes bound = gap_sq(one(low), one(high), b.low, b.high);
      unsigned near = not_above(bound, limit_sq) & filled_b;
      if (near == 0) continue;
      // Along a's normal, then along b's.
      const Lanes3 n = one(normal);
      const Lanes p = dot(n, b.at[0]), q = dot(n, b.at[1]), r = dot(n, b.at[2]);
      const Lanes along_a =
          max(max(min(min(p, q), r) - all(most[i]), all(least[i]) - max(max(p, q), r)), zero);
      bound = max(bound, along_a * along_a);
      near &= not_above(bound, limit_sq);
      if (near == 0) continue;
      const Lanes u = dot(b.normal, one(block_a.at[0])), v = dot(b.normal, one(block_a.at[1])),
                  w = dot(b.normal, one(block_a.at[2]));
      const Lanes along_b = max(max(min(min(u, v), w) - b.most, b.least - max(max(u, v), w)), zero);
      bound = max(bound, along_b * along_b);
      near &= not_above(bound, limit_sq);
      alignas(64) float each_bound[kWidth];
      store(bound, each_bound);
      for (; near != 0; near &= near - 1) {
        const auto k = static_cast<std::uint8_t>(std::countr_zero(near));
        std::size_t j = count++;
        for (; j > 0 && found[j - 1].bound_sq > each_bound[k]; --j) found[j] = found[j - 1];
        found[j] = {each_bound[k], static_cast<std::uint8_t>(i), k};
      }
    }
    for (std::size_t i = 0; i < count && !stopped_; ++i) {
      if (found[i].bound_sq > limit_sq_) break;
      lower(visitor_.call(visitor_.self, block_a.triangle[found[i].a], block_b.triangle[found[i].b]));
    }
  }

  const MeshPair& pair_;
  const PairVisitor& visitor_;
  float limit_sq_ = 0;
  bool stopped_ = false;
  NearFirst<(2 * bvh::kMaxDepth + 2) * kWidth + kWidth * kWidth, Entry> stack_;
};

void visit_pairs(const MeshPair& pair, double limit, const PairVisitor& visitor) {
  PairWalk walk(pair, limit, visitor);
  walk.run();
}

// ---- a mesh and a box -----------------------------------------------------------------------------------------------

class BoxWalk {
 public:
  BoxWalk(const MeshAndBox& pair, double limit, double radius, const Visitor& visitor)
      : pair_(pair), visitor_(visitor), radius_(radius), box_(kOrigin, pair.half, pair.box_to_mesh) {
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
  static constexpr float kOrigin[3] = {0, 0, 0};
  struct Entry {
    std::uint32_t child;
    float bound_sq;
  };

  HWY_INLINE void lower(double limit) {
    stopped_ = limit < 0;
    limit_sq_ = square_above(limit + radius_, pair_.slack);
  }

  HWY_INLINE void offer(std::uint32_t index) {
    const Node& node = pair_.mesh.tree.nodes[index];
    const Lanes bounds = bound_sq(node, box_);
    unsigned near = not_above(bounds, all(limit_sq_));
    alignas(64) float each_bound[kWidth];
    store(bounds, each_bound);
    stack_.mark();
    for (; near != 0; near &= near - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(near));
      if (node.child[k] == kNone) break;
      stack_.push({node.child[k], each_bound[k]});
    }
  }

  void leaf(std::size_t index) {
    const Block& block = pair_.mesh.blocks[index];
    const Triangles t = triangles_of(block);
    const Lanes zero = all(0);
    const Lanes3 center = all3(box_.center), around = all3(box_.around);
    Lanes bound = gap_sq(t.low, t.high, center - around,
                         {center.x + around.x, center.y + around.y, center.z + around.z});
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
    bound = max(bound, max(there, apart * apart));
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
namespace {

// Lengths whose squares stay well within float32.
constexpr double kLargestReach = 1e17;
// Each bound takes fewer than 64 roundings of lengths up to the reach; the trees' own are far below that.
constexpr double kSlack = 64 * 0x1p-24;

Frame frame_of(const Mat3& rotation, const Vec3& translation) {
  Frame f;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) f.r[i][k] = static_cast<float>(rotation(i, k));
    f.t[i] = static_cast<float>(translation[i]);
  }
  return f;
}

}  // namespace

HWY_EXPORT(visit_pairs);
HWY_EXPORT(visit_box);

MeshPair::MeshPair(const mesh::Data& a_, const mesh::Data& b_, const Relative& relative) : a(a_), b(b_) {
  const Vec3 to_a = relative.to_a(b.tree.origin) - a.tree.origin;
  b_to_a = frame_of(relative.rotation, to_a);
  a_to_b = frame_of(relative.rotation.transpose(), -(relative.rotation.transpose() * to_a));
  reach_ = 2 * (a.extent + b.extent) + size_of(to_a);
  slack = kSlack * reach_ + 32 * kEpsilon * (size_of(a.tree.origin) + size_of(b.tree.origin) + size_of(relative.translation));
}

bool MeshPair::fits() const { return reach_ < kLargestReach; }

MeshAndBox::MeshAndBox(const mesh::Data& mesh_, const Vec3& center, const Vec3& size, const Relative& relative)
    : mesh(mesh_) {
  const Vec3 at = relative.to_a(center) - mesh.tree.origin;
  box_to_mesh = frame_of(relative.rotation, at);
  for (int i = 0; i < 3; ++i) half[i] = static_cast<float>(size[i]);
  reach_ = 2 * mesh.extent + size_of(size) + size_of(at);
  slack = kSlack * reach_ + 32 * kEpsilon * (size_of(mesh.tree.origin) + size_of(center) + size_of(relative.translation));
}

bool MeshAndBox::fits() const { return reach_ < kLargestReach; }

void visit(const MeshPair& pair, double limit, const PairVisitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_pairs)(pair, limit, visitor);
}

void visit(const MeshAndBox& pair, double limit, double radius, const Visitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_box)(pair, limit, radius, visitor);
}

}  // namespace graze::walk
#endif
