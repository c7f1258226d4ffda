// Which vertices of a hull can be farthest along the directions of a small cone: the support function of large hulls
// looks at these and no others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graze/base/vec.h"

namespace graze {

/// The directions are divided into the cells of a grid on the faces of a cube. A cell keeps every vertex that no single
/// other one exceeds along all directions of the cell by more than rounding; the corners of the cell prove that, since
/// the lead of one vertex over another is linear in the direction. The farthest vertex of the list is therefore the
/// farthest of all to the bit, with the same ties, whatever the points are: nothing is assumed of faces or neighbours.
class SupportTable {
 public:
  /// Hulls with fewer vertices are scanned as fast.
  static constexpr std::size_t kMinVertices = 160;

  /// Null where a table gains nothing (few vertices) or squares of the lengths would underflow. Takes the vertices
  /// about the centre, none farther than `radius` from it. Keeps at most about 16 entries of 28 bytes per vertex.
  static std::shared_ptr<const SupportTable> of(std::span<const Vec3> centered, double radius);

  /// Blocks of eight candidates (see lanes.h), and the index of each among the vertices, ascending.
  struct Candidates {
    const double* lanes = nullptr;
    std::size_t blocks = 0;
    const std::uint32_t* vertices = nullptr;
  };
  /// Those of the cell that `direction` lies in; none (no lanes) if all vertices have to be asked: a direction that is
  /// zero, tiny or not finite, or one along which too many are candidates.
  Candidates candidates(const Vec3& direction) const;

  std::size_t memory_bytes() const;

  struct alignas(64) Lane {
    double values[8];
  };

 private:
  struct List {
    std::uint32_t first = 0, blocks = 0;  // in blocks of eight
  };

  int bits_ = 0;             // the cells along the side of a face of the cube: 2^bits
  std::vector<List> cells_;  // face by face, row by row
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> vertices_;
};

/// The farthest of some points along a direction, to the bit that of a scan of all (ties: the lower index).
class Farthest {
 public:
  explicit Farthest(std::span<const Vec3> points);
  std::size_t operator()(const Vec3& direction) const;

 private:
  std::vector<SupportTable::Lane> lanes_;
  std::shared_ptr<const SupportTable> table_;
};

}  // namespace graze
