// Spheres against a cloud of points: the default index. Ready in milliseconds for a depth frame, answers in tens of
// nanoseconds for any radius.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graze/base/aabb.h"
#include "graze/index/points.h"

namespace graze {

namespace point_grid {
struct Grid;
}

/// Options of a PointGrid.
struct PointGridOptions {
  double point_radius = 0;  ///< every point is a ball of this radius (m); added to the radius of every query
};

/// A sparse grid over points. Blocks of 4 × 4 × 4 cells near the points hold a lower and an upper bound of the distance
/// from each cell to the nearest point, which decide many spheres with one look-up; most others touch a point of the
/// nearest occupied octant of a block, which is known too; the rest look at the points of the few cells that the sphere
/// reaches. Cells that hold too many points become grids of their own, or trees where points lie at many scales, so
/// that clusters, lines and duplicates cost little more than a uniform cloud.
///
/// All answers are exact for the caller's numbers (floats of the points, doubles of the spheres), touching included,
/// and the same on every instruction set. Where squares underflow (lengths below 1e-150 m) touching is assumed.
/// Queries are const and reentrant and do not allocate. Typical cost for a depth frame of 3e5 points: 3.5 ms to build,
/// 19 bytes per point, 40 to 100 ns for a single sphere, about 6 ns per sphere in batches that ask for any collision.
///
///     PointGrid grid(PointView(floats), {.point_radius = 0.005});
///     if (grid.collides({0.3, 0.1, 0.8}, 0.05)) …
class PointGrid {
 public:
  /// No points: everything is free, infinitely far.
  PointGrid();
  /// O(n), one thread. Throws Error if the point radius is negative, NaN or beyond 1e50, or for 2^32 - 1 points and
  /// more.
  explicit PointGrid(const PointView& points, const PointGridOptions& options = {});
  PointGrid(PointGrid&&) noexcept;
  PointGrid& operator=(PointGrid&&) noexcept;
  ~PointGrid();

  /// The same as a new index of these points, but in the memory of the old: what a sensor loop calls for every frame.
  void rebuild(const PointView& points, const PointGridOptions& options = {});

  /// `frame` equals the points of the last build or update but for those from `first` on, `count` of them. Costs what
  /// the blocks around the changed points cost; rebuilds where the new points do not fit into the old grid or where
  /// most of it has changed. Throws Error if frame has another size than before or the part reaches behind its end.
  void update(const PointView& frame, std::size_t first, std::size_t count);

  /// Whether any point, grown by the point radius, touches the ball. A centre or a radius that is NaN, infinite or
  /// beyond 1e50, or a negative radius, counts as a collision, even with no points at all.
  bool collides(const Vec3& center, double radius) const;
  /// What is known of a ball.
  enum class Verdict { free, hit, undecided };
  /// Of a ball whose radius is known to be from `inner` to `outer`: free if not even the larger one collides, a hit if
  /// even the smaller one does. Costs what collides() costs.
  Verdict verdict(const Vec3& center, double inner, double outer) const;
  /// What is known of up to 64 balls; neither: free.
  struct Verdicts {
    std::uint64_t hit, undecided;  ///< bit i is that of ball i
  };
  Verdicts verdicts(const SpheresView& outer, std::span<const double> inner) const;  ///< see verdict()
  /// Whether any of the spheres collides: cheaper than asking one by one.
  bool any_collides(const SpheresView& spheres) const;
  /// Bit i % 64 of mask[i / 64] says whether sphere i collides. `mask` holds at least (spheres.size() + 63) / 64 words;
  /// bits above the last sphere are cleared.
  void collides_each(const SpheresView& spheres, std::span<std::uint64_t> mask) const;

  /// The nearest point no farther than `limit` (m, to the ball around the point); ties go to the lower index. Not found
  /// and infinitely far if there is none; not found at distance NaN if the centre or the limit is NaN or the centre
  /// beyond 1e50.
  Neighbor nearest(const Vec3& center, double limit = kInfinity) const;

  /// At least the distance that nearest() finds, and mostly not much more, for the price of a look-up; infinite where
  /// the grid cannot decide.
  double nearest_at_most(const Vec3& center) const;

  /// Points in the index, and points left out because a coordinate was NaN or infinite.
  std::size_t size() const;
  /// How many points were not finite.
  std::size_t skipped() const;
  double point_radius() const;
  /// Around the points (not their balls); empty without points.
  Aabb bounds() const;
  /// Edge of a cell of the outermost grid (m).
  double cell_size() const;
  /// Heap memory that queries may read; scratch memory kept for rebuilds is not counted.
  std::size_t memory_bytes() const;
  /// Checks every invariant, O(cells + points): empty if all hold, else what does not.
  std::string validate() const;

 private:
  std::unique_ptr<point_grid::Grid> grid_;
};

}  // namespace graze
