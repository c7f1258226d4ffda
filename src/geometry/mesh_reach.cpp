#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/mesh_reach.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"
#include "geometry/mesh_reach.h"
#include "graze/index/near_first.h"

HWY_BEFORE_NAMESPACE();
namespace graze::mesh {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

constexpr hn::CappedTag<float, kWidth> kF;
using F = hn::Vec<decltype(kF)>;

// Bits of the lanes whose boxes meet the one asked about; empty boxes meet none. at(i, lane) gives the lowest and the
// highest of the lanes from `lane` on along axis i.
template <class At>
GRAZE_LANE_FUNCTION unsigned meeting(const Reach& reach, const At& at) {
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < kWidth; lane += hn::MaxLanes(kF)) {
    F low, high;
    at(0, lane, low, high);
    auto met = hn::And(hn::Le(low, hn::Set(kF, reach.high[0])), hn::Ge(high, hn::Set(kF, reach.low[0])));
    for (std::size_t i = 1; i < 3; ++i) {
      at(i, lane, low, high);
      met = hn::And(met, hn::And(hn::Le(low, hn::Set(kF, reach.high[i])), hn::Ge(high, hn::Set(kF, reach.low[i]))));
    }
    bits |= mask_bits(kF, met) << lane;
  }
  return bits;
}

class ReachWalk {
 public:
  using Place = std::uint32_t;  // a node or, with kLeafBit, a leaf
  using Bound = float;          // 0: all that meets the box counts alike

  ReachWalk(const Data& data, const Reach& reach, const ReachVisitor& visitor)
      : data_(data), reach_(reach), visitor_(visitor) {}

  bool is_leaf(Place place) const { return (place & bvh::kLeafBit) != 0; }
  Place child(Place place, std::size_t k) const { return data_.tree.nodes[place].child[k]; }
  bool beyond(float) const { return ended_; }

  void open(Place place, Children<float>& children) const {
    const bvh::Node& node = data_.tree.nodes[place];
    const unsigned met = meeting(reach_, [&](std::size_t i, std::size_t lane, F& low, F& high) {
      low = hn::Load(kF, node.min[i] + lane), high = hn::Load(kF, node.max[i] + lane);
    });
    for (std::size_t k = 0; k < kWidth; ++k) {
      children.bound[k] = 0;
      children.near |= (node.child[k] != kNone ? met & 1U << k : 0U);
    }
  }

  void leaf(Place place) {
    const Block& block = data_.blocks[place & ~bvh::kLeafBit];
    const F rounding = hn::Set(kF, data_.tree.rounding);
    unsigned met = meeting(reach_, [&](std::size_t i, std::size_t lane, F& low, F& high) {
      const F a = hn::Load(kF, block.at[0][i] + lane), b = hn::Load(kF, block.at[1][i] + lane),
              c = hn::Load(kF, block.at[2][i] + lane);
      low = hn::Sub(hn::Min(hn::Min(a, b), c), rounding), high = hn::Add(hn::Max(hn::Max(a, b), c), rounding);
    });
    for (; met != 0 && !ended_; met &= met - 1) {
      const std::uint32_t triangle = block.triangle[std::countr_zero(met)];
      ended_ = triangle != kNone && !visitor_.call(visitor_.self, triangle);
    }
  }

 private:
  const Data& data_;
  const Reach& reach_;
  const ReachVisitor& visitor_;
  bool ended_ = false;
};

void visit_lanes(const Data& data, const Reach& reach, const ReachVisitor& visitor) {
  ReachWalk walk(data, reach, visitor);
  PlainStack<std::uint32_t, float, bvh::kMaxDepth> open({0, 0});
  near_first(walk, open);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::mesh
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::mesh {

HWY_EXPORT(visit_lanes);

Reach::Reach(const Vec3& lowest, const Vec3& highest) {
  // The boxes of triangles are grown by the tree's rounding in float32, which rounds once more: a few ulp on each side.
  const auto room = [](double x) { return std::abs(x) * 0x1p-21 + 1e-37; };
  constexpr double kFar = 3.4e38;
  for (int i = 0; i < 3; ++i) {
    low[i] = static_cast<float>(std::clamp(lowest[i] - room(lowest[i]), -kFar, kFar));
    high[i] = static_cast<float>(std::clamp(highest[i] + room(highest[i]), -kFar, kFar));
  }
}

void visit_reach(const Data& data, const Reach& reach, const ReachVisitor& visitor) {
  if (data.tree.size != 0) HWY_DYNAMIC_DISPATCH(visit_lanes)(data, reach, visitor);
}

}  // namespace graze::mesh
#endif
