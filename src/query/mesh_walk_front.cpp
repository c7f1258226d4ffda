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

// Begins where the last walk left off: the front holds, by how far apart they are at least, the places that were not
// worth opening then. It is its own list.
class FrontWalk : public PairSteps {
 public:
  FrontWalk(const MeshPair& pair, double limit, bool nearest, MeshFront& front, const PairVisitor& visitor)
      : PairSteps(pair, kWider * pair.slack, limit, visitor),
        front_(front),
        nearest_(nearest),
        fresh_(front.size == 0) {
    keeps_apart_ = true;
  }

  // False where the front is not worth it, or does not fit: then it is empty.
  bool run() {
    if (beyond(0)) return true;
    if (fresh_) {
      const auto first = root();
      keep(first.place, kAllLanes, from_square(first.bound));
    }
    if (nearest_ && !has_limit()) greedy_descent(*this);
    near_first(*this, *this);
    Pending<Place, float> left;
    while (stack_.take(left)) leave(left);
    while (seen_ > 0 && !full_) {
      const MeshFront::Entry entry = front_.entries[front_.entries.size() - seen_--];
      keep({entry.a, entry.b}, entry.lanes, entry.key);
    }
    if (full_) front_.size = 0;
    else if (fresh_) front_.cost = steps_ / 2 + 32;  // more than that, and a new one would have been cheaper
    return !full_;
  }

  void leaf(const Place& place) {
    if (descending_) {
      leaves(place);
      if (found_count_ > 0) measure(found_[nearest_found()].place);
    } else {
      count_step();
      look_at_leaves(place);
    }
  }

  bool take(Pending<Place, float>& top) {
    if (full_ || beyond(0)) return false;
    lanes_ = kAllLanes;
    if (stack_.take(top)) return true;
    if (front_.size == 0 || front_.entries[0].key > front_.moved + limit_ + pair_.slack) return false;
    const MeshFront::Entry next = heap_take(front_.entries.data(), front_.size, key_of);
    lanes_ = next.lanes;
    top = {0, {next.a, next.b}};
    return true;
  }
  void leave(const Pending<Place, float>& pending) { keep(pending.place, kAllLanes, from_square(pending.bound)); }
  // Of the children that the place stands for, the near ones go on, the others stay in the front together.
  void put(const FrontWalk&, const Place& parent, const Children<float>& children) {
    count_step();
    const unsigned apart = children.apart & lanes_;
    unsigned now = children.near & lanes_;
    float lowest = kHuge;
    for (unsigned rest = apart; rest != 0; rest &= rest - 1)
      lowest = std::min(lowest, children.bound[std::countr_zero(rest)]);
    for (unsigned rest = nearest_ ? now : 0; rest != 0; rest &= rest - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(rest));
      if (!(children.bound[k] > 0)) continue;
      now &= ~(1U << k);
      keep(child(parent, k), kAllLanes, from_square(children.bound[k]));
    }
    stack_.put(*this, parent, children, now);
    if (apart != 0) keep(parent, apart, from_square(lowest));
  }

 private:
  void count_step() { full_ = full_ || (++steps_ > front_.cost && !fresh_); }

  // What a squared bound says about the distance.
  double from_square(float bound_sq) const { return std::sqrt((1 - 1e-6) * double{bound_sq}) - pair_.slack; }

  bool has_room() {
    full_ = full_ || front_.size + seen_ == front_.entries.size();
    return !full_;
  }

  // The front is a heap, the smallest key on top.
  static constexpr auto key_of = [](const MeshFront::Entry& entry) { return entry.key; };
  void keep(const Place& place, std::uint32_t lanes, double apart) {
    if (has_room())
      heap_put(front_.entries.data(), front_.size, {front_.moved + apart, place.a, place.b, lanes}, key_of);
  }

  void look_at_leaves(const Place& place) {
    leaves<true>(place);
    double lowest = from_square(rest_);
    // The nearest first: it may save the others.
    if (nearest_ && found_count_ > 1) std::swap(found_[0], found_[nearest_found()]);
    for (std::size_t i = 0; i < found_count_; ++i) {
      const auto& [bound, triangles] = found_[i];
      double apart = from_square(bound);
      if (!beyond(bound)) {
        measure(triangles);
        if (!beyond(0) && visitor_.apart != nullptr)
          apart = std::max(apart, visitor_.apart(visitor_.self, triangles.a & ~kTriangle, triangles.b));
      }
      lowest = std::min(lowest, apart);
    }
    // Near or not, it has been dealt with; from behind it joins the front when the walk has ended.
    if (has_room()) front_.entries[front_.entries.size() - ++seen_] = {lowest, place.a, place.b, kAllLanes};
  }

  MeshFront& front_;
  bool nearest_, fresh_, full_ = false;
  std::uint32_t lanes_ = kAllLanes;  // of what was taken last
  std::size_t seen_ = 0, steps_ = 0;
  NearStack<Place, float, 2 * bvh::kMaxDepth + 2> stack_;
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
