// The polynomials of time whose signs decide whether a moving vertex and face, or two moving edges, meet.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "graze/base/vec.h"
#include "query/bernstein.h"

namespace graze::meeting {

// Both queries ask whether the origin is ever in the hull of differences d between points of the two features: three
// for a vertex and a face, four for two edges. It is not where a direction n has n·d > 0 for all of them. The nearest
// points of the features give such an n whenever there is one, and it is one of few: across the face or both edges;
// across an edge, towards a vertex; or from vertex to vertex. Taken as polynomials of time these directions need no
// division, and what has no extent only makes its own n vanish:
//
//   volume        n·d, n across the face or both edges, of either sign                              degree 3
//   beside        (e × d)·(e × d'), e an edge: n = (e × d) × e, n·d' is this, n·d is (e × d)²       degree 4
//   ahead         d·d': n = d                                                                       degree 2
//
// In reverse: where `volume` changes sign while every `beside` is negative, what lies in one plane then also overlaps.

using Points = std::array<Vec3, 4>;
/// The power of two to divide coordinates by that are up to `largest`: below it, so that it is finite, but not so small
/// that its inverse is not.
inline double scale_for(double largest) {
  constexpr double kSmallest = 0x1p-1000;
  return largest > kSmallest ? std::ldexp(1.0, std::ilogb(largest)) : kSmallest;
}

/// Straight from the one to the other over an interval of time; scaled by a power of two so that coordinates are
/// below 2.
struct Motion4 {
  Points from, to;
  double size;        // what coordinates were divided by
  bool exact = true;  // nothing was lost, as it is where coordinates differ by more than doubles reach

  Motion4(std::span<const Vec3, 4> start, std::span<const Vec3, 4> end, double largest) : size(scale_for(largest)) {
    for (std::size_t i = 0; i < 4; ++i) {
      from[i] = (1 / size) * start[i];
      to[i] = (1 / size) * end[i];
      exact = exact && size * from[i] == start[i] && size * to[i] == end[i];
    }
  }
};

/// The coefficients of the polynomials, in numbers with a bound of their error.
template <class Number>
struct EnclosedTerms {
  using Quadratic = std::array<Enclosed<Number>, 3>;
  using Cubic = std::array<Enclosed<Number>, 4>;
  using Quartic = std::array<Enclosed<Number>, 5>;
};

/// A vertex (0) and a face (1, 2, 3). `between(head, tail)` is the difference of two points, linear in time.
struct VertexFace {
  static constexpr std::array<std::array<std::size_t, 2>, 3> kDifferences = {{{0, 1}, {0, 2}, {0, 3}}};
  static constexpr std::size_t kBeside = 3, kAhead = 3;

  template <class Between>
  static auto volume(const Between& between) {
    using namespace bernstein;
    return dot(cross(between(2, 1), between(3, 1)), between(0, 1));
  }

  template <class Between, class Polynomials>
  static void fill(const Between& between, Polynomials& p) {
    using namespace bernstein;
    const std::array d = {between(0, 1), between(0, 2), between(0, 3)};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const auto edge = between(j + 1, i + 1);
      p.beside[i] = dot(cross(edge, d[i]), cross(edge, d[k]));
      p.ahead[i] = dot(d[i], d[j]);
    }
  }

  // Whether all d·d' of one d satisfy the predicate.
  template <class Ahead>
  static bool any_vertex(const Ahead& ahead) {
    return (ahead(0) && ahead(2)) || (ahead(0) && ahead(1)) || (ahead(1) && ahead(2));
  }
};

/// An edge (0, 1) and an edge (2, 3).
struct EdgeEdge {
  static constexpr std::array<std::array<std::size_t, 2>, 4> kDifferences = {{{0, 2}, {0, 3}, {1, 2}, {1, 3}}};
  static constexpr std::size_t kBeside = 2, kAhead = 6;

  template <class Between>
  static auto volume(const Between& between) {
    using namespace bernstein;
    return dot(cross(between(1, 0), between(3, 2)), between(0, 2));
  }

  template <class Between, class Polynomials>
  static void fill(const Between& between, Polynomials& p) {
    using namespace bernstein;
    const auto d02 = between(0, 2), d03 = between(0, 3), d12 = between(1, 2), d13 = between(1, 3);
    const auto first = between(1, 0), second = between(3, 2);
    p.beside[0] = dot(cross(second, d02), cross(second, d12));
    p.beside[1] = dot(cross(first, d02), cross(first, d03));
    p.ahead = {dot(d02, d03), dot(d02, d12), dot(d02, d13), dot(d03, d12), dot(d03, d13), dot(d12, d13)};
  }

  template <class Ahead>
  static bool any_vertex(const Ahead& ahead) {
    return (ahead(0) && ahead(1) && ahead(2)) || (ahead(0) && ahead(3) && ahead(4)) ||
           (ahead(1) && ahead(3) && ahead(5)) || (ahead(2) && ahead(4) && ahead(5));
  }
};

/// Over one interval of time.
template <class Features, class Terms>
struct Polynomials {
  typename Terms::Cubic volume;
  std::array<typename Terms::Quartic, Features::kBeside> beside;
  std::array<typename Terms::Quadratic, Features::kAhead> ahead;

  bool apart() const {
    using namespace bernstein;
    if (all_positive(volume) || all_negative(volume)) return true;
    if (std::any_of(beside.begin(), beside.end(), [](const auto& p) { return all_positive(p); })) return true;
    return Features::any_vertex([this](std::size_t i) { return all_positive(ahead[i]); });
  }

  // Nothing is lost by giving up: no part of the interval would be found `apart`.
  bool hopeless() const {
    using namespace bernstein;
    if (any_positive(volume) || any_negative(volume)) return false;
    if (std::any_of(beside.begin(), beside.end(), [](const auto& p) { return any_positive(p); })) return false;
    return !Features::any_vertex([this](std::size_t i) { return any_positive(ahead[i]); });
  }

  bool meet() const {
    const bool crossed = (positive(volume[0]) && negative(volume[3])) || (negative(volume[0]) && positive(volume[3]));
    return crossed &&
           std::all_of(beside.begin(), beside.end(), [](const auto& p) { return bernstein::all_negative(p); });
  }

  void halve_into(Polynomials& right) {
    using bernstein::halve;
    halve(volume, right.volume);
    for (std::size_t i = 0; i < beside.size(); ++i) halve(beside[i], right.beside[i]);
    for (std::size_t i = 0; i < ahead.size(); ++i) halve(ahead[i], right.ahead[i]);
  }
};

enum class Verdict { free, contact, undecided, out_of_steps, no_room };

}  // namespace graze::meeting
