// Many discs of one radius before few circles and rectangles: queries in the lanes, one obstacle after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graze/base/aabb2.h"

namespace graze::planar {

/// The obstacles of a batch in float32, relative to an origin. Nothing branches on an answer: with random queries,
/// guesses of branches that fail cost more than all comparisons.
class Batch {
 public:
  static constexpr std::size_t kCapacity = 256;
  /// A bit for each query; what has neither is undecided: what rounding could decide, and what is not a number.
  struct Verdicts {
    std::uint64_t free = 0, touches = 0;
  };

  Batch(const Vec2& origin, double radius) : origin_(origin), radius_(radius) {}
  /// At most kCapacity of each kind; true.
  bool add_circle(const Vec2& center, double radius);
  bool add_rectangle(const Vec2& center, const Vec2& axis, const Vec2& half);

  /// How many queries a block has.
  static constexpr std::size_t kBlock = 64;
  /// Of 1 to kBlock points.
  Verdicts check(const Vec2* points, std::size_t count) const;

  /// For the lanes.
  struct View {
    std::size_t circles = 0, boxes = 0, rectangles = 0;
    float reach = 0;   // no coordinate of an obstacle with its size and the radius is larger
    float square = 0;  // of the radius
    // Of circles −2 x, −2 y and x² + y² − (radius of both)²: squared distances, less the radii, are linear in these.
    alignas(64) float circle[3][kCapacity];
    // Of rectangles that are not turned the lower and upper ends along x and y.
    alignas(64) float box[4][kCapacity];
    // Of others the axis, minus the center along and across it, and the half extents.
    alignas(64) float rectangle[6][kCapacity];
  };

 private:
  Vec2 origin_;
  double radius_;
  View view_;
};

}  // namespace graze::planar
