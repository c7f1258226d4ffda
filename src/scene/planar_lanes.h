// Obstacles of the plane side by side in float32, many looked at at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/base/aabb2.h"

namespace graze::planar {

/// A disc, or a turned rectangle, that holds an obstacle.
struct Outline {
  Vec2 center = Vec2::Zero();
  Vec2 axis{1, 0};           ///< of a rectangle, unit
  Vec2 half = Vec2::Zero();  ///< of a rectangle; unbounded ones are infinite
  double radius = 0;         ///< of a disc, or by which the rectangle is grown
  bool disc = false;
};

/// Outlines by number. What the lanes leave out is apart for certain: sums of all roundings are added to the radius.
class Outlines {
 public:
  /// Coordinates are kept relative to the origin.
  explicit Outlines(const Vec2& origin) : origin_(origin) { discs_.discs = true; }
  void add(std::uint32_t id, const Outline& outline);
  void remove(std::uint32_t id);
  std::size_t size() const { return discs_.ids.size() + boxes_.ids.size(); }
  /// Calls near(id) for outlines that the disc may touch, until one says true; that is the answer.
  template <class Near>
  bool any(const Vec2& point, double radius, const Near& near) const {
    std::uint64_t bits[kWords];
    for (const Columns* columns : {&discs_, &boxes_}) {
      for (std::size_t begin = 0; begin < columns->ids.size(); begin += 64 * kWords) {
        const std::size_t count = scan(*columns, begin, point, radius, bits);
        for (std::size_t w = 0; w < count; ++w) {
          for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
            if (near(columns->ids[begin + 64 * w + lowest(left)])) return true;
        }
      }
    }
    return false;
  }
  /// Whether every number is at the location that is noted for it.
  bool consistent() const;

 private:
  static constexpr std::size_t kWords = 4;
  struct Columns {
    bool discs = false;
    std::vector<std::uint32_t> ids;
    // Center, radius; of rectangles also axis and half extents. Padded to whole words of lanes.
    std::vector<float> values[7];
    double extent = 0;  // no coordinate with its size is larger
  };
  struct Slot {
    bool used = false, disc = false;
    std::uint32_t at = 0;
  };
  // Bits of those that may be touched, at most kWords words from `begin`; gives how many words.
  std::size_t scan(const Columns& columns, std::size_t begin, const Vec2& point, double radius,
                   std::uint64_t* bits) const;
  static std::size_t lowest(std::uint64_t bits);

  Vec2 origin_;
  Columns discs_, boxes_;
  std::vector<Slot> slots_;
};

}  // namespace graze::planar
