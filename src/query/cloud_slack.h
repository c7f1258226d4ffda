// What arithmetic about a body in the frame of a cloud is wrong by.
#pragma once

#include <algorithm>

#include "graze/geometry/cloud.h"
#include "query/relative.h"

namespace graze::cloud_walk {

/// Metres, for a body of this size (m) about the point `at` of the cloud's frame. Every coordinate goes through a few
/// sums and products; where the body stands is uncertain, too.
inline double slack_of(const Cloud& cloud, const Relative& relative, const Vec3& at, double size) {
  const double largest = std::max(size_of(cloud.bounds().min), size_of(cloud.bounds().max));
  return relative.placing_error(largest) +
         64 * kEpsilon * (largest + size_of(at) + size + size_of(relative.translation));
}

}  // namespace graze::cloud_walk
