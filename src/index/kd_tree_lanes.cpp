#include "index/kd_tree_lanes.h"

#include <cstdint>
#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/kd_tree_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/lane_function.h"
#include "base/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::kd_tree {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

// All arithmetic is double and rounds step by step in the order of search_volume.h, so lanes decide what a loop over
// the caller's points decides; a fused multiply-add would not.
//
// Bounds of nodes need no tolerance where only differences, products with a constant and sums are involved: rounding
// keeps order, so what is computed for a corner bounds what is computed for every point.
using Doubles = hn::CappedTag<double, kFan>;
using Vec = hn::Vec<Doubles>;
using Mask = hn::Mask<Doubles>;

GRAZE_LANE_FUNCTION Vec set(double value) { return hn::Set(Doubles(), value); }
GRAZE_LANE_FUNCTION Vec load(const double* from) { return hn::Load(Doubles(), from); }

GRAZE_LANE_FUNCTION Vec dot(Vec ax, Vec ay, Vec az, Vec bx, Vec by, Vec bz) {
  return hn::Add(hn::Add(hn::Mul(ax, bx), hn::Mul(ay, by)), hn::Mul(az, bz));
}
GRAZE_LANE_FUNCTION Vec dot(const double* a, Vec x, Vec y, Vec z) {
  return dot(set(a[0]), set(a[1]), set(a[2]), x, y, z);
}
GRAZE_LANE_FUNCTION Vec norm_sq(Vec x, Vec y, Vec z) { return dot(x, y, z, x, y, z); }

// Boxes in lanes.
struct Boxes {
  const Vec &lx, &ly, &lz, &hx, &hy, &hz;
};

// The smallest and the largest dot(a, p - at) of points p of the boxes.
GRAZE_LANE_FUNCTION Vec min_dot(const double* a, const double* at, const Boxes& b) {
  return dot(a, hn::Sub(a[0] >= 0 ? b.lx : b.hx, set(at[0])), hn::Sub(a[1] >= 0 ? b.ly : b.hy, set(at[1])),
             hn::Sub(a[2] >= 0 ? b.lz : b.hz, set(at[2])));
}
GRAZE_LANE_FUNCTION Vec max_dot(const double* a, const double* at, const Boxes& b) {
  return dot(a, hn::Sub(a[0] >= 0 ? b.hx : b.lx, set(at[0])), hn::Sub(a[1] >= 0 ? b.hy : b.ly, set(at[1])),
             hn::Sub(a[2] >= 0 ? b.hz : b.lz, set(at[2])));
}

// --- measures: sq(point) and min_sq(boxes) -------------------------------------------------------------------------

GRAZE_LANE_FUNCTION Vec sq(const FromPoint& m, Vec x, Vec y, Vec z) {
  return norm_sq(hn::Sub(x, set(m.at[0])), hn::Sub(y, set(m.at[1])), hn::Sub(z, set(m.at[2])));
}
GRAZE_LANE_FUNCTION Vec gap(Vec low, Vec high, Vec min, Vec max) {
  return hn::Max(hn::Max(hn::Sub(low, max), hn::Sub(min, high)), hn::Zero(Doubles()));
}
GRAZE_LANE_FUNCTION Vec min_sq(const FromPoint& m, const Boxes& b) {
  const Vec x = set(m.at[0]), y = set(m.at[1]), z = set(m.at[2]);
  return norm_sq(gap(b.lx, b.hx, x, x), gap(b.ly, b.hy, y, y), gap(b.lz, b.hz, z, z));
}
GRAZE_LANE_FUNCTION Vec max_sq(const FromPoint& m, const Boxes& b) {
  const Vec x = set(m.at[0]), y = set(m.at[1]), z = set(m.at[2]);
  return norm_sq(hn::Max(hn::Sub(x, b.lx), hn::Sub(b.hx, x)), hn::Max(hn::Sub(y, b.ly), hn::Sub(b.hy, y)),
                 hn::Max(hn::Sub(z, b.lz), hn::Sub(b.hz, z)));
}

GRAZE_LANE_FUNCTION Vec sq(const FromAxis& m, Vec x, Vec y, Vec z) {
  const Vec dx = hn::Sub(x, set(m.at[0])), dy = hn::Sub(y, set(m.at[1])), dz = hn::Sub(z, set(m.at[2]));
  const Vec t = hn::Div(dot(m.v, dx, dy, dz), set(m.vv));
  const Vec on_axis = hn::Min(hn::Max(t, set(m.first)), set(m.last));
  return norm_sq(hn::Sub(dx, hn::Mul(on_axis, set(m.v[0]))), hn::Sub(dy, hn::Mul(on_axis, set(m.v[1]))),
                 hn::Sub(dz, hn::Mul(on_axis, set(m.v[2]))));
}
// How far apart the projections of axis and boxes along coordinate axis i are: there the axis is a line.
GRAZE_LANE_FUNCTION Vec gap_along(const double* across, const FromAxis& m, const Boxes& b) {
  return hn::Max(min_dot(across, m.at, b), hn::Neg(max_dot(across, m.at, b)));
}
GRAZE_LANE_FUNCTION Vec min_sq(const FromAxis& m, const Boxes& b) {
  const Vec slack = set(m.slack), zero = hn::Zero(Doubles());
  const Vec lateral = hn::Max(hn::Max(gap_along(m.across[0], m, b), gap_along(m.across[1], m, b)),
                              hn::Max(gap_along(m.across[2], m, b), zero));
  const Vec apart = hn::Max(hn::Sub(lateral, slack), zero);
  const Vec x = hn::Max(hn::Sub(gap(b.lx, b.hx, set(m.min[0]), set(m.max[0])), slack), zero);
  const Vec y = hn::Max(hn::Sub(gap(b.ly, b.hy, set(m.min[1]), set(m.max[1])), slack), zero);
  const Vec z = hn::Max(hn::Sub(gap(b.lz, b.hz, set(m.min[2]), set(m.max[2])), slack), zero);
  // Less by the rounding of the squares themselves.
  return hn::Mul(hn::Max(hn::Mul(apart, apart), norm_sq(x, y, z)), set(1 - 16 * kEpsilon));
}
// Whether everything in the boxes is within `radius` of the axis: the ball around a box is.
GRAZE_LANE_FUNCTION Mask within(const FromAxis& m, double radius, const Boxes& b) {
  const Vec half = set(0.5);
  const Vec hx = hn::Mul(half, hn::Sub(b.hx, b.lx)), hy = hn::Mul(half, hn::Sub(b.hy, b.ly)),
            hz = hn::Mul(half, hn::Sub(b.hz, b.lz));
  const Vec to_center = sq(m, hn::Add(b.lx, hx), hn::Add(b.ly, hy), hn::Add(b.lz, hz));
  const Vec most = hn::Add(hn::Add(hn::Sqrt(to_center), hn::Sqrt(norm_sq(hx, hy, hz))), set(2 * m.slack));
  return hn::Le(hn::Mul(most, set(1 + 16 * kEpsilon)), set(radius));
}

// --- volumes: contains(point), outside(boxes) = certainly none, inside(boxes) = certainly all
// -------------------------

GRAZE_LANE_FUNCTION Mask contains(const InBall& v, Vec x, Vec y, Vec z) {
  return hn::Le(sq(v.center, x, y, z), set(v.radius_sq));
}
GRAZE_LANE_FUNCTION Mask outside(const InBall& v, const Boxes& b) {
  return hn::Gt(min_sq(v.center, b), set(v.radius_sq));
}
GRAZE_LANE_FUNCTION Mask inside(const InBall& v, const Boxes& b) {
  return hn::Le(max_sq(v.center, b), set(v.radius_sq));
}

GRAZE_LANE_FUNCTION Mask contains(const InCapsule& v, Vec x, Vec y, Vec z) {
  return hn::Le(sq(v.axis, x, y, z), set(v.radius_sq));
}
GRAZE_LANE_FUNCTION Mask outside(const InCapsule& v, const Boxes& b) {
  return hn::Gt(min_sq(v.axis, b), set(v.radius_sq));
}
GRAZE_LANE_FUNCTION Mask inside(const InCapsule& v, const Boxes& b) { return within(v.axis, v.radius, b); }

GRAZE_LANE_FUNCTION Mask between(const double* min, const double* max, Vec lx, Vec ly, Vec lz, Vec hx, Vec hy, Vec hz) {
  const Mask x = hn::And(hn::Ge(hx, set(min[0])), hn::Le(lx, set(max[0])));
  const Mask y = hn::And(hn::Ge(hy, set(min[1])), hn::Le(ly, set(max[1])));
  const Mask z = hn::And(hn::Ge(hz, set(min[2])), hn::Le(lz, set(max[2])));
  return hn::And(x, hn::And(y, z));
}
GRAZE_LANE_FUNCTION Mask contains(const InBox& v, Vec x, Vec y, Vec z) {
  return between(v.min, v.max, x, y, z, x, y, z);
}
GRAZE_LANE_FUNCTION Mask outside(const InBox& v, const Boxes& b) {
  return hn::Not(between(v.min, v.max, b.lx, b.ly, b.lz, b.hx, b.hy, b.hz));
}
GRAZE_LANE_FUNCTION Mask inside(const InBox& v, const Boxes& b) {
  return between(v.min, v.max, b.hx, b.hy, b.hz, b.lx, b.ly, b.lz);
}

GRAZE_LANE_FUNCTION Mask contains(const InOrientedBox& v, Vec x, Vec y, Vec z) {
  const Vec dx = hn::Sub(x, set(v.at[0])), dy = hn::Sub(y, set(v.at[1])), dz = hn::Sub(z, set(v.at[2]));
  const Mask a = hn::Le(hn::Abs(dot(v.axis[0], dx, dy, dz)), set(v.half[0]));
  const Mask b = hn::Le(hn::Abs(dot(v.axis[1], dx, dy, dz)), set(v.half[1]));
  const Mask c = hn::Le(hn::Abs(dot(v.axis[2], dx, dy, dz)), set(v.half[2]));
  return hn::And(a, hn::And(b, c));
}
GRAZE_LANE_FUNCTION Mask outside(const InOrientedBox& v, const Boxes& b) {
  Mask apart = hn::Not(between(v.min, v.max, b.lx, b.ly, b.lz, b.hx, b.hy, b.hz));
  for (int i = 0; i < 3; ++i) {
    apart = hn::Or(apart, hn::Gt(min_dot(v.axis[i], v.at, b), set(v.half[i])));
    apart = hn::Or(apart, hn::Lt(max_dot(v.axis[i], v.at, b), set(-v.half[i])));
  }
  return apart;
}
GRAZE_LANE_FUNCTION Mask inside(const InOrientedBox& v, const Boxes& b) {
  Mask in = hn::Ge(min_dot(v.axis[0], v.at, b), set(-v.half[0]));
  for (int i = 0; i < 3; ++i) {
    in = hn::And(in, hn::Le(max_dot(v.axis[i], v.at, b), set(v.half[i])));
    in = hn::And(in, hn::Ge(min_dot(v.axis[i], v.at, b), set(-v.half[i])));
  }
  return in;
}

GRAZE_LANE_FUNCTION Mask contains(const InCylinder& v, Vec x, Vec y, Vec z) {
  const FromAxis& m = v.axis;
  const Vec along = dot(m.v, hn::Sub(x, set(m.at[0])), hn::Sub(y, set(m.at[1])), hn::Sub(z, set(m.at[2])));
  const Mask ends = hn::And(hn::Ge(along, hn::Zero(Doubles())), hn::Le(along, set(m.vv)));
  return hn::And(ends, hn::Le(sq(m, x, y, z), set(v.radius_sq)));
}
GRAZE_LANE_FUNCTION Mask outside(const InCylinder& v, const Boxes& b) {
  const Mask beyond = hn::Or(hn::Gt(min_dot(v.axis.v, v.axis.at, b), set(v.axis.vv)),
                             hn::Lt(max_dot(v.axis.v, v.axis.at, b), hn::Zero(Doubles())));
  return hn::Or(beyond, hn::Gt(min_sq(v.axis, b), set(v.radius_sq)));
}
GRAZE_LANE_FUNCTION Mask inside(const InCylinder& v, const Boxes& b) {
  const Mask ends = hn::And(hn::Ge(min_dot(v.axis.v, v.axis.at, b), hn::Zero(Doubles())),
                            hn::Le(max_dot(v.axis.v, v.axis.at, b), set(v.axis.vv)));
  return hn::And(ends, within(v.axis, v.radius, b));
}

constexpr double kOrigin[3] = {0, 0, 0};

GRAZE_LANE_FUNCTION Mask contains(const InPolytope& v, Vec x, Vec y, Vec z) {
  Mask in = hn::Eq(x, x);
  for (const region::Side& side : v.sides) {
    in = hn::And(in, hn::Le(dot(side.normal.data(), x, y, z), set(side.offset)));
  }
  return in;
}
GRAZE_LANE_FUNCTION Mask outside(const InPolytope& v, const Boxes& b) {
  Mask out = hn::Ne(b.lx, b.lx);
  for (const region::Side& side : v.sides) {
    out = hn::Or(out, hn::Gt(min_dot(side.normal.data(), kOrigin, b), set(side.offset)));
  }
  return out;
}
GRAZE_LANE_FUNCTION Mask inside(const InPolytope& v, const Boxes& b) {
  Mask in = hn::Eq(b.lx, b.lx);
  for (const region::Side& side : v.sides) {
    in = hn::And(in, hn::Le(max_dot(side.normal.data(), kOrigin, b), set(side.offset)));
  }
  return in;
}

// --- what the walk calls ---------------------------------------------------------------------------------------------

// The numbers of a node or a leaf as doubles: themselves, or copies in `room`.
GRAZE_LANE_FUNCTION const double* in_doubles(const void* from, bool floats, std::size_t count, double* room) {
  if (!floats) return static_cast<const double*>(from);
  const Doubles d;
  const hn::Rebind<float, Doubles> f;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::PromoteTo(d, hn::Load(f, static_cast<const float*>(from) + i)), d, room + i);
  }
  return room;
}

GRAZE_LANE_FUNCTION unsigned bits_of(Mask mask) {
  return mask_bits(Doubles(), mask) & ((1U << hn::Lanes(Doubles())) - 1);
}

template <class Volume, class Measure>
unsigned reach(const Query& q, const void* node, double limit_sq, double* least) {
  const auto& volume = *static_cast<const Volume*>(q.volume);
  const auto& measure = *static_cast<const Measure*>(q.measure);
  alignas(64) double room[6 * kFan];
  const double* box = in_doubles(node, q.floats, 6 * kFan, room);
  unsigned bits = 0;
  for (std::size_t i = 0; i < kFan; i += hn::Lanes(Doubles())) {
    const Vec lx = load(box + i), ly = load(box + kFan + i), lz = load(box + 2 * kFan + i);
    const Vec hx = load(box + 3 * kFan + i), hy = load(box + 4 * kFan + i), hz = load(box + 5 * kFan + i);
    const Boxes boxes{lx, ly, lz, hx, hy, hz};
    const Vec at_least = min_sq(measure, boxes);
    hn::Store(at_least, Doubles(), least + i);
    bits |= bits_of(hn::Not(hn::Or(outside(volume, boxes), hn::Gt(at_least, set(limit_sq))))) << i;
  }
  return bits;
}

template <class Volume>
Meeting meet(const Query& q, const void* node) {
  const auto& volume = *static_cast<const Volume*>(q.volume);
  alignas(64) double room[6 * kFan];
  const double* box = in_doubles(node, q.floats, 6 * kFan, room);
  Meeting meeting{0, 0};
  for (std::size_t i = 0; i < kFan; i += hn::Lanes(Doubles())) {
    const Vec lx = load(box + i), ly = load(box + kFan + i), lz = load(box + 2 * kFan + i);
    const Vec hx = load(box + 3 * kFan + i), hy = load(box + 4 * kFan + i), hz = load(box + 5 * kFan + i);
    const Boxes boxes{lx, ly, lz, hx, hy, hz};
    meeting.some |= bits_of(hn::Not(outside(volume, boxes))) << i;
    meeting.all |= bits_of(inside(volume, boxes)) << i;
  }
  return meeting;
}

template <class Volume, class Measure>
unsigned find(const Query& q, const void* leaf, double limit_sq, double* distance_sq) {
  const auto& volume = *static_cast<const Volume*>(q.volume);
  const auto& measure = *static_cast<const Measure*>(q.measure);
  alignas(64) double room[3 * kLeaf];
  const double* at = in_doubles(leaf, q.floats, 3 * kLeaf, room);
  unsigned bits = 0;
  for (std::size_t i = 0; i < kLeaf; i += hn::Lanes(Doubles())) {
    const Vec x = load(at + i), y = load(at + kLeaf + i), z = load(at + 2 * kLeaf + i);
    const Vec squared = sq(measure, x, y, z);
    hn::Store(squared, Doubles(), distance_sq + i);
    bits |= bits_of(hn::And(contains(volume, x, y, z), hn::Le(squared, set(limit_sq)))) << i;
  }
  return bits;
}

template <class Volume, class Measure>
Kernels kernels_for() {
  return {reach<Volume, Measure>, meet<Volume>, find<Volume, Measure>};
}

Kernels kernels_of(std::size_t region, bool to_axis) {
  switch (region) {
    case 0:
      return kernels_for<InBall, FromPoint>();
    case 1:
    case 2:
    case 3:
      return to_axis ? kernels_for<InCapsule, FromAxis>() : kernels_for<InCapsule, FromPoint>();
    case 4:
      return kernels_for<InBox, FromPoint>();
    case 5:
      return kernels_for<InOrientedBox, FromPoint>();
    case 6:
      return to_axis ? kernels_for<InCylinder, FromAxis>() : kernels_for<InCylinder, FromPoint>();
    default:
      return kernels_for<InPolytope, FromPoint>();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::kd_tree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::kd_tree {

HWY_EXPORT(kernels_of);

Kernels kernels_of(const SearchVolume& volume, bool to_axis) {
  using Kinds = SearchVolume::variant;
  static_assert(std::is_same_v<std::variant_alternative_t<0, Kinds>, region::Ball> &&
                std::is_same_v<std::variant_alternative_t<3, Kinds>, region::Segment> &&
                std::is_same_v<std::variant_alternative_t<6, Kinds>, region::Cylinder> &&
                std::variant_size_v<Kinds> == 8);
  return HWY_DYNAMIC_DISPATCH(kernels_of)(volume.index(), to_axis);
}

}  // namespace graze::kd_tree
#endif
