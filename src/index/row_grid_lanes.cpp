#include <utility>

#include "base/bit_places.h"
#include "index/row_grid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/row_grid_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "index/box_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad {
namespace HWY_NAMESPACE {

using Ints = hn::RebindToSigned<Floats>;
using Cells = hn::Vec<Ints>;
using Whole = hn::RebindToUnsigned<Floats>;
using Ids = hn::Vec<Whole>;

// The lanes of `which` first. In registers: storing what is compressed takes a hundred cycles on some machines.
template <class D>
GRAZE_LANE_FUNCTION hn::Vec<D> compress(D d, hn::Vec<D> v, hn::Mask<D> which) {
  if constexpr (hn::MaxLanes(d) > 8) {
    return hn::Compress(v, which);
  } else {  // Highway 1.0 copies a table to the stack for each
    const hn::RebindToUnsigned<D> whole;
    const auto places = hn::LoadU(whole, kBitPlaces.of[mask_bits(d, which)].data());
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, places));
  }
}

// As GridLevel::first_cell and last_cell.
template <int N>
GRAZE_LANE_FUNCTION Cells first_cells(const GridLevel<N>& level, int k, Vec x) {
  const Floats d;
  const Vec at = hn::Mul(hn::Sub(x, hn::Set(d, level.min[k])), hn::Set(d, level.per_cell[k]));
  return hn::ConvertTo(Ints(), hn::IfThenElseZero(hn::Gt(at, hn::Zero(d)), hn::Min(at, hn::Set(d, level.last[k]))));
}
template <int N>
GRAZE_LANE_FUNCTION Cells last_cells(const GridLevel<N>& level, int k, Vec x) {
  const Floats d;
  const Vec at = hn::Mul(hn::Sub(x, hn::Set(d, level.min[k])), hn::Set(d, level.per_cell[k]));
  const Vec last = hn::Set(d, level.last[k]), inside = hn::IfThenElseZero(hn::Gt(at, hn::Zero(d)), at);
  return hn::ConvertTo(Ints(), hn::IfThenElse(hn::Lt(at, last), inside, last));
}

// Compares boxes with runs of others. Runs of many boxes are found before the first is looked at, in lanes: how many a
// box has and how long they are cannot be guessed, and one box after the other they would mostly be guessed wrongly.
//
// kWithin: boxes of the level itself, which are compared with those behind them only: the rest of their row, and rows
// that come later.
template <int N, bool kWithin>
class Runner {
 public:
  HWY_INLINE Runner(const LaneStore<N>& boxes, const GridLevel<N>& among, const Store<N>& store, PairSink& sink)
      : boxes_(boxes.view()), ids_(boxes.ids()), size_(boxes.size()), among_(among), store_(store), sink_(sink) {}

  bool all() {
    for (std::size_t begin = 0; begin < size_; begin += kSlots) {
      reach(begin, std::min(kSlots, size_ - begin));
      for (std::int32_t z = 0; z <= up_z_; ++z) {
        for (std::int32_t y = kWithin && z == 0 ? 0 : -down_y_; y <= up_y_; ++y) {
          if (!add_row(y, z)) return false;
        }
      }
    }
    return flush();
  }

 private:
  static constexpr std::size_t kSlots = 64, kRuns = 512, kTouch = 64;
  struct Run {
    std::uint32_t slot, begin, end;
  };
  struct Place {  // in a run
    const Run* run;
    std::size_t slot;
  };

  // The cells that boxes reach, and where their rows are counted from.
  GRAZE_LANE_FUNCTION void reach(std::size_t begin, std::size_t count) {
    const Floats d;
    const Ints whole;
    begin_ = begin, count_ = count;
    Cells up_y = hn::Zero(whole), down_y = hn::Zero(whole), up_z = hn::Zero(whole);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto low = [&](int k) HWY_ATTR { return hn::LoadU(d, boxes_.lo[k] + begin + i); };
      const auto high = [&](int k) HWY_ATTR { return hn::LoadU(d, boxes_.hi[k] + begin + i); };
      const auto before = [&](int k)
                              HWY_ATTR { return first_cells(among_, k, hn::Sub(low(k), hn::Set(d, among_.reach[k]))); };
      hn::Store(before(0), whole, x0_ + i);
      hn::Store(last_cells(among_, 0, high(0)), whole, x1_ + i);
      const Cells y0 = before(1), y1 = last_cells(among_, 1, high(1));
      const Cells y = kWithin ? first_cells(among_, 1, low(1)) : y0;
      hn::Store(y0, whole, y0_ + i);
      hn::Store(y1, whole, y1_ + i);
      hn::Store(y, whole, y_ + i);
      const auto inside = hn::FirstN(whole, count - i);
      up_y = hn::Max(up_y, hn::IfThenElseZero(inside, hn::Sub(y1, y)));
      down_y = hn::Max(down_y, hn::IfThenElseZero(inside, hn::Sub(y, y0)));
      if constexpr (N == 3) {
        const Cells z = kWithin ? first_cells(among_, 2, low(2)) : before(2), z1 = last_cells(among_, 2, high(2));
        hn::Store(z, whole, z_ + i);
        hn::Store(z1, whole, z1_ + i);
        up_z = hn::Max(up_z, hn::IfThenElseZero(inside, hn::Sub(z1, z)));
      }
    }
    up_y_ = hn::GetLane(hn::MaxOfLanes(whole, up_y));
    down_y_ = hn::GetLane(hn::MaxOfLanes(whole, down_y));
    up_z_ = hn::GetLane(hn::MaxOfLanes(whole, up_z));
  }

  // The runs in the rows that are so far from where the boxes count theirs.
  GRAZE_LANE_FUNCTION bool add_row(std::int32_t along_y, std::int32_t along_z) {
    const Ints whole;
    const bool own = kWithin && along_y == 0 && along_z == 0;
    alignas(64) std::int32_t slots[kSlots + kMaxLanes], first[kSlots + kMaxLanes], last[kSlots + kMaxLanes];
    const Cells row_cells = hn::Set(whole, static_cast<std::int32_t>(among_.dims[0]));
    std::size_t found = 0;
    for (std::size_t i = 0; i < count_; i += hn::Lanes(whole)) {
      Cells row = hn::Add(hn::Load(whole, y_ + i), hn::Set(whole, along_y));
      auto has = hn::FirstN(whole, count_ - i);
      has = hn::AndNot(hn::Gt(hn::Load(whole, y0_ + i), row), has);
      has = hn::AndNot(hn::Gt(row, hn::Load(whole, y1_ + i)), has);
      if constexpr (N == 3) {
        const Cells z = hn::Add(hn::Load(whole, z_ + i), hn::Set(whole, along_z));
        has = hn::AndNot(hn::Gt(z, hn::Load(whole, z1_ + i)), has);
        row = hn::Add(row, hn::Mul(z, hn::Set(whole, static_cast<std::int32_t>(among_.dims[1]))));
      }
      const Cells cell = hn::Mul(row, row_cells);
      hn::StoreU(compress(whole, hn::Iota(whole, static_cast<std::int32_t>(begin_ + i)), has), whole, slots + found);
      hn::StoreU(compress(whole, hn::Add(cell, hn::Load(whole, x0_ + i)), has), whole, first + found);
      hn::StoreU(compress(whole, hn::Add(cell, hn::Load(whole, x1_ + i)), has), whole, last + found);
      found += hn::CountTrue(whole, has);
    }
    if (HWY_UNLIKELY(runs_ + found > kRuns) && !flush()) return false;
    for (std::size_t i = 0; i < found; ++i) {
      const auto slot = static_cast<std::uint32_t>(slots[i]);
      const std::uint32_t begin = own ? slot + 1 : among_.start[static_cast<std::uint32_t>(first[i])];
      const std::uint32_t end = among_.start[static_cast<std::uint32_t>(last[i]) + 1];
      run_[runs_] = {slot, begin, end};
      runs_ += begin < end ? 1 : 0;
    }
    return true;
  }

  bool flush() {
    if (runs_ == 0) return true;
    const Run* const end = run_ + std::exchange(runs_, 0);
    for (Place at{run_, run_->begin}; at.run != end;) {
      BoxPair *room = sink_.room(), *touch = touch_;
      at = compare(at, end, room, touch);
      if (!sink_.take(room)) return false;
      // Where floats are equal, doubles decide.
      for (const BoxPair* pair = touch_; pair != touch; ++pair) {
        if (!apart<N>(store_.boxes[pair->a], store_.boxes[pair->b]) && !sink_.add(pair->a, pair->b)) return false;
      }
    }
    return true;
  }

  // Writes pairs and those that touch in floats while there is room, and gives where to go on. A function of its own
  // that calls nothing, so that vectors stay in registers, with all that it reads in variables: compilers cannot know
  // that pairs are written elsewhere.
  HWY_NOINLINE Place compare(Place from, const Run* end, BoxPair*& room, BoxPair*& touch_room) {
    const Floats d;
    const Whole whole;
    const LaneView<N> boxes = boxes_, among = among_.boxes.view();
    const BoxId *const ids = ids_, *const others = among_.boxes.ids();
    BoxPair *to = room, *touch_to = touch_room;
    const BoxPair *const full = sink_.room_end() - hn::Lanes(d), *const touch_full = touch_ + kTouch - hn::Lanes(d);
    const Run* run = from.run;
    std::size_t at = from.slot;
    while (true) {
      FloatBox<N> box;
      each_axis<N>([&](int k) { box.lo[k] = boxes.lo[k][run->slot], box.hi[k] = boxes.hi[k][run->slot]; });
      const Spread<N> spread(box);
      const auto mine = hn::Set(whole, ids[run->slot]);
      for (; at < run->end && to <= full && touch_to <= touch_full; at += hn::Lanes(d)) {
        const Mask inside = hn::FirstN(d, run->end - at);
        const Vec gap = gap_of<N>(among, at, spread);
        const Mask sure = hn::And(hn::Lt(gap, hn::Zero(d)), inside), touch = hn::And(hn::Eq(gap, hn::Zero(d)), inside);
        const Ids other = hn::LoadU(whole, others + at);
        // Which of the boxes overlap cannot be guessed: pairs are written without asking how many there are.
        to += write(mine, other, hn::RebindMask(whole, sure), to);
        if (HWY_UNLIKELY(!hn::AllFalse(d, touch)))
          touch_to += write(mine, other, hn::RebindMask(whole, touch), touch_to);
      }
      if (at < run->end || ++run == end) break;
      at = run->begin;
    }
    room = to, touch_room = touch_to;
    return {run, at};
  }

  // Gives how many there are; writes as many as there are lanes.
  static GRAZE_LANE_FUNCTION std::size_t write(Ids mine, Ids others, hn::Mask<Whole> which, BoxPair* room) {
    const Whole d;
    const Ids other = compress(d, others, which), low = hn::Min(mine, other), high = hn::Max(mine, other);
    const std::size_t count = hn::CountTrue(d, which);
    auto* const to = reinterpret_cast<std::uint32_t*>(room);
#if HWY_TARGET == HWY_SCALAR
    hn::StoreInterleaved2(low, high, d, to);
#else
    const hn::Half<Whole> half;
    hn::StoreInterleaved2(hn::LowerHalf(half, low), hn::LowerHalf(half, high), half, to);
    if (HWY_UNLIKELY(count > hn::Lanes(half)))
      hn::StoreInterleaved2(hn::UpperHalf(half, low), hn::UpperHalf(half, high), half, to + 2 * hn::Lanes(half));
#endif
    return count;
  }

  LaneView<N> boxes_;
  const BoxId* ids_;
  std::size_t size_;
  const GridLevel<N>& among_;
  const Store<N>& store_;
  PairSink& sink_;
  std::size_t begin_ = 0, count_ = 0, runs_ = 0;
  std::int32_t up_y_ = 0, down_y_ = 0, up_z_ = 0;
  alignas(64) std::int32_t x0_[kSlots], x1_[kSlots], y0_[kSlots], y1_[kSlots], y_[kSlots], z_[kSlots], z1_[kSlots];
  Run run_[kRuns];
  BoxPair touch_[kTouch];
};

template <int N>
bool pairs_within_of(const GridLevel<N>& level, const Store<N>& store, PairSink& sink) {
  return Runner<N, true>(level.boxes, level, store, sink).all();
}
template <int N>
bool pairs_across_of(const GridLevel<N>& fine, const GridLevel<N>& coarse, const Store<N>& store, PairSink& sink) {
  return Runner<N, false>(fine.boxes, coarse, store, sink).all();
}

bool pairs_within2(const GridLevel<2>& level, const Store<2>& store, PairSink& sink) {
  return pairs_within_of<2>(level, store, sink);
}
bool pairs_within3(const GridLevel<3>& level, const Store<3>& store, PairSink& sink) {
  return pairs_within_of<3>(level, store, sink);
}
bool pairs_across2(const GridLevel<2>& fine, const GridLevel<2>& coarse, const Store<2>& store, PairSink& sink) {
  return pairs_across_of<2>(fine, coarse, store, sink);
}
bool pairs_across3(const GridLevel<3>& fine, const GridLevel<3>& coarse, const Store<3>& store, PairSink& sink) {
  return pairs_across_of<3>(fine, coarse, store, sink);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::broad
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad {

HWY_EXPORT(pairs_within2);
HWY_EXPORT(pairs_within3);
HWY_EXPORT(pairs_across2);
HWY_EXPORT(pairs_across3);

bool pairs_within(const GridLevel<2>& level, const Store<2>& store, PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(pairs_within2)(level, store, sink);
}
bool pairs_within(const GridLevel<3>& level, const Store<3>& store, PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(pairs_within3)(level, store, sink);
}
bool pairs_across(const GridLevel<2>& fine, const GridLevel<2>& coarse, const Store<2>& store, PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(pairs_across2)(fine, coarse, store, sink);
}
bool pairs_across(const GridLevel<3>& fine, const GridLevel<3>& coarse, const Store<3>& store, PairSink& sink) {
  return HWY_DYNAMIC_DISPATCH(pairs_across3)(fine, coarse, store, sink);
}

}  // namespace graze::broad
#endif
