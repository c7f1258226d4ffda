// Discs before few circles and rectangles in float32: many discs in the lanes, or many obstacles before one disc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graze/base/aabb2.h"

namespace graze::planar {

/// Obstacles in float32, relative to an origin. Nothing branches on an answer: with random queries, guesses of branches
/// that fail cost more than all comparisons.
class Batch {
 public:
  static constexpr std::size_t kCapacity = 256;

  /// None, and those to come are near this point. Comes before everything else.
  void clear(const Vec2& origin);
  /// At most kCapacity of each kind; true.
  bool add_circle(const Vec2& center, double radius);
  bool add_rectangle(const Vec2& center, const Vec2& axis, const Vec2& half);

  /// Of one disc. What is open is undecided: what rounding could decide, and what is not a number.
  struct Verdict {
    bool touches, open;
  };
  Verdict check(const Vec2& point, double radius) const { return check_one_(view_, point.x(), point.y(), radius); }

  /// The same of 1 to kBlock discs, a bit for each; what is neither is open.
  static constexpr std::size_t kBlock = 64;
  struct Verdicts {
    std::uint64_t free = 0, touches = 0;
  };
  Verdicts check(const Vec2* points, std::size_t count, double radius) const;

  /// For the lanes: arrays are filled up to whole vectors with obstacles that are far from everything.
  struct View {
    double origin[2] = {0, 0};
    std::size_t circles = 0, boxes = 0, rectangles = 0;
    float reach = 0;  // no coordinate of an obstacle with its size is larger
    // Of circles −2 x, −2 y, −2 radius and x² + y² − radius²: squared distances from a disc's center, less the square
    // of both radii, are linear in these.
    alignas(64) float circle[4][kCapacity];
    // Of rectangles that are not turned the lower and upper ends along x and y.
    alignas(64) float box[4][kCapacity];
    // Of others the axis, minus the center along and across it, and the half extents.
    alignas(64) float rectangle[6][kCapacity];
  };
  using CheckOne = Verdict (*)(const View&, double x, double y, double radius);

 private:
  View view_;
  CheckOne check_one_ = nullptr;  // that of the processor: to ask for it every time takes as long as a check
};

}  // namespace graze::planar
