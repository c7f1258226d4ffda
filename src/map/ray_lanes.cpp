// Rays through the grid of a frame, several at a time in SIMD lanes.
#include <algorithm>
#include <cmath>

#include "map/frame_grid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/ray_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::map {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using Real = hn::CappedTag<double, 8>;
using Number = hn::RebindToUnsigned<Real>;
constexpr std::size_t kLanes = 8;

/// As many rays as there are lanes, on their way.
struct Bundle {
  hn::Vec<Real> next_x, next_y, next_z, step_x, step_y, step_z, length;
  hn::Vec<Number> cell, end, add_x, add_y, add_z;
};

/// The same arithmetic as in march(), so that both find the same cells.
GRAZE_LANE_FUNCTION Bundle load(const Ray* rays, std::size_t count, const FrameGrid& grid, double resolution) {
  const Real d;
  const Number n;
  HWY_ALIGN double next[3][kLanes], step[3][kLanes], length[kLanes];
  HWY_ALIGN std::uint64_t cell[kLanes], end[kLanes], add[3][kLanes];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    cell[i] = end[i] = grid.nowhere();
    length[i] = -1;
    for (std::size_t a = 0; a < 3; ++a) next[a][i] = step[a][i] = std::numeric_limits<double>::max(), add[a][i] = 0;
    if (i >= count) continue;
    const Ray& ray = rays[i];
    const Vec3 along = ray.end - ray.origin;
    length[i] = along.norm();
    const std::array<std::int32_t, 3> from{ray.from.x, ray.from.y, ray.from.z};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto axis = static_cast<Eigen::Index>(a);
      const double direction = along[axis] / length[i];
      if (direction == 0) continue;
      const bool up = direction > 0;
      next[a][i] = ((double(from[a]) + (up ? 1 : 0)) * resolution - ray.origin[axis]) / direction;
      step[a][i] = resolution / std::abs(direction);
      add[a][i] = up ? 0 - grid.masks[a] : ~std::uint64_t{0};
    }
    cell[i] = grid.number(ray.from);
    end[i] = grid.number(ray.to);
  }
  return {hn::Load(d, next[0]), hn::Load(d, next[1]), hn::Load(d, next[2]), hn::Load(d, step[0]),
          hn::Load(d, step[1]), hn::Load(d, step[2]), hn::Load(d, length),  hn::Load(n, cell),
          hn::Load(n, end),     hn::Load(n, add[0]),  hn::Load(n, add[1]),  hn::Load(n, add[2])};
}

/// Goes on by one cell and marks it; whether any ray goes on.
GRAZE_LANE_FUNCTION bool advance(Bundle& b, const FrameGrid& grid, std::uint64_t* HWY_RESTRICT misses,
                                 std::uint64_t* HWY_RESTRICT touched) {
  const Real d;
  const Number n;
  const auto x_first = hn::Lt(b.next_x, b.next_y);
  const auto by_x = hn::And(x_first, hn::Lt(b.next_x, b.next_z));
  const auto by_y = hn::AndNot(x_first, hn::Lt(b.next_y, b.next_z));
  const auto by_xy = hn::Or(by_x, by_y);
  b.next_z = hn::IfThenElse(by_xy, b.next_z, hn::Add(b.next_z, b.step_z));
  b.next_y = hn::IfThenElse(by_y, hn::Add(b.next_y, b.step_y), b.next_y);
  b.next_x = hn::IfThenElse(by_x, hn::Add(b.next_x, b.step_x), b.next_x);
  const auto nx = hn::RebindMask(n, by_x), ny = hn::RebindMask(n, by_y);
  const auto mask = hn::IfThenElse(nx, hn::Set(n, grid.masks[0]),
                                   hn::IfThenElse(ny, hn::Set(n, grid.masks[1]), hn::Set(n, grid.masks[2])));
  const auto add = hn::IfThenElse(nx, b.add_x, hn::IfThenElse(ny, b.add_y, b.add_z));
  const auto moved = hn::Or(hn::AndNot(mask, b.cell), hn::And(mask, hn::Add(hn::And(b.cell, mask), add)));
  const auto within = hn::Le(hn::Min(b.next_x, hn::Min(b.next_y, b.next_z)), b.length);
  const auto goes_on = hn::AndNot(hn::Eq(moved, b.end), hn::RebindMask(n, within));
  const auto nowhere = hn::Set(n, grid.nowhere());
  const auto next = hn::IfThenElse(goes_on, moved, nowhere);
  const auto new_brick = hn::Ne(hn::ShiftRight<9>(next), hn::ShiftRight<9>(b.cell));
  // A ray that has ended stays nowhere.
  b.length = hn::IfThenElse(hn::RebindMask(d, goes_on), b.length, hn::Set(d, -1.0));
  b.cell = next;
  HWY_ALIGN std::uint64_t cells[kLanes];
  hn::Store(next, n, cells);
  for (std::size_t i = 0; i < hn::Lanes(n); ++i) misses[cells[i] >> 6U] |= std::uint64_t{1} << (cells[i] & 63U);
  if (!hn::AllFalse(n, new_brick)) {
    for (unsigned left = mask_bits(n, new_brick); left != 0; left &= left - 1) {
      const std::uint64_t at = cells[hwy::Num0BitsBelowLS1Bit_Nonzero32(left)];
      touched[at >> 15U] |= std::uint64_t{1} << (at >> 9U & 63U);
    }
  }
  return !hn::AllFalse(n, goes_on);
}

void march_lanes(FrameGrid& grid, const Ray* rays, std::size_t count, double resolution) {
  const std::size_t width = hn::Lanes(Real());
  std::uint64_t *const misses = grid.misses(), *const touched = grid.touched();
  // Two bundles at a time, so that the memory of one arrives while the other goes on.
  for (std::size_t i = 0; i < count; i += 2 * width) {
    const std::size_t second = std::min(i + width, count);
    Bundle a = load(rays + i, std::min(width, count - i), grid, resolution);
    Bundle b = load(rays + second, std::min(width, count - second), grid, resolution);
    for (bool on_a = true, on_b = second < count; on_a || on_b;) {
      on_a = advance(a, grid, misses, touched);
      on_b = advance(b, grid, misses, touched);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::map {

HWY_EXPORT(march_lanes);

void FrameGrid::march(std::span<const Ray> rays, double resolution) {
  if (rays.empty()) return;
  marked_ = true;
  // All start in the same cell.
  const std::uint64_t first = number(rays[0].from);
  misses_[first >> 6U] |= 1ULL << (first & 63U);
  touch(first);
  HWY_DYNAMIC_DISPATCH(march_lanes)(*this, rays.data(), rays.size(), resolution);
}

}  // namespace graze::map
#endif
