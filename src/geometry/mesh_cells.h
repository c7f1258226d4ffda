// Where in the box of a solid its surface is not: cells without triangles, each with one winding number.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graze/base/vec.h"

namespace graze::mesh {

struct Data;

/// A grid over the box of a closed mesh. A cell that no triangle comes near to has one winding number all over, since
/// that only changes where a surface is; for most points of the box it is all that there is to look up.
struct Cells {
  static constexpr std::int8_t kUnknown = -128;

  Vec3 origin = Vec3::Zero();      ///< the lowest corner, in the mesh's frame
  double size = 0, per_metre = 0;  ///< of a cell, in metres, and its inverse
  std::uint32_t count[3] = {};     ///< by axis
  /// No triangle is this near (m) to a point that at() knows, whatever rounding did to find its cell.
  double clear = 0;
  std::vector<std::int8_t> winding;  ///< by cell, x fastest; kUnknown near triangles

  /// The winding number at a point of the mesh's frame, or kUnknown. Outside of the grid there is nothing.
  std::int8_t at(const Vec3& p) const {
    const double x = (p.x() - origin.x()) * per_metre, y = (p.y() - origin.y()) * per_metre,
                 z = (p.z() - origin.z()) * per_metre;
    const bool inside = x >= 0 && x < count[0] && y >= 0 && y < count[1] && z >= 0 && z < count[2];
    if (!inside) return is_finite(p) ? 0 : kUnknown;
    return winding[index(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z))];
  }
  std::size_t index(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return x + std::size_t{count[0]} * (y + std::size_t{count[1]} * z);
  }
  bool operator==(const Cells& other) const = default;
  std::size_t memory_bytes() const { return sizeof(Cells) + winding.capacity(); }
};

/// Of closed triangles under a tree: about eight cells per triangle, O(n); fewer where triangles are so long that each
/// would fill many. Null if float64 has no room for cells.
std::shared_ptr<const Cells> cells_of(const Data& data);

}  // namespace graze::mesh
