#include <bit>

#include "index/row_grid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/row_grid_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "index/box_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad {
namespace HWY_NAMESPACE {

// How often there are pairs: where there hardly are any, it pays to ask first.
struct Tally {
  std::size_t vectors = 0, pairs = 0;
  bool rare() const { return 8 * pairs < vectors; }
};

// Compares one box with runs of others.
template <int N>
class Runner {
 public:
  HWY_INLINE Runner(const GridLevel<N>& among, const Store<N>& store, PairSink& sink, Tally& tally,
                    const FloatBox<N>& box, BoxId id)
      : view_(among.boxes.view()),
        ids_(among.boxes.ids()),
        store_(store),
        sink_(sink),
        tally_(tally),
        spread_(box),
        id_(id) {}

  GRAZE_LANE_FUNCTION bool run(std::size_t begin, std::size_t end) const {
    const Floats d;
    const hn::RebindToUnsigned<Floats> whole;
    for (std::size_t at = begin; at < end; at += hn::Lanes(d)) {
      const Mask inside = hn::FirstN(d, end - at);
      const Mask near = hn::AndNot(apart_from<N>(view_, at, spread_), inside);
      ++tally_.vectors;
      if (tally_.rare() && hn::AllFalse(d, near)) continue;
      const Mask sure = hn::And(surely_over<N>(view_, at, spread_), inside);
      // Which of the boxes overlap cannot be guessed: pairs are written without asking how many there are.
      BoxPair* room = sink_.room_for(hn::Lanes(d));
      if (HWY_UNLIKELY(room == nullptr)) return false;
      const auto mine = hn::Set(whole, id_);
      // In registers: storing what is compressed takes a hundred cycles on some machines.
      const auto other = hn::Compress(hn::LoadU(whole, ids_ + at), hn::RebindMask(whole, sure));
      hn::StoreInterleaved2(hn::Min(mine, other), hn::Max(mine, other), whole, reinterpret_cast<std::uint32_t*>(room));
      const std::size_t found = hn::CountTrue(d, sure);
      sink_.wrote(found);
      tally_.pairs += found;
      // Where floats are equal, doubles decide.
      if (HWY_LIKELY(hn::AllFalse(d, hn::AndNot(sure, near)))) continue;
      for (unsigned left = bits_of(hn::AndNot(sure, near)); left != 0; left &= left - 1) {
        const BoxId one = ids_[at + static_cast<unsigned>(std::countr_zero(left))];
        if (!apart<N>(store_.boxes[one], store_.boxes[id_]) && !sink_.add(id_, one)) return false;
      }
    }
    return true;
  }

 private:
  LaneView<N> view_;
  const BoxId* ids_;
  const Store<N>& store_;
  PairSink& sink_;
  Tally& tally_;
  Spread<N> spread_;
  BoxId id_;
};

// Boxes are compared with those behind them only: the rest of their row, and rows that come later.
template <int N>
bool pairs_within_of(const GridLevel<N>& level, const Store<N>& store, PairSink& sink) {
  std::uint32_t at[3] = {};  // of the row
  Tally tally;
  for (std::size_t row = 0, rows = level.rows(); row < rows; ++row) {
    const std::size_t row_end = level.start[(row + 1) * level.dims[0]];
    for (std::size_t slot = level.start[row * level.dims[0]]; slot < row_end; ++slot) {
      const FloatBox<N> box = level.boxes.box(slot);
      if (!(box.lo[0] <= box.hi[0])) continue;  // erased
      std::uint32_t hi[3] = {};
      each_axis<N>([&](int k) { hi[k] = level.last_cell(box.hi[k], k); });
      const Runner<N> runner(level, store, sink, tally, box, level.boxes.id(slot));
      if (!runner.run(slot + 1, level.start[row * level.dims[0] + hi[0] + 1])) return false;
      if (hi[1] == at[1] && hi[2] == at[2]) continue;
      const std::uint32_t lo_x = level.first_cell(box.lo[0] - level.reach[0], 0);
      const std::uint32_t lo_y = level.first_cell(box.lo[1] - level.reach[1], 1);
      for (std::uint32_t z = at[2]; z <= hi[2]; ++z) {
        for (std::uint32_t y = z == at[2] ? at[1] + 1 : lo_y; y <= hi[1]; ++y) {
          const std::size_t first = (std::size_t{z} * level.dims[1] + y) * level.dims[0];
          if (!runner.run(level.start[first + lo_x], level.start[first + hi[0] + 1])) return false;
        }
      }
    }
    if (++at[1] == level.dims[1]) at[1] = 0, ++at[2];
  }
  return true;
}

template <int N>
bool pairs_across_of(const GridLevel<N>& fine, const GridLevel<N>& coarse, const Store<N>& store, PairSink& sink) {
  Tally tally;
  for (std::size_t slot = 0; slot < fine.boxes.size(); ++slot) {
    const FloatBox<N> box = fine.boxes.box(slot);
    if (!(box.lo[0] <= box.hi[0])) continue;
    const Runner<N> runner(coarse, store, sink, tally, box, fine.boxes.id(slot));
    if (!coarse.each_run(box, [&](std::size_t begin, std::size_t end) { return runner.run(begin, end); })) return false;
  }
  return true;
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
