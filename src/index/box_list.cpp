// Every box is looked at: in SIMD lanes, or one at a time in double.
#include "index/box_lanes.h"
#include "index/broad_structure.h"

namespace graze::broad {
namespace {

// Where each id is in an array without gaps.
class Slots {
 public:
  void clear() noexcept { at_.clear(); }
  void set(BoxId id, std::size_t slot) {
    if (id >= at_.size()) at_.resize(std::max<std::size_t>(id + 1, 2 * at_.size()), kNoBox);
    at_[id] = static_cast<std::uint32_t>(slot);
  }
  std::size_t operator[](BoxId id) const { return at_[id]; }
  std::size_t size() const { return at_.size(); }
  std::size_t memory_bytes() const { return at_.capacity() * sizeof(std::uint32_t); }

 private:
  std::vector<std::uint32_t> at_;
};

template <int N>
class List final : public Structure<N> {
 public:
  using Box = AabbOf<N>;
  using Structure<N>::store_;

  List(const Store<N>& store, bool scalar) : Structure<N>(store), scalar_(scalar) {}

  void clear() noexcept override {
    lanes_.clear();
    slots_.clear();
  }
  void build(std::span<const BoxId> ids) override {
    clear();
    lanes_.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      slots_.set(ids[i], i);
      lanes_.set(i, store_.floats(ids[i]), ids[i]);
    }
  }
  bool insert(BoxId id) override {
    slots_.set(id, lanes_.size());
    lanes_.push_back(store_.floats(id), id);
    return true;
  }
  void erase(BoxId id, const Box&) override {
    const std::size_t slot = slots_[id], last = lanes_.size() - 1;
    lanes_.set(slot, lanes_.box(last), lanes_.id(last));
    slots_.set(lanes_.id(last), slot);
    lanes_.pop_back();
  }
  bool move(BoxId id, const Box&) override {
    lanes_.set(slots_[id], store_.floats(id), id);
    return true;
  }

  bool visit(const Box& box, const IdSink& sink) const override {
    const BoxId* ids = lanes_.ids();
    if (scalar_) {
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        if (!apart<N>(store_.boxes[ids[i]], box) && !sink(ids[i])) return false;
      }
      return true;
    }
    return scan_all<N>(lanes_.view(), 0, lanes_.size(), store_.compared_floats(box),
                       [&](std::size_t slot) { return apart<N>(store_.boxes[ids[slot]], box) || sink(ids[slot]); });
  }
  bool visit_each(std::span<const Box> boxes, const EachSink& sink) const override {
    if (scalar_ || lanes_.size() > kBlockSlots) return false;
    const BoxId* ids = lanes_.ids();
    const LaneView<N> view = lanes_.view();
    const std::size_t words = words_of(lanes_.size());
    FloatBox<N> block[kBlockBoxes];
    std::uint64_t found[kBlockBoxes * words_of(kBlockSlots)];
    for (std::size_t first = 0; first < boxes.size(); first += kBlockBoxes) {
      const std::size_t count = std::min(kBlockBoxes, boxes.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        block[i] = store_.floats(inverted<N>(boxes[first + i]) ? Box() : boxes[first + i]);  // which is apart from all
      }
      scan_block(view, lanes_.size(), block, count, found);
      const bool go_on = see_filled<std::size(found)>(found, count * words, [&](std::size_t i, std::uint64_t word) {
        const std::size_t query = first + i / words;
        return see_bits(word, i % words * kWordSlots, [&](std::size_t slot) {
          return apart<N>(store_.boxes[ids[slot]], boxes[query]) || sink(query, ids[slot]);
        });
      });
      if (!go_on) return true;
    }
    return true;
  }
  bool pairs(PairSink& sink) const override {
    const BoxId* ids = lanes_.ids();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Box& box = store_.boxes[ids[i]];
      if (scalar_) {
        for (std::size_t j = i + 1; j < lanes_.size(); ++j) {
          if (!apart<N>(store_.boxes[ids[j]], box) && !sink.add(ids[i], ids[j])) return false;
        }
        continue;
      }
      const bool go_on = scan_all<N>(lanes_.view(), i + 1, lanes_.size(), lanes_.box(i), [&](std::size_t slot) {
        return apart<N>(store_.boxes[ids[slot]], box) || sink.add(ids[i], ids[slot]);
      });
      if (!go_on) return false;
    }
    return true;
  }
  void nearest(const Box& box, NearestBox& best) const override {
    for (std::size_t i = 0; i < lanes_.size(); ++i) this->take(lanes_.id(i), box, best);
  }
  void first_hit(const MovingBox<N>& moving, BoxHit& best) const override {
    for (std::size_t i = 0; i < lanes_.size(); ++i) this->take(lanes_.id(i), moving, best);
  }
  bool visit_swept(const MovingBox<N>& moving, const HitSink& sink) const override {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const double time = moving.entry(store_.boxes[lanes_.id(i)]);
      if (time < kInfinity && !sink({lanes_.id(i), time})) return false;
    }
    return true;
  }

  std::size_t memory_bytes() const override { return lanes_.memory_bytes() + slots_.memory_bytes(); }
  std::string validate() const override {
    if (lanes_.size() != store_.indexed) return "the list has another length";
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const BoxId id = lanes_.id(i);
      if (id >= slots_.size() || slots_[id] != i) return "a slot of the list is not that of its id";
      const FloatBox<N> is = lanes_.box(i), should = store_.floats(id);
      for (int k = 0; k < N; ++k) {
        if (is.lo[k] != should.lo[k] || is.hi[k] != should.hi[k]) return "a box of the list is another";
      }
    }
    return "";
  }

 private:
  LaneStore<N> lanes_;
  Slots slots_;
  bool scalar_;
};

}  // namespace

template <int N>
StructureOf<N> make_list(const Store<N>& store, bool scalar) {
  return std::make_unique<List<N>>(store, scalar);
}
template StructureOf<2> make_list<2>(const Store<2>&, bool);
template StructureOf<3> make_list<3>(const Store<3>&, bool);

}  // namespace graze::broad
