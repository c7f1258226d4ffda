#include "scene/planar_batch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/planar_batch.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::planar {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using Floats = hn::CappedTag<float, 16>;
using Lanes = hn::Vec<Floats>;

GRAZE_LANE_FUNCTION std::uint64_t bits_of(hn::Mask<Floats> mask) { return mask_bits(Floats(), mask); }

// The smallest squared distance less the square of the reach, of queries in four vectors at a time: the four hide the
// time that each operation takes.
Batch::Verdicts check_block(const Batch::View& view, const float* x, const float* y) {
  Batch::Verdicts verdicts;
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const Lanes zero = hn::Zero(d), reach = hn::Set(d, view.reach);
  // Of all roundings of products of coordinates, with room to spare.
  const Lanes rounding = hn::Set(d, 128 * 0x1p-24F);
  const std::size_t step = std::min(4 * lanes, Batch::kBlock);
  for (std::size_t at = 0; at < Batch::kBlock; at += step) {
    const std::size_t second = at + std::min(lanes, step - lanes), third = at + std::min(2 * lanes, step - lanes),
                      fourth = at + step - lanes;
    const Lanes x0 = hn::LoadU(d, x + at), x1 = hn::LoadU(d, x + second), x2 = hn::LoadU(d, x + third),
                x3 = hn::LoadU(d, x + fourth);
    const Lanes y0 = hn::LoadU(d, y + at), y1 = hn::LoadU(d, y + second), y2 = hn::LoadU(d, y + third),
                y3 = hn::LoadU(d, y + fourth);
    const Lanes far = hn::Set(d, std::numeric_limits<float>::max());
    Lanes m0 = far, m1 = far, m2 = far, m3 = far;
    for (std::size_t i = 0; i < view.circles; ++i) {
      const Lanes a = hn::Set(d, view.circle[0][i]), b = hn::Set(d, view.circle[1][i]),
                  e = hn::Set(d, view.circle[2][i]);
      m0 = hn::Min(m0, hn::MulAdd(x0, a, hn::MulAdd(y0, b, e)));
      m1 = hn::Min(m1, hn::MulAdd(x1, a, hn::MulAdd(y1, b, e)));
      m2 = hn::Min(m2, hn::MulAdd(x2, a, hn::MulAdd(y2, b, e)));
      m3 = hn::Min(m3, hn::MulAdd(x3, a, hn::MulAdd(y3, b, e)));
    }
    const auto square = [&](Lanes p, Lanes q) HWY_ATTR { return hn::MulAdd(p, p, hn::Mul(q, q)); };
    m0 = hn::Add(m0, square(x0, y0));
    m1 = hn::Add(m1, square(x1, y1));
    m2 = hn::Add(m2, square(x2, y2));
    m3 = hn::Add(m3, square(x3, y3));
    const Lanes radius = hn::Set(d, view.square);
    for (std::size_t i = 0; i < view.boxes; ++i) {
      const Lanes left = hn::Set(d, view.box[0][i]), right = hn::Set(d, view.box[1][i]);
      const Lanes low = hn::Set(d, view.box[2][i]), high = hn::Set(d, view.box[3][i]);
      const auto nearer = [&](Lanes m, Lanes p, Lanes q) HWY_ATTR {
        const Lanes along = hn::Sub(p, hn::Min(hn::Max(p, left), right));
        const Lanes across = hn::Sub(q, hn::Min(hn::Max(q, low), high));
        return hn::Min(m, hn::MulAdd(along, along, hn::MulSub(across, across, radius)));
      };
      m0 = nearer(m0, x0, y0);
      m1 = nearer(m1, x1, y1);
      m2 = nearer(m2, x2, y2);
      m3 = nearer(m3, x3, y3);
    }
    for (std::size_t i = 0; i < view.rectangles; ++i) {
      const Lanes u = hn::Set(d, view.rectangle[0][i]), v = hn::Set(d, view.rectangle[1][i]);
      const Lanes cu = hn::Set(d, view.rectangle[2][i]), cv = hn::Set(d, view.rectangle[3][i]);
      const Lanes hu = hn::Set(d, view.rectangle[4][i]), hv = hn::Set(d, view.rectangle[5][i]);
      const auto nearer = [&](Lanes m, Lanes p, Lanes q) HWY_ATTR {
        const Lanes along = hn::Max(hn::Sub(hn::Abs(hn::MulAdd(p, u, hn::MulAdd(q, v, cu))), hu), zero);
        const Lanes across = hn::Max(hn::Sub(hn::Abs(hn::MulAdd(q, u, hn::NegMulAdd(p, v, cv))), hv), zero);
        return hn::Min(m, hn::MulAdd(along, along, hn::MulSub(across, across, radius)));
      };
      m0 = nearer(m0, x0, y0);
      m1 = nearer(m1, x1, y1);
      m2 = nearer(m2, x2, y2);
      m3 = nearer(m3, x3, y3);
    }
    const auto decide = [&](std::size_t k, Lanes m, Lanes p, Lanes q) HWY_ATTR {
      const Lanes size = hn::Add(hn::Add(hn::Abs(p), hn::Abs(q)), reach);
      const Lanes band = hn::Mul(hn::Mul(size, size), rounding);
      verdicts.free |= bits_of(hn::Gt(m, band)) << k;
      verdicts.touches |= bits_of(hn::Lt(m, hn::Neg(band))) << k;
    };
    decide(at, m0, x0, y0);
    decide(second, m1, x1, y1);
    decide(third, m2, x2, y2);
    decide(fourth, m3, x3, y3);
  }
  return verdicts;
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::planar
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::planar {

HWY_EXPORT(check_block);

bool Batch::add_circle(const Vec2& center, double radius) {
  const Vec2 c = center - origin_;
  const double reach = radius + radius_;
  const std::size_t i = view_.circles++;
  view_.circle[0][i] = static_cast<float>(-2 * c.x());
  view_.circle[1][i] = static_cast<float>(-2 * c.y());
  view_.circle[2][i] = static_cast<float>(c.x() * c.x() + c.y() * c.y() - reach * reach);
  view_.reach = std::max(view_.reach, static_cast<float>((std::abs(c.x()) + std::abs(c.y()) + reach) * 1.01));
  return true;
}

bool Batch::add_rectangle(const Vec2& center, const Vec2& axis, const Vec2& half) {
  const Vec2 c = center - origin_;
  if (axis == Vec2(1, 0)) {
    const std::size_t i = view_.boxes++;
    const double ends[4] = {c.x() - half.x(), c.x() + half.x(), c.y() - half.y(), c.y() + half.y()};
    for (std::size_t k = 0; k < 4; ++k) view_.box[k][i] = static_cast<float>(ends[k]);
  } else {
    const std::size_t i = view_.rectangles++;
    const double along = c.x() * axis.x() + c.y() * axis.y(), across = c.y() * axis.x() - c.x() * axis.y();
    const double values[6] = {axis.x(), axis.y(), -along, -across, half.x(), half.y()};
    for (std::size_t k = 0; k < 6; ++k) view_.rectangle[k][i] = static_cast<float>(values[k]);
  }
  const double size = std::abs(c.x()) + std::abs(c.y()) + half.x() + half.y() + radius_;
  view_.reach = std::max(view_.reach, static_cast<float>(size * 1.01));
  view_.square = static_cast<float>(radius_ * radius_);
  return true;
}

Batch::Verdicts Batch::check(const Vec2* points, std::size_t count) const {
  alignas(64) float x[kBlock], y[kBlock];
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(points[i].x() - origin_.x());
    y[i] = static_cast<float>(points[i].y() - origin_.y());
  }
  for (std::size_t i = count; i < kBlock; ++i) x[i] = x[0], y[i] = y[0];
  return HWY_DYNAMIC_DISPATCH(check_block)(view_, x, y);
}

}  // namespace graze::planar
#endif
