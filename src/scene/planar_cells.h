// Many discs of one radius before circles and rectangles: each query looks at the obstacles near its cell, all at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/base/aabb2.h"

namespace graze::planar {

/// The obstacles that a disc of one radius can touch, by the cell of its center: float32, relative to an origin, eight
/// to a block. Nothing branches on an answer, and nothing is on the heap.
class Cells {
 public:
  /// A grid over the box; what is beside it belongs to the cells of its border. With `turned`, rectangles may be.
  Cells(const Vec2& origin, const Aabb2& box, double radius, bool turned);
  /// False if there is no room left, and then the cells are of no use.
  bool add_circle(const Vec2& center, double radius);
  bool add_rectangle(const Vec2& center, const Vec2& axis, const Vec2& half);

  /// Decides the discs about the points; the numbers of those left open (what rounding could decide, and what is not a
  /// number) go to `open`, which has room for all. Returns how many these are.
  std::size_t check(std::span<const Vec2> points, bool* hits, std::uint32_t* open) const;

  /// For the lanes.
  static constexpr std::size_t kSide = 16, kLanes = 8, kExtra = 96;
  /// Rectangles with round corners: the axis, minus the center along and across it, the half extents, and the square of
  /// the radius, −∞ where there is none. Where none is turned, the ends along x and y instead of what is before the
  /// radius.
  struct Block {
    alignas(32) float value[7][kLanes];
  };
  struct View {
    double origin[2];
    float low[2], per_cell[2];
    float reach = 0;  // no coordinate of an obstacle with its size and the radius is larger
    bool turned = true;
    std::size_t blocks = kSide * kSide;
    alignas(64) Block block[kSide * kSide + kExtra];
    std::uint8_t count[kSide * kSide + kExtra];
    std::uint16_t next[kSide * kSide + kExtra];  // 0: none
  };

 private:
  std::size_t cell(double at, int k) const;
  bool add(const Vec2& center, const Vec2& axis, const Vec2& half, double round);

  Vec2 origin_;
  double radius_;
  View view_;
};

}  // namespace graze::planar
