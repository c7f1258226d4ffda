#pragma once

#include <fmt/format.h>

#include "graze/base/error.h"
#include "graze/base/vec.h"

namespace graze {

struct UnitPlane {
  Vec3 normal;
  double offset;
};

/// The plane normal · x = offset in terms of its unit normal; `shape` is named in the Error.
inline UnitPlane unit_plane(const char* shape, const Vec3& normal, double offset) {
  const double largest = normal.cwiseAbs().maxCoeff();
  if (!is_finite(normal) || !(largest > 0)) {
    throw Error(fmt::format("{} normal", shape),
                fmt::format("must be finite and not zero, got ({}, {}, {})", normal.x(), normal.y(), normal.z()));
  }
  UnitPlane plane{normal, offset};
  // A normal that is unit to within rounding keeps its digits, so that what was written out reads back the same.
  if (!(std::abs(normal.squaredNorm() - 1) <= 4 * kEpsilon)) {
    const Vec3 scaled = normal / largest;  // squares neither over- nor underflow
    const double length = scaled.norm();
    plane = {scaled / length, offset / largest / length};
  }
  if (!(std::abs(plane.offset) <= kLargestLength)) {
    throw Error(fmt::format("{} offset", shape),
                fmt::format("must be finite and at most {} along the unit normal, got {} along ({}, {}, {})",
                            kLargestLength, offset, normal.x(), normal.y(), normal.z()));
  }
  return plane;
}

}  // namespace graze
