// The depth of unions of convex polytopes, from their Minkowski sums.
#pragma once

#include <cstddef>
#include <vector>

#include "oracle/real.h"

namespace graze_oracle {

/// The hull of a few points, with its faces.
struct Polytope {
  std::vector<Vec> points;
  std::vector<std::vector<std::size_t>> faces;  ///< corners, counter-clockwise seen from outside
  std::vector<Vec> normals;                     ///< unit, outward, one per face
  std::vector<Vec> edges;                       ///< directions, unit, each once
};

/// By enumeration, for some twenty points. Points of one plane give a polytope with two faces. Points are merged with a
/// face within 1e-12 of their size.
Polytope polytope_of(const std::vector<Vec>& points);
Polytope moved(const Polytope& p, const Mat& rotation, const Vec& translation);

using PolytopeUnion = std::vector<Polytope>;

/// The length of the shortest translation of b after which its interior and that of a are disjoint: 0 if they already
/// are. The sums of all pairs of parts are half-spaces; the shortest path to a point outside all of the open sums
/// ends where one, two or three of their planes meet, and all of those are tried. Rounding about 1e-15 of the sizes.
Real separating_depth(const PolytopeUnion& a, const PolytopeUnion& b);

}  // namespace graze_oracle
