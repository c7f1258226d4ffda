// Memory of the last query about a pair, for bodies that move a little between queries.
#pragma once

#include <array>

#include "graze/base/vec.h"

namespace graze {

/// Where the last query about one pair of shapes ended. Hand the same cache to the next query about the same pair, in
/// either order: it starts from there. It never changes an answer by more than the answer's tolerance, and one filled
/// by another pair is only slower. One cache per pair and thread.
class PairCache {
 public:
  void clear() { size = 0; }

  // The last simplex as points of both shapes, each in its own frame: they stay points of the shapes wherever the
  // bodies move. `a` belongs to the canonically earlier shape.
  int size = 0;
  std::array<Vec3, 4> a{}, b{};
};

}  // namespace graze
