// What is behind a BroadPhase: the boxes by id, and the structure that finds them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "graze/index/broad_phase.h"

namespace graze::broad {

// Compilers leave loops over two or three axes as loops, which costs most of what is timed here.
#ifdef __clang__
#define GRAZE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GRAZE_UNROLL _Pragma("GCC unroll 3")
#endif

/// Calls f(0) … f(N − 1), without a loop.
template <int N, class F>
[[gnu::always_inline]] inline void each_axis(const F& f) {
  GRAZE_UNROLL
  for (int k = 0; k < N; ++k) f(k);
}

/// Whether no point is common to both. What is not a number is not apart.
template <int N>
bool apart(const AabbOf<N>& a, const AabbOf<N>& b) {
  unsigned far = 0;  // no branches, and no warning that there are none
  each_axis<N>([&](int k) { far |= unsigned{a.min[k] > b.max[k]} | unsigned{b.min[k] > a.max[k]}; });
  return far != 0;
}
template <int N>
[[gnu::always_inline]] inline bool inverted(const AabbOf<N>& box) {
  unsigned any = 0;
  each_axis<N>([&](int k) { any |= unsigned{box.min[k] > box.max[k]}; });
  return any != 0;
}

/// Distance of two boxes that are not empty.
template <int N>
double distance(const AabbOf<N>& a, const AabbOf<N>& b) {
  double off[N], largest = 0, sum = 0;
  for (int k = 0; k < N; ++k) {
    off[k] = std::max(a.min[k] - b.max[k], b.min[k] - a.max[k]);
    off[k] = off[k] > 0 ? off[k] : 0;
    largest = std::max(largest, off[k]);
    sum += off[k] * off[k];
  }
  if (largest == 0 || (largest > 1e-140 && largest < 1e140)) return std::sqrt(sum);
  if (largest == kInfinity) return largest;
  sum = 0;  // squares would under- or overflow
  for (int k = 0; k < N; ++k) sum += (off[k] / largest) * (off[k] / largest);
  return largest * std::sqrt(sum);
}

/// A box that is moved by t · direction, 0 ≤ t ≤ limit.
template <int N>
struct MovingBox {
  AabbOf<N> box;
  VecOf<N> direction;
  double limit;

  /// When it first overlaps `target`: at most as late as the truth, infinite if it does not. Quotients of differences
  /// are wrong by less than 4 epsilons of themselves.
  double entry(const AabbOf<N>& target) const { return times(target).first; }
  /// The same, and when it overlaps it last, at least as late as the truth.
  std::pair<double, double> times(const AabbOf<N>& target) const {
    constexpr double kMore = 1 + 4 * kEpsilon, kLess = 1 - 4 * kEpsilon;
    double first = 0, last = limit;
    for (int k = 0; k < N; ++k) {
      const double before = target.min[k] - box.max[k], behind = target.max[k] - box.min[k];
      if (direction[k] == 0) {
        if (before > 0 || behind < 0) return {kInfinity, -kInfinity};
        continue;
      }
      double in = before / direction[k], out = behind / direction[k];
      if (in > out) std::swap(in, out);
      in *= in > 0 ? kLess : kMore;
      out *= out > 0 ? kMore : kLess;
      if (in > first) first = in;
      if (out < last) last = out;
    }
    if (first > last) return {kInfinity, -kInfinity};
    return {first, last};
  }
};

/// A box in float32 about the origin of its store. Subtracting and rounding keep order, so that boxes whose floats are
/// apart are apart, and boxes whose floats overlap by more than nothing on every axis overlap: only where floats are
/// equal do doubles have to decide.
template <int N>
struct FloatBox {
  float lo[N], hi[N];

  void extend(const FloatBox& other) {
    each_axis<N>([&](int k) { lo[k] = std::min(lo[k], other.lo[k]), hi[k] = std::max(hi[k], other.hi[k]); });
  }
};
template <int N>
constexpr FloatBox<N> empty_floats() {
  FloatBox<N> box{};
  for (int k = 0; k < N; ++k) box.lo[k] = 3e38F, box.hi[k] = -3e38F;
  return box;
}

/// The largest side.
template <int N>
float size_of(const FloatBox<N>& box) {
  float size = 0;
  each_axis<N>([&](int k) { size = std::max(size, box.hi[k] - box.lo[k]); });
  return size;
}

/// Boxes with larger coordinates are looked at one by one.
inline constexpr double kLargestIndexed = 1e30;

/// Bounded and not empty; without a branch, for most boxes are.
template <int N>
[[gnu::always_inline]] inline bool regular(const AabbOf<N>& box) {
  unsigned no = 0;
  each_axis<N>([&](int k) {
    const double lo = box.min[k], hi = box.max[k];
    no |= unsigned{!(lo <= hi)} | unsigned{!(lo >= -kLargestIndexed)} | unsigned{!(hi <= kLargestIndexed)};
  });
  return no == 0;
}

enum class State : std::uint8_t { absent, empty, loose, indexed };

template <int N>
struct Store {
  using Box = AabbOf<N>;
  std::vector<Box> boxes;               ///< by id
  std::vector<State> states;            ///< by id
  std::vector<BoxId> loose, free;       ///< not in the structure; not in use, the next one last
  std::vector<std::uint32_t> loose_at;  ///< by id: where in `loose`
  VecOf<N> origin = VecOf<N>::Zero();   ///< of the floats in the structure; changes only when it is built
  Box all;                              ///< around everything that was in the structure since it was built
  std::size_t used = 0, indexed = 0;    ///< boxes with an id; boxes in the structure

  static float rounded(double x) { return static_cast<float>(std::min(std::max(x, -3e38), 3e38)); }
  FloatBox<N> floats(const Box& box) const {
    FloatBox<N> f;
    each_axis<N>([&](int k) { f.lo[k] = rounded(box.min[k] - origin[k]), f.hi[k] = rounded(box.max[k] - origin[k]); });
    return f;
  }
  /// The same where infinite floats do no harm.
  FloatBox<N> compared_floats(const Box& box) const {
    FloatBox<N> f;
    each_axis<N>([&](int k) {
      f.lo[k] = static_cast<float>(box.min[k] - origin[k]), f.hi[k] = static_cast<float>(box.max[k] - origin[k]);
    });
    return f;
  }
  /// Of a box that is bounded.
  FloatBox<N> floats(BoxId id) const {
    FloatBox<N> f;
    const Box& box = boxes[id];
    each_axis<N>([&](int k) {
      f.lo[k] = static_cast<float>(box.min[k] - origin[k]), f.hi[k] = static_cast<float>(box.max[k] - origin[k]);
    });
    return f;
  }
};

/// Who wants the boxes that overlap.
struct IdSink {
  void* body;
  bool (*call)(void*, BoxId);
  bool operator()(BoxId id) const { return call(body, id); }
};

/// Who wants the boxes that overlap each of several.
struct EachSink {
  void* body;
  bool (*call)(void*, std::size_t, BoxId);
  bool operator()(std::size_t query, BoxId id) const { return call(body, query, id); }
};

/// Receives the boxes that a moving box meets.
struct HitSink {
  void* body;
  bool (*call)(void*, BoxHit);
  bool operator()(BoxHit hit) const { return call(body, hit); }
};

/// Who wants pairs: hands them on by the hundred.
class PairSink {
 public:
  PairSink(void* body, bool (*call)(void*, const BoxPair*, std::size_t)) : body_(body), call_(call) {}

  /// False: no more are wanted.
  bool add(BoxId a, BoxId b) {
    chunk_[count_++] = a < b ? BoxPair{a, b} : BoxPair{b, a};
    return count_ < kChunk || flush();
  }
  /// The same for ids of two sets.
  bool add_ordered(BoxId a, BoxId b) {
    chunk_[count_++] = {a, b};
    return count_ < kChunk || flush();
  }
  /// For who writes pairs in place: where the next one goes, and the end of the room.
  BoxPair* room() { return chunk_ + count_; }
  const BoxPair* room_end() const { return chunk_ + kChunk; }
  /// All before `end` were written, and there is room again. False: no more are wanted.
  bool take(const BoxPair* end) {
    count_ = static_cast<std::size_t>(end - chunk_);
    return count_ < kChunk / 2 || flush();
  }
  bool flush() {
    if (count_ > 0 && !ended_) ended_ = !call_(body_, chunk_, count_);
    count_ = 0;
    return !ended_;
  }

 private:
  static constexpr std::size_t kChunk = 256;
  void* body_;
  bool (*call_)(void*, const BoxPair*, std::size_t);
  std::size_t count_ = 0;
  bool ended_ = false;
  BoxPair chunk_[kChunk];
};

/// A structure over the boxes of a store that are bounded and not empty. Where memory runs out in a change, the caller
/// clears it; what is erased needs none.
template <int N>
class Structure {
 public:
  using Box = AabbOf<N>;

  explicit Structure(const Store<N>& store) : store_(store) {}
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;
  virtual ~Structure() = default;

  virtual void clear() noexcept = 0;
  /// Forgets everything and takes these, in ascending order.
  virtual void build(std::span<const BoxId> ids) = 0;
  /// False: it waits for the next build.
  virtual bool insert(BoxId id) = 0;
  /// `was` is the box it was taken with.
  virtual void erase(BoxId id, const Box& was) = 0;
  /// The store has the new box already. False: it is erased and waits for the next build.
  virtual bool move(BoxId id, const Box& was) {
    erase(id, was);
    return insert(id);
  }
  /// Whether it should be built anew, with so many boxes in it.
  virtual bool worn() const { return false; }

  /// False if the sink has ended it; `box` is not empty.
  virtual bool visit(const Box& box, const IdSink& sink) const = 0;
  /// The same for many boxes, which may be empty. False: they are to be asked one at a time.
  virtual bool visit_each(std::span<const Box>, const EachSink&) const { return false; }
  virtual bool pairs(PairSink& sink) const = 0;
  /// Lowers `best`, whose distance is a limit.
  virtual void nearest(const Box& box, NearestBox& best) const { nearest_by_growing(box, best); }
  /// Lowers `best`, whose time is a limit.
  virtual void first_hit(const MovingBox<N>& moving, BoxHit& best) const { first_hit_by_pieces(moving, best); }
  virtual bool visit_swept(const MovingBox<N>& moving, const HitSink& sink) const {
    return visit_by_pieces(moving, sink);
  }

  virtual std::size_t memory_bytes() const = 0;
  virtual std::string validate() const = 0;

 protected:
  void take(BoxId id, const Box& box, NearestBox& best) const {
    const double d = distance<N>(store_.boxes[id], box);
    if (d < best.distance || (d == best.distance && id < best.id)) best = {id, d};
  }
  void take(BoxId id, const MovingBox<N>& moving, BoxHit& best) const {
    const double t = moving.entry(store_.boxes[id]);
    if (t < best.time || (t == best.time && t < kInfinity && id < best.id)) best = {id, t};
  }
  const Store<N>& store_;

 private:
  void nearest_by_growing(const Box& box, NearestBox& best) const;
  void first_hit_by_pieces(const MovingBox<N>& moving, BoxHit& best) const;
  bool visit_by_pieces(const MovingBox<N>& moving, const HitSink& sink) const;
};

template <int N>
using StructureOf = std::unique_ptr<Structure<N>>;

// One of each kind.
template <int N>
StructureOf<N> make_list(const Store<N>& store, bool scalar);
template <int N>
StructureOf<N> make_sweep_and_prune(const Store<N>& store);
template <int N>
StructureOf<N> make_spatial_hash(const Store<N>& store);
template <int N>
StructureOf<N> make_row_grid(const Store<N>& store);
template <int N>
StructureOf<N> make_aabb_tree(const Store<N>& store);
template <int N>
StructureOf<N> make_morton_tree(const Store<N>& store);
template <int N>
StructureOf<N> make_extent_masks(const Store<N>& store);

/// Of any kind but automatic, which is a list until something is in it.
template <int N>
StructureOf<N> make(BroadPhaseKind kind, const Store<N>& store);

/// What BroadPhaseKind::automatic means for the boxes `ids`.
template <int N>
BroadPhaseKind choice(const Store<N>& store, std::span<const BoxId> ids, BroadPhaseUse use);

template <int N>
struct Body {
  Store<N> store;
  StructureOf<N> structure;
  BroadPhaseOptions options;
  BroadPhaseKind kind = BroadPhaseKind::list;
  std::size_t chosen_for = 0;  ///< boxes when the kind was chosen
  bool dropped = false;        ///< memory ran out: nothing is in the structure until the next change
  std::vector<BoxId> scratch;  ///< of build(), kept for the next time
};

}  // namespace graze::broad
