// The cells of a grid as a pyramid: words of 8 × 8 cells, and above them what is in 2 × 2 of the level below.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/scene/planar_obstacle.h"

namespace graze::planar {

struct Grid::Tables {
  static constexpr std::size_t kSide = 8;  // of a word, in cells
  // Of a node: whether any of its cells is occupied, and whether any is free.
  enum Flag : std::uint8_t { occupied = 1, free = 2 };
  struct Level {
    std::size_t columns = 0, rows = 0;
    std::vector<std::uint8_t> flags;
  };

  std::vector<std::uint64_t> words;  // bit i + 8 j for cell (i, j) of a word, in the order of rows of words
  std::vector<Level> levels;         // the first is that of the words, the last has one node
  std::size_t occupied_cells = 0;
  Aabb2 bounds;  // of the occupied cells, rounded outwards
};

}  // namespace graze::planar
