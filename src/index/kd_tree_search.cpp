#include "index/kd_tree_search.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/kd_tree_search.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::kd_tree {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// All arithmetic is double and rounds step by step in the order of search_volume.h, so lanes decide what a loop over
// the caller's points decides; a fused multiply-add would not.
//
// Bounds of nodes need no tolerance where only differences, products with a constant and sums are involved: rounding
// keeps order, so what is computed for a corner bounds what is computed for every point.
using Doubles = hn::CappedTag<double, kFan>;
using Vec = hn::Vec<Doubles>;
using Mask = hn::Mask<Doubles>;

HWY_INLINE Vec set(double value) { return hn::Set(Doubles(), value); }
HWY_INLINE Vec load(const float* from) {
  return hn::PromoteTo(Doubles(), hn::Load(hn::Rebind<float, Doubles>(), from));
}
HWY_INLINE Vec load(const double* from) { return hn::Load(Doubles(), from); }

HWY_INLINE Vec dot(Vec ax, Vec ay, Vec az, Vec bx, Vec by, Vec bz) {
  return hn::Add(hn::Add(hn::Mul(ax, bx), hn::Mul(ay, by)), hn::Mul(az, bz));
}
HWY_INLINE Vec dot(const double* a, Vec x, Vec y, Vec z) { return dot(set(a[0]), set(a[1]), set(a[2]), x, y, z); }
HWY_INLINE Vec norm_sq(Vec x, Vec y, Vec z) { return dot(x, y, z, x, y, z); }

// Boxes in lanes.
struct Boxes {
  const Vec &lx, &ly, &lz, &hx, &hy, &hz;
};

// The least and the largest dot(a, p - at) of points p of the boxes.
HWY_INLINE Vec least_dot(const double* a, const double* at, const Boxes& b) {
  return dot(a, hn::Sub(a[0] >= 0 ? b.lx : b.hx, set(at[0])), hn::Sub(a[1] >= 0 ? b.ly : b.hy, set(at[1])),
             hn::Sub(a[2] >= 0 ? b.lz : b.hz, set(at[2])));
}
HWY_INLINE Vec most_dot(const double* a, const double* at, const Boxes& b) {
  return dot(a, hn::Sub(a[0] >= 0 ? b.hx : b.lx, set(at[0])), hn::Sub(a[1] >= 0 ? b.hy : b.ly, set(at[1])),
             hn::Sub(a[2] >= 0 ? b.hz : b.lz, set(at[2])));
}

// --- measures: sq(point) and least_sq(boxes) -------------------------------------------------------------------------

HWY_INLINE Vec sq(const FromPoint& m, Vec x, Vec y, Vec z) {
  return norm_sq(hn::Sub(x, set(m.at[0])), hn::Sub(y, set(m.at[1])), hn::Sub(z, set(m.at[2])));
}
HWY_INLINE Vec gap(Vec low, Vec high, Vec min, Vec max) {
  return hn::Max(hn::Max(hn::Sub(low, max), hn::Sub(min, high)), hn::Zero(Doubles()));
}
HWY_INLINE Vec least_sq(const FromPoint& m, const Boxes& b) {
  const Vec x = set(m.at[0]), y = set(m.at[1]), z = set(m.at[2]);
  return norm_sq(gap(b.lx, b.hx, x, x), gap(b.ly, b.hy, y, y), gap(b.lz, b.hz, z, z));
}
HWY_INLINE Vec most_sq(const FromPoint& m, const Boxes& b) {
  const Vec x = set(m.at[0]), y = set(m.at[1]), z = set(m.at[2]);
  return norm_sq(hn::Max(hn::Sub(x, b.lx), hn::Sub(b.hx, x)), hn::Max(hn::Sub(y, b.ly), hn::Sub(b.hy, y)),
                 hn::Max(hn::Sub(z, b.lz), hn::Sub(b.hz, z)));
}

HWY_INLINE Vec sq(const FromAxis& m, Vec x, Vec y, Vec z) {
  const Vec dx = hn::Sub(x, set(m.at[0])), dy = hn::Sub(y, set(m.at[1])), dz = hn::Sub(z, set(m.at[2]));
  const Vec t = hn::Div(dot(m.v, dx, dy, dz), set(m.vv));
  const Vec on_axis = hn::Min(hn::Max(t, set(m.first)), set(m.last));
  return norm_sq(hn::Sub(dx, hn::Mul(on_axis, set(m.v[0]))), hn::Sub(dy, hn::Mul(on_axis, set(m.v[1]))),
                 hn::Sub(dz, hn::Mul(on_axis, set(m.v[2]))));
}
struct Rounds {
  const Vec &mx, &my, &mz, &radius;  // balls around boxes
};
// How far apart the projections of axis and boxes along coordinate axis i are: there the axis is a line.
HWY_INLINE Vec gap_along(const double* across, const FromAxis& m, const Boxes& b) {
  return hn::Max(least_dot(across, m.at, b), hn::Neg(most_dot(across, m.at, b)));
}
HWY_INLINE Vec least_sq(const FromAxis& m, const Boxes& b) {
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
HWY_INLINE Mask within(const FromAxis& m, double radius, const Boxes& b) {
  const Vec half = set(0.5);
  const Vec hx = hn::Mul(half, hn::Sub(b.hx, b.lx)), hy = hn::Mul(half, hn::Sub(b.hy, b.ly)),
            hz = hn::Mul(half, hn::Sub(b.hz, b.lz));
  const Vec to_center = sq(m, hn::Add(b.lx, hx), hn::Add(b.ly, hy), hn::Add(b.lz, hz));
  const Vec most = hn::Add(hn::Add(hn::Sqrt(to_center), hn::Sqrt(norm_sq(hx, hy, hz))), set(2 * m.slack));
  return hn::Le(hn::Mul(most, set(1 + 16 * kEpsilon)), set(radius));
}

// --- volumes: contains(point), outside(boxes) = certainly none, inside(boxes) = certainly all
// -------------------------

HWY_INLINE Mask contains(const InBall& v, Vec x, Vec y, Vec z) {
  return hn::Le(sq(v.center, x, y, z), set(v.radius_sq));
}
HWY_INLINE Mask outside(const InBall& v, const Boxes& b) { return hn::Gt(least_sq(v.center, b), set(v.radius_sq)); }
HWY_INLINE Mask inside(const InBall& v, const Boxes& b) { return hn::Le(most_sq(v.center, b), set(v.radius_sq)); }

HWY_INLINE Mask contains(const InCapsule& v, Vec x, Vec y, Vec z) {
  return hn::Le(sq(v.axis, x, y, z), set(v.radius_sq));
}
HWY_INLINE Mask outside(const InCapsule& v, const Boxes& b) { return hn::Gt(least_sq(v.axis, b), set(v.radius_sq)); }
HWY_INLINE Mask inside(const InCapsule& v, const Boxes& b) { return within(v.axis, v.radius, b); }

HWY_INLINE Mask between(const double* min, const double* max, Vec lx, Vec ly, Vec lz, Vec hx, Vec hy, Vec hz) {
  const Mask x = hn::And(hn::Ge(hx, set(min[0])), hn::Le(lx, set(max[0])));
  const Mask y = hn::And(hn::Ge(hy, set(min[1])), hn::Le(ly, set(max[1])));
  const Mask z = hn::And(hn::Ge(hz, set(min[2])), hn::Le(lz, set(max[2])));
  return hn::And(x, hn::And(y, z));
}
HWY_INLINE Mask contains(const InBox& v, Vec x, Vec y, Vec z) { return between(v.min, v.max, x, y, z, x, y, z); }
HWY_INLINE Mask outside(const InBox& v, const Boxes& b) {
  return hn::Not(between(v.min, v.max, b.lx, b.ly, b.lz, b.hx, b.hy, b.hz));
}
HWY_INLINE Mask inside(const InBox& v, const Boxes& b) {
  return between(v.min, v.max, b.hx, b.hy, b.hz, b.lx, b.ly, b.lz);
}

HWY_INLINE Mask contains(const InOrientedBox& v, Vec x, Vec y, Vec z) {
  const Vec dx = hn::Sub(x, set(v.at[0])), dy = hn::Sub(y, set(v.at[1])), dz = hn::Sub(z, set(v.at[2]));
  const Mask a = hn::Le(hn::Abs(dot(v.axis[0], dx, dy, dz)), set(v.half[0]));
  const Mask b = hn::Le(hn::Abs(dot(v.axis[1], dx, dy, dz)), set(v.half[1]));
  const Mask c = hn::Le(hn::Abs(dot(v.axis[2], dx, dy, dz)), set(v.half[2]));
  return hn::And(a, hn::And(b, c));
}
HWY_INLINE Mask outside(const InOrientedBox& v, const Boxes& b) {
  Mask apart = hn::Not(between(v.min, v.max, b.lx, b.ly, b.lz, b.hx, b.hy, b.hz));
  for (int i = 0; i < 3; ++i) {
    apart = hn::Or(apart, hn::Gt(least_dot(v.axis[i], v.at, b), set(v.half[i])));
    apart = hn::Or(apart, hn::Lt(most_dot(v.axis[i], v.at, b), set(-v.half[i])));
  }
  return apart;
}
HWY_INLINE Mask inside(const InOrientedBox& v, const Boxes& b) {
  Mask in = hn::Ge(least_dot(v.axis[0], v.at, b), set(-v.half[0]));
  for (int i = 0; i < 3; ++i) {
    in = hn::And(in, hn::Le(most_dot(v.axis[i], v.at, b), set(v.half[i])));
    in = hn::And(in, hn::Ge(least_dot(v.axis[i], v.at, b), set(-v.half[i])));
  }
  return in;
}

HWY_INLINE Mask contains(const InCylinder& v, Vec x, Vec y, Vec z) {
  const FromAxis& m = v.axis;
  const Vec along = dot(m.v, hn::Sub(x, set(m.at[0])), hn::Sub(y, set(m.at[1])), hn::Sub(z, set(m.at[2])));
  const Mask ends = hn::And(hn::Ge(along, hn::Zero(Doubles())), hn::Le(along, set(m.vv)));
  return hn::And(ends, hn::Le(sq(m, x, y, z), set(v.radius_sq)));
}
HWY_INLINE Mask outside(const InCylinder& v, const Boxes& b) {
  const Mask beyond = hn::Or(hn::Gt(least_dot(v.axis.v, v.axis.at, b), set(v.axis.vv)),
                             hn::Lt(most_dot(v.axis.v, v.axis.at, b), hn::Zero(Doubles())));
  return hn::Or(beyond, hn::Gt(least_sq(v.axis, b), set(v.radius_sq)));
}
HWY_INLINE Mask inside(const InCylinder& v, const Boxes& b) {
  const Mask ends = hn::And(hn::Ge(least_dot(v.axis.v, v.axis.at, b), hn::Zero(Doubles())),
                            hn::Le(most_dot(v.axis.v, v.axis.at, b), set(v.axis.vv)));
  return hn::And(ends, within(v.axis, v.radius, b));
}

constexpr double kOrigin[3] = {0, 0, 0};

HWY_INLINE Mask contains(const InPolytope& v, Vec x, Vec y, Vec z) {
  Mask in = hn::Eq(x, x);
  for (const region::Side& side : v.sides) {
    in = hn::And(in, hn::Le(dot(side.normal.data(), x, y, z), set(side.offset)));
  }
  return in;
}
HWY_INLINE Mask outside(const InPolytope& v, const Boxes& b) {
  Mask out = hn::Ne(b.lx, b.lx);
  for (const region::Side& side : v.sides) {
    out = hn::Or(out, hn::Gt(least_dot(side.normal.data(), kOrigin, b), set(side.offset)));
  }
  return out;
}
HWY_INLINE Mask inside(const InPolytope& v, const Boxes& b) {
  Mask in = hn::Eq(b.lx, b.lx);
  for (const region::Side& side : v.sides) {
    in = hn::And(in, hn::Le(most_dot(side.normal.data(), kOrigin, b), set(side.offset)));
  }
  return in;
}

// --- the walk --------------------------------------------------------------------------------------------------------

HWY_INLINE unsigned bits_of(Mask mask) {
  alignas(8) std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Doubles(), mask, bits);
  return bits[0];
}

constexpr std::size_t kStack = kMaxLevels * (kFan - 1) + kFan;

// Children in rising order of their bounds: a list so short that inserting is the fastest way.
HWY_INLINE unsigned sorted(unsigned bits, const double* bounds, unsigned* order) {
  unsigned count = 0;
  for (; bits != 0; bits &= bits - 1) {
    const auto child = static_cast<unsigned>(std::countr_zero(bits));
    unsigned at = count++;
    for (; at > 0 && bounds[child] < bounds[order[at - 1]]; --at) order[at] = order[at - 1];
    order[at] = child;
  }
  return count;
}

template <class T, class Volume, class Measure>
class Gatherer {
 public:
  Gatherer(const Tree<T>& tree, const Volume& volume, const Measure& measure, Gather& into)
      : tree_(tree), volume_(volume), measure_(measure), into_(into) {}

  void walk() {
    if (tree_.size == 0) return;
    struct Open {
      double least_sq;
      std::uint32_t node, level;
    };
    Open stack[kStack];
    std::size_t height = 0;
    stack[height++] = {0, 0, static_cast<std::uint32_t>(tree_.levels - 1)};
    while (height > 0) {
      const Open open = stack[--height];
      if (open.least_sq > into_.limit_sq) continue;
      alignas(64) double bounds[kFan];
      unsigned order[kFan];
      unsigned bits = test(tree_.nodes[tree_.first[open.level] + open.node], bounds);
      const std::size_t first = std::size_t{open.node} * kFan;
      const std::size_t children = tree_.children(open.level) - first;
      if (children < kFan) bits &= (1U << children) - 1;
      if (bits == 0) continue;
      if (open.level == 0) {
        for (unsigned b = bits; b != 0; b &= b - 1) {
          hwy::Prefetch(&tree_.leaves[first + static_cast<unsigned>(std::countr_zero(b))]);
        }
      }
      const unsigned count = sorted(bits, bounds, order);
      if (open.level == 0) {
        for (unsigned i = 0; i < count && bounds[order[i]] <= into_.limit_sq; ++i) scan(tree_.leaves[first + order[i]]);
      } else {
        for (unsigned i = count; i-- > 0;) {
          stack[height++] = {bounds[order[i]], static_cast<std::uint32_t>(first + order[i]), open.level - 1};
        }
      }
    }
  }

 private:
  // Which children may hold something, and how near.
  HWY_INLINE unsigned test(const Node<T>& node, double* bounds) const {
    unsigned bits = 0;
    for (std::size_t i = 0; i < kFan; i += hn::Lanes(Doubles())) {
      const Vec lx = load(node.min[0] + i), ly = load(node.min[1] + i), lz = load(node.min[2] + i);
      const Vec hx = load(node.max[0] + i), hy = load(node.max[1] + i), hz = load(node.max[2] + i);
      const Boxes boxes{lx, ly, lz, hx, hy, hz};
      const Vec least = least_sq(measure_, boxes);
      hn::Store(least, Doubles(), bounds + i);
      const Mask out = hn::Or(outside(volume_, boxes), hn::Gt(least, set(into_.limit_sq)));
      bits |= bits_of(hn::Not(out)) << i;
    }
    return bits & ((1U << kFan) - 1);
  }

  HWY_INLINE void scan(const Leaf<T>& leaf) {
    for (std::size_t i = 0; i < kLeaf; i += hn::Lanes(Doubles())) {
      const Vec x = load(leaf.at[0] + i), y = load(leaf.at[1] + i), z = load(leaf.at[2] + i);
      const Vec distance_sq = sq(measure_, x, y, z);
      const Mask in = hn::And(contains(volume_, x, y, z), hn::Le(distance_sq, set(into_.limit_sq)));
      unsigned bits = bits_of(in);
      if (bits == 0) continue;
      alignas(64) double values[kFan];
      hn::Store(distance_sq, Doubles(), values);
      for (; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
        if (values[lane] <= into_.limit_sq) into_.take(leaf.index[i + lane], values[lane]);
      }
    }
  }

  const Tree<T>& tree_;
  const Volume& volume_;
  const Measure& measure_;
  Gather& into_;
};

template <class T, class Volume>
class Counter {
 public:
  Counter(const Tree<T>& tree, const Volume& volume, Counting& into) : tree_(tree), volume_(volume), into_(into) {}

  void walk() {
    if (tree_.size == 0) return;
    struct Open {
      std::uint32_t node, level;
    };
    Open stack[kStack];
    std::size_t height = 0;
    stack[height++] = {0, static_cast<std::uint32_t>(tree_.levels - 1)};
    while (height > 0 && into_.total < into_.enough) {
      const Open open = stack[--height];
      unsigned in = 0;
      unsigned bits = test(tree_.nodes[tree_.first[open.level] + open.node], in);
      const std::size_t first = std::size_t{open.node} * kFan;
      const std::size_t children = tree_.children(open.level) - first;
      if (children < kFan) bits &= (1U << children) - 1;
      in &= bits;
      for (; in != 0; in &= in - 1) {
        const auto child = static_cast<unsigned>(std::countr_zero(in));
        into_.total += points_of(first + child, open.level);
        bits &= ~(1U << child);
      }
      if (open.level == 0) {
        for (unsigned b = bits; b != 0; b &= b - 1) {
          hwy::Prefetch(&tree_.leaves[first + static_cast<unsigned>(std::countr_zero(b))]);
        }
      }
      for (; bits != 0 && into_.total < into_.enough; bits &= bits - 1) {
        const std::size_t child = first + static_cast<unsigned>(std::countr_zero(bits));
        if (open.level == 0) {
          scan(tree_.leaves[child]);
        } else {
          stack[height++] = {static_cast<std::uint32_t>(child), open.level - 1};
        }
      }
    }
    into_.total = std::min(into_.total, into_.enough);
  }

 private:
  // How many points a child of a node of this level holds.
  std::size_t points_of(std::size_t child, std::uint32_t level) const {
    const std::size_t width = kLeaf << 3U * level;
    return std::min(width, tree_.size - child * width);
  }

  HWY_INLINE unsigned test(const Node<T>& node, unsigned& in) const {
    unsigned bits = 0;
    for (std::size_t i = 0; i < kFan; i += hn::Lanes(Doubles())) {
      const Vec lx = load(node.min[0] + i), ly = load(node.min[1] + i), lz = load(node.min[2] + i);
      const Vec hx = load(node.max[0] + i), hy = load(node.max[1] + i), hz = load(node.max[2] + i);
      const Boxes boxes{lx, ly, lz, hx, hy, hz};
      bits |= bits_of(hn::Not(outside(volume_, boxes))) << i;
      in |= bits_of(inside(volume_, boxes)) << i;
    }
    return bits & ((1U << kFan) - 1);
  }

  HWY_INLINE void scan(const Leaf<T>& leaf) {
    for (std::size_t i = 0; i < kLeaf; i += hn::Lanes(Doubles())) {
      const Mask in = contains(volume_, load(leaf.at[0] + i), load(leaf.at[1] + i), load(leaf.at[2] + i));
      into_.total += hn::CountTrue(Doubles(), in);
    }
  }

  const Tree<T>& tree_;
  const Volume& volume_;
  Counting& into_;
};

template <class T, class Volume, class Measure>
HWY_NOINLINE void gather_in(const Tree<T>& tree, const Volume& volume, const Measure& measure, Gather& into) {
  Gatherer<T, Volume, Measure>(tree, volume, measure, into).walk();
}

template <class T>
void gather_any(const Tree<T>& tree, const SearchVolume& any, bool to_axis, Gather& into) {
  const double largest = tree.largest;
  const auto around = [&](const region::AroundAxis& v) {
    const InCapsule capsule = prepared(v, largest);
    to_axis ? gather_in(tree, capsule, capsule.axis, into) : gather_in(tree, capsule, FromPoint(v.from()), into);
  };
  if (const auto* ball = std::get_if<region::Ball>(&any)) {
    const InBall in = prepared(*ball, largest);
    gather_in(tree, in, in.center, into);
  } else if (const auto* line = std::get_if<region::Line>(&any)) {
    around(*line);
  } else if (const auto* ray = std::get_if<region::Ray>(&any)) {
    around(*ray);
  } else if (const auto* segment = std::get_if<region::Segment>(&any)) {
    around(*segment);
  } else if (const auto* box = std::get_if<region::Box>(&any)) {
    gather_in(tree, prepared(*box, largest), FromPoint(box->center()), into);
  } else if (const auto* oriented = std::get_if<region::OrientedBox>(&any)) {
    gather_in(tree, prepared(*oriented, largest), FromPoint(oriented->pose().translation()), into);
  } else if (const auto* cylinder = std::get_if<region::Cylinder>(&any)) {
    const InCylinder in = prepared(*cylinder, largest);
    to_axis ? gather_in(tree, in, in.axis, into) : gather_in(tree, in, FromPoint(cylinder->from()), into);
  } else if (const auto* polytope = std::get_if<region::Polytope>(&any)) {
    gather_in(tree, prepared(*polytope, largest), FromPoint(polytope->center()), into);
  }
}

template <class T, class Volume>
HWY_NOINLINE void count_in(const Tree<T>& tree, const Volume& volume, Counting& into) {
  Counter<T, Volume>(tree, volume, into).walk();
}

template <class T>
void count_any(const Tree<T>& tree, const SearchVolume& any, Counting& into) {
  const double largest = tree.largest;
  if (const auto* ball = std::get_if<region::Ball>(&any)) {
    count_in(tree, prepared(*ball, largest), into);
  } else if (const auto* line = std::get_if<region::Line>(&any)) {
    count_in(tree, prepared(*line, largest), into);
  } else if (const auto* ray = std::get_if<region::Ray>(&any)) {
    count_in(tree, prepared(*ray, largest), into);
  } else if (const auto* segment = std::get_if<region::Segment>(&any)) {
    count_in(tree, prepared(*segment, largest), into);
  } else if (const auto* box = std::get_if<region::Box>(&any)) {
    count_in(tree, prepared(*box, largest), into);
  } else if (const auto* oriented = std::get_if<region::OrientedBox>(&any)) {
    count_in(tree, prepared(*oriented, largest), into);
  } else if (const auto* cylinder = std::get_if<region::Cylinder>(&any)) {
    count_in(tree, prepared(*cylinder, largest), into);
  } else if (const auto* polytope = std::get_if<region::Polytope>(&any)) {
    count_in(tree, prepared(*polytope, largest), into);
  }
}

void gather_floats(const Tree<float>& tree, const SearchVolume& volume, bool to_axis, Gather& into) {
  gather_any(tree, volume, to_axis, into);
}
void gather_doubles(const Tree<double>& tree, const SearchVolume& volume, bool to_axis, Gather& into) {
  gather_any(tree, volume, to_axis, into);
}
void count_floats(const Tree<float>& tree, const SearchVolume& volume, Counting& into) {
  count_any(tree, volume, into);
}
void count_doubles(const Tree<double>& tree, const SearchVolume& volume, Counting& into) {
  count_any(tree, volume, into);
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::kd_tree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::kd_tree {

HWY_EXPORT(gather_floats);
HWY_EXPORT(gather_doubles);
HWY_EXPORT(count_floats);
HWY_EXPORT(count_doubles);

template <>
void gather(const Tree<float>& tree, const SearchVolume& volume, bool to_axis, Gather& into) {
  HWY_DYNAMIC_DISPATCH(gather_floats)(tree, volume, to_axis, into);
}
template <>
void gather(const Tree<double>& tree, const SearchVolume& volume, bool to_axis, Gather& into) {
  HWY_DYNAMIC_DISPATCH(gather_doubles)(tree, volume, to_axis, into);
}
template <>
void count(const Tree<float>& tree, const SearchVolume& volume, Counting& into) {
  HWY_DYNAMIC_DISPATCH(count_floats)(tree, volume, into);
}
template <>
void count(const Tree<double>& tree, const SearchVolume& volume, Counting& into) {
  HWY_DYNAMIC_DISPATCH(count_doubles)(tree, volume, into);
}

}  // namespace graze::kd_tree
#endif
