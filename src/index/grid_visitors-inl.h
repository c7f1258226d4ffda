// What searches in a grid do with the points they find: Collider stops at the first within reach, Finder keeps the
// nearest. Per instruction set: include it from such a source.
//
// Both compute squared distances in float, a vector of points at a time, and let doubles decide about those that float
// cannot rule out:
//
//     squared distance     0 ----------- inside ---------- outside ------------>
//     (float)                within reach |  doubles decide  | out of reach

#if defined(GRAZE_INDEX_GRID_VISITORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_INDEX_GRID_VISITORS_INL_H
#undef GRAZE_INDEX_GRID_VISITORS_INL_H
#else
#define GRAZE_INDEX_GRID_VISITORS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"
#include "index/exact_sphere.h"
#include "index/grid.h"
#include "index/grid_search.h"
#include "index/thresholds.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using Floats = hn::CappedTag<float, kPadding>;

// Of the points from slot `i` on, from a centre rounded to float.
GRAZE_LANE_FUNCTION hn::Vec<Floats> squared_distances(const Slots& slots, std::uint32_t i, const float* center) {
  const Floats d;
  const auto x = hn::Sub(hn::LoadU(d, slots.x + i), hn::Set(d, center[0]));
  const auto y = hn::Sub(hn::LoadU(d, slots.y + i), hn::Set(d, center[1]));
  const auto z = hn::Sub(hn::LoadU(d, slots.z + i), hn::Set(d, center[2]));
  return hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
}

// Is any point within reach? The search stops at the first.
class Collider {
 public:
  /// The ball must outlive this.
  explicit Collider(const SphereCheck& ball) : Collider(ball, ball.radius) {}
  /// Is any within reach of a ball whose radius is from `inner`, for which the search stops, up to that of `ball`?
  Collider(const SphereCheck& ball, double inner)
      : ball_(ball),
        inner_(inner),
        reach_(ball.radius + ball.point_radius),
        at_{to_float(ball.center[0]), to_float(ball.center[1]), to_float(ball.center[2])},
        limits_(thresholds(ball.center, inner + ball.point_radius, reach_)) {}

  const double* center() const { return ball_.center; }
  double reach() const { return reach_; }

  // Looks at the points of the slots [begin, end) and of what follows up to a whole vector: more points do no harm, and
  // the padding behind the last one is NaN. Returns whether to stop.
  GRAZE_LANE_FUNCTION bool scan(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
    const Floats d;
    const auto inside = hn::Set(d, limits_.inside), outside = hn::Set(d, limits_.outside);
    for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto squared = squared_distances(grid.slots, i, at_);
      const auto maybe = hn::Le(squared, outside);
      if (hn::AllFalse(d, maybe)) continue;
      if (!hn::AllFalse(d, hn::Le(squared, inside)) || any_touches(grid, i, d, maybe)) return found_ = true;
    }
    return false;
  }
  bool found() const { return found_; }
  /// A point was seen within reach of the largest ball and not of the smallest.
  bool maybe() const { return maybe_; }

 private:
  // In double, of the candidates among the points from `first` on.
  template <class Mask>
  HWY_NOINLINE bool any_touches(const Grid& grid, std::uint32_t first, Floats d, Mask candidates) {
    for (unsigned bits = mask_bits(d, candidates); bits != 0; bits &= bits - 1) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(std::countr_zero(bits));
      const auto within = [&](double radius) {
        return touches({grid.slots.x[i], grid.slots.y[i], grid.slots.z[i]}, ball_.center, radius, ball_.point_radius);
      };
      if (within(inner_)) return true;
      maybe_ = maybe_ || (inner_ < ball_.radius && within(ball_.radius));
    }
    return false;
  }

  const SphereCheck& ball_;
  double inner_, reach_;
  float at_[3];
  Thresholds limits_;
  bool found_ = false, maybe_ = false;
};

// Which point is nearest? The reach shrinks to the best so far; points as far as that stay within it, since ties go to
// the lower index.
class Finder {
 public:
  Finder(const double* center, double reach)
      : center_{center[0], center[1], center[2]},
        at_{to_float(center[0]), to_float(center[1]), to_float(center[2])},
        reach_(reach),
        best_{reach * reach, kNone} {
    outside_ = thresholds(center_, reach_).outside;
  }

  const double* center() const { return center_; }
  double reach() const { return reach_; }

  // As Collider does, but never stops.
  GRAZE_LANE_FUNCTION bool scan(const Grid& grid, std::uint32_t begin, std::uint32_t end) {
    const Floats d;
    for (std::uint32_t i = begin; i < end; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto maybe = hn::Le(squared_distances(grid.slots, i, at_), hn::Set(d, outside_));
      if (!hn::AllFalse(d, maybe)) rank(grid, i, d, maybe);
    }
    return false;
  }
  const Found& best() const { return best_; }

 private:
  // In double, the candidates among the points from `first` on.
  template <class Mask>
  GRAZE_LANE_FUNCTION void rank(const Grid& grid, std::uint32_t first, Floats d, Mask candidates) {
    bool better = false;
    for (unsigned bits = mask_bits(d, candidates); bits != 0; bits &= bits - 1) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(std::countr_zero(bits));
      const double squared = squared_distance({grid.slots.x[i], grid.slots.y[i], grid.slots.z[i]}, center_);
      if (squared < best_.squared || (squared == best_.squared && grid.slots.index[i] < best_.index)) {
        best_ = {squared, grid.slots.index[i]};
        better = true;
      }
    }
    if (better) {
      // Rounded up, so that points whose squared distance is the same stay within reach.
      reach_ = std::min(reach_, std::sqrt(best_.squared) * (1 + 4 * kEpsilon) + 1e-160);
      outside_ = thresholds(center_, reach_).outside;
    }
  }

  double center_[3];
  float at_[3];
  double reach_;
  float outside_;  // see Thresholds
  Found best_;
};

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#endif
