#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_walk_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "query/mesh_steps-inl.h"
#include "query/mesh_walk.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {

// The nearest entry on top.
class Heap {
 public:
  static constexpr std::size_t kCapacity = 6144;

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kCapacity; }
  void push(const Entry& entry) { heap_put(entries_, size_, entry, bound_of); }
  Entry pop() { return heap_take(entries_, size_, bound_of); }

 private:
  static constexpr auto bound_of = [](const Entry& entry) { return entry.bound_sq; };
  std::size_t size_ = 0;
  Entry entries_[kCapacity];
};

class PairWalk : PairSteps {
 public:
  PairWalk(const MeshPair& pair, double limit, const PairVisitor& visitor)
      : PairSteps(pair, pair.slack, limit, visitor) {}

  // Everything within the limit. Of children those whose centres are nearest first: where boxes overlap, that is where
  // triangles are likeliest to.
  void run_all() {
    if (stopped_) return;
    roots([&](const Entry& entry, float order) { stack_.push({entry, order}); });
    descend();
  }

  // The nearest: whatever has the least bound first, boxes and triangles alike, so that next to nothing is looked at
  // that need not be. A quick descent finds a limit to begin with, if there is none. Where the heap is full, entries
  // are dealt with at once.
  void run_nearest() {
    if (stopped_) return;
    if (limit_sq_ > kHuge / 8) glance();
    Heap heap;
    // What has no bound at all must be opened whatever comes: that goes by the stack, which costs less than the heap.
    const auto put = [&](const Entry& entry, float order) {
      if (entry.bound_sq == 0 && (entry.a & kTriangle) == 0) stack_.push({entry, order});
      else if (heap.full()) at_once(entry);
      else heap.push(entry);
    };
    roots(put);
    while (!stopped_) {
      Entry top;
      if (!stack_.empty()) top = stack_.pop().entry;
      else if (!heap.empty()) top = heap.pop();
      else break;
      if (top.bound_sq > limit_sq_) break;
      if ((top.a & kTriangle) != 0) {
        measure(top.a & ~kTriangle, top.b);
        continue;
      }
      if ((child_of(pair_.a, top.a) & child_of(pair_.b, top.b) & kLeafBit) == 0) {
        stack_.mark();
        open(top, put);
        continue;
      }
      leaves(top);
      // Measured at once if it may lower the limit by much, the nearest saves the others the way through the heap.
      std::size_t measured = found_count_;
      if (found_count_ > 0) {
        const std::size_t least = nearest_found();
        if (found_[least].bound_sq < kMuch * limit_sq_) at_once(found_[measured = least]);
      }
      for (std::size_t i = 0; i < found_count_ && !stopped_; ++i) {
        if (i != measured && !(found_[i].bound_sq > limit_sq_)) put(found_[i], 0);
      }
    }
  }

  // What run_all has to do, in parts that it would come to one after the other.
  std::vector<Part> divide(std::size_t wanted) {
    std::vector<Part> parts, next;
    if (stopped_) return parts;
    const auto push = [&](const Entry& entry, float order) { stack_.push({entry, order}); };
    const auto pop_all = [&] {
      while (!stack_.empty()) {
        const Entry top = stack_.pop().entry;
        next.push_back({top.bound_sq, top.a, top.b});
      }
    };
    roots(push), pop_all();
    bool opened = true;
    for (parts.swap(next); opened && parts.size() < wanted; parts.swap(next)) {
      next.clear(), opened = false;
      for (const Part& part : parts) {
        if ((child_of(pair_.a, part.a) & child_of(pair_.b, part.b) & kLeafBit) != 0) {
          next.push_back(part);
          continue;
        }
        opened = true;
        stack_.mark();
        open({part.bound_sq, part.a, part.b}, push), pop_all();
      }
    }
    return parts;
  }
  void run(std::span<const Part> parts) {
    for (const Part& part : parts) at_once({part.bound_sq, part.a, part.b});
  }

 private:
  // All that is on the stack above `below`, last in first out.
  void descend(std::size_t below = 0) {
    while (stack_.size() > below && !stopped_) {
      const Entry top = stack_.pop().entry;
      if (top.bound_sq > limit_sq_) continue;
      const std::uint32_t child_a = child_of(pair_.a, top.a), child_b = child_of(pair_.b, top.b);
      if ((child_a & child_b & kLeafBit) != 0) {
        leaves(top);
        for (std::size_t i = 0; i < found_count_; ++i) at_once(found_[i]);  // triangles
      } else {
        stack_.mark();
        open(top, [&](const Entry& entry, float order) { stack_.push({entry, order}); });
      }
    }
  }

  void at_once(const Entry& entry) {
    if (stopped_ || entry.bound_sq > limit_sq_) return;
    if ((entry.a & kTriangle) != 0) {
      measure(entry.a & ~kTriangle, entry.b);
    } else {
      const std::size_t below = stack_.size();
      stack_.mark();
      stack_.push({entry, 0});
      descend(below);
    }
  }
};

bool apart(const MeshPair& pair, double limit) {
  Lanes bounds, between;
  return near_children(pair.a.whole, Turned(pair.b.whole, 0, pair.b_to_a), square_above(limit, pair.slack), bounds,
                       between) == 0;
}

void visit_pairs(const MeshPair& pair, double limit, bool nearest, const PairVisitor& visitor) {
  if (apart(pair, limit)) return;
  PairWalk walk(pair, limit, visitor);
  if (nearest) walk.run_nearest();
  else walk.run_all();
}

std::vector<Part> divide_pairs(const MeshPair& pair, double limit, std::size_t wanted) {
  if (apart(pair, limit)) return {};
  return PairWalk(pair, limit, {}).divide(wanted);
}

void visit_parts(const MeshPair& pair, double limit, std::span<const Part> parts, const PairVisitor& visitor) {
  PairWalk(pair, limit, visitor).run(parts);
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
