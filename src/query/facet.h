// A triangle of a mesh as a primitive. Those of solids have an outside: overlaps end there.
#pragma once

#include "query/ball.h"
#include "query/contact_query.h"

namespace graze {

struct Facet {
  static constexpr bool kPart = true;
  Triangle triangle;
  bool solid = false;
  double facing = 1;  // of solids: whether the corners run counter-clockwise (1) or clockwise (-1) seen from outside

  /// Unit, of solids; zero where the triangle has no area.
  Vec3 outward() const {
    const Vec3 n = cross(minus(triangle.b(), triangle.a()), minus(triangle.c(), triangle.a()));
    const double length = std::sqrt(norm_sq(n));
    return length > 0 ? times(facing / length, n) : Vec3(Vec3::Zero());
  }
};

/// Along `normal`, from a to b, the overlap of a with the facet b ends inside of the solid that b bounds: the way out
/// through the facet is the right one. How far a must go, along the facet's outward normal.
template <class A>
void turn_outward(const A& a, const Facet& b, const Relative& relative, PairDistance& d) {
  const Vec3 outward = turned(relative.rotation, b.outward());
  if (!(dot(outward, d.normal) > 0)) return;  // a moves along -normal
  if constexpr (Bounded<A>) {
    const auto core_a = core(a);
    const double radius = rounding_radius(a);
    const Vec3 lowest = along(plus(core_a.center(), core_a.support(times(-1, outward))), -radius, outward);
    d.value = std::min(0.0, dot(outward, minus(lowest, relative.to_a(b.triangle.a()))));
    d.normal = times(-1, outward);
    d.on_a = lowest;
  }
}

/// What touches a facet does so along many directions. Across the facet, if that is one of them, all of the common
/// patch shows.
template <class A>
void prefer_face(const A& a, const Facet& b, const Relative& relative, PairDistance& d) {
  if constexpr (Bounded<A>) {
    const Vec3 n = times(-1, turned(relative.rotation, b.outward()));
    const auto core_a = core(a);
    const Vec3 highest = along(plus(core_a.center(), core_a.support(n)), rounding_radius(a), n);
    if (norm_sq(n) > 0 && dot(n, minus(relative.to_a(b.triangle.a()), highest)) >= -2 * d.tolerance) d.normal = n;
  }
}

/// The question to the triangles alone. The way out of a solid may be longer than theirs: what they say about an
/// overlap is no reason to pass over it, or the deepest would depend on which was asked first.
inline PairQuestion before_turning(const PairQuestion& question, bool solid) {
  PairQuestion plain = question;
  if (solid && question.depth) plain.limit = std::max(plain.limit, 0.0);
  return plain;
}

template <class A>
PairDistance measure(const A& a, const Facet& b, const Relative& relative, const PairQuestion& question) {
  PairDistance d = measure_either(a, b.triangle, relative, before_turning(question, b.solid));
  if (b.solid && !d.beyond && question.depth) {
    if (std::abs(d.value) <= d.tolerance) prefer_face(a, b, relative, d);
    else if (d.value < 0) turn_outward(a, b, relative, d);
  }
  if (!d.beyond && d.value > question.limit + d.tolerance) return beyond_limit();
  return d;
}
PairDistance measure(const Facet& a, const Facet& b, const Relative& relative, const PairQuestion& question);

template <class A>
bool touch(const A& a, const Facet& b, const Relative& relative, double margin, PairMemory* cache) {
  return touch_either(a, b.triangle, relative, margin, cache);
}
bool touch(const Facet& a, const Facet& b, const Relative& relative, double margin, PairMemory* cache);

template <class A>
void common_patch(const A& a, const Facet& b, const Relative& relative, const Vec3& n, PatchContacts& common) {
  common_patch(a, b.triangle, relative, n, common);
}
inline void common_patch(const Facet& a, const Facet& b, const Relative& relative, const Vec3& n,
                         PatchContacts& common) {
  // Only where one of them lies level is there more than a point; crossing edges, the usual case, are done with soon.
  const auto level = [](const Triangle& t, const Vec3& along) {
    const Vec3 normal = cross(minus(t.b(), t.a()), minus(t.c(), t.a()));
    const double height = dot(normal, along);
    return height * height >= (1 - kLevel * kLevel) * norm_sq(normal);
  };
  common.size = 0;
  if (!level(a.triangle, n) && !level(b.triangle, turned_back(relative.rotation, n))) return;
  common_patch(a.triangle, b.triangle, relative, n, common);
}
// Points are found with the distance.
template <class A>
void find_point(const A&, const Facet&, const Relative&, const PairQuestion&, PairDistance&) {}
inline void find_point(const Facet&, const Ball&, const Relative&, const PairQuestion&, PairDistance&) {}

inline void common_patch(const Facet&, const Ball&, const Relative&, const Vec3&, PatchContacts& common) {
  common.size = 0;
}

}  // namespace graze
