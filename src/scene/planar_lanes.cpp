#include "scene/planar_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/planar_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

#ifndef GRAZE_PLANAR_LANES_ONCE
#define GRAZE_PLANAR_LANES_ONCE
namespace graze::planar {
struct LaneQuery {
  float x, y, reach;
};
}  // namespace graze::planar
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::planar {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Lanes = hn::Vec<Floats>;

GRAZE_LANE_FUNCTION std::uint64_t bits_of(hn::Mask<Floats> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Floats(), mask, bytes);
  return std::uint64_t{bytes[0]} | std::uint64_t{bytes[1]} << 8U;
}

// What is not a number is not apart.
template <class Apart>
HWY_INLINE std::uint64_t word_of(const Apart& apart) {
  std::uint64_t far = 0;
  const std::size_t lanes = hn::Lanes(Floats());
  for (std::size_t k = 0; k < 64; k += lanes) far |= bits_of(apart(k)) << k;
  return ~far;
}

std::uint64_t scan_discs(const float* const* values, std::size_t at, const LaneQuery& query) {
  const Floats d;
  const Lanes x = hn::Set(d, query.x), y = hn::Set(d, query.y), reach = hn::Set(d, query.reach);
  return word_of([&](std::size_t k) HWY_ATTR {
    const Lanes dx = hn::Sub(hn::LoadU(d, values[0] + at + k), x), dy = hn::Sub(hn::LoadU(d, values[1] + at + k), y);
    const Lanes r = hn::Add(hn::LoadU(d, values[2] + at + k), reach);
    return hn::Gt(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(r, r));
  });
}

std::uint64_t scan_boxes(const float* const* values, std::size_t at, const LaneQuery& query) {
  const Floats d;
  const Lanes x = hn::Set(d, query.x), y = hn::Set(d, query.y), reach = hn::Set(d, query.reach);
  return word_of([&](std::size_t k) HWY_ATTR {
    const Lanes dx = hn::Sub(hn::LoadU(d, values[0] + at + k), x), dy = hn::Sub(hn::LoadU(d, values[1] + at + k), y);
    const Lanes u = hn::LoadU(d, values[3] + at + k), v = hn::LoadU(d, values[4] + at + k);
    const Lanes r = hn::Add(hn::LoadU(d, values[2] + at + k), reach);
    const Lanes along = hn::Abs(hn::Add(hn::Mul(dx, u), hn::Mul(dy, v)));
    const Lanes across = hn::Abs(hn::Sub(hn::Mul(dy, u), hn::Mul(dx, v)));
    const Lanes a = hn::Max(hn::Sub(along, hn::LoadU(d, values[5] + at + k)), hn::Zero(d));
    const Lanes b = hn::Max(hn::Sub(across, hn::LoadU(d, values[6] + at + k)), hn::Zero(d));
    return hn::Gt(hn::Add(hn::Mul(a, a), hn::Mul(b, b)), hn::Mul(r, r));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::planar
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::planar {

HWY_EXPORT(scan_discs);
HWY_EXPORT(scan_boxes);

namespace {

constexpr std::size_t kColumns = 7;
// Of float32; every coordinate is rounded once, and every operation once.
constexpr double kFloatRoundings = 16 * 0x1p-23;

bool small(const Outline& outline) {
  constexpr double kLargest = 1e15;  // squares stay far from the largest float
  const auto in_range = [](const Vec2& v) { return std::abs(v.x()) < kLargest && std::abs(v.y()) < kLargest; };
  return in_range(outline.center) && in_range(outline.half) && outline.radius < kLargest;
}

}  // namespace

void Outlines::add(std::uint32_t id, const Outline& outline) {
  Outline local = outline;
  local.center -= origin_;
  // What float32 cannot hold is always looked at.
  if (!small(local)) local = {.radius = kInfinity};
  Columns& columns = local.disc ? discs_ : boxes_;
  const double center = std::abs(local.center.x()) + std::abs(local.center.y());
  const double extent = center + local.half.x() + local.half.y() + local.radius;
  if (std::isfinite(extent)) columns.extent = std::max(columns.extent, extent);
  const std::size_t at = columns.ids.size();
  if (slots_.size() <= id) slots_.resize(id + 1);
  columns.ids.push_back(id);
  slots_[id] = {true, local.disc, static_cast<std::uint32_t>(at)};
  const double values[kColumns] = {local.center.x(), local.center.y(), local.radius,  local.axis.x(),
                                   local.axis.y(),   local.half.x(),   local.half.y()};
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (columns.values[i].size() <= at) columns.values[i].resize((at / 64 + 1) * 64);
    columns.values[i][at] = static_cast<float>(values[i]);
  }
}

void Outlines::remove(std::uint32_t id) {
  const Slot slot = slots_[id];
  Columns& columns = slot.disc ? discs_ : boxes_;
  const std::size_t last = columns.ids.size() - 1;
  for (std::vector<float>& column : columns.values) column[slot.at] = column[last];
  columns.ids[slot.at] = columns.ids[last];
  slots_[columns.ids[slot.at]].at = slot.at;
  columns.ids.pop_back();
  slots_[id] = {};
}

std::size_t Outlines::scan(const Columns& columns, std::size_t begin, const Vec2& point, double radius,
                           std::uint64_t* bits) const {
  const Vec2 local = point - origin_;
  const double size = std::abs(local.x()) + std::abs(local.y()) + columns.extent + radius;
  const LaneQuery query{static_cast<float>(local.x()), static_cast<float>(local.y()),
                        static_cast<float>(radius + kFloatRoundings * size)};
  const float* values[kColumns];
  for (std::size_t i = 0; i < kColumns; ++i) values[i] = columns.values[i].data();
  const std::size_t count = std::min(columns.ids.size() - begin, 64 * kWords);
  for (std::size_t w = 0; 64 * w < count; ++w) {
    bits[w] = columns.discs ? HWY_DYNAMIC_DISPATCH(scan_discs)(values, begin + 64 * w, query)
                            : HWY_DYNAMIC_DISPATCH(scan_boxes)(values, begin + 64 * w, query);
    const std::size_t left = count - 64 * w;
    if (left < 64) bits[w] &= (std::uint64_t{1} << left) - 1;
  }
  return (count + 63) / 64;
}

std::size_t Outlines::lowest(std::uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)); }

bool Outlines::consistent() const {
  std::size_t used = 0;
  for (std::uint32_t id = 0; id < slots_.size(); ++id) {
    const Slot& slot = slots_[id];
    if (!slot.used) continue;
    ++used;
    const Columns& columns = slot.disc ? discs_ : boxes_;
    if (slot.at >= columns.ids.size() || columns.ids[slot.at] != id) return false;
  }
  return used == size();
}

}  // namespace graze::planar
#endif
