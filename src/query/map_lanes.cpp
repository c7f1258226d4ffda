#include "query/map_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/map_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

unsigned near_lanes(const BesideCubes& body, const std::array<std::array<double, 3>, 3>& sides, double reach,
                    double* bounds, double* order) {
  // The sign is set where a child is the upper half.
  static constexpr double kUpper[3][8] = {{0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0},
                                          {0.0, 0.0, -0.0, -0.0, 0.0, 0.0, -0.0, -0.0},
                                          {0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0}};
  const hn::CappedTag<double, 8> d;
  const hn::RebindToSigned<decltype(d)> n;
  const auto zero = hn::Zero(d);
  const double ball = reach + body.radius;
  unsigned near = 0;
  for (std::size_t i = 0; i < 8; i += hn::Lanes(d)) {
    auto apart_sq = zero, center_sq = zero;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto axis = static_cast<Eigen::Index>(a);
      const auto upper = hn::RebindMask(d, hn::Lt(hn::BitCast(n, hn::LoadU(d, kUpper[a] + i)), hn::Zero(n)));
      const auto middle = hn::Set(d, sides[a][1]);
      const auto low = hn::IfThenElse(upper, middle, hn::Set(d, sides[a][0]));
      const auto high = hn::IfThenElse(upper, hn::Set(d, sides[a][2]), middle);
      const auto center = hn::Set(d, body.center[axis]);
      const auto apart = hn::Max(
          zero, hn::Max(hn::Sub(low, hn::Set(d, body.near.max[axis])), hn::Sub(hn::Set(d, body.near.min[axis]), high)));
      const auto from = hn::Max(zero, hn::Max(hn::Sub(low, center), hn::Sub(center, high)));
      apart_sq = hn::Add(apart_sq, hn::Mul(apart, apart));
      center_sq = hn::Add(center_sq, hn::Mul(from, from));
    }
    const auto within =
        hn::And(hn::Le(apart_sq, hn::Set(d, reach * reach)), hn::Le(center_sq, hn::Set(d, ball * ball)));
    auto bound = hn::Max(hn::Sqrt(apart_sq), hn::Sub(hn::Sqrt(center_sq), hn::Set(d, body.radius)));
    bound = hn::Sub(hn::Mul(bound, hn::Set(d, 1 - 8 * kEpsilon)), hn::Set(d, body.slack));
    hn::StoreU(bound, d, bounds + i);
    hn::StoreU(center_sq, d, order + i);
    std::uint8_t own[8] = {};
    hn::StoreMaskBits(d, within, own);
    near |= static_cast<unsigned>(own[0]) << i;
  }
  return near;
}

}  // namespace HWY_NAMESPACE
}  // namespace graze
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze {

HWY_EXPORT(near_lanes);

unsigned near_cubes(const BesideCubes& body, const std::array<std::array<double, 3>, 3>& sides, double reach,
                    double* bounds, double* order) {
  return HWY_DYNAMIC_DISPATCH(near_lanes)(body, sides, reach, bounds, order);
}

}  // namespace graze
#endif
