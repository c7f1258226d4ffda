#include "index/grid_sort.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/grid_sort.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

// Part of every target's code, once.
#ifndef GRAZE_INDEX_GRID_SORT_ONCE
#define GRAZE_INDEX_GRID_SORT_ONCE
namespace graze::point_grid {
namespace {

constexpr std::size_t kChunk = 256;

// A part of the points as separate coordinates, filled up with NaN.
struct alignas(64) Chunk {
  float of[3][kChunk];

  void load(const PointView& points, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto p = points.load_point<float>(first + i);
      for (std::size_t axis = 0; axis < 3; ++axis) of[axis][i] = p[axis];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::fill(of[axis] + count, of[axis] + kChunk, std::numeric_limits<float>::quiet_NaN());
    }
  }
};

}  // namespace
}  // namespace graze::point_grid
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::point_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;

template <class V>
GRAZE_LANE_FUNCTION auto finite_lanes(Floats d, V x, V y, V z) {
  const auto largest = hn::Set(d, std::numeric_limits<float>::max());
  return hn::And(hn::Le(hn::Abs(x), largest), hn::And(hn::Le(hn::Abs(y), largest), hn::Le(hn::Abs(z), largest)));
}

void find_extent(const PointView& points, Extent& extent) {
  const Floats d;
  const float largest = std::numeric_limits<float>::max();
  auto lx = hn::Set(d, largest), ly = lx, lz = lx, hx = hn::Neg(lx), hy = hx, hz = hx;
  std::size_t count = 0;
  const auto take = [&](auto x, auto y, auto z) HWY_ATTR {
    const auto finite = finite_lanes(d, x, y, z);
    count += hn::CountTrue(d, finite);
    lx = hn::Min(lx, hn::IfThenElse(finite, x, lx));
    ly = hn::Min(ly, hn::IfThenElse(finite, y, ly));
    lz = hn::Min(lz, hn::IfThenElse(finite, z, lz));
    hx = hn::Max(hx, hn::IfThenElse(finite, x, hx));
    hy = hn::Max(hy, hn::IfThenElse(finite, y, hy));
    hz = hn::Max(hz, hn::IfThenElse(finite, z, hz));
  };
  std::size_t first = 0;
  if (const float* packed = points.packed_floats(); packed != nullptr) {
    for (; first + hn::Lanes(d) <= points.size(); first += hn::Lanes(d)) {
      auto x = hn::Zero(d), y = x, z = x;
      hn::LoadInterleaved3(d, packed + 3 * first, x, y, z);
      take(x, y, z);
    }
  }
  Chunk chunk;
  for (; first < points.size(); first += kChunk) {
    chunk.load(points, first, std::min(kChunk, points.size() - first));
    for (std::size_t i = 0; i < kChunk; i += hn::Lanes(d)) {
      take(hn::Load(d, chunk.of[0] + i), hn::Load(d, chunk.of[1] + i), hn::Load(d, chunk.of[2] + i));
    }
  }
  extent.count = count;
  extent.low = {hn::GetLane(hn::MinOfLanes(d, lx)), hn::GetLane(hn::MinOfLanes(d, ly)),
                hn::GetLane(hn::MinOfLanes(d, lz))};
  extent.high = {hn::GetLane(hn::MaxOfLanes(d, hx)), hn::GetLane(hn::MaxOfLanes(d, hy)),
                 hn::GetLane(hn::MaxOfLanes(d, hz))};
}

void find_all_cells(Grid& grid, const PointView& points) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const auto half = hn::Set(d, 0.5F), scale = hn::Set(d, grid.twice_inverse), pad = hn::Set(d, kPad);
  const auto ox = hn::Set(d, grid.half_origin[0]), oy = hn::Set(d, grid.half_origin[1]),
             oz = hn::Set(d, grid.half_origin[2]);
  const auto ny = hn::Set(di, grid.blocks[1]), nz = hn::Set(di, grid.blocks[2]), one = hn::Set(di, 1),
             two = hn::Set(di, 2);
  const auto none = hn::Set(di, static_cast<std::int32_t>(grid.block_count()));
  std::uint32_t* keys = grid.scratch.keys.data();
  std::uint8_t* cells = grid.scratch.cells.data();
  const hn::Rebind<std::uint8_t, decltype(di)> d8;
  const auto take = [&](auto x, auto y, auto z, std::size_t to) HWY_ATTR {
    const auto finite = finite_lanes(d, x, y, z);
    const auto along = [&](auto v, auto origin) HWY_ATTR {
      return hn::ConvertTo(di,
                           hn::IfThenElseZero(finite, hn::Add(hn::Mul(hn::Sub(hn::Mul(v, half), origin), scale), pad)));
    };
    const auto cx = along(x, ox), cy = along(y, oy), cz = along(z, oz);
    const auto bx = hn::ShiftRight<2>(cx), by = hn::ShiftRight<2>(cy), bz = hn::ShiftRight<2>(cz);
    const auto block = hn::Add(hn::Mul(hn::Add(hn::Mul(bx, ny), by), nz), bz);
    const auto high = [&](auto c) HWY_ATTR { return hn::And(c, two); };
    const auto low = [&](auto c) HWY_ATTR { return hn::And(c, one); };
    const auto octant =
        hn::Or(hn::ShiftLeft<4>(high(cx)), hn::Or(hn::ShiftLeft<3>(high(cy)), hn::ShiftLeft<2>(high(cz))));
    const auto cell = hn::Or(octant, hn::Or(hn::ShiftLeft<2>(low(cx)), hn::Or(hn::ShiftLeft<1>(low(cy)), low(cz))));
    hn::StoreU(hn::IfThenElse(hn::RebindMask(di, finite), block, none), di, reinterpret_cast<std::int32_t*>(keys) + to);
    hn::StoreU(hn::DemoteTo(d8, cell), d8, cells + to);
  };
  std::size_t first = 0;
  if (const float* packed = points.packed_floats(); packed != nullptr) {
    for (; first + hn::Lanes(d) <= points.size(); first += hn::Lanes(d)) {
      auto x = hn::Zero(d), y = x, z = x;
      hn::LoadInterleaved3(d, packed + 3 * first, x, y, z);
      take(x, y, z, first);
    }
  }
  Chunk chunk;
  for (; first < points.size(); first += kChunk) {
    chunk.load(points, first, std::min(kChunk, points.size() - first));
    for (std::size_t i = 0; i < kChunk; i += hn::Lanes(d)) {
      take(hn::Load(d, chunk.of[0] + i), hn::Load(d, chunk.of[1] + i), hn::Load(d, chunk.of[2] + i), first + i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::point_grid
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::point_grid {

HWY_EXPORT(find_extent);
HWY_EXPORT(find_all_cells);

Extent extent_of(const PointView& points) {
  Extent extent{};
  HWY_DYNAMIC_DISPATCH(find_extent)(points, extent);
  if (extent.count == 0) extent.low = extent.high = {0, 0, 0};
  return extent;
}

void find_cells(Grid& grid, const PointView& points) {
  // The last chunk is written as a whole.
  grid.scratch.keys.resize(points.size() + kChunk);
  grid.scratch.cells.resize(points.size() + kChunk);
  HWY_DYNAMIC_DISPATCH(find_all_cells)(grid, points);
}

}  // namespace graze::point_grid
#endif
