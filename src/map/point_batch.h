// The points of a frame on their way to cells, a batch at a time.
#pragma once

#include <array>
#include <cstdint>

#include "graze/base/aabb.h"
#include "graze/base/pose.h"
#include "graze/geometry/occupancy_map.h"
#include "graze/index/points.h"

namespace graze::map {

/// Points of a frame, and what lanes find out about them.
struct PointBatch {
  static constexpr std::size_t kSize = 256;
  using Bits = std::array<std::uint8_t, kSize / 8>;

  std::size_t count = 0;
  alignas(64) std::array<std::array<double, kSize>, 3> at{};  ///< points; after locate() what their rays aim at
  alignas(64) std::array<std::array<std::int32_t, kSize>, 3> key{};
  alignas(64) std::array<std::uint32_t, kSize> number{};  ///< of the cell in the grid of the frame
  Bits returned{};                                        ///< of read(): whether the point is one
  Bits in_keys{};                                         ///< whether the key is one
  Bits within{};                                          ///< whether what the ray aims at is within the range

  CellKey cell(std::size_t i) const { return {key[0][i], key[1][i], key[2][i]}; }
  Vec3 point(std::size_t i) const { return {at[0][i], at[1][i], at[2][i]}; }
  static bool bit(const Bits& bits, std::size_t i) { return (bits[i >> 3U] >> (i & 7U) & 1U) != 0; }
};

/// What all points of a frame share.
struct PointPlan {
  Vec3 origin = Vec3::Zero();
  double resolution = 0, max_range = 0;
  bool to_centers = false;                   ///< rays aim at the centers of cells instead of points
  std::array<std::int64_t, 3> first_cell{};  ///< of the grid
  std::array<unsigned, 3> shift{};           ///< see FrameGrid; all 0: there is none that has all cells of points
};

/// Reads points from `first` on as they are, as many as there are up to kSize. Not returned are those that are not
/// finite and, where `ignored` is given, those equal to it.
void read(PointBatch& batch, const PointView& points, std::size_t first, const Vec3* ignored);
/// Moves the points by a pose.
void move(PointBatch& batch, const Pose& pose);
/// The cells of the points, by the boxes of cells as they are rounded, and whether they are within the range.
void locate(PointBatch& batch, const PointPlan& plan);

/// A box around the points, of each axis what is finite of it.
Aabb box_of(const PointView& points);

}  // namespace graze::map
