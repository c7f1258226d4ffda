// Terrain from points: a height field over a cloud.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/geometry/height_field.h"
#include "graze/index/points.h"

namespace graze {

/// What becomes of the points near a height.
enum class PointHeights : std::uint8_t {
  highest,  ///< of the points of all squares that meet there: no point is above the surface
  mean,     ///< of the points that are nearer to it than to the next height of its row or column
  lowest,   ///< of the same points
};

/// Options of HeightFieldBuilder.
struct HeightFieldBuilderOptions {
  double cell = 1;                               ///< metres from height to height, along x and y
  PointHeights heights = PointHeights::highest;  ///< which of the points count
  /// Holes, heights without points, become the highest (or the mean, or the lowest) of those around them, from the rim
  /// inwards, up to this many metres. What is left then is an error.
  double fill = 0;
};

/// A height field and where it is.
struct BuiltHeightField {
  HeightField field;
  Vec3 origin;             ///< of the first height: at(field, Pose::at(origin)) stands where the points are
  std::size_t filled = 0;  ///< heights that were holes
  std::size_t points = 0;  ///< that are not NaN
};

/// Makes a HeightField of points that come part by part; heights lie at multiples of the cell's size. Memory is that of
/// the heights, not of the points. Neither overhangs nor what is below them can be told from ground: that is what a
/// height field is.
///
///     HeightFieldBuilder builder(scan.bounds(), {.cell = 0.5, .fill = 2});
///     builder.add(points);
///     const BuiltHeightField terrain = builder.build();
class HeightFieldBuilder {
 public:
  /// For points within the box. Throws Error for a box that is empty or not finite, for a cell that is not positive,
  /// and for more than 2^28 heights.
  HeightFieldBuilder(const Aabb& around, const HeightFieldBuilderOptions& options);

  /// Points that are not finite are left out. Throws Error for a point beside the box.
  void add(const PointView& points);
  /// The field of all points so far. Throws Error, which says how many and where the first one is, for holes.
  BuiltHeightField build() const;

 private:
  void add(double x, double y, double z);
  void put(std::size_t column, std::size_t row, double z);

  HeightFieldBuilderOptions options_;
  Aabb around_;
  Vec3 origin_;
  std::size_t columns_, rows_, points_ = 0;
  std::vector<double> heights_;        // NaN where there is no point; sums for the mean
  std::vector<std::uint32_t> counts_;  // for the mean
};

}  // namespace graze
