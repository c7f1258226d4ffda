#include "scene/planar_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/planar_cells.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::planar {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using Pair = hn::CappedTag<float, 2>;
using Eight = hn::CappedTag<float, Cells::kLanes>;
using Many = hn::CappedTag<float, 16>;

// Obstacles side by side: value k of the first one is at[k · stride].
struct Values {
  const float* at;
  std::size_t stride;
};
template <class D>
GRAZE_LANE_FUNCTION hn::Vec<D> value(D d, const Values& values, std::size_t k) {
  return hn::Load(d, values.at + k * values.stride);
}
template <bool kTurned, class D>
GRAZE_LANE_FUNCTION hn::Vec<D> radius_of(D d, const Values& values) {
  return value(d, values, kTurned ? 6 : 4);
}

template <class V>
struct Beyond {
  V a, b;
};
// How far a point is beyond the sides along both axes; between them below 0.
template <bool kTurned, class D, class V = hn::Vec<D>>
GRAZE_LANE_FUNCTION Beyond<V> beyond_sides(D d, const Values& of, V x, V y) {
  if constexpr (kTurned) {
    const V u = value(d, of, 0), v = value(d, of, 1);
    const V along = hn::MulAdd(x, u, hn::MulAdd(y, v, value(d, of, 2)));
    const V across = hn::MulAdd(y, u, hn::NegMulAdd(x, v, value(d, of, 3)));
    return {hn::Sub(hn::Abs(along), value(d, of, 4)), hn::Sub(hn::Abs(across), value(d, of, 5))};
  } else {
    return {hn::Max(hn::Sub(value(d, of, 0), x), hn::Sub(x, value(d, of, 1))),
            hn::Max(hn::Sub(value(d, of, 2), y), hn::Sub(y, value(d, of, 3)))};
  }
}
// The distance from the boundary, below 0 inside.
template <bool kTurned, class D, class V = hn::Vec<D>>
GRAZE_LANE_FUNCTION V distance(D d, const Values& of, V x, V y) {
  const V zero = hn::Zero(d);
  const auto [a, b] = beyond_sides<kTurned>(d, of, x, y);
  const V out_a = hn::Max(a, zero), out_b = hn::Max(b, zero);
  const V out = hn::Sqrt(hn::MulAdd(out_a, out_a, hn::Mul(out_b, out_b)));
  return hn::Sub(hn::Add(out, hn::Min(hn::Max(a, b), zero)), radius_of<kTurned>(d, of));
}
// That from the rectangle without its corners' radius; 0 inside.
template <bool kTurned, class D, class V = hn::Vec<D>>
GRAZE_LANE_FUNCTION V squared_distance(D d, const Values& of, V x, V y) {
  V a, b;
  if constexpr (kTurned) {
    const auto beyond = beyond_sides<true>(d, of, x, y);
    a = hn::Max(beyond.a, hn::Zero(d)), b = hn::Max(beyond.b, hn::Zero(d));
  } else {
    a = hn::Sub(x, hn::Min(hn::Max(x, value(d, of, 0)), value(d, of, 1)));
    b = hn::Sub(y, hn::Min(hn::Max(y, value(d, of, 2)), value(d, of, 3)));
  }
  return hn::MulAdd(a, a, hn::Mul(b, b));
}

// A disc in every lane, and by how much squares of its distances may differ from those of its reach until the larger
// one is certain: by slope · reach + base.
template <class D>
struct Disc {
  hn::Vec<D> x, y, radius, slope, base;
};
template <class D>
struct Verdicts {
  hn::Mask<D> touches, free;
};
// What is not a number is neither.
template <bool kTurned, class D>
GRAZE_LANE_FUNCTION Verdicts<D> compare(D d, const Values& of, const Disc<D>& disc) {
  const auto reach = hn::Add(radius_of<kTurned>(d, of), disc.radius);
  const auto beyond = hn::NegMulAdd(reach, reach, squared_distance<kTurned>(d, of, disc.x, disc.y));
  const auto band = hn::MulAdd(reach, disc.slope, disc.base);
  return {hn::Lt(beyond, hn::Neg(band)), hn::Gt(beyond, band)};
}

// A point relative to the origin, and its cell.
struct Place {
  float x, y;
  std::size_t cell;
};
template <class D>
GRAZE_LANE_FUNCTION Place place_of(D df, const Cells::View& view, const Vec2& point) {
  float x, y;
  std::uint32_t column, row;
  if constexpr (hn::MaxLanes(D()) == 2) {
    const hn::Rebind<double, D> dd;
    const hn::RebindToSigned<D> di;
    const auto xy = hn::DemoteTo(df, hn::Sub(hn::LoadU(dd, point.data()), hn::LoadU(dd, view.origin)));
    const auto at = hn::BitCast(di, hn::MulAdd(xy, hn::LoadU(df, view.per_cell), hn::LoadU(df, view.at)));
    // As whole numbers: also what is not a number is in some cell.
    const auto kept = hn::Min(hn::Max(at, hn::Set(di, Cells::kWhole)), hn::Set(di, view.last));
    x = hn::GetLane(xy), y = hn::ExtractLane(xy, 1);
    column = static_cast<std::uint32_t>(hn::GetLane(kept)), row = static_cast<std::uint32_t>(hn::ExtractLane(kept, 1));
  } else {
    const auto along = [&](float at, int k) {
      const auto bits = std::bit_cast<std::int32_t>(view.at[k] + at * view.per_cell[k]);
      return static_cast<std::uint32_t>(std::min(std::max(bits, Cells::kWhole), view.last));
    };
    x = static_cast<float>(point.x() - view.origin[0]), y = static_cast<float>(point.y() - view.origin[1]);
    column = along(x, 0), row = along(y, 1);
  }
  return {x, y, row * view.side + column - view.base};
}

// Numbers, not branches: only few are undecided.
struct Verdict {
  unsigned touches, decided;
};
// Discs of one radius before the obstacles of their cells.
template <bool kTurned>
struct CellCheck {
  const Cells::View& view;
  hn::Vec<Eight> radius, slope, base;
  HWY_INLINE CellCheck(const Cells::View& cells, double r)
      : view(cells),
        radius(hn::Set(Eight(), static_cast<float>(r))),
        slope(hn::Set(Eight(), cells.band[0])),
        base(hn::Set(Eight(), cells.band[1])) {}

  HWY_INLINE Verdict operator()(const Vec2& point) const {
    constexpr std::size_t kBlock = (kTurned ? Cells::kTurnedValues : Cells::kStraightValues) * Cells::kLanes;
    const Eight d;
    const Place at = place_of(Pair(), view, point);
    const Disc<Eight> disc{hn::Set(d, at.x), hn::Set(d, at.y), radius, slope, base};
    // Other obstacles are not as near as `rest`. The radius is not a number where the point is not finite.
    const auto rest = hn::Set(d, view.rest[at.cell]), zero = hn::Zero(d);
    const auto finite = hn::MulAdd(disc.x, zero, hn::MulAdd(disc.y, zero, radius));
    unsigned touches = 0, free = 0;
    for (std::size_t lane = 0; lane < Cells::kLanes; lane += hn::Lanes(d)) {
      const auto verdicts = compare<kTurned>(d, {view.blocks + at.cell * kBlock + lane, Cells::kLanes}, disc);
      touches |= mask_bits(d, verdicts.touches);
      free |= mask_bits(d, hn::And(verdicts.free, hn::Lt(finite, rest))) << lane;
    }
    return {touches, touches | (free + 1) >> Cells::kLanes};
  }
};

bool fits(const Cells::View& view, double radius) { return std::bit_cast<std::uint64_t>(radius) < view.limit; }

template <bool kTurned>
bool check_cell(const Cells::View& view, const Vec2& point, double radius) {
  if (!fits(view, radius)) [[unlikely]]
    return view.all(view, point, radius);
  const Verdict verdict = CellCheck<kTurned>(view, radius)(point);
  if (verdict.decided == 0) [[unlikely]]
    return view.all(view, point, radius);
  return verdict.touches != 0;
}

template <bool kTurned>
void check_cells(const Cells::View& view, std::span<const Vec2> points, double radius, bool* hits) {
  const bool in_cells = fits(view, radius);
  const CellCheck<kTurned> check(view, radius);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Verdict verdict{0, 0};
    if (in_cells) verdict = check(points[i]);
    hits[i] = verdict.touches != 0;
    if (verdict.decided == 0) [[unlikely]]
      hits[i] = view.all(view, points[i], radius);
  }
}

template <bool kTurned>
bool check_all(const Cells::View& view, const Vec2& point, double exact_radius) {
  constexpr double kLargest = 1e15;  // its square is a float
  if (!(exact_radius >= 0 && exact_radius < kLargest)) return view.surely(view, point, exact_radius);
  const auto [x, y, cell] = place_of(Pair(), view, point);
  const auto radius = static_cast<float>(exact_radius), rounding = view.rounding + 0x1p-20F * radius;
  const Many d;
  const Disc<Many> disc{hn::Set(d, x), hn::Set(d, y), hn::Set(d, radius), hn::Set(d, 4 * rounding),
                        hn::Set(d, 4 * rounding * rounding)};
  unsigned touches = 0, open = 0;
  for (std::size_t i = 0; i < view.count; i += hn::Lanes(d)) {
    const auto verdicts = compare<kTurned>(d, {view.values[0] + i, Cells::kCapacity}, disc);
    touches |= mask_bits(d, verdicts.touches);
    open |= mask_bits(d, hn::Not(verdicts.free));
  }
  if (touches != 0) return true;
  const bool finite = x - x == 0 && y - y == 0;
  return open != 0 || !finite ? view.surely(view, point, exact_radius) : false;
}

template <bool kTurned>
Cells::Near near_point(const Cells::View& view, float x, float y, float spread, float* distances) {
  const Many d;
  const auto px = hn::Set(d, x), py = hn::Set(d, y);
  auto smallest = hn::Set(d, std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < view.count; i += hn::Lanes(d)) {
    const auto far = distance<kTurned>(d, Values{view.values[0] + i, Cells::kCapacity}, px, py);
    hn::Store(far, d, distances + i);
    smallest = hn::Min(smallest, far);
  }
  Cells::Near near{hn::GetLane(hn::MinOfLanes(d, smallest)), {}};
  const auto largest = hn::Set(d, near.distance + spread);
  for (std::size_t i = 0; i < view.count; i += hn::Lanes(d))
    near.obstacles[i / 64] |= std::uint64_t{mask_bits(d, hn::Le(hn::Load(d, distances + i), largest))} << i % 64;
  return near;
}

// Which of 64 cells obstacle `id` matters to: a bit each.
template <bool kTurned>
std::uint64_t concerned_by(const Cells::View& view, std::size_t id, const float* x, const float* y,
                           const float* nearest, float spread) {
  const Many d;
  alignas(64) float one[Cells::kTurnedValues][16];
  for (std::size_t k = 0; k < Cells::kTurnedValues; ++k)
    std::fill(std::begin(one[k]), std::end(one[k]), view.values[k][id]);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto far = distance<kTurned>(d, Values{one[0], 16}, hn::Load(d, x + i), hn::Load(d, y + i));
    const auto within = hn::Le(far, hn::Add(hn::Load(d, nearest + i), hn::Set(d, spread)));
    bits |= std::uint64_t{mask_bits(d, within)} << i;
  }
  return bits;
}

template <bool kTurned>
constexpr Cells::Lanes lanes_for() {
  return {&check_cell<kTurned>, &check_cells<kTurned>, &check_all<kTurned>, &near_point<kTurned>,
          &concerned_by<kTurned>};
}
Cells::Lanes lanes_of(bool turned) { return turned ? lanes_for<true>() : lanes_for<false>(); }

}  // namespace HWY_NAMESPACE
}  // namespace graze::planar
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::planar {

HWY_EXPORT(lanes_of);

namespace {

constexpr float kNone = std::numeric_limits<float>::infinity();

bool is_turned(const Rounded& obstacle) { return obstacle.axis != Vec2(1, 0); }

// Odd, so that cells have whole numbers on both sides of the origin. Up to eight obstacles are all in one cell.
std::uint32_t side_for(std::size_t obstacles) {
  if (obstacles <= Cells::kLanes) return 1;
  return std::min(static_cast<std::uint32_t>(2 * std::sqrt(static_cast<double>(obstacles))), 24U) | 1U;
}

void check_each_alone(const Cells::View& view, std::span<const Vec2> points, double radius, bool* hits) {
  for (std::size_t i = 0; i < points.size(); ++i) hits[i] = view.surely(view, points[i], radius);
}

}  // namespace

Cells::Cells(Check surely, const void* owner) {
  view_.all = view_.surely = surely;
  view_.owner = owner;
  clear();
}

void Cells::clear() {
  view_.check = view_.surely;
  view_.check_each = &check_each_alone;
}

void Cells::build(const Aabb2& box, std::span<const Rounded* const> obstacles, bool others) {
  clear();
  box_ = box;
  others_ = others;
  obstacles_ = 0, turned_ = false;
  for (const Rounded* obstacle : obstacles) {
    if (obstacle == nullptr) continue;
    ++obstacles_;
    turned_ |= is_turned(*obstacle);
  }
  built_for_ = obstacles_;
  if (obstacles_ == 0) return;
  const Vec2 origin = box.center(), half = box.half();
  // No coordinate of an obstacle with its size is larger. Its square and that of its rounding are floats.
  const double reach = half.sum();
  if (!(reach > 1e-11 && reach < 1e15)) return;
  view_.limit = std::bit_cast<std::uint64_t>(reach);
  view_.side = side_for(obstacles_);
  view_.last = Cells::kWhole + static_cast<std::int32_t>(view_.side - 1);
  view_.base = static_cast<std::uint32_t>(Cells::kWhole) * (view_.side + 1);
  const double margin = half.maxCoeff() / 4, side = view_.side;
  const Vec2 cell = 2 / side * (half + Vec2::Constant(margin));
  for (int k = 0; k < 2; ++k) {
    view_.origin[k] = origin[k];
    view_.per_cell[k] = static_cast<float>(1 / cell[k]);
    view_.at[k] = static_cast<float>(0x1p23 + (side - 1) / 2);
  }
  // Sixteen roundings of the largest number, and what coordinates in double are rounded by.
  const double rounding = 0x1p-20 * 5 * reach + 64 * kEpsilon * origin.cwiseAbs().sum();
  view_.rounding = static_cast<float>(rounding);
  view_.band[0] = 4 * view_.rounding, view_.band[1] = 4 * view_.rounding * view_.rounding;
  spread_ = static_cast<float>(cell.norm() + 16 * rounding);
  margin_ = view_.side == 1 ? kNone : static_cast<float>(margin - 16 * rounding);

  lanes_ = HWY_DYNAMIC_DISPATCH(lanes_of)(turned_);
  const std::size_t cells = std::size_t{view_.side} * view_.side, whole_words = (cells + 63) / 64 * 64;
  blocks_.resize(cells * (turned_ ? kTurnedValues : kStraightValues) * kLanes);
  rest_.resize(cells);
  x_.assign(whole_words, 0), y_.assign(whole_words, 0), nearest_.assign(whole_words, -kNone);
  view_.blocks = blocks_.data(), view_.rest = rest_.data();
  view_.count = obstacles.size();
  for (std::size_t id = 0; id < kCapacity; ++id) put(id, id < obstacles.size() ? obstacles[id] : nullptr);
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t row = i / view_.side, column = i % view_.side;
    x_[i] = static_cast<float>((static_cast<double>(column) - (side - 1) / 2) * cell.x());
    y_[i] = static_cast<float>((static_cast<double>(row) - (side - 1) / 2) * cell.y());
    fill(i);
  }
  view_.check = lanes_.check, view_.check_each = lanes_.check_each;
  view_.all = others ? view_.surely : lanes_.all;
}

bool Cells::change(std::size_t id, const Rounded* obstacle, const Aabb2& box, bool others) {
  if (view_.check == view_.surely || others != others_ || id >= kCapacity ||
      (obstacle != nullptr && !turned_ && is_turned(*obstacle)))
    return false;
  const bool was = view_.values[turned_ ? 2 : 0][id] < kNone, is = obstacle != nullptr;
  const std::size_t count = obstacles_ + (is ? 1 : 0) - (was ? 1 : 0);
  const bool many = count > (view_.side == 1 ? kLanes : 2 * built_for_);
  const bool apart = (box.min.array() < box_.min.array()).any() || (box.max.array() > box_.max.array()).any();
  if (count == 0 || many || 4 * count < built_for_ || apart || box.half().maxCoeff() < box_.half().maxCoeff() / 2)
    return false;
  constexpr std::size_t kWords = 20;
  std::uint64_t concerned[kWords] = {};
  const auto find = [&] {
    const float spread = spread_ + 4 * view_.rounding;
    for (std::size_t w = 0; w * 64 < nearest_.size(); ++w) {
      const std::size_t i = 64 * w;
      concerned[w] |= lanes_.concerned(view_, id, &x_[i], &y_[i], &nearest_[i], spread);
    }
  };
  if (was) find();
  put(id, obstacle);
  if (is) find();
  obstacles_ = count;
  view_.count = std::max(view_.count, id + 1);
  for (std::size_t w = 0; w * 64 < nearest_.size(); ++w) {
    for (std::uint64_t left = concerned[w]; left != 0; left &= left - 1)
      fill(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
  }
  return true;
}

void Cells::put(std::size_t id, const Rounded* obstacle) {
  double values[kTurnedValues] = {};
  if (obstacle == nullptr) {
    values[turned_ ? 2 : 0] = values[1] = kNone;
    if (turned_) values[0] = 1, values[1] = 0;
  } else {
    const auto& [center, axis, half, radius] = *obstacle;
    const Vec2 c = center - Vec2(view_.origin[0], view_.origin[1]);
    if (turned_) {
      values[0] = axis.x(), values[1] = axis.y();
      values[2] = -(c.x() * axis.x() + c.y() * axis.y()), values[3] = c.x() * axis.y() - c.y() * axis.x();
      values[4] = half.x(), values[5] = half.y(), values[6] = radius;
    } else {
      values[0] = c.x() - half.x(), values[1] = c.x() + half.x();
      values[2] = c.y() - half.y(), values[3] = c.y() + half.y(), values[4] = radius;
    }
  }
  for (std::size_t k = 0; k < kTurnedValues; ++k) view_.values[k][id] = static_cast<float>(values[k]);
}

void Cells::fill(std::size_t cell) {
  alignas(64) float distances[kCapacity];
  const Near all = lanes_.near(view_, x_[cell], y_[cell], spread_, distances);
  nearest_[cell] = all.distance;
  std::uint16_t near[kCapacity];
  std::size_t found = 0;
  for (std::size_t word = 0; word < std::size(all.obstacles); ++word) {
    for (std::uint64_t left = all.obstacles[word]; left != 0; left &= left - 1)
      near[found++] = static_cast<std::uint16_t>(64 * word + static_cast<std::size_t>(std::countr_zero(left)));
  }
  const std::size_t row = cell / view_.side, column = cell % view_.side;
  const bool border = std::min(row, column) == 0 || std::max(row, column) + 1 == view_.side;
  float rest = others_ ? 0 : border ? margin_ : kNone;
  if (found > kLanes) {
    std::partial_sort(near, near + kLanes + 1, near + found, [&](std::size_t a, std::size_t b) {
      return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
    });
    rest = std::min(rest, distances[near[kLanes]] - spread_ / 2);
    found = kLanes;
  }
  rest_[cell] = rest;
  for (std::size_t lane = found; lane < kLanes; ++lane) near[lane] = near[0];
  const std::size_t values = turned_ ? kTurnedValues : kStraightValues;
  float* block = &blocks_[cell * values * kLanes];
  for (std::size_t k = 0; k < values; ++k) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) block[k * kLanes + lane] = view_.values[k][near[lane]];
  }
}

}  // namespace graze::planar
#endif
