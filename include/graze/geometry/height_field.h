// Terrain: heights on a regular grid, solid below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "graze/base/aabb.h"

namespace graze {

namespace detail {
struct Access;
}
namespace height_field {
struct Data;
}

/// How the heights of a HeightField lie.
struct HeightGrid {
  std::size_t columns = 0;  ///< along x, 2 or more
  std::size_t rows = 0;     ///< along y, 2 or more
  double dx = 1;            ///< metres from column to column
  double dy = 1;            ///< metres from row to row
};

/// A terrain over a rectangle: the height of row j and column i stands at (i·dx, j·dy, height), and each square of the
/// grid is cut into two triangles from (i, j) to (i + 1, j + 1). All below the triangles is solid, without end; beside
/// the rectangle there is nothing. The surface is the triangles and the walls below the border. Immutable; copies share
/// the data.
///
///     HeightField hill({.columns = 3, .rows = 2, .dx = 0.5, .dy = 0.5}, std::vector<double>{0, 1, 0, 0, 2, 0});
///     bool stuck = collide(at(hill), at(Box{.half = {0.2, 0.2, 0.1}}, pose));
///
/// Features are triangles: 2 × (j × (columns − 1) + i), and one more for the triangle at (i, j + 1).
///
/// Heights are kept as the caller's numbers: as float32 where all of them are such, otherwise as doubles. A pyramid of
/// their minima and maxima takes less than 0.2 of that. Making one takes O(n) time.
class HeightField {
 public:
  static constexpr double kLargestHeight = 1e30;  ///< metres; heights and sides beyond this are refused

  /// The heights row by row. Throws Error unless there are 2 × 2 or more, as many as the grid has, all finite and at
  /// most kLargestHeight (a hole, NaN, is neither free nor occupied: fill it first), with cells of a positive size.
  HeightField(const HeightGrid& grid, std::span<const double> heights);
  /// The same of float32.
  HeightField(const HeightGrid& grid, std::span<const float> heights);
  HeightField(const HeightField&) = default;
  HeightField& operator=(const HeightField&) = default;
  ~HeightField() = default;

  const HeightGrid& grid() const;
  /// The caller's number.
  double height(std::size_t column, std::size_t row) const;
  /// The height of the surface over a point of the rectangle, in metres; none beside it.
  std::optional<double> height_at(double x, double y) const;
  /// The smallest box around the surface, without what is below.
  const Aabb& surface_bounds() const;
  /// How many triangles the surface has.
  std::size_t triangles() const;

  /// Equal for copies, and different (but for one chance in 2^64) for other fields.
  std::uint64_t stamp() const;
  /// Bytes that the shared data takes.
  std::size_t memory_bytes() const;
  /// Of these, the heights alone.
  std::size_t heights_bytes() const;

 private:
  friend struct detail::Access;
  std::shared_ptr<const height_field::Data> data_;
};

}  // namespace graze
