// The steps of walks through two meshes' trees. Included once per instruction set.
#if defined(GRAZE_QUERY_MESH_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_QUERY_MESH_STEPS_INL_H_
#undef GRAZE_QUERY_MESH_STEPS_INL_H_
#else
#define GRAZE_QUERY_MESH_STEPS_INL_H_
#endif

#include <hwy/cache_control.h>

#include <utility>

#include "graze/index/near_first.h"
#include "query/mesh_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

// A child of a node: kWidth × node + lane.
using Ref = std::uint32_t;
constexpr Ref kWhole = 0x7FFFFFF8;     // all of a mesh, above the root
constexpr Ref kTriangle = 0x80000000;  // a triangle instead

GRAZE_LANE_FUNCTION const Wide& boxes_of(const Data& d, Ref ref) {
  return ref == kWhole ? d.whole : d.wide[ref / kWidth];
}
GRAZE_LANE_FUNCTION std::uint32_t child_of(const Data& d, Ref ref) {
  return ref == kWhole ? 0 : d.wide[ref / kWidth].child[ref % kWidth];
}
GRAZE_LANE_FUNCTION float size_of_box(const Data& d, Ref ref) {
  const Wide& node = boxes_of(d, ref);
  const std::size_t k = ref % kWidth;
  return node.half[0][k] * node.half[0][k] + node.half[1][k] * node.half[1][k] + node.half[2][k] * node.half[2][k];
}

// Meshes are larger than the caches: what a child holds is asked for when the child is found, and needed somewhat
// later.
GRAZE_LANE_FUNCTION void fetch(const Data& data, std::uint32_t child) {
  const bool leaf = (child & kLeafBit) != 0;
  const void* at = leaf ? static_cast<const void*>(&data.blocks[child & ~kLeafBit]) : &data.wide[child];
  const auto* bytes = static_cast<const char*>(at);
  for (std::size_t i = 0; i < (leaf ? sizeof(Block) : sizeof(Wide)); i += 64) hwy::Prefetch(bytes + i);
}

// Heaps of four, the smallest key on top. Ties are broken by the order of arrival in the same way on every machine.
template <class Item, class Key>
GRAZE_LANE_FUNCTION void heap_put(Item* heap, std::size_t& size, const Item& item, const Key& key) {
  std::size_t i = size++;
  while (i > 0) {
    const std::size_t parent = (i - 1) / 4;
    if (!(key(item) < key(heap[parent]))) break;
    heap[i] = heap[parent];
    i = parent;
  }
  heap[i] = item;
}
template <class Item, class Key>
GRAZE_LANE_FUNCTION Item heap_take(Item* heap, std::size_t& size, const Key& key) {
  const Item top = heap[0], last = heap[--size];
  std::size_t i = 0;
  for (;;) {
    const std::size_t first = 4 * i + 1, end = std::min(first + 4, size);
    if (first >= size) break;
    std::size_t lowest = first;
    for (std::size_t k = first + 1; k < end; ++k) {
      if (key(heap[k]) < key(heap[lowest])) lowest = k;
    }
    if (!(key(heap[lowest]) < key(last))) break;
    heap[i] = heap[lowest];
    i = lowest;
  }
  heap[i] = last;
  return top;
}

// Only the nearest child, all the way down.
template <class W>
class Descent {
 public:
  explicit Descent(const PendingOf<W>& first) : next_(first), any_(true) {}
  bool take(PendingOf<W>& top) {
    top = next_;
    return std::exchange(any_, false);
  }
  void leave(const PendingOf<W>&) const {}
  void put(const W& walk, const typename W::Place& parent, const Children<float>& children) {
    any_ = children.near != 0;
    if (!any_) return;
    std::size_t lowest = kWidth;
    for (unsigned near = children.near; near != 0; near &= near - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(near));
      if (lowest == kWidth || children.order[k] < children.order[lowest]) lowest = k;
    }
    next_ = {children.bound[lowest], walk.child(parent, lowest)};
  }

 private:
  PendingOf<W> next_;
  bool any_;
};

// What all walks through two trees do: open pairs of nodes, look at pairs of leaves, measure pairs of triangles. Those
// who derive from it say what becomes of the triangles of two leaves.
class PairSteps {
 public:
  // A child of each; or, with kTriangle in a, a triangle of each.
  struct Place {
    Ref a, b;
  };
  using Bound = float;  // squared

  bool is_leaf(const Place& place) const {
    return (place.a & kTriangle) != 0 || (child_of(pair_.a, place.a) & child_of(pair_.b, place.b) & kLeafBit) != 0;
  }
  Place child(const Place& place, std::size_t k) const {
    const auto ref = opened_ * static_cast<Ref>(kWidth) + static_cast<Ref>(k);
    return opens_a_ ? Place{ref, place.b} : Place{place.a, ref};
  }
  bool beyond(float bound_sq) const { return bound_sq > limit_sq_; }

  // The children of the larger one with the other. Those whose centres are nearest come first: where boxes overlap,
  // that is where triangles are likeliest to.
  void open(const Place& place, Children<float>& children) {
    const std::uint32_t child_a = child_of(pair_.a, place.a), child_b = child_of(pair_.b, place.b);
    const bool leaf_a = (child_a & kLeafBit) != 0, leaf_b = (child_b & kLeafBit) != 0;
    opens_a_ = leaf_b || (!leaf_a && size_of_box(pair_.a, place.a) >= size_of_box(pair_.b, place.b));
    opened_ = opens_a_ ? child_a : child_b;
    const Data& data = opens_a_ ? pair_.a : pair_.b;
    const Wide& node = data.wide[opened_];
    const Turned box = opens_a_ ? Turned(boxes_of(pair_.b, place.b), place.b % kWidth, pair_.b_to_a)
                                : Turned(boxes_of(pair_.a, place.a), place.a % kWidth, pair_.a_to_b);
    const float* toward = !toward_known_ ? nullptr : opens_a_ ? from_b_ : from_a_;
    Lanes bounds, between;
    children.near = near_children(node, box, limit_sq_, bounds, between, toward);
    if (keeps_apart_) {
      for (std::size_t k = 0; k < kWidth && node.child[k] != kNone; ++k) children.apart |= 1U << k;
      children.apart &= ~children.near;
    }
    if ((children.near | children.apart) == 0) return;
    store(bounds, children.bound), store(between, children.other);
    children.order = children.other;
    for (unsigned near = children.near; near != 0; near &= near - 1)
      fetch(data, node.child[static_cast<std::size_t>(std::countr_zero(near))]);
  }

  // How far apart all of both is, at least.
  Pending<Place, float> root() const {
    Children<float> children;
    Lanes bounds, between;
    near_children(pair_.b.whole, Turned(pair_.a.whole, 0, pair_.a_to_b), limit_sq_, bounds, between);
    store(bounds, children.bound);
    return {children.bound[0], {kWhole, kWhole}};
  }

  void measure(const Place& triangles) {
    lower(visitor_.call(visitor_.self, triangles.a & ~kTriangle, triangles.b));
    const Vec3* n = visitor_.toward != nullptr ? visitor_.toward(visitor_.self) : nullptr;
    toward_known_ = n != nullptr;
    if (n == nullptr) return;
    for (int i = 0; i < 3; ++i) from_b_[i] = static_cast<float>(-(*n)[i]);
    // As b sees it: the rotation's inverse.
    for (int i = 0; i < 3; ++i) {
      const float* row = pair_.b_to_a.r[i];
      from_a_[i] = -(row[0] * from_b_[0] + row[1] * from_b_[1] + row[2] * from_b_[2]);
    }
  }

 protected:
  /// `slack` is what bounds must be beyond the limit to count; at least that of the pair.
  PairSteps(const MeshPair& pair, double slack, double limit, const PairVisitor& visitor)
      : pair_(pair), visitor_(visitor), slack_(slack) {
    lower(limit);
  }

  GRAZE_LANE_FUNCTION void lower(double limit) {
    limit_ = limit;
    limit_sq_ = square_above(limit, slack_);
  }

  // From the roots always to the pair with the nearest centres, down to two triangles: a limit to start with.
  template <class W>
  static void greedy_descent(W& walk) {
    walk.descending_ = true;
    Descent<W> open(walk.root());
    near_first(walk, open);
    walk.descending_ = false;
  }
  bool has_limit() const { return !(limit_sq_ > kHuge / 8); }

  // Three corners along an axis: the gap to the span [low, high].
  static GRAZE_LANE_FUNCTION Lanes gap_along(const Lanes3& axis, const Lanes3* at, const Lanes& low,
                                             const Lanes& high) {
    const Lanes p = dot(axis, at[0]), q = dot(axis, at[1]), r = dot(axis, at[2]);
    return max(max(min(min(p, q), r) - high, low - max(max(p, q), r)), all(0));
  }

  // The smallest of what is above the limit.
  static GRAZE_LANE_FUNCTION Lanes min_above(const Lanes& smallest, const Lanes& bound, const Lanes& limit) {
    return each([&](std::size_t i) {
      return hn::Min(smallest.of[i], hn::IfThenElse(hn::Gt(bound.of[i], limit.of[i]), bound.of[i], hn::Set(kF, kHuge)));
    });
  }

  // Two leaves, a triangle of each per lane. Every triangle of a is compared with all of b at once:
  //
  //     ┌── box of a's leaf ──┐             1. b against the box of all of a's triangles (once)
  //     │  ┌ box of one ┐     │             2. the height over that triangle's plane, and the gap along the line
  //     │  │    /\      │     │    /\            between the nearest points so far
  //     │  │   /__\     │     │   /__\       3. the other two axes of that triangle's own box
  //     │  └────────────┘     │   of b      4. the height of a's corners over the planes of b
  //     └─────────────────────┘
  //
  // each test only while some lane may still be within the limit.
  struct Leaves {
    Leaves(const Block& of_a, const Block& of_b) : block_a(of_a), block_b(of_b) {}

    const Block &block_a, &block_b;
    Triangles a, b;
    Lanes to_box;       // squares of the gaps of b to the box of a's leaf
    unsigned near_box;  // lanes of b that may be within the limit of it
    // Boxes around each triangle of a, along its normal, its first edge, and across both.
    alignas(64) float axis[3][3][kWidth], low[3][kWidth], high[3][kWidth];
    // Along the line between the nearest points so far: where a starts and b ends.
    alignas(64) float start_a[kWidth];
    Lanes end_b;

    GRAZE_LANE_FUNCTION Lanes3 one(const float (*rows)[kWidth], std::size_t i) const {
      return {all(rows[0][i]), all(rows[1][i]), all(rows[2][i])};
    }
    GRAZE_LANE_FUNCTION Lanes gap_to_box(int k, std::size_t i) const {
      return gap_along(one(axis[k], i), b.at, all(low[k][i]), all(high[k][i]));
    }
  };

  // Test 1.
  static GRAZE_LANE_FUNCTION Lanes squared_gaps(const Triangles& b, const Wide& box, std::size_t lane) {
    Lanes sum = all(0);
    for (int k = 0; k < 3; ++k) {
      const float axis[3] = {box.axis[k][0][lane], box.axis[k][1][lane], box.axis[k][2][lane]};
      const float at = axis[0] * box.center[0][lane] + axis[1] * box.center[1][lane] + axis[2] * box.center[2][lane];
      const float half = box.half[k][lane];
      const Lanes gap = gap_along(all3(axis), b.at, all(at - half), all(at + half));
      sum = sum + gap * gap;
    }
    return sum;
  }

  // Gaps add up along orthogonal axes only, and the normal of a sliver is little more than rounding.
  static GRAZE_LANE_FUNCTION void make_boxes(Leaves& leaves) {
    Triangles& a = leaves.a;
    for (int k = 0; k < 3; ++k) a.at[k] = load3(leaves.block_a.at[k]);
    const Lanes3 edge = a.at[1] - a.at[0];
    Lanes3 axes[3];
    axes[1] = unit_vector(edge);
    axes[0] = orthogonal(unit_vector(cross(edge, a.at[2] - a.at[0])), axes[1]), axes[2] = cross(axes[0], axes[1]);
    for (int k = 0; k < 3; ++k) {
      store(axes[k].x, leaves.axis[k][0]), store(axes[k].y, leaves.axis[k][1]), store(axes[k].z, leaves.axis[k][2]);
      const Lanes p = dot(axes[k], a.at[0]), q = dot(axes[k], a.at[1]), r = dot(axes[k], a.at[2]);
      store(min(min(p, q), r), leaves.low[k]), store(max(max(p, q), r), leaves.high[k]);
    }
  }

  // Tests 2 to 4 of triangle i of a: the lanes of b that may be within the limit. `bound` is a square that each pair is
  // at least apart by, as far as it was tested.
  template <bool kRest>
  GRAZE_LANE_FUNCTION unsigned near_triangles(const Leaves& leaves, std::size_t i, Lanes& bound) const {
    const Lanes limit_sq = all(limit_sq_);
    const Lanes height = leaves.gap_to_box(0, i);
    bound = height * height;
    if constexpr (kRest) bound = max(bound, leaves.to_box);  // or it would not count for those not near the box
    if (toward_known_) {
      const Lanes gap = max(all(leaves.start_a[i]) - leaves.end_b, all(0));
      bound = max(bound, gap * gap);
    }
    unsigned near = not_above(bound, limit_sq) & leaves.near_box;
    if (near == 0) return 0;

    Lanes in_box = height * height;
    for (int k = 1; k < 3; ++k) {
      const Lanes gap = leaves.gap_to_box(k, i);
      in_box = in_box + gap * gap;
    }
    bound = max(bound, in_box);
    near &= not_above(bound, limit_sq);
    if (near == 0) return 0;

    const Triangles& b = leaves.b;
    const Lanes u = dot(b.normal, leaves.one(leaves.block_a.at[0], i)),
                v = dot(b.normal, leaves.one(leaves.block_a.at[1], i)),
                w = dot(b.normal, leaves.one(leaves.block_a.at[2], i));
    const Lanes depth = max(max(min(min(u, v), w) - b.highest, b.lowest - max(max(u, v), w)), all(0));
    bound = max(bound, depth * depth);
    return near & not_above(bound, limit_sq);
  }

  // Puts the pairs of triangles of two leaves that may be within the limit into found_. With kRest, rest_ becomes the
  // smallest bound of the others.
  template <bool kRest = false>
  void leaves(const Place& top) {
    found_count_ = 0;
    Lanes rest = all(kHuge);
    Leaves two(pair_.a.blocks[child_of(pair_.a, top.a) & ~kLeafBit],
               pair_.b.blocks[child_of(pair_.b, top.b) & ~kLeafBit]);
    two.b = moved_triangles(two.block_b, pair_.b_to_a);
    two.to_box = squared_gaps(two.b, boxes_of(pair_.a, top.a), top.a % kWidth);
    two.near_box = not_above(two.to_box, all(limit_sq_)) & filled(two.block_b);
    if constexpr (kRest) rest = min_above(rest, two.to_box, all(limit_sq_));
    if (two.near_box != 0) compare<kRest>(two, rest);
    if constexpr (kRest) {
      alignas(64) float each_rest[kWidth];
      store(rest, each_rest);
      rest_ = *std::min_element(each_rest, each_rest + kWidth);
    }
  }
  template <bool kRest>
  GRAZE_LANE_FUNCTION void compare(Leaves& two, Lanes& rest) {
    two.b.complete();
    make_boxes(two);
    two.end_b = all(0);
    if (toward_known_) {
      const Lanes3 n = all3(from_b_);  // from b to a
      const Lanes3 *a = two.a.at, *b = two.b.at;
      store(min(min(dot(n, a[0]), dot(n, a[1])), dot(n, a[2])), two.start_a);
      two.end_b = max(max(dot(n, b[0]), dot(n, b[1])), dot(n, b[2]));
    }
    for (std::size_t i = 0; i < kWidth && two.block_a.triangle[i] != kNone; ++i) {
      Lanes bound;
      unsigned near = near_triangles<kRest>(two, i, bound);
      if constexpr (kRest) rest = min_above(rest, bound, all(limit_sq_));
      if (near == 0) continue;
      alignas(64) float each_bound[kWidth];
      store(bound, each_bound);
      for (; near != 0; near &= near - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(near));
        found_[found_count_++] = {each_bound[k], {two.block_a.triangle[i] | kTriangle, two.block_b.triangle[k]}};
      }
    }
  }

  std::size_t nearest_found() const {
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < found_count_; ++i) {
      if (found_[i].bound < found_[lowest].bound) lowest = i;
    }
    return lowest;
  }

  static constexpr float kHuge = 3e38F;  // of squares

  const MeshPair& pair_;
  const PairVisitor& visitor_;
  double slack_, limit_ = 0;
  float limit_sq_ = 0, rest_ = 0;
  bool toward_known_ = false;
  float from_b_[3] = {0, 0, 0}, from_a_[3] = {0, 0, 0};  // units from b to a in a's frame, from a to b in b's
  std::size_t found_count_ = 0;
  Pending<Place, float> found_[kWidth * kWidth];
  bool keeps_apart_ = false;  // the list of the walk wants to know what is apart
  bool descending_ = false;   // of two leaves only the nearest triangles are to be measured

 private:
  bool opens_a_ = false;  // what was opened last
  std::uint32_t opened_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
