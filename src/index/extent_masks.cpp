// Extent masks (motion planning thesis, 3.2.1): which boxes have started and which have ended, as a bit per box, for
// every place on every axis. Blocks of up to 512 boxes, of eight words each, so that memory grows with the boxes and
// not with their square. Everything is in double and exact.
#include <fmt/format.h>

#include <bit>

#include "index/broad_structure.h"
#include "index/curve_order.h"

namespace graze::broad {
namespace {

constexpr std::size_t kBlock = 512, kWord = 64;

// How many values at the front of a sorted array hold, without a branch on any of them.
template <class Holds>
std::size_t count_front(const double* values, std::size_t size, const Holds& holds) {
  std::size_t at = 0;
  while (size > 1) {
    const std::size_t half = size / 2;
    at += holds(values[at + half - 1]) ? half : 0;
    size -= half;
  }
  return at + (size == 1 && holds(values[at]) ? 1 : 0);
}

template <int N>
struct Block {
  std::size_t size = 0, words = 0;
  AabbOf<N> all;
  std::vector<double> starts[N], ends[N];           // sorted
  std::vector<std::uint64_t> started[N], ended[N];  // words after the first 0, 1, 2, … of those
  std::vector<std::uint64_t> live;
  std::vector<BoxId> ids;
};

template <int N>
class ExtentMasks final : public Structure<N> {
 public:
  using Box = AabbOf<N>;
  using Structure<N>::store_;
  using Structure<N>::Structure;

  void clear() noexcept override { blocks_.clear(); }
  void build(std::span<const BoxId> ids) override {
    clear();
    std::vector<BoxId> order(ids.begin(), ids.end());
    if (ids.size() > kBlock) sort_along_curve(order);
    if (!ids.empty()) slots_.resize(*std::max_element(ids.begin(), ids.end()) + std::size_t{1});
    for (std::size_t first = 0; first < order.size(); first += kBlock) {
      blocks_.push_back(block_of(std::span(order).subspan(first, std::min(kBlock, order.size() - first))));
      for (std::size_t i = 0; i < blocks_.back().size; ++i)
        slots_[order[first + i]] = static_cast<std::uint32_t>(first + i);
    }
  }
  bool insert(BoxId) override { return false; }
  void erase(BoxId id, const Box&) override {
    const std::size_t bit = slots_[id] % kBlock;
    blocks_[slots_[id] / kBlock].live[bit / kWord] &= ~(std::uint64_t{1} << bit % kWord);
  }

  bool visit(const Box& box, const IdSink& sink) const override {
    return visit_slots(box, 0, [&](std::size_t, BoxId id) { return sink(id); });
  }
  bool pairs(PairSink& sink) const override {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t i = 0; i < blocks_[b].size; ++i) {
        if ((blocks_[b].live[i / kWord] >> i % kWord & 1U) == 0) continue;
        const BoxId id = blocks_[b].ids[i];
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
      for (int k = 0; k < N; ++k) {
        bytes += (b.starts[k].capacity() + b.ends[k].capacity() + b.started[k].capacity() + b.ended[k].capacity()) * 8;
      }
      bytes += b.live.capacity() * 8 + b.ids.capacity() * sizeof(BoxId);
    }
    return bytes;
  }
  std::string validate() const override {
    std::size_t live = 0;
    for (const Block<N>& b : blocks_) {
      for (const std::uint64_t word : b.live) live += static_cast<std::size_t>(std::popcount(word));
      for (int k = 0; k < N; ++k) {
        if (!std::is_sorted(b.starts[k].begin(), b.starts[k].end()) ||
            !std::is_sorted(b.ends[k].begin(), b.ends[k].end()))
          return "extents are not sorted";
        for (std::size_t w = 0; w < b.words; ++w) {
          if (b.started[k][w] != 0 || b.ended[k][w] != 0) return "a box has started before all others";
          if (b.started[k][b.size * b.words + w] != b.ended[k][b.size * b.words + w]) return "a box has not ended";
        }
      }
      for (std::size_t i = 0; i < b.size; ++i) {
        const bool is_live = (b.live[i / kWord] >> i % kWord & 1U) != 0;
        const Box& box = store_.boxes[b.ids[i]];
        for (int k = 0; k < N && is_live; ++k) {
          const auto& starts = b.starts[k];
          const auto at =
              static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), box.min[k]) - starts.begin());
          const auto after =
              static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), box.min[k]) - starts.begin());
          const auto bit = [&](std::size_t n) { return b.started[k][n * b.words + i / kWord] >> i % kWord & 1U; };
          if (bit(at) != 0 || bit(after) == 0) return fmt::format("box {} starts elsewhere", b.ids[i]);
        }
      }
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

  Block<N> block_of(std::span<const BoxId> ids) const {
    Block<N> b;
    b.size = ids.size();
    b.words = (ids.size() + kWord - 1) / kWord;
    b.ids.assign(ids.begin(), ids.end());
    b.live.assign(b.words, 0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      b.all.extend(store_.boxes[ids[i]]);
      b.live[i / kWord] |= std::uint64_t{1} << i % kWord;
    }
    std::vector<std::uint32_t> order(ids.size());
    for (int k = 0; k < N; ++k) {
      cumulate(b, order, b.starts[k], b.started[k], [&](std::size_t i) { return store_.boxes[ids[i]].min[k]; });
      cumulate(b, order, b.ends[k], b.ended[k], [&](std::size_t i) { return store_.boxes[ids[i]].max[k]; });
    }
    return b;
  }
  template <class Value>
  static void cumulate(const Block<N>& b, std::vector<std::uint32_t>& order, std::vector<double>& values,
                       std::vector<std::uint64_t>& masks, const Value& value) {
    for (std::uint32_t i = 0; i < b.size; ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t i, std::uint32_t j) { return value(i) != value(j) ? value(i) < value(j) : i < j; });
    values.resize(b.size);
    masks.assign((b.size + 1) * b.words, 0);
    for (std::size_t i = 0; i < b.size; ++i) {
      values[i] = value(order[i]);
      std::uint64_t* next = &masks[(i + 1) * b.words];
      std::copy(next - b.words, next, next);
      next[order[i] / kWord] |= std::uint64_t{1} << order[i] % kWord;
    }
  }

  template <class See>
  bool visit_slots(const Box& box, std::size_t first_block, const See& see) const {
    for (std::size_t n = first_block; n < blocks_.size(); ++n) {
      const Block<N>& b = blocks_[n];
      if (blocks_.size() > 1 && apart<N>(b.all, box)) continue;
      const std::uint64_t *started[N], *ended[N];
      for (int k = 0; k < N; ++k) {
        const double lo = box.min[k], hi = box.max[k];
        started[k] =
            &b.started[k][b.words * count_front(b.starts[k].data(), b.size, [hi](double x) { return !(x > hi); })];
        ended[k] = &b.ended[k][b.words * count_front(b.ends[k].data(), b.size, [lo](double x) { return x < lo; })];
      }
      for (std::size_t w = 0; w < b.words; ++w) {
        std::uint64_t mask = b.live[w];
        for (int k = 0; k < N; ++k) mask &= started[k][w] & ~ended[k][w];
        for (; mask != 0; mask &= mask - 1) {
          const std::size_t i = w * kWord + static_cast<std::size_t>(std::countr_zero(mask));
          if (!see(n * kBlock + i, b.ids[i])) return false;
        }
      }
    }
    return true;
  }

  std::vector<Block<N>> blocks_;
  std::vector<std::uint32_t> slots_;  // by id
};

}  // namespace

template <int N>
StructureOf<N> make_extent_masks(const Store<N>& store) {
  return std::make_unique<ExtentMasks<N>>(store);
}
template StructureOf<2> make_extent_masks<2>(const Store<2>&);
template StructureOf<3> make_extent_masks<3>(const Store<3>&);

}  // namespace graze::broad
