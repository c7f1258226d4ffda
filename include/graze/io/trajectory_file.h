// Trajectories in files: TUM, KITTI, matrices of 3 × 4 and tables with named columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graze/clearance/trajectory.h"

namespace graze {

/// The formats of trajectory files.
enum class TrajectoryFormat : std::uint8_t {
  tum,     ///< a line per pose: time x y z qx qy qz qw
  kitti,   ///< a line per pose: the twelve numbers of [R | t] row by row (sixteen with 0 0 0 1)
  matrix,  ///< three lines of four numbers per pose, [R | t] (four lines with 0 0 0 1)
  csv,     ///< a line of names, then a line per pose
};
std::string_view name_of(TrajectoryFormat format);  ///< "TUM", "KITTI", "3x4", "CSV"

/// Options of readers of trajectories.
struct ReadTrajectoryOptions {
  std::optional<TrajectoryFormat> format = {};  ///< determined by the contents if absent
  double unit = 1;                              ///< metres per unit of the file: 0.001 for millimetres
  /// Where x, y and z of the moving frame point in the file: three of the letters f(orward) b(ack) l(eft) r(ight) u(p)
  /// d(own). "rdf" for cameras, as in KITTI; "frd" for aircraft. The poses are turned to "flu". The world stays as it
  /// is.
  std::string axes = "flu";
  /// What would be an Error is repaired and stated in the notes: lines are sorted by time; lines with NaN or a zero
  /// quaternion and all but the first with the same time are left out.
  bool repair = false;
};

/// What turns a frame with these axes (ReadTrajectoryOptions::axes) to forward, left, up. Throws Error for what is no
/// right-handed frame.
Pose turn_to_flu(const std::string& axes);

/// A trajectory and what was noticed while reading it.
struct TrajectoryFile {
  clearance::Trajectory trajectory;                 ///< in metres, with x forward, y left and z up
  TrajectoryFormat format = TrajectoryFormat::tum;  ///< of the file
  std::size_t lines = 0;                            ///< that hold poses, with those that were left out
  std::vector<std::string> notes;                   ///< what was repaired, rounded or worked out, a sentence each
};

/// Reads a trajectory; the columns of CSV and all else: docs/trajectories.md. Throws Error naming the file, the line
/// and the reason: for anything that is not a number, NaN, a quaternion of length zero, a matrix that is not a rotation
/// (to within 1e-3; what is nearly one is made one, and that is noted), times that do not increase, and a file without
/// poses. Takes no more memory than 64 MiB + 64 × the size of the file.
///
///     Trajectory track = read_trajectory("track.tum");
///     TrajectoryFile file = read_trajectory_file("poses.txt", {.axes = "rdf", .repair = true});    // file.notes
TrajectoryFile read_trajectory_file(const std::string& path, const ReadTrajectoryOptions& options = {});
/// The same from bytes in memory; `name` stands for them in errors.
TrajectoryFile parse_trajectory(std::string_view bytes, const std::string& name,
                                const ReadTrajectoryOptions& options = {});
/// The trajectory alone, for those who did not ask for repairs.
clearance::Trajectory read_trajectory(const std::string& path, const ReadTrajectoryOptions& options = {});

/// Options of write_trajectory().
struct WriteTrajectoryOptions {
  /// By the extension of the path if absent: .tum, .kitti, .csv, and .txt as TUM, or as KITTI if there are no times.
  std::optional<TrajectoryFormat> format = {};
};

/// Writes a trajectory to a temporary file, renamed when complete. Positions and times read back as the same doubles,
/// rotations to 1e-15. KITTI and 3x4 have no column for times: they are left out. TUM needs them: without, the number
/// of the pose is written instead. Throws Error if the trajectory does not pass its `check`.
void write_trajectory(const std::string& path, const clearance::Trajectory& trajectory,
                      const WriteTrajectoryOptions& options = {});

}  // namespace graze
