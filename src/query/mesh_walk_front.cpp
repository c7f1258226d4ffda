#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_front.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "query/mesh_steps-inl.h"
#include "query/mesh_walk.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

constexpr std::uint32_t kAllLanes = (1U << kWidth) - 1;
// Bounds count if they are beyond the limit by this many slacks: one for themselves, one for the next query's limit,
// and some to spare, so that no entry that was just put into the front is taken out by the same walk.
constexpr double kWider = 2.5;

class FrontWalk : PairSteps {
 public:
  FrontWalk(const MeshPair& pair, double limit, bool nearest, MeshFront& front, const PairVisitor& visitor)
      : PairSteps(pair, kWider * pair.slack, limit, visitor), front_(front), nearest_(nearest) {}

  // False where the front is not worth it, or does not fit: then it is empty.
  bool run() {
    if (stopped_) return true;
    const bool fresh = front_.size == 0;
    if (fresh) begin();
    if (nearest_ && limit_sq_ > kHuge / 8) glance();
    std::size_t steps = 0;
    while (!stopped_ && !full_) {
      MeshFront::Entry next{0, 0, 0, kAllLanes};
      if (!stack_.empty()) {
        const Entry top = stack_.pop().entry;
        next.a = top.a, next.b = top.b;
        if (top.bound_sq > limit_sq_) {
          keep(next.a, next.b, kAllLanes, from_square(top.bound_sq));
          continue;
        }
      } else if (front_.size > 0 && !(front_.entries[0].key > front_.moved + std::max(limit_, 0.0) + pair_.slack)) {
        next = pop();
      } else {
        break;
      }
      if (++steps > front_.cost && !fresh) full_ = true;
      else if ((child_of(pair_.a, next.a) & child_of(pair_.b, next.b) & kLeafBit) != 0) look_at_leaves(next);
      else open_lanes(next);
    }
    while (!stack_.empty()) {
      const Entry top = stack_.pop().entry;
      keep(top.a, top.b, kAllLanes, from_square(top.bound_sq));
    }
    while (seen_ > 0 && !full_) {
      const MeshFront::Entry entry = front_.entries[front_.entries.size() - seen_--];
      keep(entry.a, entry.b, entry.lanes, entry.key);
    }
    if (full_) front_.size = 0;
    else if (fresh) front_.cost = steps / 2 + 32;  // more than that, and a new one would have been cheaper
    return !full_;
  }

 private:
  // What a squared bound tells about the distance.
  double from_square(float bound_sq) const { return std::sqrt((1 - 1e-6) * double{bound_sq}) - pair_.slack; }

  bool has_room() {
    full_ = full_ || front_.size + seen_ == front_.entries.size();
    return !full_;
  }

  // The front is a heap, the least key on top.
  static constexpr auto key_of = [](const MeshFront::Entry& entry) { return entry.key; };
  void keep(Ref a, Ref b, std::uint32_t lanes, double apart) {
    if (has_room()) heap_put(front_.entries.data(), front_.size, {front_.moved + apart, a, b, lanes}, key_of);
  }
  MeshFront::Entry pop() { return heap_take(front_.entries.data(), front_.size, key_of); }

  // All pairs of the roots' children.
  void begin() {
    const Wide &root_a = pair_.a.wide[0], &root_b = pair_.b.wide[0];
    for (Ref k = 0; k < kWidth && root_b.child[k] != kNone; ++k) {
      Lanes bounds, between;
      near_children(root_a, Turned(root_b, k, pair_.b_to_a), limit_sq_, bounds, between);
      alignas(64) float each_bound[kWidth];
      store(bounds, each_bound);
      for (Ref i = 0; i < kWidth && root_a.child[i] != kNone; ++i) keep(i, k, kAllLanes, from_square(each_bound[i]));
    }
  }

  // Those children of the larger one that the entry stands for, with the other. The near ones go on, the others stay in
  // the front together.
  void open_lanes(const MeshFront::Entry& top) {
    const std::uint32_t child_a = child_of(pair_.a, top.a), child_b = child_of(pair_.b, top.b);
    const bool of_a = opens_a({0, top.a, top.b}, child_a, child_b);
    const Ref first = (of_a ? child_a : child_b) * static_cast<Ref>(kWidth);
    const Wide& node = of_a ? pair_.a.wide[child_a] : pair_.b.wide[child_b];
    const Turned box = of_a ? Turned(pair_.b.wide[top.b / kWidth], top.b % kWidth, pair_.b_to_a)
                            : Turned(pair_.a.wide[top.a / kWidth], top.a % kWidth, pair_.a_to_b);
    const float* toward = !toward_known_ ? nullptr : of_a ? from_b_ : from_a_;
    Lanes bounds, between;
    const unsigned near = near_children(node, box, limit_sq_, bounds, between, toward);
    alignas(64) float each_bound[kWidth], order[kWidth];
    store(bounds, each_bound), store(between, order);
    std::uint32_t rest = 0;
    float least = kHuge;
    stack_.mark();
    for (std::uint32_t lanes = top.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto k = static_cast<Ref>(std::countr_zero(lanes));
      if (node.child[k] == kNone) continue;
      if ((near >> k & 1U) == 0) {
        rest |= 1U << k;
        least = std::min(least, each_bound[k]);
        continue;
      }
      const Entry child = of_a ? Entry{each_bound[k], first + k, top.b} : Entry{each_bound[k], top.a, first + k};
      if (nearest_ && each_bound[k] > 0) keep(child.a, child.b, kAllLanes, from_square(each_bound[k]));
      else stack_.push({child, order[k]});
    }
    if (rest != 0) keep(top.a, top.b, rest, from_square(least));
  }

  void look_at_leaves(const MeshFront::Entry& top) {
    leaves<true>({0, top.a, top.b});
    double least = from_square(rest_);
    // The nearest first: it may save the others.
    if (nearest_ && found_count_ > 1) std::swap(found_[0], found_[nearest_found()]);
    for (std::size_t i = 0; i < found_count_; ++i) {
      const Entry& found = found_[i];
      const bool measured = !stopped_ && !(found.bound_sq > limit_sq_);
      measure_found(found);
      double apart = from_square(found.bound_sq);
      if (measured && !stopped_ && visitor_.apart != nullptr)
        apart = std::max(apart, visitor_.apart(visitor_.self, found.a & ~kTriangle, found.b));
      least = std::min(least, apart);
    }
    // Near or not, it has been dealt with; from behind it joins the front when the walk has ended.
    if (has_room()) front_.entries[front_.entries.size() - ++seen_] = {least, top.a, top.b, kAllLanes};
  }

  MeshFront& front_;
  bool nearest_, full_ = false;
  std::size_t seen_ = 0;
};

bool visit_front(const MeshPair& pair, double limit, bool nearest, MeshFront& front, const PairVisitor& visitor) {
  return FrontWalk(pair, limit, nearest, front, visitor).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_front);

bool visit(const MeshPair& pair, double limit, bool nearest, MeshFront& front, const PairVisitor& visitor) {
  return HWY_DYNAMIC_DISPATCH(visit_front)(pair, limit, nearest, front, visitor);
}

}  // namespace graze::walk
#endif
