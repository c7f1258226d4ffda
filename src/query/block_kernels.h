// The bodies of what block.h declares; compiled by block_flat.cpp and block_curved.cpp alone.
#pragma once

#include "query/block.h"

namespace graze {

// A box as the shape that it is, about its middle.
struct BlockAsBox {
  Box box;
  Relative relative;
  double error;  // of where it stands

  BlockAsBox(const Block& b, const Relative& r)
      : box{.half = ((b.corners[7] - b.corners[0]) / 2).cwiseMax(0.0).eval()}, relative(r) {
    const Vec3 center = (b.corners[0] + b.corners[7]) / 2;
    relative.translation = r.to_a(center);
    error = r.placing_error(center) + 4 * kEpsilon * (size_of(center) + size_of(r.translation));
  }
};

// Whether all of a is above the top of a prism: then only the top counts.
template <Bounded A>
bool above_top(const A& a, const Block& b, const Relative& relative) {
  const auto core_a = core(a);
  const Vec3 up = turned(relative.rotation, Vec3::UnitZ());
  const Vec3 lowest = plus(core_a.center(), core_a.support(times(-1, up)));
  const double top = std::max({b.corners[0].z(), b.corners[1].z(), b.corners[2].z()});
  return dot(up, minus(lowest, relative.translation)) - rounding_radius(a) >= top;
}
inline Triangle top_of(const Block& b) { return {Triangle::Known{}, b.corners[0], b.corners[1], b.corners[2]}; }

template <class A>
PairDistance measure_block(const A& a, const Block& b, const Relative& relative, const PairQuestion& question) {
  PairQuestion wider = question;
  wider.limit += b.slack;
  wider.cache = nullptr;
  PairDistance r;
  if constexpr (Unbounded<A>) {
    // The kernels know what has no end as the second.
    r = measure(b, a, relative.inverse(), wider);
    if (r.beyond) return r;
    const Vec3 on_b = std::isfinite(r.value) ? along(r.on_a, r.value, r.normal) : r.on_a;
    r.on_a = relative.to_a(on_b);
    r.normal = times(-1, turned(relative.rotation, r.normal));
    r.tolerance += relative.placing_error(size_of(core(b).center()) + core(b).reach());
  } else if constexpr (std::same_as<A, Block>) {
    r = measure<A, Block>(a, b, relative, wider);
    if (r.beyond) return r;
  } else if (b.count == 8) {
    const BlockAsBox box(b, relative);
    wider.limit += box.error;
    r = measure_either(a, box.box, box.relative, wider);
    if (r.beyond) return r;
    r.tolerance += box.error;
  } else {
    r = above_top(a, b, relative) ? measure_either(a, top_of(b), relative, wider)
                                  : measure<A, Block>(a, b, relative, wider);
    if (r.beyond) return r;
  }
  r.tolerance += b.slack;
  return r;
}

template <class A>
bool touch_block(const A& a, const Block& b, const Relative& relative, double margin) {
  if constexpr (Unbounded<A>) {
    const PairDistance d = measure_block(a, b, relative, {.limit = margin});
    return !d.beyond && !(d.value - d.tolerance > margin);
  } else if constexpr (std::same_as<A, Block>) {
    return touch<A, Block>(a, b, relative, margin + b.slack, nullptr);
  } else if (b.count == 8) {
    const BlockAsBox box(b, relative);
    return touch_either(a, box.box, box.relative, margin + b.slack + box.error, nullptr);
  } else {
    return above_top(a, b, relative) ? touch_either(a, top_of(b), relative, margin + b.slack, nullptr)
                                     : touch<A, Block>(a, b, relative, margin + b.slack, nullptr);
  }
}

template <class A>
void patch_block(const A& a, const Block& b, const Relative& relative, const Vec3& n, PatchContacts& common) {
  if constexpr (Bounded<A>) common_patch<A, Block>(a, b, relative, n, common);
  else common.size = 0;
}

}  // namespace graze

// The instances for one kind.
#define GRAZE_BLOCK(A)                                                                               \
  template PairDistance measure_block(const A&, const Block&, const Relative&, const PairQuestion&); \
  template bool touch_block(const A&, const Block&, const Relative&, double);                        \
  template void patch_block(const A&, const Block&, const Relative&, const Vec3&, PatchContacts&);
