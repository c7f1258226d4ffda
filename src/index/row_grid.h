// Boxes sorted by the grid cell of their lower corner: what a RowGrid is made of.
#pragma once

#include "index/box_lanes.h"

namespace graze::broad {

/// Boxes of similar size. Those of a row of cells are side by side in memory, so that the neighbours of a box are a few
/// runs. Coordinates of cells keep the order of what they are computed from: no rounding can put a box behind a cell
/// that a query looks at.
template <int N>
struct GridLevel {
  LaneStore<N> boxes;
  Buffer<std::uint32_t> start;  ///< by cell: its first box; x runs fastest
  float min[N], per_cell[N];    ///< of the lower corners; cells per metre
  float reach[N];               ///< no box is wider
  float last[N];                ///< the last cell of each axis
  std::uint32_t dims[N];

  std::size_t rows() const { return N == 3 ? std::size_t{dims[1]} * dims[N - 1] : dims[1]; }
  /// What is not a number is in the first cell.
  std::uint32_t first_cell(float x, int k) const {
    const float at = (x - min[k]) * per_cell[k];
    return at > 0 ? static_cast<std::uint32_t>(at < last[k] ? at : last[k]) : 0;
  }
  /// The same, but what is not a number is in the last cell.
  std::uint32_t last_cell(float x, int k) const {
    const float at = (x - min[k]) * per_cell[k];
    return at < last[k] ? static_cast<std::uint32_t>(at > 0 ? at : 0) : dims[k] - 1;
  }
  std::size_t cell_of(const FloatBox<N>& box) const {
    std::size_t cell = first_cell(box.lo[N - 1], N - 1);
    if constexpr (N == 3) cell = cell * dims[1] + first_cell(box.lo[1], 1);
    return cell * dims[0] + first_cell(box.lo[0], 0);
  }
  /// Calls see(begin, end) for the runs of slots that boxes which overlap `box` can be in; false ends it.
  template <class See>
  bool each_run(const FloatBox<N>& box, const See& see) const {
    std::uint32_t lo[3] = {}, hi[3] = {};
    each_axis<N>([&](int k) { lo[k] = first_cell(box.lo[k] - reach[k], k), hi[k] = last_cell(box.hi[k], k); });
    for (std::uint32_t z = lo[2]; z <= hi[2]; ++z) {
      for (std::uint32_t y = lo[1]; y <= hi[1]; ++y) {
        const std::size_t row = (std::size_t{z} * dims[1] + y) * dims[0];
        if (!see(start[row + lo[0]], start[row + hi[0] + 1])) return false;
      }
    }
    return true;
  }
};

/// All overlapping pairs within a level; false if the sink ended it.
bool pairs_within(const GridLevel<2>& level, const Store<2>& store, PairSink& sink);
bool pairs_within(const GridLevel<3>& level, const Store<3>& store, PairSink& sink);
/// All overlapping pairs of two levels.
bool pairs_across(const GridLevel<2>& fine, const GridLevel<2>& coarse, const Store<2>& store, PairSink& sink);
bool pairs_across(const GridLevel<3>& fine, const GridLevel<3>& coarse, const Store<3>& store, PairSink& sink);

}  // namespace graze::broad
