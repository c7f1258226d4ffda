// A line of machines through which a body is carried and turned: the second scene on which clearance is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graze/base/threads.h"
#include "graze/clearance/trajectory.h"
#include "graze/geometry/mesh.h"

namespace graze::synthetic {

/// What to make.
struct AssemblyLineOptions {
  std::uint64_t points = 2'000'000;  ///< of the scan
  std::size_t stations = 8;          ///< machines, 8 m apart
  std::uint64_t seed = 1;            ///< another one gives other machines and noise
  Vec3 origin = Vec3::Zero();        ///< of all coordinates
};

/// A hall with a floor, rows of columns and a machine at every station: gates, robots on pedestals, dip tanks, shelves.
/// A car body hangs from a carrier that runs along x and turns about its axes from station to station: it rolls over,
/// dips and swings. Some machines stand a little too near. Every point depends on its number and the seed only.
///
///     AssemblyLine line({.points = 100'000, .stations = 3});
///     std::vector<Vec3> scan(line.size());
///     line.make(0, scan);
///     Trajectory path = line.path();
class AssemblyLine {
 public:
  /// Throws Error for 0 or more than 10,000 stations, an origin that is not finite or beyond 1e9 m, and for more than
  /// 1e12 points.
  explicit AssemblyLine(const AssemblyLineOptions& options = {});

  std::uint64_t size() const;
  /// Fills `points` with those from number `first` on. NaN beyond the end.
  void make(std::uint64_t first, std::span<Vec3> points, const ThreadOptions& options = {}) const;

  /// The poses of the body: no two farther apart than 20 mm and 10 mrad.
  clearance::Trajectory path() const;

  /// The body's triangles in its own frame: closed, 4.2 m long.
  std::vector<Vec3> body_vertices() const;
  /// See body_vertices.
  std::vector<MeshTriangle> body_triangles() const;

 private:
  struct Scene;
  std::shared_ptr<const Scene> scene_;
};

}  // namespace graze::synthetic
