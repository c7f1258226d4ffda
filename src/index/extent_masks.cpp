// Extent masks in blocks of up to 512 boxes, so that memory grows with the boxes and not with their square. Changed in
// place.
#include "index/extent_table.h"

#include <fmt/format.h>

#include "index/broad_structure.h"
#include "index/curve_order.h"

namespace graze::broad {
namespace {

constexpr std::size_t kBlock = 512;

template <int N>
struct Block {
  AabbOf<N> all;  // around all that were in it
  ExtentTable<N> table;
  std::vector<BoxId> ids;            // by slot, kNoBox where there is none
  std::vector<std::uint32_t> empty;  // slots; with room for all
};

template <int N>
class ExtentMasks final : public Structure<N> {
 public:
  using Box = AabbOf<N>;
  using Structure<N>::store_;
  using Structure<N>::Structure;

  void clear() noexcept override {
    blocks_.clear();
    inserted_ = built_ = 0;
  }
  void build(std::span<const BoxId> ids) override {
    clear();
    std::vector<BoxId> order(ids.begin(), ids.end());
    if (ids.size() > kBlock) sort_along_curve(order);
    for (std::size_t first = 0; first < order.size(); first += kBlock)
      add_block(std::span(order).subspan(first, std::min(kBlock, order.size() - first)));
    built_ = ids.size();
  }
  bool insert(BoxId id) override {
    if (blocks_.empty() || blocks_.back().empty.empty()) {
      std::vector<BoxId> ids;
      if (!blocks_.empty() && blocks_.back().ids.size() < kBlock) {
        ids = std::move(blocks_.back().ids);
        blocks_.pop_back();
      }
      ids.push_back(id);
      add_block(ids);
    } else {
      Block<N>& block = blocks_.back();
      keep_slot(id, (blocks_.size() - 1) * kBlock + block.empty.back());
      block.ids[block.empty.back()] = id;
      block.empty.pop_back();
      put(id);
    }
    ++inserted_;
    return true;
  }
  void erase(BoxId id, const Box&) override {
    Block<N>& block = blocks_[slots_[id] / kBlock];
    const std::uint32_t slot = slots_[id] % kBlock;
    block.table.set(slot, Box());
    block.ids[slot] = kNoBox;
    block.empty.push_back(slot);
  }
  bool move(BoxId id, const Box&) override {
    put(id);
    return true;
  }
  // Cells are those of the boxes that it was built with.
  bool worn() const override { return inserted_ > built_ + kBlock; }

  bool visit(const Box& box, const IdSink& sink) const override {
    return visit_slots(box, 0, [&](std::size_t, BoxId id) { return sink(id); });
  }
  // Of one block, the sets of many queries first.
  bool visit_each(std::span<const Box> boxes, const EachSink& sink) const override {
    if (blocks_.size() != 1) return false;
    constexpr std::size_t kQueries = 32;
    const Block<N>& block = blocks_.front();
    const std::size_t words = block.table.capacity() / 64;
    std::uint64_t found[kQueries * kBlock / 64];
    for (std::size_t first = 0; first < boxes.size(); first += kQueries) {
      const std::size_t count = std::min(kQueries, boxes.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        const typename ExtentTable<N>::Look look(block.table, boxes[first + i]);
        for (std::size_t w = 0; w < words; ++w) found[i * words + w] = inverted<N>(boxes[first + i]) ? 0 : look[w];
      }
      const bool go_on = see_filled<std::size(found)>(found, count * words, [&](std::size_t i, std::uint64_t word) {
        const std::size_t query = first + i / words;
        return see_bits(word, i % words * 64, [&](std::size_t slot) {
          const BoxId id = block.ids[slot];
          return apart<N>(store_.boxes[id], boxes[query]) || sink(query, id);
        });
      });
      if (!go_on) break;
    }
    return true;
  }
  bool pairs(PairSink& sink) const override {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t i = 0; i < blocks_[b].ids.size(); ++i) {
        const BoxId id = blocks_[b].ids[i];
        if (id == kNoBox) continue;
        const std::size_t own = b * kBlock + i;
        const bool go_on = visit_slots(
            store_.boxes[id], b, [&](std::size_t slot, BoxId other) { return slot <= own || sink.add(id, other); });
        if (!go_on) return false;
      }
    }
    return true;
  }

  std::size_t memory_bytes() const override {
    std::size_t bytes = slots_.capacity() * sizeof(std::uint32_t) + blocks_.capacity() * sizeof(Block<N>);
    for (const Block<N>& b : blocks_) {
      bytes += b.table.memory_bytes() + b.ids.capacity() * sizeof(BoxId) + b.empty.capacity() * sizeof(std::uint32_t);
    }
    return bytes;
  }
  std::string validate() const override {
    std::size_t live = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const Block<N>& block = blocks_[b];
      std::size_t none = 0, found = 0;
      for (std::size_t i = 0; i < block.ids.size(); ++i) {
        const BoxId id = block.ids[i];
        if (id == kNoBox) {
          ++none;
          continue;
        }
        ++live;
        if (slots_[id] != b * kBlock + i) return fmt::format("box {} is in another slot", id);
        const Box& box = store_.boxes[id];
        if (!block.table.any(box, [&](std::size_t slot) { return slot == i; }))
          return fmt::format("box {} does not find itself", id);
        for (int k = 0; k < N; ++k) {
          if (box.min[k] < block.all.min[k] || box.max[k] > block.all.max[k])
            return fmt::format("box {} is outside of its block", id);
        }
      }
      if (none != block.empty.size()) return "other slots are empty than those that should be";
      const Box everything{VecOf<N>::Constant(-kInfinity), VecOf<N>::Constant(kInfinity)};
      block.table.any(everything, [&](std::size_t) { return ++found, false; });
      if (found != block.ids.size() - none) return "boxes are found that are not there";
    }
    return live == store_.indexed ? "" : "other boxes than those of the store are masked";
  }

 private:
  void sort_along_curve(std::vector<BoxId>& order) const {
    const auto in_space = [](const VecOf<N>& v) {
      Vec3 p = Vec3::Zero();
      for (int k = 0; k < N; ++k) p[k] = v[k];
      return p;
    };
    const Curve curve({in_space(store_.all.min), in_space(store_.all.max)});
    std::vector<CurvePlace> places;
    places.reserve(order.size());
    for (const BoxId id : order) places.push_back({curve(in_space(store_.boxes[id].center())), id});
    sort_places(places);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = places[i].index;
  }

  // Of these boxes, with empty slots up to a whole number of words.
  void add_block(std::span<const BoxId> ids) {
    Block<N> block;
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      boxes.push_back(store_.boxes[ids[i]]);
      block.all.extend(boxes.back());
      keep_slot(ids[i], blocks_.size() * kBlock + i);
    }
    block.table.build(boxes);
    block.ids.assign(ids.begin(), ids.end());
    block.ids.resize(std::min(block.table.capacity(), kBlock), kNoBox);
    block.empty.reserve(block.ids.size());
    for (std::size_t i = block.ids.size(); i > ids.size(); --i)
      block.empty.push_back(static_cast<std::uint32_t>(i - 1));
    blocks_.push_back(std::move(block));
  }
  void keep_slot(BoxId id, std::size_t slot) {
    if (id >= slots_.size()) slots_.resize(std::max<std::size_t>(id + 1, 2 * slots_.size()));
    slots_[id] = static_cast<std::uint32_t>(slot);
  }
  void put(BoxId id) {
    Block<N>& block = blocks_[slots_[id] / kBlock];
    block.table.set(slots_[id] % kBlock, store_.boxes[id]);
    block.all.extend(store_.boxes[id]);
  }

  template <class See>
  bool visit_slots(const Box& box, std::size_t first_block, const See& see) const {
    for (std::size_t n = first_block; n < blocks_.size(); ++n) {
      const Block<N>& b = blocks_[n];
      if (blocks_.size() > 1 && apart<N>(b.all, box)) continue;
      const bool ended = b.table.any(
          box, [&](std::size_t i) { return !apart<N>(store_.boxes[b.ids[i]], box) && !see(n * kBlock + i, b.ids[i]); });
      if (ended) return false;
    }
    return true;
  }

  std::vector<Block<N>> blocks_;
  std::vector<std::uint32_t> slots_;  // by id
  std::size_t built_ = 0, inserted_ = 0;
};

}  // namespace

template <int N>
StructureOf<N> make_extent_masks(const Store<N>& store) {
  return std::make_unique<ExtentMasks<N>>(store);
}
template StructureOf<2> make_extent_masks<2>(const Store<2>&);
template StructureOf<3> make_extent_masks<3>(const Store<3>&);

}  // namespace graze::broad
