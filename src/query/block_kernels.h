// The bodies of what block.h declares; compiled by block_flat.cpp and block_curved.cpp alone.
#pragma once

#include "query/block.h"

namespace graze {

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
  } else {
    r = measure<A, Block>(a, b, relative, wider);
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
  } else {
    return touch<A, Block>(a, b, relative, margin + b.slack, nullptr);
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
