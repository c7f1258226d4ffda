#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "query/mesh_steps-inl.h"
#include "query/mesh_walk.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

// Everything within the limit.
class AllPairs : public PairSteps {
 public:
  AllPairs(const MeshPair& pair, double limit, const PairVisitor& visitor)
      : PairSteps(pair, pair.slack, limit, visitor) {}

  void run(const Pending<Place, float>& from) {
    NearStack<Place, float, kDepth> open(from);
    near_first(*this, open);
  }
  void leaf(const Place& place) {
    if ((place.a & kTriangle) != 0) return measure(place);
    leaves(place);
    for (std::size_t i = 0; i < found_count_; ++i) {
      if (!beyond(found_[i].bound)) measure(found_[i].place);
    }
  }

 protected:
  static constexpr std::size_t kDepth = 2 * bvh::kMaxDepth + 2;  // of both trees, and what is above the roots
};

// The nearest: whatever has the smallest bound first, boxes and triangles alike, so that next to nothing is looked at
// that need not be. It is its own list.
class NearestPairs : public AllPairs {
 public:
  using AllPairs::AllPairs;

  void run() {
    if (!has_limit()) greedy_descent(*this);
    stack_.push(root());
    near_first(*this, *this);
  }

  void leaf(const Place& place) {
    if ((place.a & kTriangle) != 0) return measure(place);
    leaves(place);
    if (found_count_ == 0) return;
    // Measured at once if it may lower the limit by much, the nearest saves the others the detour through the heap.
    constexpr float kMuch = 0.995F;
    const std::size_t lowest = nearest_found();
    const bool at_once = descending_ || found_[lowest].bound < kMuch * limit_sq_;
    if (at_once && !beyond(found_[lowest].bound)) measure(found_[lowest].place);
    for (std::size_t i = 0; i < found_count_ && !descending_; ++i) {
      if (!(at_once && i == lowest) && !beyond(found_[i].bound)) add(found_[i]);
    }
  }

  bool take(Pending<Place, float>& top) {
    if (stack_.take(top)) return true;
    if (size_ == 0) return false;
    top = heap_take(heap_, size_, bound_of);
    return true;
  }
  // All others are as far.
  void leave(const Pending<Place, float>&) {
    stack_ = {};
    size_ = 0;
  }
  void put(const NearestPairs&, const Place& parent, const Children<float>& children) {
    // What has no bound at all must be opened whatever comes: that goes by the stack, which costs less than the heap.
    unsigned no_bound = 0;
    Pending<Place, float> others[kWidth];
    std::size_t count = 0;
    for (unsigned near = children.near; near != 0; near &= near - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(near));
      if (children.bound[k] == 0) no_bound |= 1U << k;
      else others[count++] = {children.bound[k], child(parent, k)};
    }
    stack_.put(*this, parent, children, no_bound);
    for (std::size_t i = 0; i < count; ++i) add(others[i]);
  }

 private:
  static constexpr std::size_t kCapacity = 6144;
  static constexpr auto bound_of = [](const Pending<Place, float>& pending) { return pending.bound; };

  // Where the heap is full, it is dealt with at once.
  void add(const Pending<Place, float>& pending) {
    if (size_ < kCapacity) heap_put(heap_, size_, pending, bound_of);
    else AllPairs::run(pending);
  }

  NearStack<Place, float, kDepth> stack_;
  std::size_t size_ = 0;
  Pending<Place, float> heap_[kCapacity];
};

// What AllPairs has to do, in parts that it would come to one after the other: level by level, as long as there are too
// few.
class Division : public PairSteps {
 public:
  Division(const MeshPair& pair, double limit, std::size_t wanted)
      : PairSteps(pair, pair.slack, limit, visitor_of_none()), wanted_(wanted) {}

  std::vector<Part> run() {
    next_ = {root()};
    near_first(*this, *this);
    std::vector<Part> parts;
    for (const auto& part : next_) parts.push_back({part.bound, part.place.a, part.place.b});
    return parts;
  }

  void leaf(const Place&) { next_.push_back(level_[at_ - 1]); }

  bool take(Pending<Place, float>& top) {
    if (at_ == level_.size()) {
      if (!opened_ || next_.size() >= wanted_) return false;
      level_.swap(next_);
      next_.clear();
      at_ = 0, opened_ = false;
      if (level_.empty()) return false;
    }
    top = level_[at_++];
    return true;
  }
  void leave(const Pending<Place, float>&) const {}
  void put(const Division&, const Place& parent, const Children<float>& children) {
    opened_ = true;
    const std::size_t end = next_.size() + static_cast<std::size_t>(std::popcount(children.near));
    next_.resize(end);
    sorted_children(children.near, children.order, [&](std::size_t place, std::size_t k) {
      next_[end - 1 - place] = {children.bound[k], child(parent, k)};
    });
  }

 private:
  static const PairVisitor& visitor_of_none() {
    static constexpr PairVisitor kNobody{};
    return kNobody;
  }

  std::size_t wanted_, at_ = 0;
  bool opened_ = true;
  std::vector<Pending<Place, float>> level_, next_;
};

void visit_pairs(const MeshPair& pair, double limit, bool nearest, const PairVisitor& visitor) {
  if (nearest) {
    NearestPairs(pair, limit, visitor).run();
  } else {
    AllPairs walk(pair, limit, visitor);
    walk.run(walk.root());
  }
}

std::vector<Part> divide_pairs(const MeshPair& pair, double limit, std::size_t wanted) {
  return Division(pair, limit, wanted).run();
}

void visit_parts(const MeshPair& pair, double limit, std::span<const Part> parts, const PairVisitor& visitor) {
  AllPairs walk(pair, limit, visitor);
  for (const Part& part : parts) walk.run({part.bound_sq, {part.a, part.b}});
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(visit_pairs);
HWY_EXPORT(divide_pairs);
HWY_EXPORT(visit_parts);

void visit(const MeshPair& pair, double limit, bool nearest, const PairVisitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_pairs)(pair, limit, nearest, visitor);
}

std::vector<Part> divide(const MeshPair& pair, double limit, std::size_t wanted) {
  return HWY_DYNAMIC_DISPATCH(divide_pairs)(pair, limit, wanted);
}

void visit(const MeshPair& pair, double limit, std::span<const Part> parts, const PairVisitor& visitor) {
  HWY_DYNAMIC_DISPATCH(visit_parts)(pair, limit, parts, visitor);
}

}  // namespace graze::walk
#endif
