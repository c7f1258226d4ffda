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

// Of all roundings of products of coordinates, with room to spare.
constexpr float kRounding = 128 * 0x1p-24F;

// Squared distances of an obstacle's nearest point from a center, less the square of the disc's radius.
GRAZE_LANE_FUNCTION Lanes beyond_box(Lanes x, Lanes y, Lanes left, Lanes right, Lanes low, Lanes high, Lanes square) {
  const Lanes along = hn::Sub(x, hn::Min(hn::Max(x, left), right));
  const Lanes across = hn::Sub(y, hn::Min(hn::Max(y, low), high));
  return hn::MulAdd(along, along, hn::MulSub(across, across, square));
}
struct Turned {
  Lanes u, v, center_u, center_v, half_u, half_v;
};
GRAZE_LANE_FUNCTION Lanes beyond_turned(Lanes x, Lanes y, const Turned& r, Lanes square) {
  const Lanes zero = hn::Zero(Floats());
  const Lanes along = hn::MulAdd(x, r.u, hn::MulAdd(y, r.v, r.center_u));
  const Lanes across = hn::MulAdd(y, r.u, hn::NegMulAdd(x, r.v, r.center_v));
  const Lanes a = hn::Max(hn::Sub(hn::Abs(along), r.half_u), zero);
  const Lanes b = hn::Max(hn::Sub(hn::Abs(across), r.half_v), zero);
  return hn::MulAdd(a, a, hn::MulSub(b, b, square));
}

// Obstacles in the lanes.
Batch::Verdict check_one(const Batch::View& view, double point_x, double point_y, double exact_radius) {
  const Floats d;
  const auto px = static_cast<float>(point_x - view.origin[0]), py = static_cast<float>(point_y - view.origin[1]);
  const auto radius = static_cast<float>(exact_radius);
  const Lanes x = hn::Set(d, px), y = hn::Set(d, py), r = hn::Set(d, radius);
  const float size = std::abs(px) + std::abs(py) + view.reach + radius;
  const Lanes band = hn::Set(d, size * size * kRounding), square = hn::Set(d, radius * radius);
  Lanes m = hn::Set(d, std::numeric_limits<float>::max());
  const auto at = [&](const float(&of)[Batch::kCapacity], std::size_t i) HWY_ATTR { return hn::Load(d, of + i); };
  for (std::size_t i = 0; i < view.circles; i += hn::Lanes(d)) {
    const auto& c = view.circle;
    m = hn::Min(m, hn::MulAdd(x, at(c[0], i), hn::MulAdd(y, at(c[1], i), hn::MulAdd(r, at(c[2], i), at(c[3], i)))));
  }
  m = hn::Add(m, hn::Set(d, px * px + py * py - radius * radius));
  for (std::size_t i = 0; i < view.boxes; i += hn::Lanes(d)) {
    const auto& b = view.box;
    m = hn::Min(m, beyond_box(x, y, at(b[0], i), at(b[1], i), at(b[2], i), at(b[3], i), square));
  }
  for (std::size_t i = 0; i < view.rectangles; i += hn::Lanes(d)) {
    const auto& t = view.rectangle;
    const Turned turned{at(t[0], i), at(t[1], i), at(t[2], i), at(t[3], i), at(t[4], i), at(t[5], i)};
    m = hn::Min(m, beyond_turned(x, y, turned, square));
  }
  // Numbers, not branches: only few are open.
  const bool touches = !hn::AllFalse(d, hn::Lt(m, hn::Neg(band))), free = hn::AllTrue(d, hn::Gt(m, band));
  return {touches, (unsigned{touches} | unsigned{free}) == 0};
}

Batch::CheckOne this_check_one() { return &check_one; }

// Queries in four vectors at a time: the four hide the time that each operation takes.
Batch::Verdicts check_block(const Batch::View& view, const float* x, const float* y, float radius) {
  Batch::Verdicts verdicts;
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const Lanes reach = hn::Set(d, view.reach + radius), rounding = hn::Set(d, kRounding);
  const Lanes square_of_radius = hn::Set(d, radius * radius);
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
      const Lanes a = hn::Set(d, view.circle[0][i]), b = hn::Set(d, view.circle[1][i]);
      const Lanes e = hn::Set(d, view.circle[3][i] + radius * view.circle[2][i]);
      m0 = hn::Min(m0, hn::MulAdd(x0, a, hn::MulAdd(y0, b, e)));
      m1 = hn::Min(m1, hn::MulAdd(x1, a, hn::MulAdd(y1, b, e)));
      m2 = hn::Min(m2, hn::MulAdd(x2, a, hn::MulAdd(y2, b, e)));
      m3 = hn::Min(m3, hn::MulAdd(x3, a, hn::MulAdd(y3, b, e)));
    }
    const auto square = [&](Lanes p, Lanes q) HWY_ATTR { return hn::MulAdd(p, p, hn::MulSub(q, q, square_of_radius)); };
    m0 = hn::Add(m0, square(x0, y0));
    m1 = hn::Add(m1, square(x1, y1));
    m2 = hn::Add(m2, square(x2, y2));
    m3 = hn::Add(m3, square(x3, y3));
    for (std::size_t i = 0; i < view.boxes; ++i) {
      const Lanes left = hn::Set(d, view.box[0][i]), right = hn::Set(d, view.box[1][i]);
      const Lanes low = hn::Set(d, view.box[2][i]), high = hn::Set(d, view.box[3][i]);
      const auto nearer = [&](Lanes m, Lanes p, Lanes q) HWY_ATTR {
        return hn::Min(m, beyond_box(p, q, left, right, low, high, square_of_radius));
      };
      m0 = nearer(m0, x0, y0);
      m1 = nearer(m1, x1, y1);
      m2 = nearer(m2, x2, y2);
      m3 = nearer(m3, x3, y3);
    }
    for (std::size_t i = 0; i < view.rectangles; ++i) {
      const auto& t = view.rectangle;
      const Turned turned{hn::Set(d, t[0][i]), hn::Set(d, t[1][i]), hn::Set(d, t[2][i]),
                          hn::Set(d, t[3][i]), hn::Set(d, t[4][i]), hn::Set(d, t[5][i])};
      const auto nearer = [&](Lanes m, Lanes p, Lanes q)
                              HWY_ATTR { return hn::Min(m, beyond_turned(p, q, turned, square_of_radius)); };
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

HWY_EXPORT(this_check_one);
HWY_EXPORT(check_block);

void Batch::clear(const Vec2& origin) {
  constexpr float kFar = 3e18F;  // its square is a float
  view_.origin[0] = origin.x(), view_.origin[1] = origin.y();
  view_.circles = view_.boxes = view_.rectangles = 0;
  view_.reach = 0;
  check_one_ = HWY_DYNAMIC_DISPATCH(this_check_one)();
  for (std::size_t i = 0; i < kCapacity; ++i) {
    for (auto& part : view_.circle) part[i] = 0;
    for (auto& part : view_.box) part[i] = kFar;
    for (auto& part : view_.rectangle) part[i] = 0;
    view_.circle[3][i] = std::numeric_limits<float>::max();
    view_.rectangle[2][i] = kFar;
  }
}

bool Batch::add_circle(const Vec2& center, double radius) {
  const double x = center.x() - view_.origin[0], y = center.y() - view_.origin[1];
  const std::size_t i = view_.circles++;
  const double values[4] = {-2 * x, -2 * y, -2 * radius, x * x + y * y - radius * radius};
  for (std::size_t k = 0; k < 4; ++k) view_.circle[k][i] = static_cast<float>(values[k]);
  view_.reach = std::max(view_.reach, static_cast<float>((std::abs(x) + std::abs(y) + radius) * 1.01));
  return true;
}

bool Batch::add_rectangle(const Vec2& center, const Vec2& axis, const Vec2& half) {
  const Vec2 c = center - Vec2(view_.origin[0], view_.origin[1]);
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
  const double size = std::abs(c.x()) + std::abs(c.y()) + half.x() + half.y();
  view_.reach = std::max(view_.reach, static_cast<float>(size * 1.01));
  return true;
}

Batch::Verdicts Batch::check(const Vec2* points, std::size_t count, double radius) const {
  alignas(64) float x[kBlock], y[kBlock];
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(points[i].x() - view_.origin[0]);
    y[i] = static_cast<float>(points[i].y() - view_.origin[1]);
  }
  for (std::size_t i = count; i < kBlock; ++i) x[i] = x[0], y[i] = y[0];
  return HWY_DYNAMIC_DISPATCH(check_block)(view_, x, y, static_cast<float>(radius));
}

}  // namespace graze::planar
#endif
