// What a height field is made of.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/access.h"
#include "graze/geometry/height_field.h"

namespace graze::height_field {

/// Cells of one node of the pyramid along an axis: 2^level. Nodes of less than kStored are bounded by their heights.
inline constexpr int kStored = 2, kMaxLevel = 32;

struct Range {
  double low = kInfinity, high = -kInfinity;
  void extend(double z) { low = std::min(low, z), high = std::max(high, z); }
};

struct Data {
  HeightGrid grid;
  std::vector<float> floats;  // one of the two
  std::vector<double> doubles;
  struct Level {
    std::size_t columns = 0, rows = 0;
    std::vector<float> low, high;  // rounded outwards
  };
  std::vector<Level> levels;  // from kStored upwards
  int top = 0;                // the level of the root
  Aabb surface;
  double rounding = 0;  // no corner is farther from the caller's i·dx, j·dy
  std::uint64_t stamp = 0;

  std::size_t cells_x() const { return grid.columns - 1; }
  std::size_t cells_y() const { return grid.rows - 1; }
  double z(std::size_t i, std::size_t j) const {
    const std::size_t k = j * grid.columns + i;
    return floats.empty() ? doubles[k] : static_cast<double>(floats[k]);
  }
  double x(std::size_t i) const { return static_cast<double>(i) * grid.dx; }
  double y(std::size_t j) const { return static_cast<double>(j) * grid.dy; }
  Vec3 corner(std::size_t i, std::size_t j) const { return {x(i), y(j), z(i, j)}; }
  /// The corners of a triangle, counter-clockwise seen from above.
  std::array<Vec3, 3> triangle(std::size_t t) const {
    const std::size_t i = (t / 2) % cells_x(), j = (t / 2) / cells_x();
    if (t % 2 == 0) return {corner(i, j), corner(i + 1, j), corner(i + 1, j + 1)};
    return {corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)};
  }
  /// Of the heights of a node whose lower corner is at cell (i, j).
  Range range(std::size_t i, std::size_t j, int level) const {
    if (level >= kStored) {
      const Level& l = levels[static_cast<std::size_t>(level - kStored)];
      const std::size_t k = (j >> level) * l.columns + (i >> level);
      return {static_cast<double>(l.low[k]), static_cast<double>(l.high[k])};
    }
    Range r;
    const std::size_t size = std::size_t{1} << level;
    const std::size_t end_i = std::min(i + size, cells_x()), end_j = std::min(j + size, cells_y());
    for (std::size_t row = j; row <= end_j; ++row) {
      for (std::size_t column = i; column <= end_i; ++column) r.extend(z(column, row));
    }
    return r;
  }
};

}  // namespace graze::height_field

namespace graze {

inline const height_field::Data& data_of(const HeightField& field) { return detail::Access::data(field); }

}  // namespace graze
