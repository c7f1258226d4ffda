// The row grid: all pairs of boxes from scratch, by counting sort and runs of neighbours. Boxes of different sizes are
// in different levels, or large ones would make all cells large.
#include "index/row_grid.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "index/box_stream.h"

namespace graze::broad {
namespace {

// Sizes from a power of two down to an eighth of it share a level; more where all of them are sparse.
constexpr int kOctaves = 3;
constexpr double kSparse = 2;
constexpr double kRun = 22;

// Powers of two; every size that is not a normal number counts as the smallest.
std::size_t octave_of(float size) { return std::bit_cast<std::uint32_t>(size) >> 23U & 0xFFU; }

template <int N>
class RowGrid final : public Structure<N> {
 public:
  using Box = AabbOf<N>;
  using Structure<N>::store_;
  using Structure<N>::Structure;

  void clear() noexcept override { count_ = 0; }
  void build(std::span<const BoxId> ids) override {
    clear();
    if (ids.empty()) return;
    boxes_.resize(ids.size());
    if (ids.back() + std::size_t{1} == ids.size()) {  // all that there are
      float_boxes(std::span(store_.boxes).first(ids.size()), store_.origin, boxes_.data());
    } else {
      for (std::size_t i = 0; i < ids.size(); ++i) boxes_[i] = store_.floats(ids[i]);
    }
    const std::span<const FloatBox<N>> boxes(boxes_.data(), ids.size());
    const BoxRanges<N> all = ranges_of(boxes);
    std::array<std::size_t, 256> counts{};
    const bool similar = octave_of(all.largest) < octave_of(all.smallest) + kOctaves;
    if (similar) counts[octave_of(all.largest)] = ids.size();
    for (std::size_t i = 0; i < ids.size() && !similar; ++i) ++counts[octave_of(size_of(boxes[i]))];
    const std::size_t levels = choose_levels(counts, all, ids.size());
    if (levels > levels_.size()) levels_.resize(levels);  // which keep their memory for the next time
    cells_.resize(ids.size());
    order_.resize(ids.size());
    if (levels == 1) {
      fill(levels_[0], ids, boxes, all);
    } else {
      sorted_.resize(ids.size());
      std::vector<BoxId> members(ids.size());
      std::vector<std::size_t> first(levels + 1, 0);
      for (const FloatBox<N>& box : boxes) ++first[level_of(box) + 1];
      for (std::size_t l = 0; l < levels; ++l) first[l + 1] += first[l];
      std::vector<std::size_t> next(first.begin(), first.end() - 1);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::size_t to = next[level_of(boxes[i])]++;
        sorted_[to] = boxes[i], members[to] = ids[i];
      }
      for (std::size_t l = 0; l < levels; ++l) {
        const std::size_t count = first[l + 1] - first[l];
        const std::span<const FloatBox<N>> of_level(sorted_.data() + first[l], count);
        fill(levels_[l], std::span<const BoxId>(members).subspan(first[l], count), of_level, ranges_of(of_level));
      }
    }
    count_ = levels;
  }
  bool insert(BoxId) override { return false; }
  void erase(BoxId id, const Box& was) override {
    const FloatBox<N> box = store_.floats(was);
    GridLevel<N>& level = levels_[level_of(box)];
    std::size_t slot = level.start[level.cell_of(box)];
    while (level.boxes.id(slot) != id) ++slot;
    FloatBox<N> nowhere;
    for (int k = 0; k < N; ++k) {
      nowhere.lo[k] = std::numeric_limits<float>::infinity();
      nowhere.hi[k] = -std::numeric_limits<float>::infinity();
    }
    level.boxes.set(slot, nowhere, id);
  }

  bool visit(const Box& box, const IdSink& sink) const override {
    const FloatBox<N> floats = store_.floats(box);
    for (const GridLevel<N>& level : levels()) {
      const BoxId* ids = level.boxes.ids();
      const LaneView<N> view = level.boxes.view();
      const bool go_on = level.each_run(floats, [&](std::size_t begin, std::size_t end) {
        return scan_all<N>(view, begin, end, floats,
                           [&](std::size_t slot) { return apart<N>(store_.boxes[ids[slot]], box) || sink(ids[slot]); });
      });
      if (!go_on) return false;
    }
    return true;
  }
  bool pairs(PairSink& sink) const override {
    for (std::size_t l = 0; l < count_; ++l) {
      if (!pairs_within(levels_[l], store_, sink)) return false;
      for (std::size_t coarse = 0; coarse < l; ++coarse) {
        if (!pairs_across(levels_[l], levels_[coarse], store_, sink)) return false;
      }
    }
    return true;
  }

  std::size_t memory_bytes() const override {
    std::size_t bytes =
        boxes_.bytes() + sorted_.bytes() + cells_.bytes() + order_.bytes() + levels_.capacity() * sizeof(GridLevel<N>);
    for (const GridLevel<N>& level : levels_) bytes += level.boxes.memory_bytes() + level.start.bytes();
    return bytes;
  }
  std::string validate() const override {
    std::size_t count = 0;
    for (std::size_t l = 0; l < count_; ++l) {
      const GridLevel<N>& level = levels_[l];
      std::size_t cells = 1;
      for (int k = 0; k < N; ++k) cells *= level.dims[k];
      if (level.start[0] != 0 || level.start[cells] != level.boxes.size()) return "cells do not hold all boxes";
      for (std::size_t cell = 0; cell < cells; ++cell) {
        for (std::size_t slot = level.start[cell]; slot < level.start[cell + 1]; ++slot) {
          const FloatBox<N> box = level.boxes.box(slot);
          if (!(box.lo[0] <= box.hi[0])) continue;
          ++count;
          const BoxId id = level.boxes.id(slot);
          const FloatBox<N> should = store_.floats(id);
          for (int k = 0; k < N; ++k) {
            if (box.lo[k] != should.lo[k] || box.hi[k] != should.hi[k]) return fmt::format("box {} is another", id);
            if (!(box.lo[k] >= box.hi[k] - level.reach[k])) return fmt::format("box {} is wider than its level", id);
          }
          if (level.cell_of(box) != cell || level_of(box) != l) return fmt::format("box {} is in a wrong cell", id);
        }
      }
    }
    return count == store_.indexed ? "" : "the grid has another number of boxes";
  }

 private:
  std::span<const GridLevel<N>> levels() const { return {levels_.data(), count_}; }
  std::size_t level_of(const FloatBox<N>& box) const { return level_of_octave_[octave_of(size_of(box))]; }

  // Levels from the largest boxes to the smallest.
  std::size_t choose_levels(const std::array<std::size_t, 256>& counts, const BoxRanges<N>& all, std::size_t left) {
    std::size_t level = 0;
    for (int top = 255; left > 0; ++level) {
      while (counts[static_cast<std::size_t>(top)] == 0) --top;
      const double cell = std::ldexp(1.0, top - 126);
      double share = 1;  // of all space that a cell takes
      for (int k = 0; k < N; ++k) share *= cell / std::max(cell, double{all.lower.hi[k]} - double{all.lower.lo[k]});
      int bottom = std::max(top - kOctaves + 1, 0);
      std::size_t below = left;
      for (int o = bottom; o <= top; ++o) below -= counts[static_cast<std::size_t>(o)];
      if (below < 32 || static_cast<double>(below) * share <= kSparse) bottom = 0;
      for (int o = bottom; o <= top; ++o) {
        left -= counts[static_cast<std::size_t>(o)];
        level_of_octave_[static_cast<std::size_t>(o)] = static_cast<std::uint8_t>(level);
      }
      top = bottom - 1;
    }
    return level;
  }

  // Rows as wide as fill a vector with what a box is compared with in one of them; along a row, cells are finer.
  static void widen_rows(double (&cell)[N], const GridLevel<N>& level, const float (&high)[N], std::size_t count) {
    double run = static_cast<double>(count);  // boxes that a box meets in a row
    for (int k = 0; k < N; ++k) {
      const double span = std::max(double{high[k]} - double{level.min[k]}, cell[k]);
      run *= std::min(1.0, (k == 0 ? 2.5 : 1) * cell[k] / span);
    }
    double wider = 3;
    const auto rows = [&] { return N == 3 ? wider * wider : wider; };
    while (wider > 1 && run * rows() > kRun) wider -= 0.5;
    for (int k = 1; k < N; ++k) cell[k] *= wider;
    if (wider > 1) cell[0] /= 2;
  }

  void fill(GridLevel<N>& level, std::span<const BoxId> ids, std::span<const FloatBox<N>> boxes,
            const BoxRanges<N>& all) {
    const std::size_t count = boxes.size();
    float high[N], size = 0;
    for (int k = 0; k < N; ++k) {
      level.min[k] = all.lower.lo[k], high[k] = all.lower.hi[k], level.reach[k] = all.reach[k];
      size = std::max({size, std::abs(level.min[k]), std::abs(high[k]) + level.reach[k]});
    }
    double cell[N];
    for (int k = 0; k < N; ++k) {
      level.reach[k] = level.reach[k] * (1 + 1e-6F) + 4e-7F * size;  // more than differences of floats are rounded by
      cell[k] = std::max(double{level.reach[k]}, (double{high[k]} - double{level.min[k]}) * 1e-6);
    }
    widen_rows(cell, level, high, count);
    const double max_cells = 4.0 * static_cast<double>(count) + 64;
    for (double cells = 2 * max_cells; cells > max_cells;) {
      cells = 1;
      for (int k = 0; k < N; ++k) {
        const double span = double{high[k]} - double{level.min[k]};
        const double along = cell[k] > 0 ? std::min(std::floor(span / cell[k]), 2e6) : 0;
        level.dims[k] = static_cast<std::uint32_t>(along) + 1;
        level.last[k] = static_cast<float>(along);
        level.per_cell[k] = cell[k] > 0 ? Store<N>::rounded(1 / cell[k]) : 0;
        cells *= along + 1;
        cell[k] *= 1.2;
      }
    }
    std::size_t cells = 1;
    for (int k = 0; k < N; ++k) cells *= level.dims[k];
    level.start.assign(cells + 2, 0);
    cells_of(level, boxes, cells_.data());
    for (std::size_t i = 0; i < count; ++i) ++level.start[cells_[i] + 2];
    for (std::size_t c = 2; c < cells + 2; ++c) level.start[c] += level.start[c - 1];
    // One number is scattered and each box read once: writing the sides of boxes all over seven arrays takes longer.
    for (std::size_t i = 0; i < count; ++i) order_[level.start[cells_[i] + 1]++] = static_cast<std::uint32_t>(i);
    level.boxes.resize(count);
    for (std::size_t slot = 0; slot < count; ++slot) level.boxes.set(slot, boxes[order_[slot]], ids[order_[slot]]);
  }

  std::vector<GridLevel<N>> levels_;  // the largest boxes first; of which are in use:
  std::size_t count_ = 0;
  std::array<std::uint8_t, 256> level_of_octave_{};
  Buffer<FloatBox<N>> boxes_, sorted_;  // for building, kept for the next time; by level
  Buffer<std::uint32_t> cells_, order_;
};

}  // namespace

template <int N>
StructureOf<N> make_row_grid(const Store<N>& store) {
  return std::make_unique<RowGrid<N>>(store);
}
template StructureOf<2> make_row_grid<2>(const Store<2>&);
template StructureOf<3> make_row_grid<3>(const Store<3>&);

}  // namespace graze::broad
