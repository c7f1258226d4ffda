// The bounds of the cells of many spheres at once: what look_up() does for one. Per instruction set: include it from
// such a source.

#if defined(GRAZE_INDEX_GRID_LOOK_UP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_INDEX_GRID_LOOK_UP_INL_H
#undef GRAZE_INDEX_GRID_LOOK_UP_INL_H
#else
#define GRAZE_INDEX_GRID_LOOK_UP_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"
#include "index/grid.h"

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

// Bits per sphere: it collides; the bounds do not decide. Neither: it is free.
struct LaneVerdicts {
  std::uint64_t hit, undecided;
};

// Entries of kUppers by number.
template <class D, class V>
GRAZE_LANE_FUNCTION V upper_of(D di, V number) {
  if constexpr (hn::MaxLanes(D()) >= 4) {
    // The low byte of a lane is the index; the other three have their highest bit set, which looks up zero.
    const hn::Repartition<std::uint8_t, D> d8;
    const auto index = hn::BitCast(d8, hn::Or(number, hn::Set(di, static_cast<std::int32_t>(0x80808000U))));
    return hn::BitCast(di, hn::TableLookupBytesOr0(hn::LoadDup128(d8, kUppers), index));
  } else {
    alignas(16) std::int32_t lanes[4];
    hn::Store(number, di, lanes);
    for (std::size_t i = 0; i < hn::Lanes(di); ++i) lanes[i] = kUppers[lanes[i]];
    return hn::Load(di, lanes);
  }
}

// The first `count` lanes of the arrays, which hold a whole vector.
GRAZE_LANE_FUNCTION LaneVerdicts look_up_lanes(const Grid& grid, const double* px, const double* py, const double* pz,
                                               const double* pr, std::size_t count) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  // Cell coordinates and radius in cells. Once the origin is subtracted, float is enough: kSlack covers its rounding.
  const auto inverse = hn::Set(df, 0.5F * grid.twice_inverse), zero = hn::Zero(df);
  const auto along = [&](const double* p, std::size_t axis) HWY_ATTR {
    const auto from_origin = hn::DemoteTo(df, hn::Sub(hn::LoadU(d, p), hn::Set(d, grid.origin[axis])));
    return hn::Add(hn::Mul(from_origin, inverse), hn::Set(df, kPad));
  };
  const auto ux = along(px, 0), uy = along(py, 1), uz = along(pz, 2);
  const auto rho = hn::Mul(hn::DemoteTo(df, hn::Add(hn::LoadU(d, pr), hn::Set(d, grid.point_radius))), inverse);

  // Spheres outside of the frame stay undecided, and so do invalid ones, with a NaN or a negative radius.
  const auto end = [&](std::size_t axis)
                       HWY_ATTR { return hn::Set(df, static_cast<float>(kEdge * grid.blocks[axis])); };
  auto inside = hn::And(hn::And(hn::Ge(ux, zero), hn::Lt(ux, end(0))), hn::And(hn::Ge(uy, zero), hn::Lt(uy, end(1))));
  inside = hn::And(inside, hn::And(hn::Ge(uz, zero), hn::Lt(uz, end(2))));
  inside = hn::And(inside, hn::Ge(rho, zero));

  // Which cell, of which block; the first one for spheres outside, whose coordinates no integer may hold.
  const auto whole = [&](auto u) HWY_ATTR { return hn::ConvertTo(di, hn::IfThenElseZero(inside, u)); };
  const auto cx = whole(ux), cy = whole(uy), cz = whole(uz);
  const auto ny = hn::Set(di, grid.blocks[1]), nz = hn::Set(di, grid.blocks[2]), three = hn::Set(di, 3);
  const auto block =
      hn::Add(hn::Mul(hn::Add(hn::Mul(hn::ShiftRight<2>(cx), ny), hn::ShiftRight<2>(cy)), nz), hn::ShiftRight<2>(cz));
  const auto cell =
      hn::Or(hn::ShiftLeft<4>(hn::And(cx, three)), hn::Or(hn::ShiftLeft<2>(hn::And(cy, three)), hn::And(cz, three)));

  // Its bounds, one byte, of which the gather reads four. Far blocks without bounds of their own share the first ones.
  const auto* directory = reinterpret_cast<const std::int32_t*>(grid.directory.data());
  const auto number =
      grid.dense ? hn::Add(block, hn::Set(di, 1)) : hn::Max(hn::GatherIndex(di, directory, block), hn::Zero(di));
  const auto packed = hn::GatherOffset(di, reinterpret_cast<const std::int32_t*>(grid.bounds.data()),
                                       hn::Add(hn::ShiftLeft<6>(number), cell));
  const auto four_bits = hn::Set(di, 0xF);
  const auto lower = hn::ConvertTo(df, hn::And(packed, four_bits));
  const auto upper = hn::ConvertTo(df, upper_of(di, hn::And(hn::ShiftRight<4>(packed), four_bits)));

  // Free if even the widened radius is less than the lower bound, a hit if the narrowed one is not less than the upper.
  const auto wide = hn::Add(hn::Mul(rho, hn::Set(df, 1 + 1e-6F)), hn::Set(df, float{kSlack}));
  const auto narrow = hn::Max(hn::Sub(hn::Mul(rho, hn::Set(df, 1 - 1e-6F)), hn::Set(df, float{kSlack})), zero);
  const auto free = hn::And(inside, hn::Gt(lower, hn::Mul(wide, wide)));
  // The clamp keeps every radius below kUnknown.
  const auto hit = hn::And(inside, hn::Le(upper, hn::Min(hn::Mul(narrow, narrow), hn::Set(df, float{kUnknown} - 1))));
  const std::uint64_t hits = mask_bits(df, hit), asked = (std::uint64_t{1} << count) - 1;
  return {hits & asked, ~(hits | mask_bits(df, free)) & asked};
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#endif
