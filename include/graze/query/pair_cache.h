// Memory of the last query about a pair, for bodies that move a little between queries.
#pragma once

#include <array>
#include <cstdint>

#include "graze/base/vec.h"

namespace graze {

/// Where the last query about one pair of geometries ended. Hand the same cache to the next query about the same pair,
/// in either order: it starts from there. It never changes an answer by more than the answer's tolerance; one filled by
/// another pair is recognised and ignored. One cache per pair and thread.
class PairCache {
 public:
  void clear() { size = 0, has_parts = false; }

  // The last simplex as points of both shapes, each in its own frame: they stay points of the shapes wherever the
  // bodies move. The stamps tell whether these are still the shapes they belong to.
  int size = 0;
  std::uint64_t stamp_a = 0, stamp_b = 0;
  std::array<Vec3, 4> a{}, b{};

  // Of meshes: the parts that met or were nearest, with the stamps of the geometries they belong to. They are asked
  // first, which mostly leaves little to do for the rest.
  bool has_parts = false;
  std::uint64_t whole_a = 0, whole_b = 0;
  std::size_t part_a = 0, part_b = 0;
};

}  // namespace graze
