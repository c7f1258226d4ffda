// Pixels to cells and cells to pixels, in SIMD lanes.
#include "map/depth_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/depth_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "map/cell_size-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::map {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one, as they are on targets without a fused multiply-add.

/// Sets the bits of as many pixels as there are lanes, from number `i` on, in turn from 0 on.
template <class D>
GRAZE_LANE_FUNCTION void store_bits(D d, hn::Mask<D> mask, std::uint8_t* bits, std::size_t i) {
  std::uint8_t own[8] = {};
  hn::StoreMaskBits(d, mask, own);
  if ((i & 7U) != 0) own[0] = static_cast<std::uint8_t>(bits[i >> 3U] | own[0] << (i & 7U));
  for (std::size_t k = 0; 8 * k < hn::Lanes(d); ++k) bits[(i >> 3U) + k] = own[k];
}

template <class D>
GRAZE_LANE_FUNCTION void measure_lanes(D d, CameraTable& table, std::size_t first, double y, std::size_t i) {
  const hn::Rebind<float, D> df;
  const hn::RebindToSigned<decltype(df)> di;
  const auto range = hn::Set(d, table.of[4]);
  const auto x = hn::LoadU(d, table.columns.data() + i);
  const auto sq = hn::Add(hn::Add(hn::Set(d, 1.0), hn::Mul(x, x)), hn::Set(d, y * y));
  const auto ray = hn::PromoteTo(d, hn::DemoteTo(df, hn::Sqrt(sq)));
  const auto farthest = hn::DemoteTo(df, hn::Div(range, ray));
  // Rounded to float32 it may be just beyond the range.
  const auto beyond = hn::Gt(hn::Mul(hn::PromoteTo(d, farthest), ray), range);
  const auto one = hn::IfThenElseZero(beyond, hn::Set(d, 1.0));
  const auto before = hn::Sub(hn::BitCast(di, farthest), hn::DemoteTo(di, one));
  hn::StoreU(farthest, df, table.farthest.data() + first + i);
  hn::StoreU(hn::BitCast(df, before), df, table.within.data() + first + i);
}

void measure_row_lanes(CameraTable& table, std::size_t first, double y) {
  const hn::CappedTag<double, 8> d;
  const std::size_t count = table.columns.size();
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) measure_lanes(d, table, first, y, i);
  for (; i < count; ++i) measure_lanes(hn::CappedTag<double, 1>(), table, first, y, i);
}

/// The cells of the points of as many pixels as there are lanes, from number `i` on.
template <class D>
GRAZE_LANE_FUNCTION void locate_lanes(D d, DepthRow& row, std::size_t i) {
  const hn::Rebind<float, D> df;
  const hn::Rebind<std::int32_t, D> di;
  const auto depth = hn::PromoteTo(d, hn::LoadU(df, row.depths + i));
  auto hit = hn::And(hn::Gt(depth, hn::Zero(d)), hn::Lt(depth, hn::Set(d, kInfinity)));
  hit = hn::And(hit, hn::Le(depth, hn::PromoteTo(d, hn::LoadU(df, row.within + i))));
  const auto z = hn::IfThenElseZero(hit, depth);
  const auto x = hn::Mul(hn::LoadU(d, row.columns + i), z);
  const auto y = hn::Mul(hn::Set(d, row.y), z);
  const CellSize<D> size(d, row.resolution);
  auto inside = hit;
  for (std::size_t a = 0; a < 3; ++a) {
    auto p = hn::Mul(hn::Set(d, row.rotation[3 * a]), x);
    p = hn::Add(p, hn::Mul(hn::Set(d, row.rotation[3 * a + 1]), y));
    p = hn::Add(p, hn::Mul(hn::Set(d, row.rotation[3 * a + 2]), z));
    const auto cell = size.cell_of(hn::Add(p, hn::Set(d, row.origin[a])));
    inside = hn::And(inside, hn::And(hn::Ge(cell, hn::Set(d, -2147483648.0)), hn::Le(cell, hn::Set(d, 2147483647.0))));
    hn::StoreU(hn::DemoteTo(di, hn::IfThenElseZero(inside, cell)), di, row.key[a].data() + i);
  }
  row.too_far += hn::CountTrue(d, hit) - hn::CountTrue(d, inside);
  store_bits(d, inside, row.hits.data(), i);
}

/// Of as many pixels from number `i` on as there are lanes.
template <class D>
GRAZE_LANE_FUNCTION void read_lanes(D d, DepthRow& row, std::size_t i) {
  const auto depth = hn::LoadU(d, row.depths + i), farthest = hn::LoadU(d, row.farthest + i);
  const auto zero = hn::Zero(d);
  const auto returned = hn::And(hn::Gt(depth, zero), hn::Lt(depth, hn::Set(d, std::numeric_limits<float>::infinity())));
  const auto hit = hn::And(returned, hn::Le(depth, hn::LoadU(d, row.within + i)));
  const auto with = hn::Min(hn::Sub(depth, hn::Set(d, row.margin)), farthest);
  const auto without = hn::Min(hn::Set(d, row.no_return_range), farthest);
  hn::StoreU(hn::Max(hn::IfThenElse(returned, with, without), zero), d, row.limits + i);
  const std::size_t all = hn::Lanes(d), returns = hn::CountTrue(d, returned), hits = hn::CountTrue(d, hit);
  row.no_return += all - returns;
  row.cut += returns - hits;
  if (hits == 0) {
    store_bits(d, hit, row.hits.data(), i);
    return;
  }
  const hn::CappedTag<double, hn::MaxLanes(D()) < 8 ? hn::MaxLanes(D()) : 8> half;
  for (std::size_t k = 0; k < all; k += hn::Lanes(half)) locate_lanes(half, row, i + k);
}

void read_row_lanes(DepthRow& row) {
  const hn::CappedTag<float, 16> d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= row.count; i += hn::Lanes(d)) read_lanes(d, row, i);
  for (; i < row.count; ++i) read_lanes(hn::CappedTag<float, 1>(), row, i);
}

void halve_lanes(const float* const* low, const float* const* high, std::size_t width, float* HWY_RESTRICT out_low,
                 float* HWY_RESTRICT out_high) {
  const hn::CappedTag<float, 16> d;
  std::size_t i = 0;
  for (; 2 * (i + hn::Lanes(d)) <= width; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> a, b, c, e;
    hn::LoadInterleaved2(d, low[0] + 2 * i, a, b);
    hn::LoadInterleaved2(d, low[1] + 2 * i, c, e);
    hn::StoreU(hn::Min(hn::Min(a, b), hn::Min(c, e)), d, out_low + i);
    hn::LoadInterleaved2(d, high[0] + 2 * i, a, b);
    hn::LoadInterleaved2(d, high[1] + 2 * i, c, e);
    hn::StoreU(hn::Max(hn::Max(a, b), hn::Max(c, e)), d, out_high + i);
  }
  for (; 2 * i < width; ++i) {
    const std::size_t l = 2 * i, r = std::min(2 * i + 1, width - 1);
    out_low[i] = std::min(std::min(low[0][l], low[0][r]), std::min(low[1][l], low[1][r]));
    out_high[i] = std::max(std::max(high[0][l], high[0][r]), std::max(high[1][l], high[1][r]));
  }
}

void look_lanes(const DepthView& view, const float* center, double cells, CubeViews& out) {
  const hn::CappedTag<float, 8> d;
  const hn::RebindToSigned<decltype(d)> di;
  HWY_ALIGN static constexpr float kSides[3][8] = {
      {-1, 1, -1, 1, -1, 1, -1, 1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};
  const auto step = static_cast<float>(cells / 2 * view.resolution);
  const auto half = static_cast<float>((cells - 1) / 2 * view.resolution) * 1.00001F;  // to the outermost centres
  const auto set = [&](float x) { return hn::Set(d, x); };
  const auto zero = hn::Zero(d);
  const auto w = static_cast<float>(view.width), h = static_cast<float>(view.height);
  for (std::size_t k = 0; k < 8; k += hn::Lanes(d)) {
    hn::Vec<decltype(d)> at[3], reach[3];
    auto far = zero;
    for (std::size_t a = 0; a < 3; ++a) {
      const float* row = &view.to_camera[3 * a];
      at[a] = set(center[a]);
      for (std::size_t b = 0; b < 3; ++b) {
        at[a] = hn::Add(at[a], hn::Mul(set(row[b] * step), hn::Load(d, kSides[b] + k)));
      }
      reach[a] = set((std::abs(row[0]) + std::abs(row[1]) + std::abs(row[2])) * half);
      far = hn::Add(far, hn::Abs(at[a]));
    }
    // Float32 rounds in proportion to the distance from the camera.
    const auto rounding = hn::Mul(far, set(4e-6F));
    for (auto& r : reach) r = hn::Add(r, rounding);
    const auto near_z = hn::Sub(at[2], reach[2]), far_z = hn::Add(at[2], reach[2]);
    const auto front = hn::Gt(near_z, rounding);
    const auto near_depth = hn::IfThenElse(front, near_z, set(1)), far_depth = hn::IfThenElse(front, far_z, set(1));
    const auto low = [&](auto x, float f, float c) {
      const auto depth = hn::IfThenElse(hn::Lt(x, zero), near_depth, far_depth);
      return hn::Add(hn::Div(hn::Mul(set(f), x), depth), set(c + 0.5F - view.slack));
    };
    const auto high = [&](auto x, float f, float c) {
      const auto depth = hn::IfThenElse(hn::Lt(x, zero), far_depth, near_depth);
      return hn::Add(hn::Div(hn::Mul(set(f), x), depth), set(c + 0.5F + view.slack));
    };
    const auto left = low(hn::Sub(at[0], reach[0]), view.fx, view.cx);
    const auto right = high(hn::Add(at[0], reach[0]), view.fx, view.cx);
    const auto top = low(hn::Sub(at[1], reach[1]), view.fy, view.cy);
    const auto bottom = high(hn::Add(at[1], reach[1]), view.fy, view.cy);
    const auto beside =
        hn::Or(hn::Or(hn::Lt(right, zero), hn::Lt(bottom, zero)), hn::Or(hn::Ge(left, set(w)), hn::Ge(top, set(h))));
    const auto inside =
        hn::And(hn::And(hn::Ge(left, zero), hn::Ge(top, zero)), hn::And(hn::Lt(right, set(w)), hn::Lt(bottom, set(h))));
    store_bits(d, hn::Or(hn::Le(far_z, zero), hn::And(front, beside)), &out.hidden, k);
    store_bits(d, hn::And(front, inside), &out.inside, k);
    store_bits(d, hn::Not(front), &out.behind, k);
    hn::Store(near_z, d, out.near_z.data() + k);
    hn::Store(far_z, d, out.far_z.data() + k);
    const auto pixel = [&](auto x, float count) {
      return hn::ConvertTo(di, hn::Min(hn::Max(x, zero), set(count - 1)));
    };
    hn::Store(pixel(left, w), di, out.left.data() + k);
    hn::Store(pixel(right, w), di, out.right.data() + k);
    hn::Store(pixel(top, h), di, out.top.data() + k);
    hn::Store(pixel(bottom, h), di, out.bottom.data() + k);
  }
}

/// The cells of a cube of 4 × 4 × 4 that are cleared. `all_inside`: they are known to be in the image.
GRAZE_LANE_FUNCTION std::uint64_t clear_word(const DepthView& view, const float* base, std::size_t word,
                                             const LimitRange& range, bool all_inside) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto fx = hn::Set(d, view.fx), fy = hn::Set(d, view.fy);
  const auto cx = hn::Set(d, view.cx + 0.5F), cy = hn::Set(d, view.cy + 0.5F);
  const auto right = hn::Set(d, static_cast<float>(view.width)), bottom = hn::Set(d, static_cast<float>(view.height));
  const auto lowest = hn::Set(d, range.low), highest = hn::Set(d, range.high);
  const auto columns = hn::Set(di, view.width);
  const auto zero = hn::Zero(d);
  std::uint8_t bytes[8] = {};
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto at = [&](std::size_t a) {
      const auto octet = hn::Add(hn::Set(d, base[a]), hn::Load(d, view.octets[a].data() + 64 * word + i));
      return hn::Add(octet, hn::Load(d, view.cells[a].data() + (i & 15U)));
    };
    const auto z = at(2);
    auto clear = hn::And(hn::Gt(z, zero), hn::Lt(z, highest));
    if (hn::AllFalse(d, clear)) continue;
    const auto near = hn::Lt(z, lowest);
    if (!all_inside || !hn::AllTrue(d, hn::Or(near, hn::Not(clear)))) {
      const auto safe = hn::IfThenElse(clear, z, hn::Set(d, 1.0F));
      const auto u = hn::Add(hn::Mul(hn::Div(at(0), safe), fx), cx), v = hn::Add(hn::Mul(hn::Div(at(1), safe), fy), cy);
      clear = hn::And(hn::And(clear, hn::And(hn::Ge(u, zero), hn::Ge(v, zero))),
                      hn::And(hn::Lt(u, right), hn::Lt(v, bottom)));
      if (!hn::AllTrue(d, hn::Or(near, hn::Not(clear)))) {
        const auto column = hn::ConvertTo(di, hn::IfThenElseZero(clear, u));
        const auto row = hn::ConvertTo(di, hn::IfThenElseZero(clear, v));
        const auto limit = hn::GatherIndex(d, view.limits.data(), hn::Add(hn::Mul(row, columns), column));
        clear = hn::And(clear, hn::Lt(z, limit));
      }
    }
    store_bits(d, clear, bytes, i);
  }
  std::uint64_t bits = 0;
  for (unsigned k = 0; k < 8; ++k) bits |= std::uint64_t{bytes[k]} << 8 * k;
  return bits;
}

void clear_lanes(const DepthView& view, const float* first, const float* center, const LimitRange& range,
                 std::uint64_t* cleared) {
  CubeViews cubes;
  look_lanes(view, center, 4, cubes);
  for (unsigned q = 0; q < 8; ++q) {
    const bool in_front = (cubes.behind >> q & 1U) == 0, all_inside = (cubes.inside >> q & 1U) != 0;
    cleared[q] = 0;
    if ((cubes.hidden >> q & 1U) != 0 || (in_front && cubes.near_z[q] > range.high)) continue;
    if (all_inside && cubes.far_z[q] < range.low) cleared[q] = ~std::uint64_t{0};
    else cleared[q] = clear_word(view, first, q, range, all_inside);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::map {

HWY_EXPORT(measure_row_lanes);
HWY_EXPORT(read_row_lanes);
HWY_EXPORT(halve_lanes);
HWY_EXPORT(look_lanes);
HWY_EXPORT(clear_lanes);

void measure_row(CameraTable& table, std::size_t first, double y) {
  HWY_DYNAMIC_DISPATCH(measure_row_lanes)(table, first, y);
}

void read_row(DepthRow& row) { HWY_DYNAMIC_DISPATCH(read_row_lanes)(row); }

void halve_rows(const std::array<const float*, 2>& low, const std::array<const float*, 2>& high, std::size_t width,
                float* out_low, float* out_high) {
  HWY_DYNAMIC_DISPATCH(halve_lanes)(low.data(), high.data(), width, out_low, out_high);
}

CubeViews look_at_cubes(const DepthView& view, const std::array<float, 3>& center, double side) {
  CubeViews views;
  HWY_DYNAMIC_DISPATCH(look_lanes)(view, center.data(), side, views);
  return views;
}

void clear_brick(const DepthView& view, const std::array<float, 3>& first, const std::array<float, 3>& center,
                 const LimitRange& range, BrickBits& cleared) {
  HWY_DYNAMIC_DISPATCH(clear_lanes)(view, first.data(), center.data(), range, cleared.data());
}

}  // namespace graze::map
#endif
