// The points of a frame on their way to cells, a batch at a time.
#pragma once

#include <array>
#include <cstdint>

#include "graze/base/aabb.h"
#include "graze/geometry/occupancy_map.h"
#include "graze/index/points.h"

namespace graze::map {

/// Points of the world, and what lanes find out about them.
struct PointBatch {
  static constexpr std::size_t kSize = 256;

  std::size_t count = 0;
  alignas(64) std::array<std::array<double, kSize>, 3> at{};  ///< points; after locate() where their rays aim at
  alignas(64) std::array<std::array<std::int32_t, kSize>, 3> key{};
  std::array<std::uint8_t, kSize> in_keys{};  ///< whether the key is one
  std::array<std::uint8_t, kSize> within{};   ///< whether what the ray aims at is within the range

  void add(const Vec3& p) {
    for (std::size_t a = 0; a < 3; ++a) at[a][count] = p[static_cast<Eigen::Index>(a)];
    ++count;
  }
  CellKey cell(std::size_t i) const { return {key[0][i], key[1][i], key[2][i]}; }
  Vec3 target(std::size_t i) const { return {at[0][i], at[1][i], at[2][i]}; }
};

/// What all points of a frame share.
struct PointPlan {
  Vec3 origin = Vec3::Zero();
  double resolution = 0, max_range = 0;
  bool to_centers = false;  ///< rays aim at the centers of cells instead of points
};

/// The cells of the points, by the boxes of cells as they are rounded, and whether they are within the range.
void locate(PointBatch& batch, const PointPlan& plan);

/// A box around the points, of each axis what is finite of it.
Aabb box_of(const PointView& points);

}  // namespace graze::map
