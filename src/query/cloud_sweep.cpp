#include "query/cloud_sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "query/products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/cloud_sweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.h"
#include "index/kd_tree_descent-inl.h"

#ifndef GRAZE_QUERY_CLOUD_SWEEP_ONCE
#define GRAZE_QUERY_CLOUD_SWEEP_ONCE
namespace graze::cloud_sweep {
namespace {

/// The path as lanes of float32 read it.
struct LanePath {
  float origin[3], direction[3], inverse[3];  // inverse: of the direction's numbers, bounded
  float length, reach;                        // reach: the radius and all slack
  float inner_sq;                             // of the radius less all slack; negative: there is none
  float before[3], behind[3];                 // the origin and the reach ahead of it, and behind it
  bool forward[3];
};

}  // namespace
}  // namespace graze::cloud_sweep
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::cloud_sweep {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using kd_tree::kFan;
using kd_tree::kLeaf;
using kd_tree::HWY_NAMESPACE::F;
using kd_tree::HWY_NAMESPACE::kF;
using kd_tree::HWY_NAMESPACE::kLanes;
using kd_tree::HWY_NAMESPACE::set;

// Points of a leaf: twice as many as a node has children.
constexpr hn::CappedTag<float, kLeaf> kW;
using W = hn::Vec<decltype(kW)>;
constexpr std::size_t kWideLanes = hn::MaxLanes(kW);
GRAZE_LANE_FUNCTION W wide(float x) { return hn::Set(kW, x); }

class PathWalk {
 public:
  static constexpr bool kCheapBounds = true;

  PathWalk(const kd_tree::Tree<float>& tree, const LanePath& path, const Visitor& visitor)
      : tree_(tree), path_(path), visitor_(visitor), limit_(path.length) {}

  GRAZE_LANE_FUNCTION void run() {
    kd_tree::HWY_NAMESPACE::OpenNodes open;
    kd_tree::HWY_NAMESPACE::Descent descent;
    descent.start(tree_, open, *this);
    while (descent.select(limit_)) {
      if (descent.is_lowest()) leaves(descent.node(), descent.child());
      else if (descent.is_leaf()) leaf(descent.child());
      else descent.open(*this);
    }
    tell();
  }

  // Where the path enters a node's children, grown by the reach. Those that do not exist it leaves before.
  GRAZE_LANE_FUNCTION F bound(const kd_tree::Node<float>& node, std::size_t i) const {
    const auto entry = [&](int k) HWY_ATTR {
      const float* side = path_.forward[k] ? node.min[k] : node.max[k];
      return hn::Mul(hn::Sub(hn::Load(kF, side + i), set(path_.before[k])), set(path_.inverse[k]));
    };
    const auto exit = [&](int k) HWY_ATTR {
      const float* side = path_.forward[k] ? node.max[k] : node.min[k];
      return hn::Mul(hn::Sub(hn::Load(kF, side + i), set(path_.behind[k])), set(path_.inverse[k]));
    };
    // Products round; lengths are not negative here, or the box is not entered at all.
    const F near = hn::Mul(hn::Max(hn::Max(entry(0), entry(1)), hn::Max(entry(2), hn::Zero(kF))), set(1 - kDoubt));
    const F far = hn::Mul(hn::Min(hn::Min(exit(0), exit(1)), exit(2)), set(1 + kDoubt));
    return hn::IfThenElse(hn::Le(near, far), near, set(std::numeric_limits<float>::infinity()));
  }

 private:
  // In any order: to wait for the nearest one takes longer than to look at those that it would have spared.
  GRAZE_LANE_FUNCTION void leaves(const kd_tree::Node<float>& node, std::size_t index) {
    unsigned near = 0;
    for (std::size_t i = 0; i < kFan; i += kLanes) near |= mask_bits(kF, hn::Le(bound(node, i), set(limit_))) << i;
    for (; near != 0; near &= near - 1) leaf(kFan * index + static_cast<std::size_t>(std::countr_zero(near)));
  }

  // Where the path comes within reach of the points. What may be touched is kept until the end of the walk: what is
  // surely touched before leaves little of it.
  GRAZE_LANE_FUNCTION void leaf(std::size_t index) {
    const kd_tree::Leaf<float>& leaf = tree_.leaves[index];
    alignas(64) float along[kLeaf], across_sq[kLeaf];
    unsigned near = 0;
    for (std::size_t i = 0; i < kLeaf; i += kWideLanes) {
      const W x = hn::Sub(hn::Load(kW, leaf.at[0] + i), wide(path_.origin[0])),
              y = hn::Sub(hn::Load(kW, leaf.at[1] + i), wide(path_.origin[1])),
              z = hn::Sub(hn::Load(kW, leaf.at[2] + i), wide(path_.origin[2]));
      const W dx = wide(path_.direction[0]), dy = wide(path_.direction[1]), dz = wide(path_.direction[2]);
      const W to = hn::Add(hn::Add(hn::Mul(x, dx), hn::Mul(y, dy)), hn::Mul(z, dz));
      const W u = hn::Sub(x, hn::Mul(to, dx)), v = hn::Sub(y, hn::Mul(to, dy)), w = hn::Sub(z, hn::Mul(to, dz));
      const W off_sq = hn::Add(hn::Add(hn::Mul(u, u), hn::Mul(v, v)), hn::Mul(w, w));
      hn::Store(to, kW, along + i);
      hn::Store(off_sq, kW, across_sq + i);
      // What is no point is NaN.
      const auto reached = hn::And(hn::Ge(to, wide(-path_.reach)), hn::Le(to, wide(limit_ + path_.reach)));
      near |= mask_bits(kW, hn::And(reached, hn::Le(off_sq, wide(path_.reach * path_.reach))));
    }
    if (near == 0) return;
    if (count_ == kRoom) tell();
    Found& found = found_[count_];
    const W nothing = wide(std::numeric_limits<float>::infinity());
    W first = nothing, surely = nothing;
    for (std::size_t i = 0; i < kLeaf; i += kWideLanes) {
      const W to = hn::Load(kW, along + i), off_sq = hn::Load(kW, across_sq + i);
      const W half = hn::Sqrt(hn::Sub(wide(path_.reach * path_.reach), off_sq));
      // Touches at the start count; what is behind does not.
      const W entry = hn::IfThenElse(hn::Ge(hn::Add(to, half), hn::Zero(kW)), hn::Sub(to, half), nothing);
      hn::Store(entry, kW, found.entry + i);
      first = hn::Min(first, entry);
      const W inner = hn::Sqrt(hn::Sub(wide(path_.inner_sq), off_sq));
      const auto ahead = hn::And(hn::Ge(to, hn::Zero(kW)), hn::Ge(inner, hn::Zero(kW)));
      surely = hn::Min(surely, hn::IfThenElse(ahead, hn::Sub(to, inner), nothing));
    }
    found.first = hn::GetLane(hn::MinOfLanes(kW, first));
    if (!(found.first <= limit_)) return;
    found.place = kLeaf * index;
    ++count_;
    const float touch = hn::GetLane(hn::MinOfLanes(kW, surely));
    end_at(touch);
  }

  // What was found and still matters goes to the visitor.
  GRAZE_LANE_FUNCTION void tell() {
    for (std::size_t n = 0; n < count_; ++n) {
      const Found& found = found_[n];
      if (found.first > limit_) continue;
      unsigned near = 0;
      for (std::size_t i = 0; i < kLeaf; i += kWideLanes)
        near |= mask_bits(kW, hn::Le(hn::Load(kW, found.entry + i), wide(limit_))) << i;
      for (; near != 0; near &= near - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(near));
        if (found.entry[k] > limit_) continue;
        end_at(static_cast<float>(visitor_.point(visitor_.self, found.place + k)));
      }
    }
    count_ = 0;
  }

  // Later touches do not matter any more. What starts in contact must stay above the bounds of what does, too.
  void end_at(float touch) { limit_ = std::min(limit_, std::max(touch, kMin) * (1 + kDoubt)); }

  // More than bounds are rounded by, those of the descent included.
  static constexpr float kDoubt = 2e-6F, kMin = 1e-30F;

  // A leaf, and where the path comes within reach of its points.
  struct alignas(64) Found {
    float entry[kLeaf];
    float first;
    std::size_t place;
  };
  static constexpr std::size_t kRoom = 16;

  const kd_tree::Tree<float>& tree_;
  const LanePath& path_;
  const Visitor& visitor_;
  float limit_;
  std::size_t count_ = 0;
  Found found_[kRoom];
};

void walk_path(const kd_tree::Tree<float>& tree, const LanePath& path, const Visitor& visitor) {
  PathWalk(tree, path, visitor).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::cloud_sweep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::cloud_sweep {

HWY_EXPORT(walk_path);

bool visit(const kd_tree::Tree<float>& tree, const Path& path, const Visitor& visitor) {
  if (tree.size == 0) return true;
  // Each number takes fewer than 16 roundings of lengths up to this.
  const double sizes = 3 * tree.largest + size_of(path.origin) + path.length + path.radius;
  constexpr double kLargest = 1e17, kSmallest = 1e-15;
  if (!(sizes < kLargest)) return false;
  const double slack = 16 * 0x1p-24 * sizes + path.slack + kSmallest;
  LanePath lanes{};
  constexpr float kTiny = 1e-12F;  // for a direction that is never 0: it turns the path by far less than the slack
  for (int k = 0; k < 3; ++k) {
    const auto d = static_cast<float>(path.direction[k]);
    lanes.origin[k] = static_cast<float>(path.origin[k]), lanes.direction[k] = d;
    lanes.inverse[k] = 1 / (std::abs(d) < kTiny ? std::copysign(kTiny, d) : d);
  }
  lanes.length = static_cast<float>(path.length) * (1 + 1e-6F) + static_cast<float>(slack);
  // Where the path enters is off by as much as the points are; a reach that is larger by several times that comes
  // first.
  lanes.reach = static_cast<float>(path.radius + 16 * slack) * (1 + 1e-6F);
  const float inner = static_cast<float>(path.radius - 16 * slack) * (1 - 1e-6F);
  lanes.inner_sq = inner > 0 ? inner * inner : -1;
  for (int k = 0; k < 3; ++k) {
    lanes.forward[k] = lanes.inverse[k] > 0;
    const float ahead = lanes.forward[k] ? lanes.reach : -lanes.reach;
    lanes.before[k] = lanes.origin[k] + ahead, lanes.behind[k] = lanes.origin[k] - ahead;
  }
  HWY_DYNAMIC_DISPATCH(walk_path)(tree, lanes, visitor);
  return true;
}

}  // namespace graze::cloud_sweep
#endif
