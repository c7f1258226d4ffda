// The questions of a broad phase: the structure answers, and what is not in it is looked at one by one.
#include "graze/index/broad_phase.h"
#include "index/broad_structure.h"

namespace graze {

using broad::Body;
using broad::State;
using broad::Store;

namespace {

// Fills a buffer and counts.
template <class T>
struct Counted {
  std::span<T> into;
  std::size_t count = 0;
  void operator()(const T& item) {
    if (count < into.size()) into[count] = item;
    ++count;
  }
  std::size_t sorted() const {
    if (count <= into.size()) std::sort(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
};

}  // namespace

template <int N>
void BroadPhase<N>::visit_erased(const Box& box, void* visitor, bool (*call)(void*, BoxId)) const {
  if (broad::inverted<N>(box)) return;
  const broad::IdSink sink{visitor, call};
  if (!body_->structure->visit(box, sink)) return;
  for (const BoxId id : body_->store.loose) {
    if (!broad::apart<N>(body_->store.boxes[id], box) && !sink(id)) return;
  }
}

template <int N>
void BroadPhase<N>::visit_each_erased(std::span<const Box> queries, void* visitor,
                                      bool (*call)(void*, std::size_t, BoxId)) const {
  const broad::EachSink sink{visitor, call};
  if (body_->store.loose.empty() && body_->structure->visit_each(queries, sink)) return;
  bool go_on = true;
  for (std::size_t i = 0; i < queries.size() && go_on; ++i) {
    visit_overlapping(queries[i], [&](BoxId id) { return go_on = sink(i, id); });
  }
}

template <int N>
std::size_t BroadPhase<N>::overlapping(const Box& box, std::span<BoxId> into) const {
  Counted<BoxId> all{into};
  visit_overlapping(box, all);
  return all.sorted();
}

template <int N>
bool BroadPhase<N>::overlaps(const Box& box) const {
  bool any = false;
  visit_overlapping(box, [&](BoxId) { return !(any = true); });
  return any;
}

template <int N>
void BroadPhase<N>::visit_pairs_erased(void* visitor, CallPairs call) const {
  broad::PairSink sink(visitor, call);
  if (!body_->structure->pairs(sink)) return;
  const Store<N>& store = body_->store;
  for (std::size_t i = 0; i < store.loose.size(); ++i) {
    const BoxId id = store.loose[i];
    const auto see = [&](BoxId other) { return sink.add(id, other); };
    if (!body_->structure->visit(store.boxes[id], {detail::erased(see), &detail::call_visitor<decltype(see), BoxId>}))
      return;
    for (std::size_t j = 0; j < i; ++j) {
      if (!broad::apart<N>(store.boxes[id], store.boxes[store.loose[j]]) && !sink.add(id, store.loose[j])) return;
    }
  }
  sink.flush();
}

template <int N>
std::size_t BroadPhase<N>::pairs(std::span<BoxPair> into) const {
  Counted<BoxPair> all{into};
  visit_pairs(all);
  return all.sorted();
}

template <int N>
bool BroadPhase<N>::any_pair() const {
  bool any = false;
  visit_pairs([&](BoxPair) { return !(any = true); });
  return any;
}

// Every box of the smaller set is looked up in the larger one.
template <int N>
void BroadPhase<N>::visit_pairs_with_erased(const BroadPhase& other, void* visitor, CallPairs call) const {
  broad::PairSink sink(visitor, call);
  const bool swapped = other.size() > size();
  const BroadPhase &few = swapped ? *this : other, &many = swapped ? other : *this;
  const Store<N>& store = few.body_->store;
  bool go_on = true;
  for (BoxId id = 0; id < store.boxes.size() && go_on; ++id) {
    if (store.states[id] == State::absent || store.states[id] == State::empty) continue;
    many.visit_overlapping(store.boxes[id], [&](BoxId found) {
      return go_on = swapped ? sink.add_ordered(id, found) : sink.add_ordered(found, id);
    });
  }
  sink.flush();
}

template <int N>
std::size_t BroadPhase<N>::pairs_with(const BroadPhase& other, std::span<BoxPair> into) const {
  Counted<BoxPair> all{into};
  visit_pairs_with(other, all);
  return all.sorted();
}

template <int N>
bool BroadPhase<N>::any_pair_with(const BroadPhase& other) const {
  bool any = false;
  visit_pairs_with(other, [&](BoxPair) { return !(any = true); });
  return any;
}

template <int N>
NearestBox BroadPhase<N>::nearest(const Box& box, double limit) const {
  NearestBox best{kNoBox, limit};
  if (broad::inverted<N>(box) || !(limit >= 0)) return {};
  const Store<N>& store = body_->store;
  for (const BoxId id : store.loose) {
    const double d = broad::distance<N>(store.boxes[id], box);
    if (d < best.distance || (d == best.distance && id < best.id)) best = {id, d};
  }
  body_->structure->nearest(box, best);
  return best.id == kNoBox ? NearestBox{} : best;
}

template <int N>
NearestBoxes BroadPhase<N>::nearest(const BroadPhase& other, double limit) const {
  const bool swapped = other.size() > size();
  const BroadPhase &few = swapped ? *this : other, &many = swapped ? other : *this;
  const Store<N>& store = few.body_->store;
  NearestBoxes best{{}, limit};
  for (BoxId id = 0; id < store.boxes.size(); ++id) {
    if (store.states[id] == State::absent || store.states[id] == State::empty) continue;
    const NearestBox near = many.nearest(store.boxes[id], best.distance);
    if (near.id == kNoBox) continue;
    const BoxPair pair = swapped ? BoxPair{id, near.id} : BoxPair{near.id, id};
    if (near.distance < best.distance || (near.distance == best.distance && pair < best.pair)) {
      best = {pair, near.distance};
    }
  }
  return best.pair.a == kNoBox ? NearestBoxes{} : best;
}

template <int N>
void BroadPhase<N>::visit_swept_erased(const Box& box, const Vec& direction, double limit, void* visitor,
                                       bool (*call)(void*, BoxHit)) const {
  if (broad::inverted<N>(box)) return;
  const broad::MovingBox<N> moving{box, direction, limit};
  const broad::HitSink sink{visitor, call};
  if (!body_->structure->visit_swept(moving, sink)) return;
  for (const BoxId id : body_->store.loose) {
    const double time = moving.entry(body_->store.boxes[id]);
    if (time < kInfinity && !sink({id, time})) return;
  }
}

namespace {

template <int N>
BoxHit first_hit(const Body<N>& body, const broad::MovingBox<N>& moving) {
  if (broad::inverted<N>(moving.box)) return {};
  BoxHit best{kNoBox, moving.limit};
  for (const BoxId id : body.store.loose) {
    const double t = moving.entry(body.store.boxes[id]);
    if (t < best.time || (t == best.time && t < kInfinity && id < best.id)) best = {id, t};
  }
  body.structure->first_hit(moving, best);
  return best.id == kNoBox ? BoxHit{} : best;
}

}  // namespace

template <int N>
BoxHit BroadPhase<N>::sweep(const Box& box, const Vec& move) const {
  return first_hit<N>(*body_, {box, move, 1});
}

template <int N>
BoxHit BroadPhase<N>::raycast(const Vec& from, const Vec& direction, double limit) const {
  return first_hit<N>(*body_, {Box{from, from}, direction, limit});
}

template class BroadPhase<2>;
template class BroadPhase<3>;

}  // namespace graze
