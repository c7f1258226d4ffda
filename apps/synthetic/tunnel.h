// A rail tunnel that does not exist: the scene on which clearance is shown, tested and measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graze/base/threads.h"
#include "graze/clearance/trajectory.h"
#include "graze/clearance/vehicle.h"
#include "graze/geometry/mesh.h"

namespace graze::synthetic {

/// What to make.
struct TunnelOptions {
  std::uint64_t points = 18'920'000;  ///< of the scan
  std::uint64_t seed = 1;             ///< another one gives other bumps, signs and noise
  Vec3 origin = Vec3::Zero();         ///< where the track begins, such as a place in a national grid
  double half_width = 1.78;  ///< of the tunnel, in metres; that of the wagon is 1.45 and it needs more in curves
};

/// A laser scan of 1144 m of track from a train: straight, curve of 300 m to the right, straight, curve to the left,
/// straight, with transition curves of 60 m, 100 mm of cant and gentle slopes; a horseshoe tunnel in both curves with
/// bumps in its walls, masts outside, sixty signs that stand too near here and there, a platform, rails. The points
/// come profile by profile, 330 in each at full size and 20 mm apart, fewer and farther apart in smaller scans; noise 3
/// mm. Every point depends on its number and the options only, so that any part can be made at any time by any thread.
///
///     Tunnel tunnel({.points = 1'000'000});
///     std::vector<Vec3> part(4096);
///     tunnel.make(0, part);                       // the first 4096 points
class Tunnel {
 public:
  static constexpr double kLength = 1144;  ///< metres of track

  /// Throws Error for an origin that is not finite or beyond 1e9 m, for more than 1e12 points, and for a half-width
  /// below 1 m or above 5 m.
  explicit Tunnel(const TunnelOptions& options = {});

  std::uint64_t size() const;
  /// Fills `points` with those from number `first` on, about 100 ns each. NaN beyond the end.
  void make(std::uint64_t first, std::span<Vec3> points, const ThreadOptions& options = {}) const;

  /// The middle of the track at the top of rail, with cant in its rotations and a time for a train at 20 m/s.
  clearance::Trajectory track(double step = 0.1) const;

 private:
  struct Scene;
  std::shared_ptr<const Scene> scene_;
};

/// Which wagon to make.
struct WagonOptions {
  /// The wheels too. They stand on the rails, so that a scan with rails touches them everywhere.
  bool wheels = false;
};

/// An open freight wagon 24.6 m long (25.8 m over its buffers) on bogies 20 m apart: closed boxes that face outwards,
/// z from the top of rail.
struct WagonMesh {
  std::vector<Vec3> vertices;           ///< in metres
  std::vector<MeshTriangle> triangles;  ///< indices of vertices
};
/// Makes the wagon.
WagonMesh wagon_mesh(const WagonOptions& options = {});

/// The wagon as a laser beside the track would see it: `count` points on its sides and ends with noise of 3 mm. Point i
/// depends on i, the count, the seed and the options only.
std::vector<Vec3> wagon_points(std::size_t count = 2'500'000, std::uint64_t seed = 1, const WagonOptions& options = {});

/// The wagon without a body: bogie distance 20 m, length 24.6 m.
clearance::Vehicle wagon();

}  // namespace graze::synthetic
