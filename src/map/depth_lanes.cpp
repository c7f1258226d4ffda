// Pixels to cells and cells to pixels, in SIMD lanes.
#include "map/depth_view.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/depth_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::map {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one, as they are on targets without a fused multiply-add.

/// Of as many pixels from `i` on as there are lanes.
template <class D>
GRAZE_LANE_FUNCTION void read_lanes(D d, const DepthRow& row, std::size_t i) {
  const hn::Rebind<float, D> df;
  const hn::Rebind<std::int32_t, D> di;
  const auto depth = hn::PromoteTo(d, hn::LoadU(df, row.depths + i));
  const auto ray = hn::PromoteTo(d, hn::LoadU(df, row.ray_lengths + i));
  const auto range = hn::Set(d, row.max_range);
  const auto zero = hn::Zero(d);
  const auto returned = hn::And(hn::Gt(depth, zero), hn::Lt(depth, hn::Set(d, kInfinity)));
  const auto farthest = hn::Div(range, ray);
  const auto hit = hn::And(returned, hn::Le(hn::Mul(depth, ray), range));
  // Limits.
  const auto with = hn::Min(hn::Sub(depth, hn::Set(d, double{row.margin})), farthest);
  const auto without = hn::Min(hn::Set(d, double{row.no_return_range}), farthest);
  const auto limit = hn::Max(hn::IfThenElse(returned, with, without), zero);
  hn::StoreU(hn::DemoteTo(df, limit), df, row.limits + i);
  // Points and their cells.
  const auto z = hn::IfThenElseZero(hit, depth);
  const auto u = hn::Add(hn::Set(d, static_cast<double>(i)), hn::ConvertTo(d, hn::Iota(hn::RebindToSigned<D>(), 0)));
  const auto x = hn::Mul(hn::Div(hn::Sub(u, hn::Set(d, row.cx)), hn::Set(d, row.fx)), z);
  const auto y = hn::Mul(hn::Set(d, row.y), z);
  const auto resolution = hn::Set(d, row.resolution), inverse = hn::Set(d, 1 / row.resolution), one = hn::Set(d, 1.0);
  auto inside = hit;
  std::int32_t* const keys[3] = {row.x, row.y_key, row.z};
  for (std::size_t a = 0; a < 3; ++a) {
    auto p = hn::Mul(hn::Set(d, row.rotation[3 * a]), x);
    p = hn::Add(p, hn::Mul(hn::Set(d, row.rotation[3 * a + 1]), y));
    p = hn::Add(p, hn::Mul(hn::Set(d, row.rotation[3 * a + 2]), z));
    p = hn::Add(p, hn::Set(d, row.origin[a]));
    auto cell = hn::Floor(hn::Mul(p, inverse));
    // By the boxes of cells as they are rounded.
    cell = hn::IfThenElse(hn::Gt(hn::Mul(cell, resolution), p), hn::Sub(cell, one), cell);
    cell = hn::IfThenElse(hn::Le(hn::Mul(hn::Add(cell, one), resolution), p), hn::Add(cell, one), cell);
    inside = hn::And(inside, hn::And(hn::Ge(cell, hn::Set(d, -2147483648.0)), hn::Le(cell, hn::Set(d, 2147483647.0))));
    hn::StoreU(hn::DemoteTo(di, hn::IfThenElseZero(inside, cell)), di, keys[a] + i);
  }
  HWY_ALIGN double kinds[HWY_MAX_BYTES / sizeof(double)];
  const auto of = [&](PixelKind kind) { return hn::Set(d, static_cast<double>(kind)); };
  const auto kind = hn::IfThenElse(hit, hn::IfThenElse(inside, of(kHit), of(kTooFar)),
                                   hn::IfThenElse(returned, of(kCut), of(kNoReturn)));
  hn::Store(kind, d, kinds);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) row.kind[i + k] = static_cast<std::uint8_t>(kinds[k]);
}

void read_row_lanes(const DepthRow& row) {
  const hn::CappedTag<double, 8> d;
  const std::size_t width = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + width <= row.count; i += width) read_lanes(d, row, i);
  for (; i < row.count; ++i) read_lanes(hn::CappedTag<double, 1>(), row, i);
}

void clear_lanes(const DepthView& view, const float* base, std::uint64_t* cleared) {
  const hn::CappedTag<float, 8> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t width = hn::Lanes(d);
  const auto fx = hn::Set(d, view.fx), fy = hn::Set(d, view.fy);
  const auto cx = hn::Set(d, view.cx + 0.5F), cy = hn::Set(d, view.cy + 0.5F);
  const auto right = hn::Set(d, static_cast<float>(view.width)), bottom = hn::Set(d, static_cast<float>(view.height));
  const auto columns = hn::Set(di, view.width);
  const auto zero = hn::Zero(d);
  for (unsigned q = 0; q < 8; ++q) {
    std::uint64_t word = 0;
    for (unsigned o = 0; o < 8; ++o) {
      for (std::size_t k = 0; k < 8; k += width) {
        const auto at = [&](std::size_t a) {
          return hn::Add(hn::Set(d, base[a] + view.octets[a][8 * q + o]), hn::Load(d, view.cells[a].data() + k));
        };
        const auto z = at(2);
        const auto front = hn::Gt(z, zero);
        const auto safe = hn::IfThenElse(front, z, hn::Set(d, 1.0F));
        const auto u = hn::Add(hn::Mul(hn::Div(at(0), safe), fx), cx),
                   v = hn::Add(hn::Mul(hn::Div(at(1), safe), fy), cy);
        const auto inside = hn::And(hn::And(front, hn::And(hn::Ge(u, zero), hn::Ge(v, zero))),
                                    hn::And(hn::Lt(u, right), hn::Lt(v, bottom)));
        if (hn::AllFalse(d, inside)) continue;
        const auto column = hn::ConvertTo(di, hn::IfThenElseZero(inside, u));
        const auto row = hn::ConvertTo(di, hn::IfThenElseZero(inside, v));
        const auto limit = hn::GatherIndex(d, view.limits.data(), hn::Add(hn::Mul(row, columns), column));
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, hn::And(inside, hn::Lt(z, limit)), bits);
        word |= std::uint64_t{bits[0]} << (8 * o + k);
      }
    }
    cleared[q] = word;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::map {

HWY_EXPORT(read_row_lanes);
HWY_EXPORT(clear_lanes);

void read_row(const DepthRow& row) { HWY_DYNAMIC_DISPATCH(read_row_lanes)(row); }

void clear_brick(const DepthView& view, const std::array<float, 3>& base, BrickBits& cleared) {
  HWY_DYNAMIC_DISPATCH(clear_lanes)(view, base.data(), cleared.data());
}

}  // namespace graze::map
#endif
