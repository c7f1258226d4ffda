// The cells of coordinates, included once per instruction set.
#if defined(GRAZE_CELL_SIZE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_CELL_SIZE_INL
#undef GRAZE_CELL_SIZE_INL
#else
#define GRAZE_CELL_SIZE_INL
#endif

#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::map {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The side of a cell, in lanes of doubles.
template <class D>
struct CellSize {
  hn::Vec<D> resolution, inverse, one;

  CellSize(D d, double side) : resolution(hn::Set(d, side)), inverse(hn::Set(d, 1 / side)), one(hn::Set(d, 1.0)) {}

  /// The number of the cell of each coordinate, by the boxes of cells as they are rounded.
  GRAZE_LANE_FUNCTION hn::Vec<D> cell_of(hn::Vec<D> p) const {
    auto cell = hn::Floor(hn::Mul(p, inverse));
    cell = hn::IfThenElse(hn::Gt(hn::Mul(cell, resolution), p), hn::Sub(cell, one), cell);
    return hn::IfThenElse(hn::Le(hn::Mul(hn::Add(cell, one), resolution), p), hn::Add(cell, one), cell);
  }
};

/// The bits of one axis in the number of a cell, of how many cells it is from the first one of the grid; see FrameGrid.
template <class V>
GRAZE_LANE_FUNCTION V bits_of(V cells, std::size_t axis, unsigned shift) {
  const hn::DFromV<V> n;
  auto bits = hn::And(cells, hn::Set(n, 1));
  bits = hn::Or(bits, hn::ShiftLeft<2>(hn::And(cells, hn::Set(n, 2))));
  bits = hn::Or(bits, hn::ShiftLeft<4>(hn::And(cells, hn::Set(n, 4))));
  bits = hn::ShiftLeftSame(bits, static_cast<int>(axis));
  return hn::Or(bits, hn::ShiftLeftSame(hn::ShiftRight<3>(cells), static_cast<int>(shift)));
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#endif
