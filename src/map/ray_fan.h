// The rays of a frame to the centres of cells, in an order that lets most of them start late.
#pragma once

#include <cstdint>
#include <vector>

#include "map/frame_grid.h"

namespace graze::map {

/// Near the sensor every cell is passed by many rays. The rays to the cells of one brick are a tile. They are marched
/// in rounds: few that are spread evenly, more, the rest. Before each round tiles look up to where all cells around
/// their rays are marked as missed by now, and rays start there.
class RayFan {
 public:
  /// Marks the cells of the rays to all hits and ends of the grid as missed. `batch` is empty before and after.
  void march(FrameGrid& grid, const RayPlan& plan, RayBatch& batch);

 private:
  std::vector<RayTile> tiles_;
};

}  // namespace graze::map
