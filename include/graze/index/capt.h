// The collision-affording point tree: spheres of a known range of radii against points, without backtracking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graze/index/points.h"

namespace graze {

/// Options of a Capt.
struct CaptOptions {
  double point_radius = 0;  ///< every point is a ball of this radius (m)
  double min_radius = 0;    ///< of the spheres that are asked about (m): smaller ones are answered more slowly
  double max_radius = 0.1;  ///< likewise: larger ones are answered more slowly. Time and memory grow with its cube
};

/// The tree of "Collision-Affording Point Trees" (paper 002): a balanced k-d tree in one array, with one point per
/// leaf, whose leaves also hold every point that a sphere of up to `max_radius` around any point in the leaf can
/// touch. A query walks down once and looks at one list.
///
/// Unlike the published one it is exact: nothing is missed, the point radius counts, radii out of the range are
/// answered by walking the tree both ways, and invalid input is a collision. It is kept as the reference for PointGrid,
/// which is ready a hundred times sooner in a fraction of the memory; where one small cloud is asked very often it is
/// still an option.
///
///     Capt tree(points, {.min_radius = 0.01, .max_radius = 0.08});
///     if (tree.collides({0.3, 0.1, 0.8}, 0.05)) …
class Capt {
 public:
  /// O(n log n + all affordances), one thread. Throws Error if a radius is negative, NaN or beyond 1e50, if
  /// min_radius exceeds max_radius, or for 2^30 points and more.
  explicit Capt(const PointView& points, const CaptOptions& options = {});
  Capt(Capt&&) noexcept;
  Capt& operator=(Capt&&) noexcept;
  ~Capt();

  /// As PointGrid::collides.
  bool collides(const Vec3& center, double radius) const;
  /// As PointGrid::any_collides.
  bool any_collides(const SpheresView& spheres) const;
  /// As PointGrid::collides_each.
  void collides_each(const SpheresView& spheres, std::span<std::uint64_t> mask) const;

  /// Points in the tree.
  std::size_t size() const;
  /// Points left out because a coordinate was NaN or infinite.
  std::size_t skipped() const;
  /// Points in all lists together.
  std::size_t afforded() const;
  /// Bytes on the heap.
  std::size_t memory_bytes() const;
  /// Checks that every leaf affords what it must, O(n²): empty if so, else what is missing.
  std::string validate() const;

  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace graze
