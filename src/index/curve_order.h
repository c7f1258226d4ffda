// The order in which the searches of a batch run: along a curve through space, so that neighbours use the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/parallel.h"

namespace graze {

/// A place on the curve of Morton through a box; what lies outside of it counts as at its border.
class Curve {
 public:
  explicit Curve(const Aabb& box);
  std::uint32_t operator()(const Vec3& p) const;

 private:
  Vec3 low_, scale_;
};

struct CurvePlace {
  std::uint32_t key, index;
};
/// By key, and keeps the order of equal ones. O(n)
void sort_places(std::vector<CurvePlace>& places);

}  // namespace graze
