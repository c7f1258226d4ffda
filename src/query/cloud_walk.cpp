#include "query/cloud_walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/cloud_walk.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"
#include "geometry/cloud_index.h"
#include "graze/index/near_first.h"
#include "graze/index/point_grid.h"
#include "index/kd_tree_data.h"
#include "query/cloud_links.h"
#include "query/cloud_slack.h"

HWY_BEFORE_NAMESPACE();
namespace graze::cloud_walk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using kd_tree::kFan;
using kd_tree::kLeaf;

constexpr hn::CappedTag<double, kFan> kD;
constexpr hn::Rebind<float, decltype(kD)> kF;
using D = hn::Vec<decltype(kD)>;

GRAZE_LANE_FUNCTION D set(double x) { return hn::Set(kD, x); }
GRAZE_LANE_FUNCTION D load(const double* at) { return hn::Load(kD, at); }
GRAZE_LANE_FUNCTION D load(const float* at) { return hn::PromoteTo(kD, hn::Load(kF, at)); }
GRAZE_LANE_FUNCTION D square(D x) { return hn::Mul(x, x); }
GRAZE_LANE_FUNCTION D dot(const double* a, D x, D y, D z) {
  return hn::Add(hn::Add(hn::Mul(set(a[0]), x), hn::Mul(set(a[1]), y)), hn::Mul(set(a[2]), z));
}
/// From how far outside of slabs, orthogonal to each other, something is: the distance from their intersection, or,
/// within all of them, how far it is to the nearest border, negative.
template <class... Slabs>
GRAZE_LANE_FUNCTION D signed_length(D first, Slabs... others) {
  const D zero = hn::Zero(kD);
  D largest = first, sum = square(hn::Max(first, zero));
  ((largest = hn::Max(largest, others), sum = hn::Add(sum, square(hn::Max(others, zero)))), ...);
  return hn::IfThenElse(hn::Gt(largest, zero), hn::Sqrt(sum), largest);
}
GRAZE_LANE_FUNCTION unsigned bits_of(hn::Mask<decltype(kD)> mask) { return mask_bits(kD, mask); }

template <class T>
class Walk {
 public:
  Walk(const kd_tree::Tree<T>& tree, const Body& body, double radius, double limit, const Visitor& visitor)
      : tree_(tree),
        links_(tree),
        body_(body),
        visitor_(visitor),
        reach_(body.outline.radius + radius + body.slack),
        limit_(limit) {}
  void run() {
    NearStack<Place, float, CloudLinks::kMaxDepth> open({-1e38F, links_.root()});
    near_first(*this, open);
  }

  using Place = std::uint32_t;
  using Bound = float;
  bool is_leaf(Place at) const { return links_.is_leaf(at); }
  Place child(Place at, std::size_t k) const { return links_.child(at, k); }
  bool beyond(float bound) const { return double{bound} > limit_; }

  void open(Place at, Children<float>& children) const {
    const kd_tree::Node<T>& node = tree_.nodes[links_.node(at)];
    const D half = set(0.5), limit = set(limit_);
    unsigned near = 0;
    for (std::size_t i = 0; i < kFan; i += hn::Lanes(kD)) {
      const D lx = load(node.min[0] + i), ly = load(node.min[1] + i), lz = load(node.min[2] + i);
      const D hx = load(node.max[0] + i), hy = load(node.max[1] + i), hz = load(node.max[2] + i);
      const auto along = [&](D low, D high, int axis) {
        return hn::Max(hn::Sub(low, set(body_.high[axis])), hn::Sub(set(body_.low[axis]), high));
      };
      D bound = signed_length(along(lx, hx, 0), along(ly, hy, 1), along(lz, hz, 2));
      if (!body_.is_point) {
        // Along the body's axes.
        const D ex = hn::Mul(half, hn::Sub(hx, lx)), ey = hn::Mul(half, hn::Sub(hy, ly)),
                ez = hn::Mul(half, hn::Sub(hz, lz));
        const D x = hn::Sub(hn::Add(lx, ex), set(body_.center[0])), y = hn::Sub(hn::Add(ly, ey), set(body_.center[1])),
                z = hn::Sub(hn::Add(lz, ez), set(body_.center[2]));
        const auto beyond = [&](int k) {
          const double* a = body_.axis[k];
          const double size[3] = {std::abs(a[0]), std::abs(a[1]), std::abs(a[2])};
          return hn::Sub(hn::Sub(hn::Abs(dot(a, x, y, z)), dot(size, ex, ey, ez)), set(body_.half[k]));
        };
        bound = hn::Max(bound, signed_length(beyond(0), beyond(1), beyond(2)));
      }
      bound = hn::Sub(bound, set(reach_));
      near |= bits_of(hn::Not(hn::Gt(bound, limit))) << i;  // what is not a number is not skipped
      // Below the true number by more than what float32 rounds, and within its range: infinity would be above any
      // limit.
      bound = hn::Sub(bound, hn::Add(hn::Mul(hn::Abs(bound), set(1e-7)), set(1e-37)));
      bound = hn::Min(hn::Max(bound, set(-1e38)), set(1e38));
      hn::StoreU(hn::DemoteTo(kF, bound), kF, children.bound + i);
    }
    children.near = near & links_.filled(at);
  }

  void leaf(Place at) {
    const std::size_t first = kLeaf * links_.index(at);
    const kd_tree::Leaf<T>& leaf = tree_.leaves[links_.index(at)];
    alignas(64) double bounds[kLeaf];
    unsigned near = 0;
    for (std::size_t i = 0; i < kLeaf; i += hn::Lanes(kD)) {
      const D x = hn::Sub(load(leaf.at[0] + i), set(body_.center[0])),
              y = hn::Sub(load(leaf.at[1] + i), set(body_.center[1])),
              z = hn::Sub(load(leaf.at[2] + i), set(body_.center[2]));
      D bound = hn::Sub(distance_from_box(x, y, z), set(reach_));
      unsigned bits = bits_of(hn::Le(bound, set(limit_)));  // what is no point is NaN
      if (bits != 0 && !body_.outline.sides.empty()) {
        bound = hn::Max(bound, hn::Sub(distance_from_sides(x, y, z), set(reach_)));
        bits &= bits_of(hn::Le(bound, set(limit_)));
      }
      hn::Store(bound, kD, bounds + i);
      near |= bits << i;
    }
    if (near == 0) return;
    if (visitor_.block != nullptr) {
      limit_ = visitor_.block(visitor_.self, first, near);
      return;
    }
    // Mostly the nearest one shows that all others are too far.
    while (near != 0) {
      std::size_t nearest = 0;
      double smallest = kInfinity;
      for (unsigned rest = near; rest != 0; rest &= rest - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(rest));
        const bool nearer = bounds[k] < smallest;
        nearest = nearer ? k : nearest, smallest = nearer ? bounds[k] : smallest;
      }
      if (!(smallest <= limit_)) return;
      near &= ~(1U << nearest);
      limit_ = visitor_.point(visitor_.self, first + nearest);
    }
  }

 private:
  // Of points about the centre.
  GRAZE_LANE_FUNCTION D distance_from_box(D x, D y, D z) const {
    if (body_.is_point) return hn::Sqrt(hn::Add(hn::Add(square(x), square(y)), square(z)));
    const D p = dot(body_.axis[0], x, y, z), q = dot(body_.axis[1], x, y, z), r = dot(body_.axis[2], x, y, z);
    const auto beyond = [&](D along, int k) { return hn::Sub(hn::Abs(along), set(body_.half[k])); };
    const double disc = body_.outline.disc;
    if (disc > 0) return signed_length(hn::Sub(hn::Sqrt(hn::Add(square(p), square(q))), set(disc)), beyond(r, 2));
    return signed_length(beyond(p, 0), beyond(q, 1), beyond(r, 2));
  }
  D distance_from_sides(D x, D y, D z) const {
    const D p = dot(body_.axis[0], x, y, z), q = dot(body_.axis[1], x, y, z), r = dot(body_.axis[2], x, y, z);
    const Vec3 middle = body_.outline.box.center();
    D largest = set(-kInfinity);
    for (const Convex::Face& side : body_.outline.sides) {
      const D along = dot(side.normal.data(), p, q, r);
      largest = hn::Max(largest, hn::Sub(along, set(side.offset - graze::dot(side.normal, middle))));
    }
    return largest;
  }

  const kd_tree::Tree<T>& tree_;
  const CloudLinks links_;
  const Body& body_;
  const Visitor& visitor_;
  double reach_;
  double limit_;
};

void walk_floats(const kd_tree::Tree<float>& tree, const Body& body, double radius, double limit,
                 const Visitor& visitor) {
  Walk<float>(tree, body, radius, limit, visitor).run();
}
void walk_doubles(const kd_tree::Tree<double>& tree, const Body& body, double radius, double limit,
                  const Visitor& visitor) {
  Walk<double>(tree, body, radius, limit, visitor).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::cloud_walk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::cloud_walk {

HWY_EXPORT(walk_floats);
HWY_EXPORT(walk_doubles);

void visit(const Cloud& cloud, const Body& body, double limit, const Visitor& visitor) {
  const KdTree& tree = search_tree(cloud);
  if (tree.size() == 0) return;
  if (floats_of(tree) != nullptr) {
    HWY_DYNAMIC_DISPATCH(walk_floats)(*floats_of(tree), body, cloud.radius(), limit, visitor);
  } else {
    HWY_DYNAMIC_DISPATCH(walk_doubles)(*doubles_of(tree), body, cloud.radius(), limit, visitor);
  }
}

PointGrid::Verdict verdict(const Cloud& cloud, const Body& body, double limit) {
  using Verdict = PointGrid::Verdict;
  const PointGrid* grid = sphere_grid(cloud);
  if (grid == nullptr || !(limit >= 0)) return Verdict::undecided;
  const Outline& outline = body.outline;
  const double add = limit + cloud.radius(), inner = outline.inner + add - body.slack;
  if (inner > 0 && grid->collides(body.inner_center, inner)) return Verdict::hit;
  const Vec3 corner =
      outline.disc > 0 ? Vec3(outline.disc, 0, body.half[2]) : Vec3(body.half[0], body.half[1], body.half[2]);
  const double outer = (std::sqrt(norm_sq(corner)) + outline.radius + add + body.slack) * (1 + 8 * kEpsilon);
  if (!grid->collides({body.center[0], body.center[1], body.center[2]}, outer)) return Verdict::free;
  if (inner > 0 && outline.swept) {
    // Balls at both ends of what is long.
    const auto longest = std::max_element(body.half, body.half + 3) - body.half;
    const double off = body.half[longest] + outline.radius - outline.inner;
    const Vec3 along = off * Vec3(body.axis[longest][0], body.axis[longest][1], body.axis[longest][2]);
    if (off > outline.inner &&
        (grid->collides(body.inner_center + along, inner) || grid->collides(body.inner_center - along, inner)))
      return Verdict::hit;
  }
  return Verdict::undecided;
}

double distance_at_most(const Cloud& cloud, const Body& body) {
  const PointGrid* grid = sphere_grid(cloud);
  if (grid == nullptr || !(body.outline.inner >= 0)) return kInfinity;
  return grid->nearest_at_most(body.inner_center) - body.outline.inner - cloud.radius() + body.slack;
}

Body::Body(const Outline& of, const Cloud& cloud, const Relative& relative) : outline(of) {
  // Number by number (see put()): the outline has just been written that way.
  const Aabb& box = of.box;
  const Vec3 extent((box.max.x() - box.min.x()) / 2, (box.max.y() - box.min.y()) / 2, (box.max.z() - box.min.z()) / 2);
  const Vec3 middle(box.min.x() + extent.x(), box.min.y() + extent.y(), box.min.z() + extent.z());
  const Vec3 at = relative.to_b(middle);
  put(inner_center, relative.to_b(of.inner_center));
  for (int k = 0; k < 3; ++k) {
    center[k] = at[k];
    half[k] = extent[k];
    // Row k of the rotation: the body's axis k in the cloud's frame.
    for (int i = 0; i < 3; ++i) axis[k][i] = relative.rotation(k, i);
  }
  for (int i = 0; i < 3; ++i) {
    const double reach =
        std::abs(axis[0][i]) * half[0] + std::abs(axis[1][i]) * half[1] + std::abs(axis[2][i]) * half[2];
    low[i] = center[i] - reach, high[i] = center[i] + reach;
  }
  is_point = extent.x() == 0 && extent.y() == 0 && extent.z() == 0;
  slack = slack_of(cloud, relative, at, size_of(middle) + size_of(extent) + of.disc + of.radius);
}

}  // namespace graze::cloud_walk
#endif
