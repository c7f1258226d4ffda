#include "clearance/field_lanes.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clearance/field_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::clearance {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void lower_rows(std::int16_t* HWY_RESTRICT out, const std::int16_t* HWY_RESTRICT in, std::int16_t cost,
                std::size_t count) {
  const hn::ScalableTag<std::int16_t> d;
  const auto add = hn::Set(d, cost);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Min(hn::LoadU(d, out + i), hn::SaturatedAdd(hn::LoadU(d, in + i), add)), d, out + i);
  }
  for (; i < count; ++i) {
    out[i] = static_cast<std::int16_t>(std::min<int>(out[i], std::min(32767, in[i] + cost)));
  }
}

void min_bytes(std::uint8_t* HWY_RESTRICT out, const std::uint8_t* HWY_RESTRICT a, const std::uint8_t* HWY_RESTRICT b,
               std::size_t count) {
  const hn::ScalableTag<std::uint8_t> d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Min(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  }
  for (; i < count; ++i) out[i] = std::min(a[i], b[i]);
}

// Products and sums are rounded one by one: the bounds, and with them the order of the search, are the same on every
// target.
void find_bounds(const Field::View& field, const LeafMotion& motion, const LeafPoints& points, std::uint32_t active,
                 float* HWY_RESTRICT bounds) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t width = hn::Lanes(d);
  // The range in slices: its begin differs by lane, its length does not.
  const float span = 2 * motion.half * field.inverse[0];
  std::int32_t count = span < 1e6F ? static_cast<std::int32_t>(span) + 2 : 1 << 20;
  const bool whole = count >= field.slices;
  if (whole) count = field.slices;
  const int level = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(count))) - 1;
  const std::uint8_t* table = field.table + level * field.level_size;
  const auto zero = hn::Zero(d);
  const auto none = hn::Zero(di), last = hn::Set(di, field.slices - 1);
  const auto plane = hn::Set(di, field.across * field.up);
  const auto shift = hn::Set(di, count - (1 << level));
  const auto slack = hn::Set(d, motion.slack), half = hn::Set(d, motion.half);
  for (std::size_t first = 0; first < kLeaf; first += width) {
    const std::uint32_t lanes = active >> first & (width == 32 ? ~0U : (1U << width) - 1U);
    if (lanes == 0) continue;
    const auto px = hn::Load(d, points.of[0] + first), py = hn::Load(d, points.of[1] + first),
               pz = hn::Load(d, points.of[2] + first);
    const auto along = [&](int i) HWY_ATTR {
      auto sum = hn::Mul(hn::Set(d, motion.turn[i][0]), px);
      sum = hn::Add(sum, hn::Mul(hn::Set(d, motion.turn[i][1]), py));
      sum = hn::Add(sum, hn::Mul(hn::Set(d, motion.turn[i][2]), pz));
      return hn::Add(sum, hn::Set(d, motion.center[i]));
    };
    const auto u = along(0), v = along(1), w = along(2);
    const auto off = [&](auto x, int i) HWY_ATTR {
      return hn::Max(hn::Sub(hn::Set(d, field.low[i]), x), hn::Sub(x, hn::Set(d, field.high[i])));
    };
    const auto ou = hn::Max(zero, hn::Sub(off(u, 0), half)), ov = hn::Max(zero, off(v, 1)),
               ow = hn::Max(zero, off(w, 2));
    const auto box = hn::Sqrt(hn::Add(hn::Add(hn::Mul(ou, ou), hn::Mul(ov, ov)), hn::Mul(ow, ow)));
    // Cells; far lanes are kept within what an int32 holds.
    const auto cell = [&](auto x, int i) HWY_ATTR {
      const auto c = hn::Floor(hn::Mul(x, hn::Set(d, field.inverse[i])));
      return hn::ConvertTo(di, hn::Max(hn::Set(d, -1e6F), hn::Min(c, hn::Set(d, 1e6F))));
    };
    const auto iv = cell(v, 1), iw = cell(w, 2);
    auto iu = cell(hn::Sub(u, half), 0);
    if (whole) iu = none;
    const auto before = hn::Set(di, -1);
    const auto in = hn::And(
        hn::And(hn::Gt(iv, before), hn::Gt(hn::Set(di, field.across), iv)),
        hn::And(hn::And(hn::Gt(iw, before), hn::Gt(hn::Set(di, field.up), iw)),
                hn::And(hn::Gt(hn::Add(iu, hn::Set(di, count)), before), hn::Gt(hn::Set(di, field.slices), iu))));
    const auto column = hn::Add(hn::Mul(iv, hn::Set(di, field.up)), iw);
    const auto clamped = [&](auto slice) HWY_ATTR { return hn::Max(none, hn::Min(slice, last)); };
    const auto at = [&](auto slice)
                        HWY_ATTR { return hn::IfThenElseZero(in, hn::Add(hn::Mul(clamped(slice), plane), column)); };
    const auto* base = reinterpret_cast<const std::int32_t*>(table);
    const auto byte = hn::Set(di, 255);
    const auto a = hn::And(hn::GatherOffset(di, base, at(iu)), byte);
    const auto b = hn::And(hn::GatherOffset(di, base, at(hn::Add(iu, shift))), byte);
    const auto nearest = hn::IfThenElseZero(in, hn::Min(a, b));
    const auto value = hn::Mul(hn::ConvertTo(d, nearest), hn::Set(d, field.unit));
    hn::StoreU(hn::Sub(hn::Max(box, value), slack), d, bounds + first);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::clearance {

HWY_EXPORT(lower_rows);
HWY_EXPORT(min_bytes);
HWY_EXPORT(find_bounds);

void lower_by(std::int16_t* out, const std::int16_t* in, std::int16_t cost, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(lower_rows)(out, in, cost, count);
}

void min_of(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(min_bytes)(out, a, b, count);
}

void lane_bounds(const Field::View& field, const LeafMotion& motion, const LeafPoints& points, std::uint32_t active,
                 float* bounds) {
  HWY_DYNAMIC_DISPATCH(find_bounds)(field, motion, points, active, bounds);
}

}  // namespace graze::clearance
#endif
