// What searches in a grid do with the points they come across. Per instruction set: include it from such a source.

#if defined(GRAZE_INDEX_GRID_VISITORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_INDEX_GRID_VISITORS_INL_H
#undef GRAZE_INDEX_GRID_VISITORS_INL_H
#else
#define GRAZE_INDEX_GRID_VISITORS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "index/exact_sphere.h"
#include "index/grid.h"
#include "index/grid_search.h"
#include "index/thresholds.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kPadding>;

// Is any point within reach? The search stops at the first.
class Collider {
 public:
  /// The ball must outlive this.
  explicit Collider(const Ball& ball)
      : ball_(ball),
        reach_(ball.radius + ball.point_radius),
        at_{to_float(ball.center[0]), to_float(ball.center[1]), to_float(ball.center[2])},
        limits_(thresholds(ball.center, reach_)) {}

  const double* center() const { return ball_.center; }
  double reach() const { return reach_; }

  // Looks at the points from `begin` on, past `end` up to a whole vector. Returns whether to stop.
  HWY_INLINE bool scan(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
    const Floats d;
    const auto cx = hn::Set(d, at_[0]), cy = hn::Set(d, at_[1]), cz = hn::Set(d, at_[2]);
    const auto surely = hn::Set(d, limits_.surely), hardly = hn::Set(d, limits_.hardly);
    for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto x = hn::Sub(hn::LoadU(d, grid.slots.x + i), cx);
      const auto y = hn::Sub(hn::LoadU(d, grid.slots.y + i), cy);
      const auto z = hn::Sub(hn::LoadU(d, grid.slots.z + i), cz);
      const auto squared = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
      const auto maybe = hn::Le(squared, hardly);
      if (hn::AllFalse(d, maybe)) continue;
      if (!hn::AllFalse(d, hn::Le(squared, surely)) || settle(grid, i, d, maybe)) return found_ = true;
    }
    return false;
  }
  bool found() const { return found_; }

 private:
  template <class Mask>
  HWY_NOINLINE bool settle(const Grid& grid, std::uint32_t first, Floats d, Mask maybe) const {
    alignas(64) std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, maybe, bits);
    for (std::uint32_t lane = 0; lane < hn::Lanes(d); ++lane) {
      const std::uint32_t i = first + lane;
      if ((bits[lane / 8] >> lane % 8 & 1) != 0 && touches({grid.slots.x[i], grid.slots.y[i], grid.slots.z[i]},
                                                           ball_.center, ball_.radius, ball_.point_radius)) {
        return true;
      }
    }
    return false;
  }

  const Ball& ball_;
  double reach_;
  float at_[3];
  Thresholds limits_;
  bool found_ = false;
};

// Which point is nearest? The reach shrinks to the best so far; equally far ones stay within it.
class Finder {
 public:
  Finder(const double* center, double reach)
      : center_{center[0], center[1], center[2]},
        at_{to_float(center[0]), to_float(center[1]), to_float(center[2])},
        reach_(reach),
        best_{reach * reach, kNone} {
    hardly_ = thresholds(center_, reach_).hardly;
  }

  const double* center() const { return center_; }
  double reach() const { return reach_; }

  HWY_INLINE bool scan(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
    const Floats d;
    const auto cx = hn::Set(d, at_[0]), cy = hn::Set(d, at_[1]), cz = hn::Set(d, at_[2]);
    for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto x = hn::Sub(hn::LoadU(d, grid.slots.x + i), cx);
      const auto y = hn::Sub(hn::LoadU(d, grid.slots.y + i), cy);
      const auto z = hn::Sub(hn::LoadU(d, grid.slots.z + i), cz);
      const auto squared = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
      const auto maybe = hn::Le(squared, hn::Set(d, hardly_));
      if (!hn::AllFalse(d, maybe)) rank(grid, i, d, maybe);
    }
    return false;
  }
  const Found& best() const { return best_; }

 private:
  template <class Mask>
  HWY_INLINE void rank(const Grid& grid, std::uint32_t first, Floats d, Mask maybe) {
    alignas(64) std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, maybe, bits);
    bool better = false;
    for (std::uint32_t lane = 0; lane < hn::Lanes(d); ++lane) {
      if ((bits[lane / 8] >> lane % 8 & 1) == 0) continue;
      const std::uint32_t i = first + lane;
      const double squared = squared_distance({grid.slots.x[i], grid.slots.y[i], grid.slots.z[i]}, center_);
      if (squared < best_.squared || (squared == best_.squared && grid.slots.index[i] < best_.index)) {
        best_ = {squared, grid.slots.index[i]};
        better = true;
      }
    }
    if (better) {
      // Up by a rounding, so that points whose squares are as large stay within reach.
      reach_ = std::min(reach_, std::sqrt(best_.squared) * (1 + 4 * kEpsilon) + 1e-160);
      hardly_ = thresholds(center_, reach_).hardly;
    }
  }

  double center_[3];
  float at_[3];
  double reach_;
  float hardly_;
  Found best_;
};

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#endif
