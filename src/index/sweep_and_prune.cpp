// Sweep and prune: the ends of all boxes, sorted on every axis. Two boxes start or stop to overlap only when ends of
// theirs change places, so that the overlapping pairs are kept up to date by the swaps of an insertion sort.
#include <fmt/format.h>

#include "index/broad_structure.h"
#include "index/pair_set.h"

namespace graze::broad {
namespace {

// Of ends at one coordinate the lower ones come first: touching counts.
struct End {
  double x;
  std::uint32_t which;  // 2 · id, + 1 for the upper end
  BoxId id() const { return which >> 1U; }
  bool upper() const { return (which & 1U) != 0; }
  bool operator<(const End& other) const { return x < other.x || (x == other.x && upper() < other.upper()); }
};

template <int N>
class SweepAndPrune final : public Structure<N> {
 public:
  using Box = AabbOf<N>;
  using Structure<N>::store_;
  using Structure<N>::Structure;

  void clear() noexcept override {
    for (int k = 0; k < N; ++k) ends_[k].clear(), widest_[k] = 0;
    pairs_.clear();
  }
  void build(std::span<const BoxId> ids) override {
    clear();
    for (int k = 0; k < N; ++k) {
      ends_[k].reserve(2 * ids.size());
      for (const BoxId id : ids) {
        const Box& box = store_.boxes[id];
        ends_[k].push_back({box.min[k], 2 * id});
        ends_[k].push_back({box.max[k], 2 * id + 1});
        widen(k, box);
      }
      std::sort(ends_[k].begin(), ends_[k].end());
      if (!ids.empty()) at_[k].resize(2 * (*std::max_element(ids.begin(), ids.end()) + std::size_t{1}));
      for (std::size_t i = 0; i < ends_[k].size(); ++i) at_[k][ends_[k][i].which] = static_cast<std::uint32_t>(i);
    }
    // All pairs along the axis on which boxes are narrowest for their number.
    int axis = 0;
    double fewest = kInfinity;
    for (int k = 0; k < N && !ids.empty(); ++k) {
      double sum = 0;
      for (const BoxId id : ids) sum += store_.boxes[id].max[k] - store_.boxes[id].min[k];
      const double share = sum / (ends_[k].back().x - ends_[k].front().x);
      if (share < fewest) fewest = share, axis = k;
    }
    const auto& ends = ends_[axis];
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].upper()) continue;
      const Box& box = store_.boxes[ends[i].id()];
      for (std::size_t j = i + 1; j < ends.size() && ends[j].which != ends[i].which + 1; ++j) {
        if (!ends[j].upper() && !apart<N>(box, store_.boxes[ends[j].id()])) pairs_.insert(ends[i].id(), ends[j].id());
      }
    }
  }
  bool insert(BoxId id) override {
    for (int k = 0; k < N; ++k) {
      if (2 * std::size_t{id} + 2 > at_[k].size()) at_[k].resize(4 * std::size_t{id} + 4);
      for (std::uint32_t which = 2 * id; which < 2 * id + 2; ++which) {
        at_[k][which] = static_cast<std::uint32_t>(ends_[k].size());
        ends_[k].push_back({kInfinity, which});
      }
      settle(k, id);
    }
    return true;
  }
  void erase(BoxId id, const Box& was) override {
    const auto part = [&](BoxId other) {
      pairs_.erase(id, other);
      return true;
    };
    visit(was, {detail::erased(part), &detail::call_visitor<decltype(part), BoxId>});
    for (int k = 0; k < N; ++k) {
      std::size_t kept = at_[k][2 * id];
      for (std::size_t i = kept; i < ends_[k].size(); ++i) {
        if (ends_[k][i].id() == id) continue;
        put(k, kept++, ends_[k][i]);
      }
      ends_[k].resize(kept);
    }
  }
  bool move(BoxId id, const Box&) override {
    for (int k = 0; k < N; ++k) settle(k, id);
    return true;
  }

  // Along the axis with the fewest ends from where the widest box could start to where the query ends.
  bool visit(const Box& box, const IdSink& sink) const override {
    std::size_t first = 0, last = ends_[0].size();
    int axis = 0;
    for (int k = 0; k < N; ++k) {
      const double width = widest_[k];
      const double from = box.min[k] - width - 8 * kEpsilon * (std::abs(box.min[k]) + width), to = box.max[k];
      const auto at = [&](const auto& before) {
        return static_cast<std::size_t>(std::partition_point(ends_[k].begin(), ends_[k].end(), before) -
                                        ends_[k].begin());
      };
      const std::size_t begin = at([&](const End&e) { return e.x < from; }),
                        end = at([&](const End&e) { return !(e.x > to); });
      if (k == 0 || end - begin < last - first) first = begin, last = end, axis = k;
    }
    for (std::size_t i = first; i < last; ++i) {
      const End& end = ends_[axis][i];
      if (!end.upper() && !apart<N>(store_.boxes[end.id()], box) && !sink(end.id())) return false;
    }
    return true;
  }
  bool pairs(PairSink& sink) const override {
    return pairs_.visit([&](BoxId a, BoxId b) { return sink.add(a, b); });
  }

  std::size_t memory_bytes() const override {
    std::size_t bytes = pairs_.memory_bytes();
    for (int k = 0; k < N; ++k) bytes += ends_[k].capacity() * sizeof(End) + at_[k].capacity() * sizeof(std::uint32_t);
    return bytes;
  }
  std::string validate() const override {
    for (int k = 0; k < N; ++k) {
      if (ends_[k].size() != 2 * store_.indexed) return "an axis has another number of ends";
      if (!std::is_sorted(ends_[k].begin(), ends_[k].end())) return "an axis is not sorted";
      for (std::size_t i = 0; i < ends_[k].size(); ++i) {
        const End& end = ends_[k][i];
        const Box& box = store_.boxes[end.id()];
        if (at_[k][end.which] != i) return "an end is not where it is noted";
        if (end.x != (end.upper() ? box.max[k] : box.min[k])) return fmt::format("an end of box {} is wrong", end.id());
      }
    }
    const bool right = pairs_.visit([&](BoxId a, BoxId b) {
      return store_.states[a] == State::indexed && store_.states[b] == State::indexed &&
             !apart<N>(store_.boxes[a], store_.boxes[b]);
    });
    return right ? "" : "a pair is kept that does not overlap";
  }

 private:
  void widen(int k, const Box& box) { widest_[k] = std::max(widest_[k], box.max[k] - box.min[k]); }
  void put(int k, std::size_t at, const End& end) {
    ends_[k][at] = end;
    at_[k][end.which] = static_cast<std::uint32_t>(at);
  }
  // Two boxes whose ends change places; `first` comes first from now on.
  void changed(const End& first, const End& second) {
    if (first.upper() == second.upper() || first.id() == second.id()) return;
    if (first.upper()) {
      pairs_.erase(first.id(), second.id());
    } else if (!apart<N>(store_.boxes[first.id()], store_.boxes[second.id()])) {
      pairs_.insert(first.id(), second.id());
    }
  }
  void down(int k, std::uint32_t which) {
    std::size_t at = at_[k][which];
    const End end = ends_[k][at];
    for (; at > 0 && end < ends_[k][at - 1]; --at) {
      changed(end, ends_[k][at - 1]);
      put(k, at, ends_[k][at - 1]);
    }
    put(k, at, end);
  }
  void up(int k, std::uint32_t which) {
    std::size_t at = at_[k][which];
    const End end = ends_[k][at];
    for (; at + 1 < ends_[k].size() && ends_[k][at + 1] < end; ++at) {
      changed(ends_[k][at + 1], end);
      put(k, at, ends_[k][at + 1]);
    }
    put(k, at, end);
  }
  // Brings the ends of a box to where they belong. The store has its new box on all axes already, so that what is found
  // on the first axis is what holds in the end.
  void settle(int k, BoxId id) {
    const Box& box = store_.boxes[id];
    widen(k, box);
    ends_[k][at_[k][2 * id]].x = box.min[k];
    ends_[k][at_[k][2 * id + 1]].x = box.max[k];
    down(k, 2 * id);
    up(k, 2 * id + 1);
    up(k, 2 * id);
    down(k, 2 * id + 1);
  }

  std::vector<End> ends_[N];          // sorted
  std::vector<std::uint32_t> at_[N];  // by End::which: where it is
  double widest_[N] = {};             // no box was ever wider
  PairSet pairs_;                     // all that overlap
};

}  // namespace

template <int N>
StructureOf<N> make_sweep_and_prune(const Store<N>& store) {
  return std::make_unique<SweepAndPrune<N>>(store);
}
template StructureOf<2> make_sweep_and_prune<2>(const Store<2>&);
template StructureOf<3> make_sweep_and_prune<3>(const Store<3>&);

}  // namespace graze::broad
