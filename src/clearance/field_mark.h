// Which cells of a grid a model touches.
#pragma once

#include <cstdint>
#include <span>

#include "clearance/model_data.h"

namespace graze::clearance {

struct CellGrid {
  Vec3 origin;            // lowest corner, model's frame
  double edge;            // metres
  std::int32_t count[3];  // cells by axis of the grid
  int axis[3];            // the axis of the model's frame of each; the last one runs fastest in memory

  std::size_t size() const {
    return static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) * static_cast<std::size_t>(count[2]);
  }
  std::size_t index(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (static_cast<std::size_t>(i) * static_cast<std::size_t>(count[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(count[2]) +
           static_cast<std::size_t>(k);
  }
  std::int32_t cell(int grid_axis, double coordinate) const {
    return static_cast<std::int32_t>(std::floor((coordinate - origin[axis[grid_axis]]) / edge));
  }
};

/// Sets to 0 every cell that the core of an element touches, and those inside of solids.
void mark_cells(const ModelData& model, const CellGrid& grid, std::span<std::int16_t> cells);

}  // namespace graze::clearance
