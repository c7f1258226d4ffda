// Which of eight boxes reach any cell of a map: a first look, before any body is looked at closely.
#pragma once

#include "geometry/map_view_data.h"
#include "graze/base/pose.h"
#include "graze/index/near_first.h"
#include "query/products.h"

namespace graze {

/// Boxes side by side, coordinate by coordinate.
using BoxSides = double[3][kWide];

/// Where the cells of a map are, in cells.
struct CellFrame {
  double per_meter = 0;
  Mat3 turn;    ///< from the world's axes to the map's, in cells per metre
  Vec3 origin;  ///< of the map in the world, m
  bool turned = false;
  /// At most what rounds of a box that may be near cells; others are too far for that to matter.
  double rounding = 0;
};

class CellReach {
 public:
  /// Of cells of a view to which unknown space is free, where nothing is farther than `uncertainty` from where the pose
  /// puts it.
  CellReach(const MapView& view, const Pose& pose, double uncertainty);

  double resolution() const { return resolution_; }

  /// Of the boxes of the world in `some`, a bit for each: those that may be as near as the margin to a cell, and those
  /// that span so many cells that it is not worth a look. A box that is `around` others is near if one of them is.
  unsigned near(const BoxSides& min, const BoxSides& max, double margin, bool around, unsigned some) const {
    return look(min, max, margin + uncertainty_, around ? 4 : 1, some);
  }
  /// Those that are as near as the margin for certain, and those that are not worth a look: near() has all of them.
  unsigned surely_near(const BoxSides& min, const BoxSides& max, double margin, unsigned some) const {
    return look(min, max, margin + uncertainty_, -4, some);
  }

 private:
  unsigned look(const BoxSides& min, const BoxSides& max, double margin, double rounding, unsigned some) const;

  const map_view::CellBits& bits_;
  CellFrame frame_;
  double resolution_, uncertainty_;
};

}  // namespace graze
