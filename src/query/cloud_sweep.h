// A walk through a cloud of float32 in SIMD lanes: which points a ball on a straight path may touch, early ones first.
// What the lanes rule out is ruled out for certain.
#pragma once

#include <cstddef>

#include "graze/base/vec.h"
#include "index/kd_tree_data.h"

namespace graze::cloud_sweep {

/// A ball whose centre goes from `origin` along the unit `direction`. `slack` (m) bounds by how much the caller's own
/// arithmetic may be off.
struct Path {
  const Vec3 &origin, &direction;
  double length, radius, slack;
};

/// Called with the place of a point in the tree; gives how far along the path touches are still of interest.
struct Visitor {
  void* self;
  double (*point)(void* self, std::size_t place);
};

/// In the same order on every machine. False, and nothing is called, if float32 does not hold the squares of the
/// numbers.
bool visit(const kd_tree::Tree<float>& tree, const Path& path, const Visitor& visitor);

}  // namespace graze::cloud_sweep
