#include "graze/index/broad_phase.h"

#include <fmt/format.h>

#include "graze/base/error.h"
#include "index/box_stream.h"
#include "index/broad_structure.h"

namespace graze {

using broad::Body;
using broad::regular;
using broad::State;
using broad::Store;

namespace {

enum class Sort : std::uint8_t { empty, regular, irregular };

// Throws for a box that is refused.
template <int N>
Sort sort_of(const AabbOf<N>& box, std::size_t index) {
  bool regular = true, empty = false;
  for (int k = 0; k < N; ++k) {
    const double lo = box.min[k], hi = box.max[k];
    if (!(lo <= hi)) {
      if (!(lo > hi)) throw Error(fmt::format("box {}", index), "has a coordinate that is not a number");
      empty = true;
    } else if (!(lo >= -broad::kLargestIndexed && hi <= broad::kLargestIndexed)) {
      regular = false;
    }
  }
  if (empty) return Sort::empty;
  for (int k = 0; k < N && !regular; ++k) {
    if (box.min[k] == kInfinity || box.max[k] == -kInfinity) {
      throw Error(fmt::format("box {}", index), "lies at infinity; an unbounded side needs min = -inf or max = inf");
    }
  }
  return regular ? Sort::regular : Sort::irregular;
}

template <int N>
void drop_loose(Store<N>& store, BoxId id) {
  const std::uint32_t at = store.loose_at[id];
  store.loose[at] = store.loose.back();
  store.loose_at[store.loose[at]] = at;
  store.loose.pop_back();
}

// `loose` has room for every id, so that a box can be put there whatever happens.
template <int N>
void put_loose(Store<N>& store, BoxId id) noexcept {
  store.states[id] = State::loose;
  store.loose_at[id] = static_cast<std::uint32_t>(store.loose.size());
  store.loose.push_back(id);
}

// Everything is looked at one by one until the next change.
template <int N>
[[gnu::noinline]] void drop_structure(Body<N>& body) noexcept {
  body.structure->clear();
  body.dropped = true;
  body.store.indexed = 0;
  for (BoxId id = 0; id < body.store.boxes.size(); ++id) {
    if (body.store.states[id] == State::indexed) put_loose(body.store, id);
  }
}

// Where memory runs out in the middle of a change, `undo` restores the box that was changed, without memory.
template <int N, class Work, class Undo>
void all_or_nothing(Body<N>& body, const Work& work, const Undo& undo) {
  try {
    work();
  } catch (...) {
    drop_structure(body);
    undo();
    throw;
  }
}

// The structure takes the boxes `ids`, which `all` is around.
template <int N>
void build(Body<N>& body, std::span<const BoxId> ids, const AabbOf<N>& all) {
  Store<N>& store = body.store;
  BroadPhaseKind kind = body.options.kind;
  if (kind == BroadPhaseKind::automatic) kind = broad::choice<N>(store, ids, body.options.use);
  if (kind != body.kind) {
    auto structure = broad::make<N>(kind, store);
    body.structure->clear();
    body.structure = std::move(structure);
    body.kind = kind;
  }
  store.all = all;
  store.origin = ids.empty() ? VecOf<N>(VecOf<N>::Zero()) : VecOf<N>(all.center());
  body.structure->build(ids);
  store.indexed = ids.size();
  body.chosen_for = ids.size();
  body.dropped = false;
}

template <int N>
void build(Body<N>& body) {
  Store<N>& store = body.store;
  std::vector<BoxId>& ids = body.scratch;
  ids.resize(store.boxes.size());
  std::size_t count = 0;
  AabbOf<N> all;
  for (BoxId id = 0; id < store.boxes.size(); ++id) {
    const State state = store.states[id];
    if (state != State::indexed && (state != State::loose || !regular<N>(store.boxes[id]))) continue;
    ids[count++] = id;
    all.extend(store.boxes[id]);
  }
  ids.resize(count);
  build<N>(body, ids, all);
  for (const BoxId id : ids) {
    if (store.states[id] != State::loose) continue;
    drop_loose(store, id);
    store.states[id] = State::indexed;
  }
}

// A box that was `was` remains in the store only.
template <int N>
void take_out(Body<N>& body, BoxId id, const AabbOf<N>& was) {
  if (body.store.states[id] == State::loose) drop_loose(body.store, id);
  if (body.store.states[id] == State::indexed) {
    body.structure->erase(id, was);
    --body.store.indexed;
  }
}

// A box that is in the store and nowhere else.
template <int N>
void place(Body<N>& body, BoxId id, Sort sort) {
  Store<N>& store = body.store;
  if (sort == Sort::empty) {
    store.states[id] = State::empty;
    return;
  }
  put_loose(store, id);
  if (sort == Sort::irregular) return;
  if (store.indexed == 0) {
    store.origin = store.boxes[id].center();
    store.all = store.boxes[id];
    body.structure->build({});
  }
  if (!body.structure->insert(id)) return;
  drop_loose(store, id);
  store.states[id] = State::indexed;
  store.all.extend(store.boxes[id]);
  ++store.indexed;
}

template <int N>
void keep_fit(Body<N>& body) {
  const bool grown = body.options.kind == BroadPhaseKind::automatic && body.store.indexed > 2 * body.chosen_for + 64;
  if (grown || body.dropped || body.structure->worn()) build(body);
}

template <int N>
void check_id(const Store<N>& store, BoxId id) {
  if (id >= store.states.size() || store.states[id] == State::absent) {
    throw Error(fmt::format("box {}", id), "is not in the broad phase");
  }
}

}  // namespace

template <int N>
BroadPhase<N>::BroadPhase(const BroadPhaseOptions& options) : body_(std::make_unique<Body<N>>()) {
  body_->options = options;
  body_->kind = options.kind == BroadPhaseKind::automatic ? BroadPhaseKind::list : options.kind;
  body_->structure = broad::make<N>(body_->kind, body_->store);
}
template <int N>
BroadPhase<N>::BroadPhase(std::span<const Box> boxes, const BroadPhaseOptions& options) : BroadPhase(options) {
  assign(boxes);
}
template <int N>
BroadPhase<N>::BroadPhase(BroadPhase&&) noexcept = default;
template <int N>
BroadPhase<N>& BroadPhase<N>::operator=(BroadPhase&&) noexcept = default;
template <int N>
BroadPhase<N>::~BroadPhase() = default;

template <int N>
void BroadPhase<N>::assign(std::span<const Box> boxes) {
  if (boxes.size() >= kNoBox / 2) throw Error("broad phase", fmt::format("{} boxes are too many", boxes.size()));
  Store<N>& store = body_->store;
  Box all;
  const bool all_regular = broad::all_regular(boxes, all);
  for (std::size_t i = 0; i < boxes.size() && !all_regular; ++i) (void)sort_of<N>(boxes[i], i);
  store.boxes.reserve(boxes.size());
  store.states.reserve(boxes.size());
  store.loose_at.reserve(boxes.size());
  store.loose.reserve(boxes.size());
  store.free.reserve(boxes.size());
  body_->structure->clear();
  store.indexed = 0;
  store.loose.clear();
  store.free.clear();
  store.boxes.assign(boxes.begin(), boxes.end());
  store.states.assign(boxes.size(), State::indexed);  // by build(), which takes them all
  store.loose_at.resize(boxes.size());
  store.used = boxes.size();
  for (BoxId id = 0; id < boxes.size() && !all_regular; ++id) {
    if (regular<N>(boxes[id])) continue;
    store.states[id] = State::empty;
    if (!broad::inverted<N>(boxes[id])) put_loose(store, id);
  }
  const auto work = [&] {
    if (!all_regular) return build(*body_);
    body_->scratch.resize(boxes.size());
    for (BoxId id = 0; id < boxes.size(); ++id) body_->scratch[id] = id;
    build<N>(*body_, body_->scratch, all);
  };
  all_or_nothing(*body_, work, [] {});
}

template <int N>
BoxId BroadPhase<N>::add(const Box& box) {
  Store<N>& store = body_->store;
  const bool grows = store.free.empty();
  const BoxId id = grows ? static_cast<BoxId>(store.boxes.size()) : store.free.back();
  const Sort sort = sort_of<N>(box, id);
  if (grows) {
    const std::size_t count = store.boxes.size() + 1;
    if (count >= kNoBox / 2) throw Error("broad phase", fmt::format("{} boxes are too many", count));
    if (count > store.loose.capacity()) store.loose.reserve(2 * count);
    if (count > store.free.capacity()) store.free.reserve(2 * count);
    store.boxes.reserve(count > store.boxes.capacity() ? 2 * count : count);
    store.states.reserve(store.boxes.capacity());
    store.loose_at.reserve(store.boxes.capacity());
    store.boxes.push_back(box);
    store.states.push_back(State::absent);
    store.loose_at.push_back(0);
  } else {
    store.free.pop_back();
    store.boxes[id] = box;
  }
  ++store.used;
  const auto work = [&] {
    place(*body_, id, sort);
    keep_fit(*body_);
  };
  all_or_nothing(*body_, work, [&] {
    if (store.states[id] == State::loose) drop_loose(store, id);
    store.states[id] = State::absent;
    --store.used;
    if (!grows) return store.free.push_back(id);
    store.boxes.pop_back();
    store.states.pop_back();
    store.loose_at.pop_back();
  });
  return id;
}

template <int N>
void BroadPhase<N>::move(BoxId id, const Box& box) {
  Store<N>& store = body_->store;
  check_id(store, id);
  const Sort sort = sort_of<N>(box, id);
  const State was = store.states[id];
  const Box from = store.boxes[id];
  store.boxes[id] = box;
  const auto work = [&] {
    if (was != State::indexed || sort != Sort::regular) {
      take_out(*body_, id, from);
      place(*body_, id, sort);
    } else {
      store.all.extend(box);
      if (!body_->structure->move(id, from)) {
        --store.indexed;
        put_loose(store, id);
      }
    }
    keep_fit(*body_);
  };
  all_or_nothing(*body_, work, [&] {
    if (store.states[id] == State::loose) drop_loose(store, id);
    store.boxes[id] = from;
    if (was == State::empty) store.states[id] = State::empty;
    else put_loose(store, id);
  });
}

template <int N>
void BroadPhase<N>::remove(BoxId id) {
  Store<N>& store = body_->store;
  check_id(store, id);
  take_out(*body_, id, store.boxes[id]);
  store.states[id] = State::absent;
  store.free.push_back(id);
  --store.used;
}

template <int N>
void BroadPhase<N>::update() {
  const Store<N>& store = body_->store;
  const bool pending =
      std::any_of(store.loose.begin(), store.loose.end(), [&](BoxId id) { return regular<N>(store.boxes[id]); });
  const auto work = [&] {
    if (pending) build(*body_);
  };
  all_or_nothing(*body_, work, [] {});
}

template <int N>
std::size_t BroadPhase<N>::size() const {
  return body_->store.used;
}
template <int N>
bool BroadPhase<N>::contains(BoxId id) const {
  return id < body_->store.states.size() && body_->store.states[id] != State::absent;
}
template <int N>
auto BroadPhase<N>::box(BoxId id) const -> const Box& {
  return body_->store.boxes[id];
}
template <int N>
std::size_t BroadPhase<N>::id_limit() const {
  return body_->store.boxes.size();
}
template <int N>
std::size_t BroadPhase<N>::loose() const {
  return body_->store.loose.size();
}
template <int N>
BroadPhaseKind BroadPhase<N>::kind() const {
  return body_->kind;
}

template <int N>
std::size_t BroadPhase<N>::memory_bytes() const {
  const Store<N>& store = body_->store;
  return sizeof(*body_) + body_->structure->memory_bytes() + store.boxes.capacity() * sizeof(Box) +
         store.states.capacity() +
         (store.loose.capacity() + store.free.capacity() + store.loose_at.capacity()) * sizeof(BoxId);
}

template <int N>
std::string BroadPhase<N>::validate() const {
  const Store<N>& store = body_->store;
  std::size_t indexed = 0, loose = 0, absent = 0;
  for (BoxId id = 0; id < store.boxes.size(); ++id) {
    const State state = store.states[id];
    indexed += state == State::indexed ? 1U : 0U;
    absent += state == State::absent ? 1U : 0U;
    if (state == State::loose) {
      ++loose;
      if (store.loose_at[id] >= store.loose.size() || store.loose[store.loose_at[id]] != id) {
        return fmt::format("box {} is not where loose boxes are", id);
      }
    }
    if (state == State::absent) continue;
    if ((state == State::empty) != store.boxes[id].empty()) return fmt::format("box {} is empty or not", id);
    if (state != State::indexed) continue;
    if (!regular<N>(store.boxes[id])) return fmt::format("box {} is unbounded and in the structure", id);
    Box all = store.all;
    if (all.extend(store.boxes[id]) != store.all) return fmt::format("box {} is outside of all", id);
  }
  if (indexed != store.indexed || loose != store.loose.size() || absent != store.free.size() ||
      store.boxes.size() - absent != store.used) {
    return "boxes are counted wrongly";
  }
  return body_->structure->validate();
}

template class BroadPhase<2>;
template class BroadPhase<3>;

}  // namespace graze
