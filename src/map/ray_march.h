// The cells that a ray passes.
#pragma once

#include "map/frame_marks.h"

namespace graze::map {

/// A ray from the cell `from` to the cell `to`, as liboctomap walks it: across the nearest face each time, z before y
/// before x where several are equally near.
struct Ray {
  Vec3 origin, end;
  CellKey from, to;
};

/// Marks the cells of a ray as missed, from that of its origin on up to, not with, that of its end.
void march(const Ray& ray, double resolution, FrameMarks& marks);

}  // namespace graze::map
