// The steps of walks through two meshes' trees. Included once per instruction set.
#if defined(GRAZE_QUERY_MESH_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_QUERY_MESH_STEPS_INL_H_
#undef GRAZE_QUERY_MESH_STEPS_INL_H_
#else
#define GRAZE_QUERY_MESH_STEPS_INL_H_
#endif

#include <hwy/cache_control.h>

#include "query/mesh_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

// A child of a node: kWidth × node + lane. kTriangle: a triangle instead.
using Ref = std::uint32_t;
constexpr Ref kTriangle = 0x80000000;

HWY_INLINE std::uint32_t child_of(const Data& d, Ref ref) { return d.wide[ref / kWidth].child[ref % kWidth]; }
HWY_INLINE float size_of_box(const Data& d, Ref ref) {
  const Wide& node = d.wide[ref / kWidth];
  const std::size_t k = ref % kWidth;
  return node.half[0][k] * node.half[0][k] + node.half[1][k] * node.half[1][k] + node.half[2][k] * node.half[2][k];
}

struct Entry {
  float bound_sq;
  Ref a, b;
};

// Heaps of four, the least key on top. Ties are broken by the order of arrival in the same way on every machine.
template <class Item, class Key>
HWY_INLINE void heap_put(Item* heap, std::size_t& size, const Item& item, const Key& key) {
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
HWY_INLINE Item heap_take(Item* heap, std::size_t& size, const Key& key) {
  const Item top = heap[0], last = heap[--size];
  std::size_t i = 0;
  for (;;) {
    const std::size_t first = 4 * i + 1, end = std::min(first + 4, size);
    if (first >= size) break;
    std::size_t least = first;
    for (std::size_t k = first + 1; k < end; ++k) {
      if (key(heap[k]) < key(heap[least])) least = k;
    }
    if (!(key(heap[least]) < key(last))) break;
    heap[i] = heap[least];
    i = least;
  }
  heap[i] = last;
  return top;
}

// What all walks through two trees do: open pairs of nodes, look at pairs of leaves, measure pairs of triangles.
class PairSteps {
 protected:
  /// `slack` is what bounds must be beyond the limit to count; at least that of the pair.
  PairSteps(const MeshPair& pair, double slack, double limit, const PairVisitor& visitor)
      : pair_(pair), visitor_(visitor), slack_(slack) {
    lower(limit);
  }

  struct Ordered {
    Entry entry;
    float order;
  };

  HWY_INLINE void lower(double limit) {
    stopped_ = limit < 0;
    limit_ = limit;
    limit_sq_ = square_above(limit, slack_);
  }

  void measure(Ref a, Ref b) {
    lower(visitor_.call(visitor_.self, a, b));
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

  HWY_INLINE void measure_found(const Entry& triangles) {
    if (!stopped_ && !(triangles.bound_sq > limit_sq_)) measure(triangles.a & ~kTriangle, triangles.b);
  }

  template <class Sink>
  void roots(const Sink& sink) {
    const Wide &root_a = pair_.a.wide[0], &root_b = pair_.b.wide[0];
    Lanes bounds, between;
    unsigned near = near_children(root_b, Turned(pair_.a.whole, 0, pair_.a_to_b), limit_sq_, bounds, between);
    for (; near != 0; near &= near - 1) {
      const auto k = static_cast<Ref>(std::countr_zero(near));
      offer(
          pair_.a, root_a, 0, Turned(root_b, k, pair_.b_to_a),
          [k](Ref a) {
            return Entry{0, a, k};
          },
          from_b_, sink);
    }
  }

  // Of two nodes, the larger is opened.
  HWY_INLINE bool opens_a(const Entry& top, std::uint32_t child_a, std::uint32_t child_b) const {
    const bool leaf_a = (child_a & kLeafBit) != 0, leaf_b = (child_b & kLeafBit) != 0;
    return leaf_b || (!leaf_a && size_of_box(pair_.a, top.a) >= size_of_box(pair_.b, top.b));
  }

  // Puts the children of the larger one with the other.
  template <class Sink>
  HWY_INLINE void open(const Entry& top, const Sink& sink) {
    const std::uint32_t child_a = child_of(pair_.a, top.a), child_b = child_of(pair_.b, top.b);
    if (opens_a(top, child_a, child_b)) {
      const Turned box(pair_.b.wide[top.b / kWidth], top.b % kWidth, pair_.b_to_a);
      offer(
          pair_.a, pair_.a.wide[child_a], static_cast<Ref>(child_a * kWidth), box,
          [&](Ref a) {
            return Entry{0, a, top.b};
          },
          from_b_, sink);
    } else {
      const Turned box(pair_.a.wide[top.a / kWidth], top.a % kWidth, pair_.a_to_b);
      offer(
          pair_.b, pair_.b.wide[child_b], static_cast<Ref>(child_b * kWidth), box,
          [&](Ref b) {
            return Entry{0, top.a, b};
          },
          from_a_, sink);
    }
  }

  template <class Make, class Sink>
  HWY_INLINE void offer(const Data& data, const Wide& node, Ref first, const Turned& box, const Make& make,
                        const float* toward, const Sink& sink) {
    Lanes bounds, between;
    unsigned near = near_children(node, box, limit_sq_, bounds, between, toward_known_ ? toward : nullptr);
    if (near == 0) return;
    alignas(64) float each_bound[kWidth], order[kWidth];
    store(bounds, each_bound), store(between, order);
    for (; near != 0; near &= near - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(near));
      Entry entry = make(first + k);
      entry.bound_sq = each_bound[k];
      fetch(data, node.child[k]);
      sink(entry, order[k]);
    }
  }

  // Meshes are larger than the caches: what a child holds is asked for when the child is found, and needed somewhat
  // later.
  static HWY_INLINE void fetch(const Data& data, std::uint32_t child) {
    const bool leaf = (child & kLeafBit) != 0;
    const void* at = leaf ? static_cast<const void*>(&data.blocks[child & ~kLeafBit]) : &data.wide[child];
    const auto* bytes = static_cast<const char*>(at);
    for (std::size_t i = 0; i < (leaf ? sizeof(Block) : sizeof(Wide)); i += 64) hwy::Prefetch(bytes + i);
  }

  // From the roots always to the pair with the nearest centres, down to two triangles.
  void glance() {
    Ordered best{{}, kHuge};
    const auto nearest = [&](const Entry& entry, float order) {
      if (order < best.order) best = {entry, order};
    };
    roots(nearest);
    while (best.order < kHuge) {
      const Entry top = best.entry;
      best.order = kHuge;
      const std::uint32_t child_a = child_of(pair_.a, top.a), child_b = child_of(pair_.b, top.b);
      if ((child_a & child_b & kLeafBit) == 0) {
        open(top, nearest);
        continue;
      }
      leaves(top);
      if (found_count_ > 0) measure_found(found_[nearest_found()]);
      return;
    }
  }

  // Three corners along an axis: the gap to the span [least, most].
  static HWY_INLINE Lanes gap_along(const Lanes3& axis, const Lanes3* at, const Lanes& least, const Lanes& most) {
    const Lanes p = dot(axis, at[0]), q = dot(axis, at[1]), r = dot(axis, at[2]);
    return max(max(min(min(p, q), r) - most, least - max(max(p, q), r)), all(0));
  }

  // The least of what is above the limit.
  static HWY_INLINE Lanes least_above(const Lanes& least, const Lanes& bound, const Lanes& limit) {
    return each([&](std::size_t i) {
      return hn::Min(least.of[i], hn::IfThenElse(hn::Gt(bound.of[i], limit.of[i]), bound.of[i], hn::Set(kF, kHuge)));
    });
  }

  // Puts the pairs of triangles of two leaves that may be within the limit into found_. With kRest, rest_ becomes the
  // least bound of the others.
  template <bool kRest = false>
  void leaves(const Entry& top) {
    found_count_ = 0;
    Lanes rest = all(kHuge);
    const auto end = [&] {
      if constexpr (kRest) {
        alignas(64) float each_rest[kWidth];
        store(rest, each_rest);
        rest_ = *std::min_element(each_rest, each_rest + kWidth);
      }
    };
    const Lanes zero = all(0);
    const Block& block_a = pair_.a.blocks[child_of(pair_.a, top.a) & ~kLeafBit];
    const Block& block_b = pair_.b.blocks[child_of(pair_.b, top.b) & ~kLeafBit];
    // Which triangles of b come near the box of a's?
    Triangles b = moved_triangles(block_b, pair_.b_to_a);
    const Wide& box = pair_.a.wide[top.a / kWidth];
    const std::size_t lane = top.a % kWidth;
    Lanes to_box = all(0);
    for (int k = 0; k < 3; ++k) {
      const float axis[3] = {box.axis[k][0][lane], box.axis[k][1][lane], box.axis[k][2][lane]};
      const float at = axis[0] * box.center[0][lane] + axis[1] * box.center[1][lane] + axis[2] * box.center[2][lane];
      const float half = box.half[k][lane];
      const Lanes gap = gap_along(all3(axis), b.at, all(at - half), all(at + half));
      to_box = to_box + gap * gap;
    }
    const unsigned near_box = not_above(to_box, all(limit_sq_)) & filled(block_b);
    if constexpr (kRest) rest = least_above(rest, to_box, all(limit_sq_));
    if (near_box == 0) return end();
    b.complete();

    // Boxes around each triangle of a, along its normal and its first edge. Gaps add up along orthogonal axes only, and
    // the normal of a sliver is little more than rounding.
    Triangles a;
    for (int k = 0; k < 3; ++k) a.at[k] = load3(block_a.at[k]);
    const Lanes3 edge = a.at[1] - a.at[0];
    Lanes3 axes[3];
    axes[1] = unit(edge);
    axes[0] = orthogonal(unit(cross(edge, a.at[2] - a.at[0])), axes[1]), axes[2] = cross(axes[0], axes[1]);
    alignas(64) float axis[3][3][kWidth], least[3][kWidth], most[3][kWidth];
    for (int k = 0; k < 3; ++k) {
      store(axes[k].x, axis[k][0]), store(axes[k].y, axis[k][1]), store(axes[k].z, axis[k][2]);
      const Lanes p = dot(axes[k], a.at[0]), q = dot(axes[k], a.at[1]), r = dot(axes[k], a.at[2]);
      store(min(min(p, q), r), least[k]), store(max(max(p, q), r), most[k]);
    }

    // Along the way between the nearest points so far.
    alignas(64) float near_end[kWidth];
    Lanes far_end = zero;
    if (toward_known_) {
      const Lanes3 n = all3(from_b_);  // from b to a
      store(min(min(dot(n, a.at[0]), dot(n, a.at[1])), dot(n, a.at[2])), near_end);
      far_end = max(max(dot(n, b.at[0]), dot(n, b.at[1])), dot(n, b.at[2]));
    }

    for (std::size_t i = 0; i < kWidth && block_a.triangle[i] != kNone; ++i) {
      const auto one = [&](const float(*rows)[kWidth]) -> Lanes3 {
        return {all(rows[0][i]), all(rows[1][i]), all(rows[2][i])};
      };
      const Lanes limit_sq = all(limit_sq_);
      // Along a's normal, along the other axes of a's box, along b's normals.
      const Lanes height = gap_along(one(axis[0]), b.at, all(least[0][i]), all(most[0][i]));
      Lanes bound = height * height;
      if constexpr (kRest) bound = max(bound, to_box);  // or it would not count for those that are not near the box
      if (toward_known_) {
        const Lanes gap = max(all(near_end[i]) - far_end, zero);
        bound = max(bound, gap * gap);
      }
      unsigned near = not_above(bound, limit_sq) & near_box;
      if (near == 0) {
        if constexpr (kRest) rest = least_above(rest, bound, limit_sq);
        continue;
      }
      Lanes in_box = height * height;
      for (int k = 1; k < 3; ++k) {
        const Lanes gap = gap_along(one(axis[k]), b.at, all(least[k][i]), all(most[k][i]));
        in_box = in_box + gap * gap;
      }
      bound = max(bound, in_box);
      near &= not_above(bound, limit_sq);
      if (near == 0) {
        if constexpr (kRest) rest = least_above(rest, bound, limit_sq);
        continue;
      }
      const Lanes u = dot(b.normal, one(block_a.at[0])), v = dot(b.normal, one(block_a.at[1])),
                  w = dot(b.normal, one(block_a.at[2]));
      const Lanes depth = max(max(min(min(u, v), w) - b.most, b.least - max(max(u, v), w)), all(0));
      bound = max(bound, depth * depth);
      near &= not_above(bound, limit_sq);
      if constexpr (kRest) rest = least_above(rest, bound, limit_sq);
      if (near == 0) continue;
      alignas(64) float each_bound[kWidth];
      store(bound, each_bound);
      for (; near != 0; near &= near - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(near));
        found_[found_count_++] = {each_bound[k], block_a.triangle[i] | kTriangle, block_b.triangle[k]};
      }
    }
    end();
  }

  std::size_t nearest_found() const {
    std::size_t least = 0;
    for (std::size_t i = 1; i < found_count_; ++i) {
      if (found_[i].bound_sq < found_[least].bound_sq) least = i;
    }
    return least;
  }

  static constexpr float kHuge = 3e38F, kMuch = 0.995F;  // of squares

  const MeshPair& pair_;
  const PairVisitor& visitor_;
  double slack_, limit_ = 0;
  float limit_sq_ = 0, rest_ = 0;
  bool stopped_ = false, toward_known_ = false;
  float from_b_[3] = {0, 0, 0}, from_a_[3] = {0, 0, 0};  // units from b to a in a's frame, from a to b in b's
  std::size_t found_count_ = 0;
  Entry found_[kWidth * kWidth];
  NearFirst<2 * (2 * bvh::kMaxDepth + 2) * kWidth + kWidth * kWidth, Ordered> stack_;  // at_once adds to another's
};

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
