// What the indices that store points as float32 refuse.
#pragma once

#include "graze/base/error.h"
#include "graze/index/points.h"

namespace graze {

/// Doubles would have to be rounded, and answers about rounded points are not answers about the caller's.
inline void check_floats(const PointView& points) {
  if (points.size() == 0 || points.type() == NumberType::float32) return;
  throw Error("points", "must be float32, relative to an origin near them, got float64; Cloud and KdTree take either");
}

}  // namespace graze
