// The arithmetic of the walks: lanes of eight, and bounds for boxes and triangles in them. Included once per
// instruction set.
#if defined(GRAZE_QUERY_MESH_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_QUERY_MESH_LANES_INL_H_
#undef GRAZE_QUERY_MESH_LANES_INL_H_
#else
#define GRAZE_QUERY_MESH_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"
#include "query/mesh_walk.h"

HWY_BEFORE_NAMESPACE();
namespace graze::walk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

using bvh::kLeafBit;
using bvh::kNone;
using bvh::kWidth;
using mesh::Block;
using mesh::Data;
using mesh::Wide;

// Eight lanes, in as many registers as it takes. Products and sums are rounded one by one, so that all machines agree.
constexpr hn::CappedTag<float, kWidth> kF;
using F = hn::Vec<decltype(kF)>;
using M = hn::Mask<decltype(kF)>;
constexpr std::size_t kRegisters = kWidth / hn::MaxLanes(kF);

struct Lanes {
  F of[kRegisters];
};
template <class Op>
GRAZE_LANE_FUNCTION Lanes each(const Op& op) {
  Lanes r;
  for (std::size_t i = 0; i < kRegisters; ++i) r.of[i] = op(i);
  return r;
}
GRAZE_LANE_FUNCTION Lanes load(const float* at) {
  return each([&](std::size_t i) { return hn::Load(kF, at + i * hn::MaxLanes(kF)); });
}
GRAZE_LANE_FUNCTION void store(const Lanes& a, float* at) {
  for (std::size_t i = 0; i < kRegisters; ++i) hn::Store(a.of[i], kF, at + i * hn::MaxLanes(kF));
}
GRAZE_LANE_FUNCTION Lanes all(float x) {
  return each([&](std::size_t) { return hn::Set(kF, x); });
}
GRAZE_LANE_FUNCTION Lanes operator+(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Add(a.of[i], b.of[i]); });
}
GRAZE_LANE_FUNCTION Lanes operator-(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Sub(a.of[i], b.of[i]); });
}
GRAZE_LANE_FUNCTION Lanes operator*(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Mul(a.of[i], b.of[i]); });
}
GRAZE_LANE_FUNCTION Lanes operator/(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Div(a.of[i], b.of[i]); });
}
GRAZE_LANE_FUNCTION Lanes root(const Lanes& a) {
  return each([&](std::size_t i) { return hn::Sqrt(a.of[i]); });
}
GRAZE_LANE_FUNCTION Lanes abs(const Lanes& a) {
  return each([&](std::size_t i) { return hn::Abs(a.of[i]); });
}
GRAZE_LANE_FUNCTION Lanes max(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Max(a.of[i], b.of[i]); });
}
GRAZE_LANE_FUNCTION Lanes min(const Lanes& a, const Lanes& b) {
  return each([&](std::size_t i) { return hn::Min(a.of[i], b.of[i]); });
}
// Bits of the lanes where a is not above b.
GRAZE_LANE_FUNCTION unsigned not_above(const Lanes& a, const Lanes& b) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < kRegisters; ++i) {
    bits |= mask_bits(kF, hn::Le(a.of[i], b.of[i])) << (i * hn::MaxLanes(kF));
  }
  return bits;
}

struct Lanes3 {
  Lanes x, y, z;
};
GRAZE_LANE_FUNCTION Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
GRAZE_LANE_FUNCTION Lanes dot(const Lanes3& a, const Lanes3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
GRAZE_LANE_FUNCTION Lanes3 cross(const Lanes3& a, const Lanes3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
GRAZE_LANE_FUNCTION Lanes3 load3(const float (*at)[kWidth]) { return {load(at[0]), load(at[1]), load(at[2])}; }
GRAZE_LANE_FUNCTION Lanes3 all3(const float* at) { return {all(at[0]), all(at[1]), all(at[2])}; }
// Zero where the vector is: such an axis separates nothing.
GRAZE_LANE_FUNCTION Lanes3 unit_vector(const Lanes3& a) {
  const Lanes scale = all(1) / max(root(dot(a, a)), all(1e-18F));
  return {a.x * scale, a.y * scale, a.z * scale};
}

// The part of the unit a that is orthogonal to the unit t, as a unit; zero where little of it is.
GRAZE_LANE_FUNCTION Lanes3 orthogonal(const Lanes3& a, const Lanes3& t) {
  const Lanes along = dot(a, t);
  const Lanes3 left = {a.x - along * t.x, a.y - along * t.y, a.z - along * t.z};
  const Lanes square = dot(left, left), enough = all(0.5F);
  const Lanes scale = each([&](std::size_t i) {
    return hn::IfThenElseZero(hn::Ge(square.of[i], enough.of[i]), hn::Div(hn::Set(kF, 1), hn::Sqrt(square.of[i])));
  });
  return {left.x * scale, left.y * scale, left.z * scale};
}

// A box along any axes, as a tree sees it.
struct Turned {
  alignas(16) float center[4], axis[3][4];  // axes: unit; the fourth numbers are not used
  float half[3];

  // The box of a lane, seen through a frame.
  GRAZE_LANE_FUNCTION Turned(const Wide& wide, std::size_t lane, const Frame& f) {
    const Four x = four(f.r[0]), y = four(f.r[1]), z = four(f.r[2]);
    to_four(center) = x * wide.center[0][lane] + y * wide.center[1][lane] + z * wide.center[2][lane] + Four(four(f.t));
    for (int k = 0; k < 3; ++k) {
      to_four(axis[k]) = x * wide.axis[k][0][lane] + y * wide.axis[k][1][lane] + z * wide.axis[k][2][lane];
      half[k] = wide.half[k][lane];
    }
  }
  // Along the axes of its frame, about the frame's origin.
  GRAZE_LANE_FUNCTION Turned(const float* size, const Frame& f) {
    std::copy(f.t, f.t + 4, center);
    for (int k = 0; k < 3; ++k) std::copy(f.r[k], f.r[k] + 4, axis[k]), half[k] = size[k];
  }

 private:
  using Four = Eigen::Array4f;
  static GRAZE_LANE_FUNCTION Eigen::Map<const Four, Eigen::Aligned16> four(const float* at) {
    return Eigen::Map<const Four, Eigen::Aligned16>(at);
  }
  static GRAZE_LANE_FUNCTION Eigen::Map<Four, Eigen::Aligned16> to_four(float* at) {
    return Eigen::Map<Four, Eigen::Aligned16>(at);
  }
};

// Bits of the children that may be as near to the box as the root of `limit_sq`, with the squares of their bounds: the
// larger of the gaps along the axes of the box and those of the child. `between` is the square of the distance of the
// centres. With `toward`, a unit direction from the box to the node's side, the gap along that counts, too.
GRAZE_LANE_FUNCTION unsigned near_children(const Wide& node, const Turned& box, float limit_sq, Lanes& bounds,
                                           Lanes& between, const float* toward = nullptr) {
  const Lanes zero = all(0), limit = all(limit_sq);
  const Lanes3 d = load3(node.center) - all3(box.center);
  between = dot(d, d);
  const Lanes3 h = load3(node.half);
  const Lanes3 own[3] = {load3(node.axis[0]), load3(node.axis[1]), load3(node.axis[2])};
  // Along the box's axes; how its axes lie to the children's is needed for both.
  Lanes reach[3] = {h.x, h.y, h.z};
  bounds = zero;
  for (int k = 0; k < 3; ++k) {
    const Lanes3 axis = all3(box.axis[k]);
    const Lanes half = all(box.half[k]);
    const Lanes x = abs(dot(axis, own[0])), y = abs(dot(axis, own[1])), z = abs(dot(axis, own[2]));
    reach[0] = reach[0] + x * half, reach[1] = reach[1] + y * half, reach[2] = reach[2] + z * half;
    const Lanes gap = max(abs(dot(axis, d)) - (x * h.x + y * h.y + z * h.z + half), zero);
    bounds = bounds + gap * gap;
  }
  unsigned near = not_above(bounds, limit);
  if (near == 0) return 0;
  if (toward != nullptr) {
    float across = 0;
    for (int k = 0; k < 3; ++k) {
      const float* axis = box.axis[k];
      across += std::abs(axis[0] * toward[0] + axis[1] * toward[1] + axis[2] * toward[2]) * box.half[k];
    }
    const Lanes3 n = all3(toward);
    const Lanes x = abs(dot(n, own[0])), y = abs(dot(n, own[1])), z = abs(dot(n, own[2]));
    const Lanes gap = max(dot(n, d) - (x * h.x + y * h.y + z * h.z + all(across)), zero);
    bounds = max(bounds, gap * gap);
    near &= not_above(bounds, limit);
    if (near == 0) return 0;
  }
  Lanes there = zero;
  for (int k = 0; k < 3; ++k) {
    const Lanes gap = max(abs(dot(own[k], d)) - reach[k], zero);
    there = there + gap * gap;
  }
  bounds = max(bounds, there);
  return near & not_above(bounds, limit);
}

// The square that a squared bound must not exceed. With a negative limit there is none: the walk ends.
GRAZE_LANE_FUNCTION float square_above(double limit, double slack) {
  if (limit < 0) return -1;
  const double reach = limit + slack;
  return static_cast<float>(std::min(reach * reach * (1 + 1e-6), 1e38)) + 1e-37F;
}

// Triangles of a block, with what the tests want of them.
struct Triangles {
  Lanes3 at[3], normal;
  Lanes lowest, highest;  // of the corners along the normal

  GRAZE_LANE_FUNCTION void complete() {
    normal = unit_vector(cross(at[1] - at[0], at[2] - at[0]));
    const Lanes p = dot(normal, at[0]), q = dot(normal, at[1]), r = dot(normal, at[2]);
    lowest = min(min(p, q), r), highest = max(max(p, q), r);
  }
};
GRAZE_LANE_FUNCTION Triangles triangles_of(const Block& block) {
  Triangles t;
  for (int k = 0; k < 3; ++k) t.at[k] = load3(block.at[k]);
  t.complete();
  return t;
}
// Not completed.
GRAZE_LANE_FUNCTION Triangles moved_triangles(const Block& block, const Frame& f) {
  Triangles t;
  for (int k = 0; k < 3; ++k) {
    const Lanes3 p = load3(block.at[k]);
    t.at[k].x = all(f.r[0][0]) * p.x + all(f.r[1][0]) * p.y + all(f.r[2][0]) * p.z + all(f.t[0]);
    t.at[k].y = all(f.r[0][1]) * p.x + all(f.r[1][1]) * p.y + all(f.r[2][1]) * p.z + all(f.t[1]);
    t.at[k].z = all(f.r[0][2]) * p.x + all(f.r[1][2]) * p.y + all(f.r[2][2]) * p.z + all(f.t[2]);
  }
  return t;
}

// Bits of the lanes that hold a triangle.
GRAZE_LANE_FUNCTION unsigned filled(const Block& block) {
  constexpr hn::RebindToUnsigned<decltype(kF)> kU;
  unsigned bits = 0;
  for (std::size_t i = 0; i < kRegisters; ++i) {
    const auto triangle = hn::Load(kU, block.triangle + i * hn::MaxLanes(kF));
    bits |= mask_bits(kU, hn::Ne(triangle, hn::Set(kU, kNone))) << (i * hn::MaxLanes(kF));
  }
  return bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::walk
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
