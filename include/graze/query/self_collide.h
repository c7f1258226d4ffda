// Does a mesh meet itself?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/geometry/mesh.h"

namespace graze {

/// Two triangles of one mesh, a < b.
struct FoldedPair {
  std::uint32_t a, b;
  bool operator==(const FoldedPair&) const = default;
  auto operator<=>(const FoldedPair&) const = default;
};

/// Whether any two triangles of the mesh meet beyond what they share. Triangles that share a corner (the vertex, or
/// vertices at the same position) count if they meet anywhere else, triangles that share an edge only if they are
/// folded flat onto each other, and those that share all three corners always. Triangles with a repeated corner are
/// passed over. What rounding leaves undecided counts. About O(n log n); no allocation, does not throw.
bool self_collide(const Mesh& mesh);

/// Options of self_collisions().
struct SelfCollideOptions {
  /// That search; 0: as many as the machine has. More than one allocate. The result does not depend on it.
  int threads = 1;
};

/// How many such pairs there are. The buffer gets them, sorted; where it is too small, some of them.
///
///     cloth.replace_vertices(next_frame);
///     if (cloth.cost_ratio() > 2) cloth.rebuild();
///     const std::size_t folds = self_collisions(cloth.mesh(), pairs);
std::size_t self_collisions(const Mesh& mesh, std::span<FoldedPair> buffer, const SelfCollideOptions& options = {});

}  // namespace graze
