#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/shape/checked.h"

namespace graze {

class SupportTable;

/// The convex hull of points. Immutable; copies share the data, and moving is copying: a hull that was moved from is
/// what it was. Flat hulls (a polygon, a segment, a point) are allowed and are thin shapes.
///
///     Convex wedge = Convex::hull_of(points);   // a span of Vec3
class Convex {
 public:
  /// A face of the hull: its outward unit normal, and offset so that normal · x <= offset for all x of the hull.
  struct Face {
    Vec3 normal;
    double offset;
  };

  /// About O(n log n): 100,000 points on a sphere or on a few circles take some seconds. Throws Error if there are no
  /// points or one is not finite.
  static Convex hull_of(std::span<const Vec3> points);

  Convex(const Convex&) = default;
  Convex& operator=(const Convex&) = default;
  ~Convex() = default;

  /// The extreme points with the caller's coordinates, each once, in the order of the caller's points. Points that
  /// reach out of the hull of the others by no more than rounding (32 epsilon of its size) may be left out, and points
  /// so near to a sharp edge or to the surface of a thin hull that rounding cannot prove them inside are kept. A flat
  /// hull keeps every distinct point, extreme or not.
  std::span<const Vec3> vertices() const { return data_->vertices; }
  /// The bounding planes; empty for a flat hull (also for one whose thickness drowns in rounding, or whose planes
  /// rounding makes looser than 1e-13 of its size, as where a face has tens of thousands of corners). Coplanar
  /// neighbours are merged. normal · v <= offset holds to the bit for every vertex, evaluated as (x·x + y·y) + z·z.
  std::span<const Face> faces() const { return data_->faces; }
  /// Triangles of the boundary as indices into vertices(), counter-clockwise from outside, face by face; empty for a
  /// flat hull.
  std::span<const std::array<int, 3>> triangles() const { return data_->triangles; }
  /// Those of one face.
  std::span<const std::array<int, 3>> triangles_of(std::size_t face) const {
    const auto first = data_->first_triangle[face], last = data_->first_triangle[face + 1];
    return triangles().subspan(first, last - first);
  }
  /// Whether it has no faces.
  bool flat() const { return data_->faces.empty(); }

  /// A point well inside (the mean of the corners), from which `radius` reaches every vertex.
  const Vec3& center() const { return data_->center; }
  double radius() const { return data_->radius; }
  /// A ball of this radius about the centre lies inside; 0 for a flat hull.
  double inner_radius() const { return data_->inner_radius; }

  /// Index of the vertex farthest along `direction`; ties go to the lower index. SIMD over all vertices, from 160
  /// vertices on over those that can be farthest along similar directions; the same index on every instruction set. A
  /// direction that is not finite gives some vertex.
  std::size_t support_index(const Vec3& direction) const;
  /// That vertex less the centre: centered_vertices()[support_index(direction)], a little faster.
  Vec3 centered_support(const Vec3& direction) const;
  /// The largest signed distance of `p` from the planes of the faces and which face has it (ties: the lower index); p
  /// is inside where it is not positive. Needs a hull that is not flat.
  std::pair<double, std::size_t> highest_face(const Vec3& p) const;

  /// The vertices less the centre: hulls far from their frame's origin keep all their digits here.
  std::span<const Vec3> centered_vertices() const { return data_->centered; }

  /// Equal for copies of one hull, and different (but for one chance in 2^64) for hulls of different points.
  std::uint64_t stamp() const { return data_->stamp; }

 private:
  // Eight doubles in one cache line: what the SIMD kernels read.
  struct alignas(64) Lane {
    double values[8];
  };
  struct Data {
    std::vector<Vec3> vertices, centered;
    std::vector<Face> faces;
    std::vector<std::array<int, 3>> triangles;
    std::vector<std::uint32_t> first_triangle;  // of each face, and one past the last
    Vec3 center = Vec3::Zero();
    double radius = 0, inner_radius = 0;
    std::uint64_t stamp = 0;
    // Blocks of eight entries about the centre, one lane per coordinate: x y z, x y z, …; faces x y z offset, …. The
    // last block is filled up with its last entry.
    std::vector<Lane> vertex_lanes, face_lanes;
    std::shared_ptr<const SupportTable> table;  // null for few vertices
  };
  explicit Convex(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

/// The vertex farthest along `d`; of equal ones that with the lowest index.
inline Vec3 support(const Convex& c, const Vec3& d) { return c.vertices()[c.support_index(d)]; }

}  // namespace graze
