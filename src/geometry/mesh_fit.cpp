// The boxes of leaves, eight triangles at a time.
#include <algorithm>
#include <cmath>

#include "geometry/mesh_data.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/mesh_fit.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"

HWY_BEFORE_NAMESPACE();
namespace graze::mesh {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most four lanes, so that sums over lanes are taken in the same order on every machine.
constexpr hn::CappedTag<float, 4> kF;
using F = hn::Vec<decltype(kF)>;
constexpr std::size_t kLanes = hn::MaxLanes(kF);
constexpr float kNothing = -2e19F;  // the half of a box that nothing is near to: gaps to it have infinite squares

// Sums of four partial sums, lane i of which holds the lanes i and i + 4 of the block.
GRAZE_LANE_FUNCTION float total(const float* part) { return (part[0] + part[2]) + (part[1] + part[3]); }

struct Span {
  float lowest, highest;
};

GRAZE_LANE_FUNCTION Span span_along(const Block& block, const float* axis) {
  const F x = hn::Set(kF, axis[0]), y = hn::Set(kF, axis[1]), z = hn::Set(kF, axis[2]);
  F lowest = hn::Set(kF, bvh::Box::kFar), highest = hn::Set(kF, -bvh::Box::kFar);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < kWidth; i += kLanes) {
      F at = hn::Mul(hn::Load(kF, block.at[k][0] + i), x);
      at = hn::Add(at, hn::Mul(hn::Load(kF, block.at[k][1] + i), y));
      at = hn::Add(at, hn::Mul(hn::Load(kF, block.at[k][2] + i), z));
      lowest = hn::Min(lowest, at), highest = hn::Max(highest, at);
    }
  }
  return {hn::GetLane(hn::MinOfLanes(kF, lowest)), hn::GetLane(hn::MaxOfLanes(kF, highest))};
}

GRAZE_LANE_FUNCTION Span span_of(const Block& block, std::size_t axis) {
  F lowest = hn::Load(kF, block.at[0][axis]), highest = lowest;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < kWidth; i += kLanes) {
      const F at = hn::Load(kF, block.at[k][axis] + i);
      lowest = hn::Min(lowest, at), highest = hn::Max(highest, at);
    }
  }
  return {hn::GetLane(hn::MinOfLanes(kF, lowest)), hn::GetLane(hn::MaxOfLanes(kF, highest))};
}

// The sum of the normals, each as long as twice the area.
GRAZE_LANE_FUNCTION void mean_normal(const Block& block, float* normal) {
  alignas(16) float sum[3][4] = {};
  for (std::size_t i = 0; i < kWidth; i += kLanes) {
    F e[3], f[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const F a = hn::Load(kF, block.at[0][axis] + i);
      e[axis] = hn::Sub(hn::Load(kF, block.at[1][axis] + i), a);
      f[axis] = hn::Sub(hn::Load(kF, block.at[2][axis] + i), a);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      const F n = hn::Sub(hn::Mul(e[u], f[v]), hn::Mul(e[v], f[u]));
      float* to = sum[axis] + i % 4;
      hn::Store(hn::Add(hn::Load(kF, to), n), kF, to);
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) normal[axis] = total(sum[axis]);
}

// Scales to length 1; false if there is nothing to scale.
GRAZE_LANE_FUNCTION bool make_unit(float* v) {
  const double x = v[0], y = v[1], z = v[2], length = std::sqrt(x * x + y * y + z * z);
  if (!(length > 1e-30)) return false;
  v[0] = static_cast<float>(x / length), v[1] = static_cast<float>(y / length), v[2] = static_cast<float>(z / length);
  return true;
}

// The second and third axis for the first: the second near `along`.
GRAZE_LANE_FUNCTION void complete_axes(float (*axes)[3], const float* along) {
  const float* n = axes[0];
  const float height = along[0] * n[0] + along[1] * n[1] + along[2] * n[2];
  const float length = std::abs(along[0]) + std::abs(along[1]) + std::abs(along[2]);
  for (std::size_t i = 0; i < 3; ++i) axes[1][i] = along[i] - height * n[i];
  // Gaps add up along orthogonal axes only, and of what is all but parallel to n little more than rounding is left.
  const float left = std::abs(axes[1][0]) + std::abs(axes[1][1]) + std::abs(axes[1][2]);
  if (!(left > 0.1F * length) || !make_unit(axes[1])) {
    const std::size_t lowest = std::abs(n[0]) <= std::abs(n[1]) ? (std::abs(n[0]) <= std::abs(n[2]) ? 0 : 2)
                                                                : (std::abs(n[1]) <= std::abs(n[2]) ? 1 : 2);
    for (std::size_t i = 0; i < 3; ++i) axes[1][i] = (i == lowest ? 1.0F : 0.0F) - n[lowest] * n[i];
    make_unit(axes[1]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t u = (i + 1) % 3, v = (i + 2) % 3;
    axes[2][i] = n[u] * axes[1][v] - n[v] * axes[1][u];
  }
}

// Centre and half from the spans along the axes, which are orthonormal to rounding only: what that moves the centre by
// is far below four times the tree's rounding.
GRAZE_LANE_FUNCTION void set_box(Oriented& o, const Span* spans, float rounding) {
  float middle[3];
  for (std::size_t k = 0; k < 3; ++k) {
    middle[k] = (spans[k].lowest + spans[k].highest) * 0.5F;
    o.half[k] = (spans[k].highest - spans[k].lowest) * 0.5F + 4 * rounding;
  }
  for (std::size_t i = 0; i < 3; ++i)
    o.center[i] = middle[0] * o.axis[0][i] + middle[1] * o.axis[1][i] + middle[2] * o.axis[2][i];
}

GRAZE_LANE_FUNCTION void set_first_axis(Oriented& o) {
  std::copy(o.normal, o.normal + 3, o.axis[0]);
  if (!make_unit(o.axis[0])) o.axis[0][0] = 1, o.axis[0][1] = o.axis[0][2] = 0;
}

void fit_leaves(const Block* blocks, std::size_t count, float rounding, bvh::Box* boxes, Oriented* oriented) {
  for (std::size_t i = 0; i < count; ++i) {
    const Block& block = blocks[i];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Span span = span_of(block, axis);
      boxes[i].min[axis] = span.lowest, boxes[i].max[axis] = span.highest;
    }
    boxes[i].min[3] = boxes[i].max[3] = 0;
    Oriented& o = oriented[i];
    mean_normal(block, o.normal);
    set_first_axis(o);
    float edge[3];
    for (std::size_t axis = 0; axis < 3; ++axis) edge[axis] = block.at[1][axis][0] - block.at[0][axis][0];
    complete_axes(o.axis, edge);
    Span spans[3];
    for (std::size_t k = 0; k < 3; ++k) spans[k] = span_along(block, o.axis[k]);
    set_box(o, spans, rounding);
  }
}

// The span of all boxes of a node along an axis.
GRAZE_LANE_FUNCTION Span span_along(const Wide& wide, const float* axis) {
  const F x = hn::Set(kF, axis[0]), y = hn::Set(kF, axis[1]), z = hn::Set(kF, axis[2]);
  const auto dot = [&](const float(*rows)[kWidth], std::size_t i) {
    F at = hn::Mul(hn::Load(kF, rows[0] + i), x);
    at = hn::Add(at, hn::Mul(hn::Load(kF, rows[1] + i), y));
    return hn::Add(at, hn::Mul(hn::Load(kF, rows[2] + i), z));
  };
  F lowest = hn::Set(kF, bvh::Box::kFar), highest = hn::Set(kF, -bvh::Box::kFar);
  for (std::size_t i = 0; i < kWidth; i += kLanes) {
    F reach = hn::Mul(hn::Abs(dot(wide.axis[0], i)), hn::Load(kF, wide.half[0] + i));
    reach = hn::Add(reach, hn::Mul(hn::Abs(dot(wide.axis[1], i)), hn::Load(kF, wide.half[1] + i)));
    reach = hn::Add(reach, hn::Mul(hn::Abs(dot(wide.axis[2], i)), hn::Load(kF, wide.half[2] + i)));
    const F center = dot(wide.center, i);
    lowest = hn::Min(lowest, hn::Sub(center, reach)), highest = hn::Max(highest, hn::Add(center, reach));
  }
  return {hn::GetLane(hn::MinOfLanes(kF, lowest)), hn::GetLane(hn::MaxOfLanes(kF, highest))};
}

GRAZE_LANE_FUNCTION float half_area(const float* h) { return h[0] * h[1] + h[1] * h[2] + h[2] * h[0]; }

// A child's box along its own axes, or that along the tree's where it is smaller: where surfaces bend, or on all sides.
GRAZE_LANE_FUNCTION void set_child(Wide& w, std::size_t lane, const Oriented& own, const bvh::Node& node) {
  float half[3];
  for (std::size_t j = 0; j < 3; ++j) half[j] = (node.max[j][lane] - node.min[j][lane]) * 0.5F;
  const bool turned = half_area(own.half) < half_area(half);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t k = 0; k < 3; ++k) w.axis[j][k][lane] = turned ? own.axis[j][k] : j == k ? 1.0F : 0.0F;
    w.center[j][lane] = turned ? own.center[j] : (node.min[j][lane] + node.max[j][lane]) * 0.5F;
    w.half[j][lane] = turned ? own.half[j] : half[j];
  }
}

// From the last node to the first: children come after their parents.
void fit_all_nodes(const bvh::Node* nodes, std::size_t count, const Oriented* leaves, float rounding, Wide* wide,
                   Oriented* scratch, const bvh::Box& all, Wide& whole) {
  for (std::size_t i = count; i-- > 0;) {
    Wide& w = wide[i];
    Oriented& o = scratch[i];
    std::fill(o.normal, o.normal + 3, 0.0F);
    std::size_t filled = 0;
    for (; filled < kWidth && nodes[i].child[filled] != kNone; ++filled) {
      const std::uint32_t child = w.child[filled] = nodes[i].child[filled];
      const Oriented& from = (child & bvh::kLeafBit) != 0 ? leaves[child & ~bvh::kLeafBit] : scratch[child];
      set_child(w, filled, from, nodes[i]);
      for (std::size_t j = 0; j < 3; ++j) o.normal[j] += from.normal[j];
    }
    // While the spans are taken, the other lanes repeat the first.
    for (std::size_t lane = filled; lane < kWidth; ++lane) {
      w.child[lane] = kNone;
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 3; ++k) w.axis[j][k][lane] = w.axis[j][k][0];
        w.center[j][lane] = w.center[j][0], w.half[j][lane] = w.half[j][0];
      }
    }
    set_first_axis(o);
    // Towards the child farthest from the first.
    float along[3] = {0, 0, 0}, farthest = -1;
    for (std::size_t lane = 1; lane < filled; ++lane) {
      float d[3], square = 0;
      for (std::size_t j = 0; j < 3; ++j) d[j] = w.center[j][lane] - w.center[j][0], square += d[j] * d[j];
      if (square > farthest) farthest = square, std::copy(d, d + 3, along);
    }
    complete_axes(o.axis, along);
    Span spans[3];
    for (std::size_t k = 0; k < 3; ++k) spans[k] = span_along(w, o.axis[k]);
    set_box(o, spans, rounding);
    for (std::size_t lane = filled; lane < kWidth; ++lane) {
      for (std::size_t j = 0; j < 3; ++j) w.half[j][lane] = kNothing;
    }
  }
  bvh::Node around{};
  around.set(0, all, 0);
  whole = {};
  set_child(whole, 0, scratch[0], around);
  for (std::size_t lane = 1; lane < kWidth; ++lane) {
    for (std::size_t j = 0; j < 3; ++j) whole.half[j][lane] = kNothing;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::mesh
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::mesh {

HWY_EXPORT(fit_leaves);
HWY_EXPORT(fit_all_nodes);

void fit_blocks(std::span<const Block> blocks, float rounding, bvh::Box* boxes, Oriented* oriented) {
  HWY_DYNAMIC_DISPATCH(fit_leaves)(blocks.data(), blocks.size(), rounding, boxes, oriented);
}

void fit_nodes(const bvh::Tree& tree, std::span<const Oriented> leaves, Buffer<Oriented>& scratch, Buffer<Wide>& wide,
               Wide& whole) {
  wide.resize(tree.nodes.size()), scratch.resize(tree.nodes.size());
  HWY_DYNAMIC_DISPATCH(fit_all_nodes)
  (tree.nodes.data(), tree.nodes.size(), leaves.data(), tree.rounding, wide.data(), scratch.data(), tree.root, whole);
}

}  // namespace graze::mesh
#endif
