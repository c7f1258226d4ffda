// A spec placed in the world, and queries about a single body.
#pragma once

#include <vector>

#include "oracle/real.h"
#include "oracle/spec.h"

namespace graze_oracle {

/// Spheres, capsules, boxes, triangles and hulls are a polytope (`points`) widened by `radius`; cylinders, cones and
/// ellipsoids keep their sizes; half-spaces and planes have a world normal and offset.
struct Body {
  Kind kind = Kind::sphere;
  Vec size;
  Mat rotation;
  Vec position;
  Real radius = 0;
  std::vector<Vec> points;
  /// Unit directions, world, of every flat facet (any sign) and of every straight edge. May hold more than that:
  /// directions are only ever tried, never trusted.
  std::vector<Vec> faces, edges;
  /// False for hulls of so many points that these were not enumerated.
  bool all_features = true;
  Vec normal;
  Real offset = 0;

  bool rounded_polytope() const { return !unbounded(kind) && !curved(kind); }
};

/// Translations are taken relative to `origin`, in extended precision: bodies far from the world's origin lose no
/// digits.
Body body_of(const Spec& spec, const Triple& origin = {0, 0, 0});

/// The point of a bounded body farthest along `n`.
Vec support(const Body& body, const Vec& n);

/// The smallest and largest n · x over the body; infinite where it is unbounded.
struct Extent {
  Real low, high;
};
Extent extent(const Body& body, const Vec& n);

/// The point of the body nearest to p.
Vec project(const Body& body, const Vec& p);
/// Distance of p from the body, 0 inside.
Real outside(const Body& body, const Vec& p);
/// A ball of this radius about p is contained in the body; 0 where p is not inside (always for thin bodies).
Real inside(const Body& body, const Vec& p);

/// Some point of the body, and no point of it is farther than reach() from there. Bounded bodies only.
Vec middle(const Body& body);
Real reach(const Body& body);
/// Largest coordinate magnitude of the caller's numbers: what one unit in the last place is relative to.
Real magnitude(const Spec& spec);

}  // namespace graze_oracle
