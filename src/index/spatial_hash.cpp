// A uniform spatial hash (motion planning thesis, 3.1.2): cells of one size, each a list of the boxes that overlap it.
#include "graze/index/spatial_hash.h"

#include <fmt/format.h>

#include <bit>

#include "index/broad_structure.h"

namespace graze {
namespace broad {
namespace {

constexpr std::uint32_t kEnd = 0xFFFFFFFF;
// Boxes in more cells are looked at one by one.
constexpr double kMaxCells = 64;
// Per axis; what lies beyond counts as in the outermost cell.
constexpr double kMaxCoordinate = (1U << 21U) - 1;

template <int N>
struct Cell {
  std::uint32_t at[N];
  std::uint32_t& operator[](int k) { return at[k]; }
  std::uint32_t operator[](int k) const { return at[k]; }
  bool operator==(const Cell&) const = default;
};

template <int N>
struct Cells {
  Cell<N> first, last;
  bool operator==(const Cells&) const = default;
  double count() const {
    double n = 1;
    for (int k = 0; k < N; ++k) n *= static_cast<double>(last[k] - first[k]) + 1;
    return n;
  }
};

template <int N>
std::uint64_t key_of(const Cell<N>& cell) {
  std::uint64_t key = 0;
  for (int k = 0; k < N; ++k) key = key << 21U | cell[k];
  return key;
}

struct Entry {
  std::uint64_t key;
  BoxId id;
  std::uint32_t next;
};

template <int N>
class Hash final : public Structure<N> {
 public:
  using Box = AabbOf<N>;
  using Structure<N>::store_;
  using Structure<N>::Structure;

  void clear() noexcept override {
    heads_.clear(), entries_.clear(), members_.clear(), large_.clear();
    unused_ = kEnd, used_ = 0;
  }
  void build(std::span<const BoxId> ids) override {
    clear();
    choose_cell(ids);
    heads_.assign(std::bit_ceil(2 * ids.size() + 16), kEnd);
    for (const BoxId id : ids) insert(id);
    built_for_ = ids.size();
  }
  bool insert(BoxId id) override {
    if (id >= at_.size()) at_.resize(std::max<std::size_t>(id + 1, 2 * at_.size()));
    const Cells<N> cells = cells_of(store_.boxes[id]);
    at_[id] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(id);
    if (cells.count() > kMaxCells) {
      large_at_.resize(std::max(large_at_.size(), at_.size()));
      large_at_[id] = static_cast<std::uint32_t>(large_.size());
      large_.push_back(id);
      return true;
    }
    each_cell(cells, [&](const Cell<N>& cell) {
      const std::uint64_t key = key_of<N>(cell);
      std::uint32_t entry = unused_;
      if (entry == kEnd) {
        entry = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
      } else {
        unused_ = entries_[entry].next;
      }
      std::uint32_t& head = heads_[bucket(key)];
      entries_[entry] = {key, id, head};
      head = entry;
      ++used_;
      return true;
    });
    return true;
  }
  void erase(BoxId id, const Box& was) override {
    drop(members_, at_, id);
    const Cells<N> cells = cells_of(was);
    if (cells.count() > kMaxCells) return drop(large_, large_at_, id);
    each_cell(cells, [&](const Cell<N>& cell) {
      const std::uint64_t key = key_of<N>(cell);
      std::uint32_t* link = &heads_[bucket(key)];
      while (entries_[*link].id != id || entries_[*link].key != key) link = &entries_[*link].next;
      const std::uint32_t entry = *link;
      *link = entries_[entry].next;
      entries_[entry].next = unused_;
      unused_ = entry;
      --used_;
      return true;
    });
  }
  bool move(BoxId id, const Box& was) override {
    if (cells_of(was) == cells_of(store_.boxes[id])) return true;
    erase(id, was);
    return insert(id);
  }
  bool worn() const override { return members_.size() > 2 * built_for_ + 64 || used_ > 4 * heads_.size(); }

  bool visit(const Box& box, const IdSink& sink) const override { return visit_first_seen(box, sink); }
  // From the first cell that box and query have in common.
  template <class Sink>
  bool visit_first_seen(const Box& box, const Sink& sink) const {
    const Cell<N> low = cells_of(box).first;
    return visit_cells(box, sink, [&](BoxId id, const Cell<N>& cell) {
      for (int k = 0; k < N; ++k) {
        if (cell[k] != low[k] && cell[k] != coordinate(store_.boxes[id].min[k], k)) return false;
      }
      return true;
    });
  }
  /// `first(id, cell)` says whether the box is new to the query.
  template <class Sink, class First>
  bool visit_cells(const Box& box, const Sink& sink, const First& first) const {
    const Cells<N> cells = cells_of(box);
    if (!(cells.count() < static_cast<double>(members_.size()))) {
      for (const BoxId id : members_) {
        if (!apart<N>(store_.boxes[id], box) && !sink(id)) return false;
      }
      return true;
    }
    for (const BoxId id : large_) {
      if (!apart<N>(store_.boxes[id], box) && !sink(id)) return false;
    }
    return each_cell(cells, [&](const Cell<N>& cell) {
      const std::uint64_t key = key_of<N>(cell);
      for (std::uint32_t at = heads_[bucket(key)]; at != kEnd; at = entries_[at].next) {
        const Entry& entry = entries_[at];
        if (entry.key != key || apart<N>(store_.boxes[entry.id], box) || !first(entry.id, cell)) continue;
        if (!sink(entry.id)) return false;
      }
      return true;
    });
  }
  bool pairs(PairSink& sink) const override {
    for (const BoxId id : members_) {
      const auto lower = [&](BoxId other) { return other >= id || sink.add(id, other); };
      if (!visit_first_seen(store_.boxes[id], lower)) return false;
    }
    return true;
  }

  std::size_t memory_bytes() const override {
    return entries_.capacity() * sizeof(Entry) +
           (heads_.capacity() + members_.capacity() + large_.capacity() + at_.capacity() + large_at_.capacity()) *
               sizeof(std::uint32_t);
  }
  std::string validate() const override {
    if (members_.size() != store_.indexed) return "the hash has another number of boxes";
    std::size_t entries = 0, large = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const BoxId id = members_[i];
      if (at_[id] != i) return fmt::format("box {} is not where it is noted", id);
      const Cells<N> cells = cells_of(store_.boxes[id]);
      if (cells.count() > kMaxCells) {
        if (large_at_[id] >= large_.size() || large_[large_at_[id]] != id) return fmt::format("box {} is lost", id);
        ++large;
        continue;
      }
      const bool there = each_cell(cells, [&](const Cell<N>& cell) {
        ++entries;
        const std::uint64_t key = key_of<N>(cell);
        std::uint32_t at = heads_[bucket(key)];
        while (at != kEnd && (entries_[at].id != id || entries_[at].key != key)) at = entries_[at].next;
        return at != kEnd;
      });
      if (!there) return fmt::format("box {} is missing in a cell", id);
    }
    return entries == used_ && large == large_.size() ? "" : "the hash holds boxes that are gone";
  }

 private:
  static void drop(std::vector<BoxId>& list, std::vector<std::uint32_t>& at, BoxId id) {
    const BoxId last = list.back();
    list[at[id]] = last;
    at[last] = at[id];
    list.pop_back();
  }
  // Half as large again as boxes are on average, but not so small that most cells are empty.
  void choose_cell(std::span<const BoxId> ids) {
    double sum = 0, extent = 0, side = 1;
    for (int k = 0; k < N; ++k) extent = std::max(extent, store_.all.max[k] - store_.all.min[k]);
    for (const BoxId id : ids) {
      double size = 0;
      for (int k = 0; k < N; ++k) size = std::max(size, store_.boxes[id].max[k] - store_.boxes[id].min[k]);
      sum += size;
    }
    for (std::size_t cells = 1; cells < ids.size(); cells <<= N) side *= 2;
    const double mean = ids.empty() ? 0 : sum / static_cast<double>(ids.size());
    const double cell = std::max(1.5 * mean, extent / (2 * side));
    per_cell_ = cell > 1e-300 ? 1 / cell : 1;
  }
  // Keeps order, whatever is rounded.
  std::uint32_t coordinate(double x, int k) const {
    const double at = (x - store_.origin[k]) * per_cell_ + (kMaxCoordinate + 1) / 2;
    return at > 0 ? static_cast<std::uint32_t>(std::min(at, kMaxCoordinate)) : 0;
  }
  Cells<N> cells_of(const Box& box) const {
    Cells<N> cells;
    for (int k = 0; k < N; ++k) {
      cells.first[k] = coordinate(box.min[k], k);
      // Of what is not a number, all cells.
      cells.last[k] = box.max[k] == box.max[k] ? coordinate(box.max[k], k) : static_cast<std::uint32_t>(kMaxCoordinate);
    }
    return cells;
  }
  std::size_t bucket(std::uint64_t key) const {
    key *= 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(key ^ key >> 32U) & (heads_.size() - 1);
  }
  template <class See>
  static bool each_cell(const Cells<N>& cells, const See& see) {
    Cell<N> cell = cells.first;
    for (;;) {
      if (!see(cell)) return false;
      int k = 0;
      for (; k < N && cell[k] == cells.last[k]; ++k) cell[k] = cells.first[k];
      if (k == N) return true;
      ++cell[k];
    }
  }

  double per_cell_ = 1;  // cells per metre
  std::vector<std::uint32_t> heads_;
  std::vector<Entry> entries_;
  std::vector<BoxId> members_, large_;        // all; those in too many cells
  std::vector<std::uint32_t> at_, large_at_;  // by id: where in those
  std::uint32_t unused_ = kEnd;               // entries, linked
  std::size_t used_ = 0, built_for_ = 0;
};

}  // namespace

template <int N>
StructureOf<N> make_spatial_hash(const Store<N>& store) {
  return std::make_unique<Hash<N>>(store);
}
template StructureOf<2> make_spatial_hash<2>(const Store<2>&);
template StructureOf<3> make_spatial_hash<3>(const Store<3>&);

}  // namespace broad

template <int N>
void SpatialHash<N>::visit_stamped(const Box& box, QueryStamps& stamps, void* body, bool (*call)(void*, BoxId)) const {
  if (broad::inverted<N>(box) || this->kind() != BroadPhaseKind::spatial_hash) {
    // Another kind may have been moved into this object.
    return this->visit_overlapping(box, [&](BoxId id) { return call(body, id); });
  }
  const auto& hash = static_cast<const broad::Hash<N>&>(*this->body_->structure);
  const broad::Store<N>& store = this->body_->store;
  const broad::IdSink sink{body, call};
  stamps.start(store.boxes.size());
  if (!hash.visit_cells(box, sink, [&](BoxId id, const auto&) { return stamps.first(id); })) return;
  for (const BoxId id : store.loose) {
    if (!broad::apart<N>(store.boxes[id], box) && !sink(id)) return;
  }
}

template class SpatialHash<2>;
template class SpatialHash<3>;

}  // namespace graze
