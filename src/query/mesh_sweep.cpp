#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_sweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "query/mesh_steps-inl.h"
#include "query/mesh_sweep.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

constexpr float kNever = 2;  // of parts of the stretch: it lasts from 0 to 1
constexpr float kDoubt = 2e-5F;

GRAZE_LANE_FUNCTION Lanes if_above(const Lanes& x, const Lanes& y, const Lanes& yes, const Lanes& no) {
  return each([&](std::size_t i) { return hn::IfThenElse(hn::Gt(x.of[i], y.of[i]), yes.of[i], no.of[i]); });
}

// Spans of what moves along an axis, at the start and at the end.
struct Spans {
  Lanes low, high, low_end, high_end;
};

// What gaps along axes say of two bodies in each lane, whose paths keep to lines: when all intervals overlap, from
// `enter` to `leave`.
class StraightGaps {
 public:
  GRAZE_LANE_FUNCTION StraightGaps(float /*sag*/, float off) : off_(all(off)), enter_(all(0)), leave_(all(1)) {}

  // At `at` from each other, `end` at the end; not farther from each other than `near` and, at the end, `near_end`.
  GRAZE_LANE_FUNCTION void along(const Lanes& at, const Lanes& end, const Lanes& near, const Lanes& near_end) {
    const Lanes zero = all(0), sign = if_above(zero, at, all(-1), all(1)),
                sign_end = if_above(zero, end, all(-1), all(1));
    sides(sign * at - near, sign * end - near_end, sign_end * at - near, sign_end * end - near_end);
  }
  GRAZE_LANE_FUNCTION void between(const Spans& a, const Spans& b) {
    const Lanes above = b.low - a.high, below = a.low - b.high;
    const Lanes above_end = b.low_end - a.high_end, below_end = a.low_end - b.high_end;
    sides(max(above, below), if_above(above, below, above_end, below_end), if_above(above_end, below_end, above, below),
          max(above_end, below_end));
  }
  // Bits of the lanes that may touch.
  GRAZE_LANE_FUNCTION unsigned near() const { return not_above(enter_, leave_ + all(1e-5F)); }
  // The part of the time that passes before that, rounded down.
  GRAZE_LANE_FUNCTION Lanes entry() const { return enter_ * all(1 - kDoubt); }

 private:
  // Gaps on the side where they are at the start: then and at the end; on that of the end: at the start and then.
  GRAZE_LANE_FUNCTION void sides(const Lanes& first, const Lanes& then, const Lanes& before, const Lanes& last) {
    enter_ = max(enter_, first_below_zero(first - off_, then - off_));
    leave_ = min(leave_, all(1) - first_below_zero(last - off_, before - off_));
  }
  // 0 where they are not apart from the start, kNever where they always are.
  static GRAZE_LANE_FUNCTION Lanes first_below_zero(const Lanes& from, const Lanes& to) {
    const Lanes zero = all(0);
    return if_above(from, zero, if_above(to, zero, all(kNever), from / (from - to)), zero);
  }

  Lanes off_, enter_, leave_;
};

// The same for paths that stray from lines by up to `sag`, half way: apart are those between which there is more along
// one axis both at the start and at the end. Intervals would say no more: such stretches are short.
class BentGaps {
 public:
  GRAZE_LANE_FUNCTION BentGaps(float sag, float off)
      : sag_(all(sag)), off_(all(off)), smaller_(all(-1e30F)), first_(smaller_), then_(smaller_) {}

  GRAZE_LANE_FUNCTION void along(const Lanes& at, const Lanes& end, const Lanes& near, const Lanes& near_end) {
    const Lanes zero = all(0);
    add(abs(at) - near, if_above(zero, at, zero - end, end) - near_end);
  }
  GRAZE_LANE_FUNCTION void between(const Spans& a, const Spans& b) {
    const Lanes above = b.low - a.high, below = a.low - b.high;
    add(max(above, below), if_above(above, below, b.low_end - a.high_end, a.low_end - b.high_end));
  }
  GRAZE_LANE_FUNCTION unsigned near() const { return not_above(smaller_, sag_ + off_); }
  // Along the axis with the largest gap at the start. The gap is a parabola, which lies above its tangents at the start
  // and half way.
  GRAZE_LANE_FUNCTION Lanes entry() const {
    const Lanes from = first_ - off_, closes = first_ - then_, tiny = all(1e-30F);
    const Lanes half_way = (from - sag_) / max(closes, tiny), start = from / max(closes + all(4) * sag_, tiny);
    return min(max(max(half_way, start), all(0)), all(1)) * all(1 - kDoubt);
  }

 private:
  // Gaps on the side where they are at the start: then, and at the end.
  GRAZE_LANE_FUNCTION void add(const Lanes& first, const Lanes& then) {
    smaller_ = max(smaller_, min(first, then));
    then_ = if_above(first, first_, then, then_);
    first_ = max(first_, first);
  }

  Lanes sag_, off_;
  Lanes smaller_;       // of both gaps, along the axis where that is largest
  Lanes first_, then_;  // along the axis with the largest gap at the start
};

// Points seen through a frame.
GRAZE_LANE_FUNCTION Lanes3 seen(const Lanes3& p, const Frame& f) {
  return {all(f.r[0][0]) * p.x + all(f.r[1][0]) * p.y + all(f.r[2][0]) * p.z + all(f.t[0]),
          all(f.r[0][1]) * p.x + all(f.r[1][1]) * p.y + all(f.r[2][1]) * p.z + all(f.t[1]),
          all(f.r[0][2]) * p.x + all(f.r[1][2]) * p.y + all(f.r[2][2]) * p.z + all(f.t[2])};
}
GRAZE_LANE_FUNCTION Lanes3 operator+(const Lanes3& a, const Lanes3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

// A guess of when what is at `d` from each other, and `by` more at the end, touches: that of the centers' nearest
// approach, and the later the farther they pass from each other.
GRAZE_LANE_FUNCTION Lanes likely(const Lanes3& d, const Lanes3& by) {
  const Lanes square = max(dot(by, by), all(1e-30F));
  const Lanes s = min(max(all(0) - dot(d, by) / square, all(0)), all(1));
  const Lanes3 rest = {d.x + s * by.x, d.y + s * by.y, d.z + s * by.z};
  return s + root(dot(rest, rest) / square);
}

GRAZE_LANE_FUNCTION unsigned filled(const Wide& node) {
  unsigned bits = 0;
  for (std::size_t k = 0; k < kWidth; ++k) bits |= (node.child[k] != kNone ? 1U : 0U) << k;
  return bits;
}

// Three corners at the start and at the end of the stretch.
struct MovedTriangles {
  Lanes3 at[3], end[3];
};
// Three times the middle of a triangle.
GRAZE_LANE_FUNCTION Lanes3 middle(const Lanes3* at) { return at[0] + at[1] + at[2]; }
GRAZE_LANE_FUNCTION Spans spans_along(const Lanes3& axis, const MovedTriangles& t) {
  const Lanes p = dot(axis, t.at[0]), q = dot(axis, t.at[1]), r = dot(axis, t.at[2]);
  const Lanes u = dot(axis, t.end[0]), v = dot(axis, t.end[1]), w = dot(axis, t.end[2]);
  return {min(min(p, q), r), max(max(p, q), r), min(min(u, v), w), max(max(u, v), w)};
}
template <class Gaps>
class SweepWalk {
 public:
  struct Place {
    Ref a, b;  // a child of each
  };
  using Bound = float;  // a part of the stretch

  SweepWalk(const SweptMeshes& pair, double limit, const SweepVisitor& visitor)
      : pair_(pair), visitor_(visitor), moves_(pair.moves) {
    lower(limit);
    turn_toward();
  }

  // Depth first: the sooner a touch is known, the less there is to open. Gives the part of the stretch in which nothing
  // touches but what was visited.
  GRAZE_LANE_WALK double run() {
    open_.push({0, {kWhole, kWhole}});
    near_first(*this, *this);
    return static_cast<double>(left_);
  }

  // It is its own list: what is left when the walk ends early is looked at once more.
  bool take(Pending<Place, float>& top) { return open_.take(top); }
  void leave(const Pending<Place, float>& pending) {
    if (limit_ < 0) left_ = std::min(left_, pending.bound);
  }
  void put(const SweepWalk&, const Place& parent, const Children<float>& children) {
    open_.put(*this, parent, children);
  }

  bool is_leaf(const Place& place) const {
    return (child_of(pair_.a, place.a) & child_of(pair_.b, place.b) & kLeafBit) != 0;
  }
  Place child(const Place& place, std::size_t k) const {
    const auto ref = opened_ * static_cast<Ref>(kWidth) + static_cast<Ref>(k);
    return opens_a_ ? Place{ref, place.b} : Place{place.a, ref};
  }
  bool beyond(float from) const { return from > limit_; }

  // The children of the larger one with the other, those that are likely to touch early first.
  void open(const Place& place, Children<float>& children) {
    const std::uint32_t child_a = child_of(pair_.a, place.a), child_b = child_of(pair_.b, place.b);
    const bool leaf_a = (child_a & kLeafBit) != 0, leaf_b = (child_b & kLeafBit) != 0;
    opens_a_ = leaf_b || (!leaf_a && size_of_box(pair_.a, place.a) >= size_of_box(pair_.b, place.b));
    opened_ = opens_a_ ? child_a : child_b;
    Lanes entry, order;
    if (opens_a_) {
      const Turned box(boxes_of(pair_.b, place.b), place.b % kWidth, pair_.b_to_a);
      const Turned moved(boxes_of(pair_.b, place.b), place.b % kWidth, moves_.shift_b);
      children.near = entering(pair_.a.wide[opened_], moves_.shift_a, moves_.stretch_a, box, moved.center,
                               moves_.stretch_b, toward_a_, entry, order);
    } else {
      const Turned box(boxes_of(pair_.a, place.a), place.a % kWidth, pair_.a_to_b);
      const Turned moved(boxes_of(pair_.a, place.a), place.a % kWidth, moves_.shift_a_in_b);
      children.near = entering(pair_.b.wide[opened_], moves_.shift_b_in_b, moves_.stretch_b, box, moved.center,
                               moves_.stretch_a, toward_b_, entry, order);
    }
    if (children.near == 0) return;
    store(entry, children.bound), store(order, children.other);
    children.order = children.other;
    const Data& data = opens_a_ ? pair_.a : pair_.b;
    for (unsigned near = children.near; near != 0; near &= near - 1)
      fetch(data, data.wide[opened_].child[static_cast<std::size_t>(std::countr_zero(near))]);
  }

  void leaf(const Place& place) {
    count_ = 0;
    leaves(place);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = i + 1; k < count_; ++k) {
        if (found_[k].likely < found_[i].likely) std::swap(found_[i], found_[k]);
      }
      if (beyond(found_[i].from)) {
        if (limit_ < 0) left_ = std::min(left_, found_[i].from);
        continue;
      }
      lower(visitor_.call(visitor_.self, found_[i].a, found_[i].b, static_cast<double>(found_[i].from)));
      turn_toward();
    }
  }

 private:
  struct Found {
    float from, likely;
    std::uint32_t a, b;  // triangles
  };

  // Every triangle of a with all of b at once, along normals of both and the axes of a box around that of a.
  void leaves(const Place& place) {
    const Block &block_a = pair_.a.blocks[child_of(pair_.a, place.a) & ~kLeafBit],
                &block_b = pair_.b.blocks[child_of(pair_.b, place.b) & ~kLeafBit];
    MovedTriangles a, b;
    for (int k = 0; k < 3; ++k) {
      a.at[k] = load3(block_a.at[k]), a.end[k] = a.at[k] + seen(a.at[k], moves_.shift_a);
      const Lanes3 p = load3(block_b.at[k]);
      b.at[k] = seen(p, pair_.b_to_a), b.end[k] = b.at[k] + seen(p, moves_.shift_b);
    }
    // Along the guess of what separates them first: that settles most.
    const Lanes3 n = all3(toward_a_);
    const Spans along_b = spans_along(n, b);
    alignas(64) float low[kWidth], high[kWidth], low_end[kWidth], high_end[kWidth];
    {
      const Spans along_a = spans_along(n, a);
      store(along_a.low, low), store(along_a.high, high);
      store(along_a.low_end, low_end), store(along_a.high_end, high_end);
    }
    const unsigned all_b = filled(block_b);
    bool prepared = false;
    Lanes3 normal = n;
    Spans own_b = along_b;
    for (std::size_t i = 0; i < kWidth && block_a.triangle[i] != kNone; ++i) {
      Gaps gaps(moves_.sag, pair_.off);
      unsigned near = all_b;
      const auto test = [&](const Spans& of_a, const Spans& of_b) {
        gaps.between(of_a, of_b);
        near = all_b & gaps.near();
        return near != 0;
      };
      bool left = test({all(low[i]), all(high[i]), all(low_end[i]), all(high_end[i])}, along_b);
      if (!left) continue;
      if (!prepared) {
        normal = unit_vector(cross(b.at[1] - b.at[0], b.at[2] - b.at[0]));
        own_b = spans_along(normal, b);
        store_axes(a);
        prepared = true;
      }
      for (int k = 0; k < 3 && left; ++k) {
        const Lanes3 axis = {all(axis_[k][0][i]), all(axis_[k][1][i]), all(axis_[k][2][i])};
        left =
            test({all(low_[k][i]), all(high_[k][i]), all(low_end_[k][i]), all(high_end_[k][i])}, spans_along(axis, b));
      }
      if (!left) continue;
      const MovedTriangles t = one(i);
      if (!test(spans_along(normal, t), own_b)) continue;
      if (!near_along_edges(t, b, test)) continue;
      alignas(64) float from[kWidth], guess[kWidth];
      store(gaps.entry() * all(until_), from);
      const Lanes3 d = middle(b.at) - middle(t.at);
      store(likely(d, middle(b.end) - middle(t.end) - d), guess);
      for (; near != 0; near &= near - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(near));
        found_[count_++] = {from[k], guess[k], block_a.triangle[i], block_b.triangle[k]};
      }
    }
  }

  // Across an edge of each: false as soon as no lane is left.
  template <class Test>
  static GRAZE_LANE_FUNCTION bool near_along_edges(const MovedTriangles& a, const MovedTriangles& b, const Test& test) {
    for (int i = 0; i < 3; ++i) {
      const Lanes3 edge_a = a.at[(i + 1) % 3] - a.at[i];
      for (int k = 0; k < 3; ++k) {
        const Lanes3 axis = unit_vector(cross(edge_a, b.at[(k + 1) % 3] - b.at[k]));
        if (!test(spans_along(axis, a), spans_along(axis, b))) return false;
      }
    }
    return true;
  }

  // The stretch ends at the limit: paths bend by less until then.
  void lower(double limit) {
    limit_ = limit < 0 ? -1 : static_cast<float>(limit) * (1 + 1e-6F) + 1e-30F;
    if (!(limit_ >= 0 && limit_ < until_)) return;
    until_ = limit_;
    moves_ = visitor_.until(visitor_.self, static_cast<double>(until_));
  }

  // Children of a node that moves by `shift`, with a box that moves by `moved`.
  GRAZE_LANE_FUNCTION unsigned entering(const Wide& node, const Frame& shift, float stretch, const Turned& box,
                                        const float* moved, float stretch_of_box, const float* toward, Lanes& entry,
                                        Lanes& order) const {
    const Lanes3 center = load3(node.center), h = load3(node.half);
    const Lanes3 d = center - all3(box.center), by = seen(center, shift) - all3(moved), end = d + by;
    const Lanes3 own[3] = {load3(node.axis[0]), load3(node.axis[1]), load3(node.axis[2])};
    const float radius = std::sqrt(box.half[0] * box.half[0] + box.half[1] * box.half[1] + box.half[2] * box.half[2]);
    const Lanes grows = root(dot(h, h)) * all(stretch) + all(radius * stretch_of_box);
    Gaps gaps(moves_.sag, pair_.off);
    const unsigned there = filled(node);
    float across = 0;
    for (int k = 0; k < 3; ++k) {
      const float* axis = box.axis[k];
      across += std::abs(axis[0] * toward[0] + axis[1] * toward[1] + axis[2] * toward[2]) * box.half[k];
    }
    const Lanes3 n = all3(toward);
    const Lanes wide = abs(dot(n, own[0])) * h.x + abs(dot(n, own[1])) * h.y + abs(dot(n, own[2])) * h.z + all(across);
    gaps.along(dot(n, d), dot(n, end), wide, wide + grows);
    if ((gaps.near() & there) == 0) return 0;
    Lanes reach[3] = {h.x, h.y, h.z};
    for (int k = 0; k < 3; ++k) {
      const Lanes3 axis = all3(box.axis[k]);
      const Lanes half = all(box.half[k]);
      const Lanes x = abs(dot(axis, own[0])), y = abs(dot(axis, own[1])), z = abs(dot(axis, own[2]));
      reach[0] = reach[0] + x * half, reach[1] = reach[1] + y * half, reach[2] = reach[2] + z * half;
      const Lanes near = x * h.x + y * h.y + z * h.z + half;
      gaps.along(dot(axis, d), dot(axis, end), near, near + grows);
    }
    if ((gaps.near() & there) == 0) return 0;
    for (int k = 0; k < 3; ++k) gaps.along(dot(own[k], d), dot(own[k], end), reach[k], reach[k] + grows);
    entry = gaps.entry() * all(until_);
    order = likely(d, by);
    return gaps.near() & there;
  }

  // Boxes around each triangle of a, along its normal, its first edge, and across both.
  GRAZE_LANE_FUNCTION void store_axes(const MovedTriangles& a) {
    const Lanes3 edge = a.at[1] - a.at[0];
    Lanes3 axes[3];
    axes[0] = unit_vector(cross(edge, a.at[2] - a.at[0]));
    axes[1] = unit_vector(edge), axes[2] = unit_vector(cross(axes[0], axes[1]));
    for (int k = 0; k < 3; ++k) {
      store(axes[k].x, axis_[k][0]), store(axes[k].y, axis_[k][1]), store(axes[k].z, axis_[k][2]);
      const Spans spans = spans_along(axes[k], a);
      store(spans.low, low_[k]), store(spans.high, high_[k]);
      store(spans.low_end, low_end_[k]), store(spans.high_end, high_end_[k]);
      for (int c = 0; c < 3 && k == 0; ++c) {
        store(a.at[c].x, at_[c][0]), store(a.at[c].y, at_[c][1]), store(a.at[c].z, at_[c][2]);
        store(a.end[c].x, end_[c][0]), store(a.end[c].y, end_[c][1]), store(a.end[c].z, end_[c][2]);
      }
    }
  }
  // Triangle i of a in all lanes.
  GRAZE_LANE_FUNCTION MovedTriangles one(std::size_t i) const {
    MovedTriangles t;
    for (int c = 0; c < 3; ++c) {
      t.at[c] = {all(at_[c][0][i]), all(at_[c][1][i]), all(at_[c][2][i])};
      t.end[c] = {all(end_[c][0][i]), all(end_[c][1][i]), all(end_[c][2][i])};
    }
    return t;
  }

  void turn_toward() {
    const Vec3& n = visitor_.toward(visitor_.self);
    for (int i = 0; i < 3; ++i) toward_a_[i] = static_cast<float>(n[i]);
    for (int i = 0; i < 3; ++i) {
      const float* row = pair_.b_to_a.r[i];
      toward_b_[i] = row[0] * toward_a_[0] + row[1] * toward_a_[1] + row[2] * toward_a_[2];
    }
  }

  const SweptMeshes& pair_;
  const SweepVisitor& visitor_;
  float limit_ = 1, left_ = 1;
  float until_ = 1;   // a part of the stretch, at which it ends
  SweptMoves moves_;  // until then
  float toward_a_[3] = {0, 0, 0}, toward_b_[3] = {0, 0, 0};
  alignas(64) float axis_[3][3][kWidth], at_[3][3][kWidth], end_[3][3][kWidth];
  alignas(64) float low_[3][kWidth], high_[3][kWidth], low_end_[3][kWidth], high_end_[3][kWidth];
  bool opens_a_ = false;  // what was opened last
  std::uint32_t opened_ = 0;
  std::size_t count_ = 0;
  Found found_[kWidth * kWidth];
  NearStack<Place, float, 2 * bvh::kMaxDepth + 2> open_;
};

double visit_swept(const SweptMeshes& pair, double limit, const SweepVisitor& visitor) {
  return pair.moves.sag > 0 ? SweepWalk<BentGaps>(pair, limit, visitor).run()
                            : SweepWalk<StraightGaps>(pair, limit, visitor).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_swept);

double visit(const SweptMeshes& pair, double limit, const SweepVisitor& visitor) {
  return HWY_DYNAMIC_DISPATCH(visit_swept)(pair, limit, visitor);
}

namespace {

Frame frame_of(const Mat3& linear, const Vec3& offset) {
  Frame f{};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) f.r[k][i] = static_cast<float>(linear(i, k));
    f.t[i] = static_cast<float>(offset[i]);
  }
  return f;
}

// No vector changes by more than this times its length.
float stretch_of(const Mat3& change) { return static_cast<float>(std::sqrt(change.squaredNorm() / 2) * (1 + 1e-5)); }

}  // namespace

SweptMoves::SweptMoves(const mesh::Data& a, const mesh::Data& b, const Relative& start, const SweptEnd& end,
                       double sag_)
    : sag(static_cast<float>(sag_ * (1 + 1e-6))) {
  const Mat3& r = start.rotation;
  const Mat3 change_a = end.turned_a - Mat3::Identity(), change_b = end.turned_b - r;
  const Vec3 by_a = change_a * a.tree.origin + end.moved_a,
             by_b = change_b * b.tree.origin + (end.moved_b - start.translation);
  shift_a = frame_of(change_a, by_a), shift_b = frame_of(change_b, by_b);
  shift_a_in_b = frame_of(r.transpose() * change_a, r.transpose() * by_a);
  shift_b_in_b = frame_of(r.transpose() * change_b, r.transpose() * by_b);
  stretch_a = stretch_of(change_a), stretch_b = stretch_of(change_b);
}

SweptMeshes::SweptMeshes(const mesh::Data& a_, const mesh::Data& b_, const Relative& start, const SweptEnd& end,
                         double off_, double sag)
    : a(a_), b(b_), moves(a_, b_, start, end, sag) {
  const Mat3& r = start.rotation;
  const Vec3 &origin_a = a.tree.origin, &origin_b = b.tree.origin;
  const Vec3 to_a = start.to_a(origin_b) - origin_a;
  b_to_a = frame_of(r, to_a);
  a_to_b = frame_of(r.transpose(), -(r.transpose() * to_a));
  const auto moved = [](const Frame& shift) {
    return std::abs(double{shift.t[0]}) + std::abs(double{shift.t[1]}) + std::abs(double{shift.t[2]});
  };
  // Over a part of the stretch points move no farther than by the sag more.
  reach_ = 2 * (a.extent + b.extent) + size_of(to_a) + 2 * (moved(moves.shift_a) + moved(moves.shift_b)) +
           4 * (double{moves.stretch_a} * a.extent + double{moves.stretch_b} * b.extent) + 8 * sag;
  const double slack =
      2 * kFloatSlack * reach_ + 64 * kEpsilon *
                                     (size_of(origin_a) + size_of(origin_b) + size_of(start.translation) +
                                      size_of(end.moved_a) + size_of(end.moved_b));
  off = static_cast<float>((off_ + slack) * (1 + 1e-6));
}

}  // namespace graze::walk
#endif
