// A vehicle on two bogies and the path of its body along a track.
#pragma once

#include <string>
#include <vector>

#include "graze/clearance/track.h"
#include "graze/geometry/geometry.h"

namespace graze::clearance {

/// A body that rests on two bogies. Body frame: x forward, y left, z up, in metres; the bogie centres stand at
/// (bogie_middle ± bogie_distance / 2, 0, axis height) and run along the track's line. If that line is the top of rail
/// and the body's z counts from there, the heights are 0.
struct Vehicle {
  std::string name;              ///< for reports
  std::vector<Placed> body;      ///< meshes, clouds and shapes, placed in the body frame
  double bogie_distance = 0;     ///< between the bogie centres; positive
  double length = 0;             ///< of the body, over all; 0: not stated
  double bogie_middle = 0;       ///< x of the point half-way between the bogie centres
  double rear_axis_height = 0;   ///< z of the rear bogie centre
  double front_axis_height = 0;  ///< z of the front bogie centre

  /// Throws Error naming the field unless the distance is positive, the length not negative and all are finite.
  void check() const;

  /// The rear bogie centre in the body frame.
  Vec3 rear_bogie() const { return {bogie_middle - bogie_distance / 2, 0, rear_axis_height}; }
  /// The front bogie centre in the body frame.
  Vec3 front_bogie() const { return {bogie_middle + bogie_distance / 2, 0, front_axis_height}; }
};

/// How far the middle of a body lies inside of a curve of radius R metres: a² / 8R for bogie distance a, to first
/// order.
double center_throw(const Vehicle& vehicle, double radius);
/// How far the ends of a body lie outside of a curve: (L² − a²) / 8R for length L, to first order.
double end_throw(const Vehicle& vehicle, double radius);

/// Options of run_along().
struct FollowOptions {
  double step = 0.05;  ///< metres of chainage between two poses, at most
  int threads = 0;     ///< 0: as many as the machine has. The result does not depend on it.
};

/// What `run_along` finds: one entry per pose of the body.
struct VehicleRun {
  Trajectory body;            ///< of the body frame
  std::vector<double> rear;   ///< chainage of the rear bogie centre on the track, in metres
  std::vector<double> front;  ///< chainage of the front bogie centre
};

/// The path of a vehicle along a track: one pose per step of the rear bogie's chainage, from where the rear bogie
/// stands at the start of the track to where the front bogie reaches its end. Both bogie centres lie on the line of the
/// track (to rounding). Yaw and pitch are those of the line from bogie to bogie, the chord F. Its roll is the mean of
/// the cants of the track at the two bogies,
///
///     φ = (φ_rear + φ_front) / 2,   φ_i = atan2(−u_i · h_i, u_i · e_i)
///
/// where u_i is the up-axis of the track's pose at bogie i, t_i the direction of the track there (of the straight line
/// between the two poses), h_i = z × t_i / |z × t_i| level to the left, e_i = t_i × h_i, and z the vertical of the
/// world. The body's left is cos φ H + sin φ E with H = z × F / |z × F| and E = F × H. In a curve of constant cant the
/// body has exactly this cant. Times are those of the track at the rear bogie, if it has any. Only the up-axes of the
/// track's poses count: it may have been recorded backwards.
///
///     Trajectory body = follow(track, wagon, {.step = 0.06});
///
/// Throws Error if the track is shorter than the bogie distance, climbs vertically (z and forward coincide) or doubles
/// back so that the body would jump, and for a vehicle that `check` refuses. O(m) per pose for m segments of track
/// between the bogies.
VehicleRun run_along(const Track& track, const Vehicle& vehicle, const FollowOptions& options = {});
/// The body's path alone.
Trajectory follow(const Track& track, const Vehicle& vehicle, const FollowOptions& options = {});

}  // namespace graze::clearance
