#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/mesh_rays_prepare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

#include "query/mesh_rays.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<double, bvh::kWidth> kD;
using D = hn::Vec<decltype(kD)>;
constexpr hn::Rebind<float, decltype(kD)> kHalf;

struct D3 {
  D x, y, z;
};

GRAZE_LANE_FUNCTION D set(double x) { return hn::Set(kD, x); }
GRAZE_LANE_FUNCTION D3 set(const Vec3& v) { return {set(v.x()), set(v.y()), set(v.z())}; }
GRAZE_LANE_FUNCTION D3 minus(const D3& a, const D3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
// In the order of the functions of the same names in products.h, so that the bits are the same.
GRAZE_LANE_FUNCTION D dot(const D3& a, const D3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
GRAZE_LANE_FUNCTION D size_of(const D3& a) { return hn::Add(hn::Add(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z)); }
GRAZE_LANE_FUNCTION D3 turned_back(const Mat3& m, const D3& v) {
  const auto column = [&](Eigen::Index k) { return dot({set(m(0, k)), set(m(1, k)), set(m(2, k))}, v); };
  return {column(0), column(1), column(2)};
}

GRAZE_LANE_FUNCTION D3 load(const double (&at)[3][bvh::kWidth], std::size_t i) {
  return {hn::Load(kD, at[0] + i), hn::Load(kD, at[1] + i), hn::Load(kD, at[2] + i)};
}
GRAZE_LANE_FUNCTION void store(const D3& v, double (&at)[3][bvh::kWidth], std::size_t i) {
  hn::Store(v.x, kD, at[0] + i), hn::Store(v.y, kD, at[1] + i), hn::Store(v.z, kD, at[2] + i);
}
GRAZE_LANE_FUNCTION void store_float(D v, float* at) { hn::StoreU(hn::DemoteTo(kHalf, v), kHalf, at); }

// The lanes [i, i + lanes of a register) of a block, whose origins and directions are those of the world so far.
GRAZE_LANE_FUNCTION void prepare_lanes(const RayTarget& target, const mesh::Data& mesh, RayBlock& block,
                                       std::size_t i) {
  LocalRays& local = block.local;
  const Pose& pose = target.body().pose;
  const D3 world = load(local.origin, i);
  const D3 origin = turned_back(pose.rotation(), minus(world, set(pose.translation())));
  const D3 direction = turned_back(pose.rotation(), load(local.direction, i));
  const D shift = dot(minus(set(target.center()), origin), direction);
  const D size = hn::Add(hn::Add(set(target.size()), size_of(world)), hn::Abs(shift));
  const D missed = hn::Add(set(target.body().uncertainty), hn::Mul(set(kRayRoundings), size));
  const D3 from = {hn::Add(origin.x, hn::Mul(shift, direction.x)), hn::Add(origin.y, hn::Mul(shift, direction.y)),
                   hn::Add(origin.z, hn::Mul(shift, direction.z))};
  store(origin, local.origin, i), store(direction, local.direction, i), store(from, local.line, i);
  hn::Store(shift, kD, local.shift + i), hn::Store(missed, kD, local.slack + i);

  // From here on as put() does; nothing depends on the last bits.
  RayLanes& lanes = block.lanes;
  const D3 off = minus(from, set(mesh.tree.origin));
  const D reach = hn::Add(set(2 * mesh.extent), size_of(off));
  const D slack = hn::Add(hn::Add(hn::Mul(set(8), missed), hn::Mul(set(kFloatSlack), reach)),
                          hn::Mul(set(32 * kEpsilon), hn::Add(set(graze::size_of(mesh.tree.origin)), size_of(from))));
  store_float(hn::Min(slack, set(kLargestReach)), lanes.slack + i);
  const D past = hn::Add(hn::Add(shift, slack), hn::Mul(hn::Abs(shift), set(0x1p-22)));
  store_float(hn::Neg(hn::Max(hn::Min(past, set(1e38)), set(-1e38))), lanes.start + i);
  const D off_of[3] = {off.x, off.y, off.z}, direction_of[3] = {direction.x, direction.y, direction.z};
  D size_along[3];
  for (std::size_t k = 0; k < 3; ++k) {
    size_along[k] = hn::Abs(direction_of[k]);
    const D slope = hn::CopySign(hn::Max(size_along[k], set(kMinSlope)), direction_of[k]);
    const D grown = hn::CopySign(slack, slope);
    store_float(hn::Div(set(1), slope), lanes.inverse[k] + i);
    store_float(off_of[k], lanes.origin[k] + i);
    store_float(hn::Add(off_of[k], grown), lanes.enter[k] + i);
    store_float(hn::Sub(off_of[k], grown), lanes.leave[k] + i);
  }
  const auto y_over_x = hn::Gt(size_along[1], size_along[0]);
  const auto z_over_both = hn::Gt(size_along[2], hn::Max(size_along[0], size_along[1]));
  const auto chosen = [&](D if_x, D if_y, D if_z) {
    return hn::IfThenElse(z_over_both, if_z, hn::IfThenElse(y_over_x, if_y, if_x));
  };
  const D per_w = hn::Div(set(1), chosen(direction.x, direction.y, direction.z));
  store_float(hn::Mul(chosen(direction.y, direction.z, direction.x), per_w), lanes.shear_u + i);
  store_float(hn::Mul(chosen(direction.z, direction.x, direction.y), per_w), lanes.shear_v + i);
  alignas(64) double steepest[bvh::kWidth], reaches[bvh::kWidth], slacks[bvh::kWidth];
  hn::Store(chosen(set(0), set(1), set(2)), kD, steepest);
  hn::Store(reach, kD, reaches), hn::Store(slack, kD, slacks);
  for (std::size_t k = 0; k < hn::MaxLanes(kD); ++k) {
    const std::size_t lane = i + k;
    lanes.steepest[lane] = static_cast<std::uint8_t>(steepest[k]);
    lanes.fits[lane] = reaches[k] < kLargestReach && slacks[k] < kLargestReach;
    const auto sign = [&](std::size_t axis) {
      return static_cast<unsigned>(std::signbit(lanes.inverse[axis][lane])) << axis;
    };
    lanes.backwards[lane] = static_cast<std::uint8_t>(sign(0) | sign(1) | sign(2));
  }
}

void prepare_rays(const RayTarget& target, const mesh::Data& mesh, const Ray* rays, std::size_t count,
                  RayBlock* blocks) {
  for (std::size_t first = 0; first < count; first += bvh::kWidth) {
    RayBlock& block = blocks[first / bvh::kWidth];
    for (std::size_t lane = 0; lane < bvh::kWidth; ++lane) {
      const Ray& ray = rays[std::min(first + lane, count - 1)];
      for (Eigen::Index k = 0; k < 3; ++k) {
        const auto axis = static_cast<std::size_t>(k);
        block.local.origin[axis][lane] = ray.origin()[k], block.local.direction[axis][lane] = ray.direction()[k];
      }
      block.local.length[lane] = ray.length();
    }
    for (std::size_t i = 0; i < bvh::kWidth; i += hn::MaxLanes(kD)) prepare_lanes(target, mesh, block, i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::walk {

HWY_EXPORT(prepare_rays);

void prepare(const RayTarget& target, const mesh::Data& mesh, std::span<const Ray> rays, std::span<RayBlock> blocks) {
  HWY_DYNAMIC_DISPATCH(prepare_rays)(target, mesh, rays.data(), rays.size(), blocks.data());
}

}  // namespace graze::walk
#endif
