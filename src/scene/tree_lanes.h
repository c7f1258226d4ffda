// The boxes of a node of a scene's tree, compared with one box all at once.
#pragma once

#include <cstddef>

#include "graze/base/aabb.h"
#include "graze/index/near_first.h"

namespace graze::scene {

/// Eight boxes, coordinate by coordinate. Those that are not in use are empty.
struct EightBoxes {
  alignas(64) double min[3][kWide];
  alignas(64) double max[3][kWide];

  EightBoxes() {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < kWide; ++i) min[k][i] = kInfinity, max[k][i] = -kInfinity;
    }
  }
  Aabb operator[](std::size_t i) const {
    return {{min[0][i], min[1][i], min[2][i]}, {max[0][i], max[1][i], max[2][i]}};
  }
  void set(std::size_t i, const Aabb& box) {
    for (int k = 0; k < 3; ++k) min[k][i] = box.min[k], max[k][i] = box.max[k];
  }
};

/// lower_axis_gap of each box and `box`; gives a bit for each that is not above the limit.
unsigned near_boxes(const EightBoxes& boxes, const Aabb& box, double limit, double* bounds);

}  // namespace graze::scene
