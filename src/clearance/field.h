// Lower bounds of the distance from a model, in its own frame: a coarse grid, with the minimum over every range of
// cells along one axis at hand.
#pragma once

#include <cstdint>
#include <span>

#include "clearance/model_data.h"
#include "index/buffer.h"
#include "motion/pose_tree.h"

namespace graze::clearance {

struct CellGrid;

inline constexpr std::size_t kLeaf = 32;  ///< scan points that are looked at together

/// Points about an origin, side by side. Lanes behind the last repeat the origin.
struct alignas(64) LeafPoints {
  float of[3][kLeaf];
};

/// Where points near an origin are in the model's frame: center + turn · (p − origin), each within `error` of the
/// truth, and how far they move along the travel axis on either side.
struct LeafMotion {
  float center[3];   ///< axes of the field: along, across, up
  float turn[3][3];  ///< rows by axis of the field
  float half;        ///< metres along the travel axis, on either side
  float slack;       ///< metres: how far the points are from that line at most
};

class Field {
 public:
  Field() = default;
  /// For distances up to `limit`, radius of points included. The travel axis is the one with the ranges.
  Field(const ModelData& model, double limit, int travel_axis, int threads);

  bool empty() const { return table_.empty(); }
  /// The distance of any element's core from any place within `radius` of the chord (of a node, of its deviation) is at
  /// least this. `slack` tells how much of it is lost to motion across the travel axis.
  double bound(const Chord& chord, double radius, double& slack) const;

  /// The motion of points within `radius` of p over a node, for lane_bounds.
  LeafMotion motion(const PoseTree& tree, const PoseNode& node, const Vec3& p, double radius) const;
  /// The same bound for each of the points of a leaf, in SIMD lanes; those lanes in `active` only are of use.
  void lane_bounds(const LeafMotion& motion, const LeafPoints& points, std::uint32_t active, float* bounds) const;

  std::size_t memory_bytes() const { return table_.bytes(); }

  struct View {
    int axis[3];                      // of the model's frame: along the travel, and the other two
    float low[3], high[3];            // of the elements' cores, about origin
    float inverse[3];                 // cells per metre; along the travel: slices per metre
    std::int32_t slices, across, up;  // cells
    std::int32_t levels;
    float unit, max_value;      // metres per step of the table; no value is larger
    const std::uint8_t* table;  // by level, slice, across, up
    std::int64_t level_size;
  };
  const View& view() const { return view_; }

 private:
  std::size_t plane() const { return static_cast<std::size_t>(count_[1]) * static_cast<std::size_t>(count_[2]); }
  void set_view(const CellGrid& grid, std::int32_t margin);
  Buffer<std::int16_t> gaps_in_planes(const ModelData& model, const CellGrid& grid, std::int32_t margin,
                                      int threads) const;
  void make_slices(const Buffer<std::int16_t>& gaps, std::int32_t margin, int threads);
  void make_ranges(int threads);

  double min_over(double along_from, double along_to, double across, double up) const;

  Vec3 origin_ = Vec3::Zero();  // of the grid's lowest corner, in the model's frame
  Aabb core_;
  double edge_ = 0;
  std::int32_t count_[3] = {0, 0, 0};  // cells by axis of the field
  std::int32_t group_ = 4;             // cells per slice
  Buffer<std::uint8_t> table_;
  View view_{};
};

}  // namespace graze::clearance
