// The poses of a file as they stand there, and what is made of them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "graze/io/trajectory_file.h"
#include "io/bytes.h"

namespace graze::io {

/// One pose. Rows are many, so that they hold no more than they must.
struct TrajectoryRow {
  std::size_t line = 0;  ///< where it starts in the file
  double time = 0;
  Vec3 position = Vec3::Zero();
  /// x, y, z, w as they stand in the file; where there is no rotation, the roll alone.
  std::array<double, 4> rotation{};
};

/// What all rows of a file have in common.
struct TrajectoryRows {
  std::string name;
  TrajectoryFormat format = TrajectoryFormat::tum;
  bool times = false;
  bool rotations = true;  ///< false: they follow from the path
  std::vector<TrajectoryRow> rows;
  std::vector<std::string> notes;
};

/// Reads what is there; throws Error for what cannot be read, but takes NaN, zeros and times as they come.
TrajectoryRows read_rows(std::shared_ptr<const Bytes> bytes, const ReadTrajectoryOptions& options);

/// Checks the rows, repairs them if that was asked for, and makes poses of them.
TrajectoryFile poses_of(TrajectoryRows&& rows, const ReadTrajectoryOptions& options);

}  // namespace graze::io
