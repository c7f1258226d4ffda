// The direction along which two bodies are farthest apart, or overlap the least.
#pragma once

#include <span>
#include <vector>

#include "oracle/body.h"

namespace graze_oracle {

/// s(n): how far b lies beyond a along the unit vector n; negative: how far b must move along n to be beyond. Never
/// exceeds the signed distance, whatever n.
Real separation(const Body& a, const Body& b, const Vec& n);

struct Direction {
  Vec normal;                        // unit, from a to b
  Real separation = -kRealInfinity;  // along normal
};

struct SearchEffort {
  int sphere_samples = 160;
  int circle_samples = 24;
  int refined_arcs = 10;
  int refined_starts = 5;
};

/// Maximises s(n) over all unit n, for two bounded bodies. Two rounded polytopes: exact, every facet direction of the
/// difference is tried. Otherwise: facets, all circles of directions on which s has a crease (normals of an edge, of a
/// cylinder's or cone's side) and their crossings, samples of the sphere, Newton's method from the best of all these.
/// `hints` are tried as starts too.
Direction best_direction(const Body& a, const Body& b, std::span<const Vec> hints = {},
                         const SearchEffort& effort = {});

/// Climbs from one start to the nearest smooth local maximum of s.
Direction climb(const Body& a, const Body& b, const Vec& start);

}  // namespace graze_oracle
