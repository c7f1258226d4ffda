#include <algorithm>
#include <bit>
#include <cmath>

#include "index/capt_data.h"
#include "index/exact_sphere.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/capt_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::capt {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using Floats = hn::CappedTag<float, kWidth>;

// Is any point of a leaf's list within reach?
GRAZE_LANE_FUNCTION bool scan(const Capt::Data& tree, std::size_t leaf, const SphereCheck& ball, const float* at,
                              const Thresholds& limits) {
  const Floats d;
  const auto cx = hn::Set(d, at[0]), cy = hn::Set(d, at[1]), cz = hn::Set(d, at[2]);
  const auto inside = hn::Set(d, limits.inside), outside = hn::Set(d, limits.outside);
  for (std::size_t i = tree.starts[leaf]; i < tree.starts[leaf + 1]; i += hn::Lanes(d)) {
    const auto x = hn::Sub(hn::Load(d, tree.x.data() + i), cx);
    const auto y = hn::Sub(hn::Load(d, tree.y.data() + i), cy);
    const auto z = hn::Sub(hn::Load(d, tree.z.data() + i), cz);
    const auto squared = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
    const auto maybe = hn::Le(squared, outside);
    if (hn::AllFalse(d, maybe)) continue;
    if (!hn::AllFalse(d, hn::Le(squared, inside))) return true;
    for (unsigned left = mask_bits(d, maybe); left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (touches({tree.x[i + lane], tree.y[i + lane], tree.z[i + lane]}, ball.center, ball.radius,
                  ball.point_radius)) {
        return true;
      }
    }
  }
  return false;
}

GRAZE_LANE_FUNCTION double squared_gap(const Capt::Data::Box& box, const double* center) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double gap = std::max({box.low[axis] - center[axis], center[axis] - box.high[axis], 0.0});
    sum += gap * gap;
  }
  return sum;
}

// Looks at one leaf, first at the box around its list.
GRAZE_LANE_FUNCTION bool visit(const Capt::Data& tree, std::size_t leaf, const SphereCheck& ball, const float* at,
                               const Thresholds& limits) {
  constexpr double kMore = 1 + 1e-12;
  const double reach = ball.radius + ball.point_radius;
  return squared_gap(tree.boxes[leaf], ball.center) <= reach * reach * kMore && scan(tree, leaf, ball, at, limits);
}

// Radii that the lists were not made for: both ways down wherever the sphere reaches across.
bool search_both_ways(const Capt::Data& tree, const SphereCheck& ball, const float* at, const Thresholds& limits) {
  struct Entry {
    std::size_t node;
    int depth;
  };
  constexpr double kMore = 1 + 1e-12;
  const double reach = (ball.radius + ball.point_radius) * kMore;
  Entry stack[34];  // each level leaves one behind
  std::size_t size = 0;
  stack[size++] = {0, 0};
  while (size > 0) {
    Entry entry = stack[--size];
    while (entry.depth < tree.depth) {
      const double test = tree.tests[entry.node], c = ball.center[entry.depth % 3];
      const bool right = c > test;
      // A test at infinity has padding on its right, and nothing else.
      if (std::abs(c - test) <= reach) stack[size++] = {2 * entry.node + (right ? 1 : 2), entry.depth + 1};
      entry = {2 * entry.node + (right ? 2 : 1), entry.depth + 1};
    }
    if (visit(tree, entry.node - (tree.leaves() - 1), ball, at, limits)) return true;
  }
  return false;
}

bool search_ball(const Capt::Data& tree, const SphereCheck& ball) {
  const float at[3] = {to_float(ball.center[0]), to_float(ball.center[1]), to_float(ball.center[2])};
  const Thresholds limits = thresholds(ball.center, ball.radius + ball.point_radius);
  if (ball.radius < tree.options.min_radius || ball.radius > tree.options.max_radius) {
    return search_both_ways(tree, ball, at, limits);
  }
  std::size_t node = 0;
  int axis = 0;
  for (int level = 0; level < tree.depth; ++level) {
    node = 2 * node + 1 + (ball.center[axis] > tree.tests[node] ? 1 : 0);
    axis = axis == 2 ? 0 : axis + 1;
  }
  return visit(tree, node - (tree.leaves() - 1), ball, at, limits);
}

// Leaves of a vector of centres, all the way down in step.
GRAZE_LANE_FUNCTION void find_leaves(const Capt::Data& tree, const double* x, const double* y, const double* z,
                                     std::int32_t* leaves) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Vec<decltype(d)> centers[3] = {hn::LoadU(d, x), hn::LoadU(d, y), hn::LoadU(d, z)};
  auto node = hn::Zero(di);
  const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
  int axis = 0;
  for (int level = 0; level < tree.depth; ++level) {
    const auto test = hn::PromoteTo(d, hn::GatherIndex(df, tree.tests.data(), node));
    const auto right = hn::PromoteTo(d, one);
    const auto step = hn::DemoteTo(di, hn::IfThenElse(hn::Gt(centers[axis], test), hn::Add(right, right), right));
    node = hn::Add(hn::Mul(node, two), step);
    axis = axis == 2 ? 0 : axis + 1;
  }
  hn::StoreU(hn::Sub(node, hn::Set(di, static_cast<std::int32_t>(tree.leaves() - 1))), di, leaves);
}

// Up to 64 spheres.
void search_spheres(const Capt::Data& tree, const double* x, const double* y, const double* z, const double* r,
                    std::size_t count, bool only_any, std::uint64_t& hits) {
  const std::size_t width = hn::Lanes(hn::CappedTag<double, 8>());
  hits = 0;
  for (std::size_t first = 0; first < count; first += width) {
    const std::size_t here = std::min(width, count - first);
    alignas(64) std::int32_t leaves[8];
    if (here == width) {
      find_leaves(tree, x + first, y + first, z + first, leaves);
    } else {
      alignas(64) double tail[3][8] = {};
      std::copy_n(x + first, here, tail[0]);
      std::copy_n(y + first, here, tail[1]);
      std::copy_n(z + first, here, tail[2]);
      find_leaves(tree, tail[0], tail[1], tail[2], leaves);
    }
    for (std::size_t i = first; i < first + here; ++i) {
      bool hit = true;
      if (valid_sphere(x[i], y[i], z[i], r[i])) {
        const SphereCheck ball{{x[i], y[i], z[i]}, r[i], tree.options.point_radius};
        if (r[i] < tree.options.min_radius || r[i] > tree.options.max_radius) {
          hit = search_ball(tree, ball);
        } else {
          const float at[3] = {to_float(x[i]), to_float(y[i]), to_float(z[i])};
          hit = visit(tree, static_cast<std::size_t>(leaves[i - first]), ball, at,
                      thresholds(ball.center, r[i] + ball.point_radius));
        }
      }
      if (!hit) continue;
      hits |= std::uint64_t{1} << i;
      if (only_any) return;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::capt
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::capt {

HWY_EXPORT(search_ball);
HWY_EXPORT(search_spheres);

bool search(const Capt::Data& tree, const SphereCheck& ball) { return HWY_DYNAMIC_DISPATCH(search_ball)(tree, ball); }

std::uint64_t search_batch(const Capt::Data& tree, const SpheresView& spheres, std::size_t first, std::size_t count,
                           bool only_any) {
  std::uint64_t hits = 0;
  if (tree.size == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = first + i;
      if (!valid_sphere(spheres.x[k], spheres.y[k], spheres.z[k], spheres.radius[k])) hits |= std::uint64_t{1} << i;
    }
    return hits;
  }
  HWY_DYNAMIC_DISPATCH(search_spheres)
  (tree, spheres.x.data() + first, spheres.y.data() + first, spheres.z.data() + first, spheres.radius.data() + first,
   count, only_any, hits);
  return hits;
}

}  // namespace graze::capt
#endif
