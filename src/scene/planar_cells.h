// Discs before few circles and rectangles in float32: a disc looks at the eight that matter in its cell, all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/base/aabb2.h"
#include "index/buffer.h"

namespace graze::planar {

/// A rectangle with round corners: a circle has no extents, a rectangle no radius.
struct Rounded {
  Vec2 center = Vec2::Zero(), axis = {1, 0}, half = Vec2::Zero();
  double radius = 0;
};

/// Divides the plane into cells, each with the obstacles that can be the nearest of a point in it: a disc, whatever its
/// radius, touches some obstacle only if it touches one of these. The nearest eight lie side by side, in float32
/// relative to an origin. Nothing branches on an answer: with random queries, guesses of branches that fail cost more
/// than all comparisons.
class Cells {
 public:
  static constexpr std::size_t kCapacity = 256;
  struct View;
  /// Whether a disc touches an obstacle.
  using Check = bool (*)(const View&, const Vec2& point, double radius);
  using CheckEach = void (*)(const View&, std::span<const Vec2> points, double radius, bool* hits);

  /// What is not decided here is asked of `surely`, which finds `owner` in the view: at first that is everything.
  Cells(Check surely, const void* owner);
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  bool check(const Vec2& point, double radius) const { return view_.check(view_, point, radius); }
  /// The same for many points; `hits` has room for one answer each.
  void check_each(std::span<const Vec2> points, double radius, bool* hits) const {
    view_.check_each(view_, points, radius, hits);
  }

  /// Decides nothing any more.
  void clear();
  /// Obstacles by id, kCapacity at most, null where there is none; `box` is around them. With `others`, which are not
  /// among them, only a touch is decided. Without memory it decides nothing, and throws.
  void build(const Aabb2& box, std::span<const Rounded* const> obstacles, bool others);
  /// Obstacle `id` has become another, or none if null; `box` is around all. False: it is time to build.
  bool change(std::size_t id, const Rounded* obstacle, const Aabb2& box, bool others);

  /// For the lanes.
  static constexpr std::size_t kLanes = 8;
  /// Of rectangles the axis, minus the center along and across it, the half extents, and the radius of the corners;
  /// where none is turned, the lower and upper ends along x and y and the radius.
  static constexpr std::size_t kTurnedValues = 7, kStraightValues = 5;
  /// 2²³ as the bits of a float: a whole number below that, added to it, is in the last bits.
  static constexpr std::int32_t kWhole = 0x4B000000;
  struct View {
    Check check;
    CheckEach check_each;
    Check all, surely;  // looks at all obstacles; in double
    const void* owner;
    std::uint64_t limit = 0;  // of the radii that cells are for, as the bits of a double
    double origin[2] = {0, 0};
    // The cell of a coordinate is the last bits of at + coordinate · per_cell as a float, no larger than `last`. That
    // of a point is row · side + column − base.
    float per_cell[2] = {0, 0}, at[2] = {0, 0};
    std::int32_t last = 0;
    std::uint32_t side = 1, base = 0;
    float rounding = 0;  // of distances and of sums of radii
    float band[2] = {0, 0};
    const float* blocks = nullptr;  // by cell: the values of eight obstacles
    const float* rest = nullptr;    // by cell: no other obstacle is that near
    std::size_t count = 0;
    alignas(64) float values[kTurnedValues][kCapacity];  // infinitely far where there is none
  };
  /// The obstacles of which one can be the nearest of a point in the cell, a bit each.
  struct Near {
    float distance;  // of the nearest one
    std::uint64_t obstacles[kCapacity / 64];
  };
  struct Lanes {
    Check check;
    CheckEach check_each;
    Check all;
    /// Also gives the distances of all; there is room for kCapacity.
    Near (*near)(const View&, float x, float y, float spread, float* distances);
    /// Which of 64 cells an obstacle matters to: a bit each.
    std::uint64_t (*concerned)(const View&, std::size_t id, const float* x, const float* y, const float* nearest,
                               float spread);
  };

 private:
  void put(std::size_t id, const Rounded* obstacle);
  void fill(std::size_t cell);

  View view_;
  Lanes lanes_{};
  Buffer<float> blocks_, rest_;
  Buffer<float> x_, y_, nearest_;  // by cell: its center, and how far the nearest obstacle is from there
  Aabb2 box_;                      // around the obstacles, when it was built
  float spread_ = 0;               // differences of distances vary by no more within a cell
  float margin_ = 0;               // no obstacle is nearer to what is outside of all cells
  std::size_t obstacles_ = 0, built_for_ = 0;
  bool turned_ = false, others_ = false;
};

}  // namespace graze::planar
