// Polygons cut into triangles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/vec.h"
#include "graze/geometry/mesh.h"

namespace graze::io {

/// Cuts polygons, one after the other. Each corner stays where it is, so that edges meet those of the neighbours.
/// Convex ones are cut from their first corner, others ear by ear, seen along their mean normal.
class PolygonCutter {
 public:
  /// Appends the n − 2 triangles of a polygon of n ≥ 3 corners, which index `vertices`. Returns whether it went well:
  /// not if it has no normal, or if no ear or one that faces the other way is left, as happens where a polygon crosses
  /// itself; what remains is then cut from one corner. Time O(n) for convex ones; for all others together O(corners
  /// seen so far) × kWork + kWorkAtOnce, after which they are cut from their first corners, too.
  bool cut(std::span<const Vec3> vertices, std::span<const std::uint32_t> corners, std::vector<MeshTriangle>& to);

 private:
  static constexpr std::uint64_t kWork = 1000, kWorkAtOnce = 100'000'000;

  using Point = Eigen::Vector2d;
  bool project(std::span<const Vec3> vertices, std::span<const std::uint32_t> corners);
  bool convex() const;
  bool is_ear(std::size_t i);
  double turn(std::size_t a, std::size_t b, std::size_t c) const;

  std::vector<Point> flat_;
  std::vector<std::size_t> next_, before_;
  std::uint64_t work_left_ = kWorkAtOnce;
};

}  // namespace graze::io
