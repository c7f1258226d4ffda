#include "query/cloud_sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "graze/index/near_first.h"
#include "query/products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/cloud_sweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"

#ifndef GRAZE_QUERY_CLOUD_SWEEP_ONCE
#define GRAZE_QUERY_CLOUD_SWEEP_ONCE
namespace graze::cloud_sweep {
namespace {

/// The path as lanes of float32 read it.
struct LanePath {
  float origin[3], direction[3], inverse[3];  // inverse: of the direction's numbers, bounded
  float length, reach;                        // reach: the radius and all slack
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

constexpr hn::CappedTag<float, kFan> kF;
using F = hn::Vec<decltype(kF)>;
constexpr std::size_t kLanes = hn::MaxLanes(kF);

GRAZE_LANE_FUNCTION F set(float x) { return hn::Set(kF, x); }
GRAZE_LANE_FUNCTION unsigned bits_of(hn::Mask<decltype(kF)> mask) { return mask_bits(kF, mask); }

class PathWalk {
 public:
  struct Place {
    std::uint32_t level, index;  // level 0: a leaf
  };
  using Bound = float;  // along the path

  PathWalk(const kd_tree::Tree<float>& tree, const LanePath& path, const Visitor& visitor)
      : tree_(tree), path_(path), visitor_(visitor), limit_(path.length) {}

  void run() {
    NearStack<Place, float, kd_tree::kMaxLevels + 1> open({0, {static_cast<std::uint32_t>(tree_.levels), 0}});
    near_first(*this, open);
  }

  bool is_leaf(const Place& place) const { return place.level == 0; }
  Place child(const Place& place, std::size_t k) const {
    return {place.level - 1, static_cast<std::uint32_t>(kFan * place.index + k)};
  }
  bool beyond(float bound) const { return bound > limit_; }

  // Where the path enters the children's boxes, grown by the reach.
  void open(const Place& place, Children<float>& children) const {
    const kd_tree::Node<float>& node = tree_.nodes[tree_.first[place.level - 1] + place.index];
    for (std::size_t i = 0; i < kFan; i += kLanes) {
      F near = hn::Zero(kF), far = set(limit_);
      auto exists = hn::Le(hn::Load(kF, node.min[0] + i), hn::Load(kF, node.max[0] + i));
      for (int k = 0; k < 3; ++k) {
        const F reach = set(path_.reach), at = set(path_.origin[k]), inverse = set(path_.inverse[k]);
        const F a = hn::Mul(hn::Sub(hn::Sub(hn::Load(kF, node.min[k] + i), reach), at), inverse);
        const F b = hn::Mul(hn::Sub(hn::Add(hn::Load(kF, node.max[k] + i), reach), at), inverse);
        near = hn::Max(near, hn::Min(a, b)), far = hn::Min(far, hn::Max(a, b));
      }
      // Products round; lengths are not negative here, or the box is not entered at all.
      near = hn::Mul(near, set(1 - kDoubt));
      const auto entered = hn::And(exists, hn::Le(near, hn::Mul(far, set(1 + kDoubt))));
      hn::Store(near, kF, children.bound + i);
      children.near |= bits_of(entered) << i;
    }
  }

  // Where the path comes within reach of the points.
  void leaf(const Place& place) {
    const kd_tree::Leaf<float>& leaf = tree_.leaves[place.index];
    alignas(64) float from[kLeaf];
    unsigned found = 0;
    for (std::size_t i = 0; i < kLeaf; i += kLanes) {
      const F x = hn::Sub(hn::Load(kF, leaf.at[0] + i), set(path_.origin[0])),
              y = hn::Sub(hn::Load(kF, leaf.at[1] + i), set(path_.origin[1])),
              z = hn::Sub(hn::Load(kF, leaf.at[2] + i), set(path_.origin[2]));
      const F dx = set(path_.direction[0]), dy = set(path_.direction[1]), dz = set(path_.direction[2]);
      const F along = hn::Add(hn::Add(hn::Mul(x, dx), hn::Mul(y, dy)), hn::Mul(z, dz));
      const F u = hn::Sub(x, hn::Mul(along, dx)), v = hn::Sub(y, hn::Mul(along, dy)),
              w = hn::Sub(z, hn::Mul(along, dz));
      const F across_sq = hn::Add(hn::Add(hn::Mul(u, u), hn::Mul(v, v)), hn::Mul(w, w));
      const F rest = hn::Sub(set(path_.reach * path_.reach), across_sq);
      const F entry = hn::Sub(along, hn::Sqrt(hn::Max(rest, hn::Zero(kF))));
      hn::Store(entry, kF, from + i);
      // Touches at the start count; what is behind does not. What is no point is NaN.
      const auto near =
          hn::And(hn::Ge(rest, hn::Zero(kF)), hn::And(hn::Le(entry, set(limit_)), hn::Ge(along, set(-path_.reach))));
      found |= bits_of(near) << i;
    }
    while (found != 0) {
      std::size_t first = kLeaf;
      for (unsigned left = found; left != 0; left &= left - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(left));
        if (first == kLeaf || from[k] < from[first]) first = k;
      }
      if (beyond(from[first])) return;
      found &= ~(1U << first);
      const double limit = visitor_.point(visitor_.self, kLeaf * place.index + first);
      limit_ = std::min(limit_, static_cast<float>(limit) * (1 + kDoubt));
    }
  }

 private:
  static constexpr float kDoubt = 1e-6F;

  const kd_tree::Tree<float>& tree_;
  const LanePath& path_;
  const Visitor& visitor_;
  float limit_;
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
  for (int k = 0; k < 3; ++k) {
    // A direction that is bounded away from 0 turns the path by less than it has slack for.
    const double tiny = std::max(1e-30, 0x1p-24 * slack / std::max(path.length, slack));
    const double d = path.direction[k];
    lanes.origin[k] = static_cast<float>(path.origin[k]), lanes.direction[k] = static_cast<float>(d);
    lanes.inverse[k] = static_cast<float>(1 / (std::abs(d) < tiny ? std::copysign(tiny, d) : d));
  }
  lanes.length = static_cast<float>(path.length) * (1 + 1e-6F) + static_cast<float>(slack);
  // Where the path enters is off by as much as the points are; a reach that is larger by several times that comes
  // first.
  lanes.reach = static_cast<float>(path.radius + 16 * slack) * (1 + 1e-6F);
  HWY_DYNAMIC_DISPATCH(walk_path)(tree, lanes, visitor);
  return true;
}

}  // namespace graze::cloud_sweep
#endif
