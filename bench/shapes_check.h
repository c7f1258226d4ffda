// Proofs of graze's answers that use only the support functions and memberships of shapes_scene.
#pragma once

#include <cstddef>
#include <vector>

#include "shapes_scene.h"

namespace shapes_bench {

/// A claimed error has to be this small, relative to the distance or depth, or the claim counts as unproven.
inline constexpr double kProofTolerance = 1e-4;

/// What graze answered for the cases of one PairSet, and how many of its answers could not be proven.
struct Proof {
  /// The proven signed distance of each case, metres.
  std::vector<double> truth;
  /// Answers that differ from how the case was made.
  std::size_t boolean = 0;
  /// A distance d with normal n and points p, q is proven if p and q lie in the shapes, d apart, and the slab between
  /// the supporting planes across n is d thick.
  std::size_t distance = 0;
  /// As above; a depth is proven if moving by it along n separates, and if no search over directions finds less.
  std::size_t signed_distance = 0;
  /// Contacts of a pair that is apart, none of one that overlaps, or another depth than the signed distance's.
  std::size_t contact = 0;
  /// Hulls that do not enclose exactly their vertices.
  std::size_t hull = 0;
  /// Index of the first case of which something could not be proven.
  std::size_t first = 0;

  std::size_t unproven() const { return boolean + distance + signed_distance + contact; }
  Proof& operator+=(const Proof& other);
};

Proof prove(const PairSet& set);

}  // namespace shapes_bench
