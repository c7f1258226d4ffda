// Boxes one after the other in memory, read in lanes as what they are: a row of numbers.
#pragma once

#include "index/broad_structure.h"
#include "index/curve_order.h"
#include "index/row_grid.h"

namespace graze::broad {

/// Whether all boxes are bounded and not empty. If so, `all` is around them.
bool all_regular(std::span<const Aabb2> boxes, Aabb2& all);
bool all_regular(std::span<const Aabb> boxes, Aabb& all);

/// As Store::floats(id) for each of the boxes, which are bounded.
void float_boxes(std::span<const Aabb2> boxes, const Vec2& origin, FloatBox<2>* into);
void float_boxes(std::span<const Aabb> boxes, const Vec3& origin, FloatBox<3>* into);

/// What all boxes have in common.
template <int N>
struct BoxRanges {
  FloatBox<N> lower = empty_floats<N>();  ///< around the lower corners
  float reach[N] = {};                    ///< how wide boxes are at most
  float smallest = 3e38F, largest = 0;    ///< of the largest sides of boxes
};
BoxRanges<2> ranges_of(std::span<const FloatBox<2>> boxes);
BoxRanges<3> ranges_of(std::span<const FloatBox<3>> boxes);

/// GridLevel::cell_of for each of the boxes.
void cells_of(const GridLevel<2>& level, std::span<const FloatBox<2>> boxes, std::uint32_t* cells);
void cells_of(const GridLevel<3>& level, std::span<const FloatBox<3>> boxes, std::uint32_t* cells);

/// Where the middles of boxes are on the curve of Morton through `around`.
void places_along_curve(std::span<const FloatBox<2>> boxes, const FloatBox<2>& around, CurvePlace* places);
void places_along_curve(std::span<const FloatBox<3>> boxes, const FloatBox<3>& around, CurvePlace* places);

}  // namespace graze::broad
