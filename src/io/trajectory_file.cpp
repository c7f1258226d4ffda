#include "graze/io/trajectory_file.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <iterator>

#include "graze/base/error.h"
#include "graze/io/write_file.h"
#include "io/bytes.h"
#include "io/cloud_source.h"
#include "io/trajectory_rows.h"

namespace graze {
namespace {

TrajectoryFile read(std::shared_ptr<const io::Bytes> bytes, const ReadTrajectoryOptions& options) {
  if (!(options.unit > 0) || !std::isfinite(options.unit)) {
    throw Error("unit", fmt::format("must be positive and finite, got {}", options.unit));
  }
  return io::poses_of(io::read_rows(std::move(bytes), options), options);
}

TrajectoryFormat format_for(const std::string& path, const clearance::Trajectory& trajectory,
                            const std::optional<TrajectoryFormat>& asked) {
  if (asked) return *asked;
  const std::string extension = io::extension_of(path);
  if (extension == "tum") return TrajectoryFormat::tum;
  if (extension == "kitti") return TrajectoryFormat::kitti;
  if (extension == "csv") return TrajectoryFormat::csv;
  if (extension == "txt") return trajectory.times.empty() ? TrajectoryFormat::kitti : TrajectoryFormat::tum;
  throw Error(path, "its name does not indicate a format; end it in .tum, .kitti, .csv or .txt, or state the format");
}

/// x, y, z, w; of the two quaternions of a rotation the one with w >= 0.
std::array<double, 4> quaternion_of(const Pose& pose) {
  const Eigen::Quaterniond q(pose.rotation());
  const double sign = q.w() < 0 ? -1 : 1;
  return {sign * q.x(), sign * q.y(), sign * q.z(), sign * q.w()};
}

void append_matrix(std::string& text, const Pose& pose, char row_end) {
  for (Eigen::Index r = 0; r < 3; ++r) {
    const Mat3& m = pose.rotation();
    fmt::format_to(std::back_inserter(text), "{} {} {} {}{}", m(r, 0), m(r, 1), m(r, 2), pose.translation()[r],
                   r < 2 ? row_end : '\n');
  }
}

void append_row(std::string& text, double time, bool timed, const Pose& pose, char separator) {
  const Vec3& p = pose.translation();
  const std::array<double, 4> q = quaternion_of(pose);
  if (timed) fmt::format_to(std::back_inserter(text), "{}{}", time, separator);
  fmt::format_to(std::back_inserter(text), "{1}{0}{2}{0}{3}{0}{4}{0}{5}{0}{6}{0}{7}\n", separator, p.x(), p.y(), p.z(),
                 q[0], q[1], q[2], q[3]);
}

}  // namespace

Pose turn_to_flu(const std::string& axes) {
  constexpr std::string_view kLetters = "flubrd";
  Mat3 columns = Mat3::Zero();
  bool known = axes.size() == 3;
  for (std::size_t k = 0; k < 3 && known; ++k) {
    const std::size_t letter = kLetters.find(axes[k]);
    known = letter != std::string_view::npos;
    if (known) columns(static_cast<Eigen::Index>(letter % 3), static_cast<Eigen::Index>(k)) = letter < 3 ? 1 : -1;
  }
  if (!known || std::abs(columns.determinant()) != 1) {
    throw Error("axes", fmt::format("must be three of the letters f b l r u d, one for each direction, got {}",
                                    io::in_quotes(axes)));
  }
  if (columns.determinant() < 0) throw Error("axes", fmt::format("{} is a left-handed frame", io::in_quotes(axes)));
  return Pose::from_matrix(Vec3::Zero(), columns.transpose());
}

std::string_view name_of(TrajectoryFormat format) {
  switch (format) {
    case TrajectoryFormat::tum:
      return "TUM";
    case TrajectoryFormat::kitti:
      return "KITTI";
    case TrajectoryFormat::matrix:
      return "3x4";
    case TrajectoryFormat::csv:
      break;
  }
  return "CSV";
}

TrajectoryFile read_trajectory_file(const std::string& path, const ReadTrajectoryOptions& options) {
  return read(io::Bytes::open(path), options);
}

TrajectoryFile parse_trajectory(std::string_view bytes, const std::string& name, const ReadTrajectoryOptions& options) {
  return read(io::Bytes::of(bytes, name), options);
}

clearance::Trajectory read_trajectory(const std::string& path, const ReadTrajectoryOptions& options) {
  return read_trajectory_file(path, options).trajectory;
}

void write_trajectory(const std::string& path, const clearance::Trajectory& trajectory,
                      const WriteTrajectoryOptions& options) {
  trajectory.check(path);
  const TrajectoryFormat format = format_for(path, trajectory, options.format);
  const bool timed = !trajectory.times.empty();
  FileWriter file(path);
  std::string text;
  if (format == TrajectoryFormat::tum) text = "# time x y z qx qy qz qw\n";
  if (format == TrajectoryFormat::csv) text = timed ? "time,x,y,z,qx,qy,qz,qw\n" : "x,y,z,qx,qy,qz,qw\n";
  for (std::size_t i = 0; i < trajectory.size(); ++i) {
    const Pose& pose = trajectory.poses[i];
    const double time = timed ? trajectory.times[i] : static_cast<double>(i);
    switch (format) {
      case TrajectoryFormat::tum:
        append_row(text, time, true, pose, ' ');
        break;
      case TrajectoryFormat::kitti:
        append_matrix(text, pose, ' ');
        break;
      case TrajectoryFormat::matrix:
        append_matrix(text, pose, '\n');
        break;
      case TrajectoryFormat::csv:
        append_row(text, time, timed, pose, ',');
    }
    constexpr std::size_t kEnough = std::size_t{1} << 16;
    if (text.size() < kEnough) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace graze
