// Any bytes as a trajectory file: poses that keep the contract, or an Error that names the file; repairs never
// read less. What was read can be written, resampled, smoothed and driven along.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graze/base/error.h"
#include "graze/clearance/track.h"
#include "graze/clearance/vehicle.h"
#include "graze/io/trajectory_file.h"

namespace {

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", claim);
  std::abort();
}

bool read(std::string_view bytes, const graze::ReadTrajectoryOptions& options, graze::TrajectoryFile& file) {
  try {
    file = graze::parse_trajectory(bytes, "f.txt", options);
    return true;
  } catch (const graze::Error& error) {
    expect(std::string_view(error.what()).starts_with("f.txt"), "errors start with the name of the file");
    return false;
  }
}

void use(const graze::clearance::Trajectory& trajectory) {
  using namespace graze;
  for (const TrajectoryFormat format :
       {TrajectoryFormat::tum, TrajectoryFormat::kitti, TrajectoryFormat::matrix, TrajectoryFormat::csv}) {
    write_trajectory("/dev/null", trajectory, {.format = format});
  }
  const graze::clearance::Track track(trajectory);
  const double length = track.length();
  expect(track.position_at(length / 2).chainage <= length, "locations lie on the track");
  expect(track.nearest(trajectory.poses.back().translation()).distance <= length * 1e-9, "poses lie on the track");
  try {
    expect(trajectory.resampled(length / 50 + 1e-9).size() <= 2 * trajectory.size() + 60, "resampling is bounded");
    const graze::clearance::SmoothedTrajectory smooth = trajectory.smoothed({.tolerance = 0.1});
    // Where steps of metres follow one of light-years, chainage cannot resolve them.
    expect(smooth.residual <= 0.1 + 1e-9 * (1 + length), "the residual is kept");
    graze::clearance::Vehicle vehicle;
    vehicle.bogie_distance = length / 10 + 1e-3;
    follow(track, vehicle, {.step = length / 20 + 1e-3, .threads = 1});
  } catch (const Error&) {
    // which says what is wrong with it
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  graze::TrajectoryFile strict, repaired;
  const bool good = read(bytes, {}, strict), repairable = read(bytes, {.axes = "rdf", .repair = true}, repaired);
  expect(repairable || !good, "a good file needs no repair");
  if (!repairable) return 0;
  const graze::clearance::Trajectory& trajectory = repaired.trajectory;
  trajectory.check();
  expect(!trajectory.empty() && trajectory.size() <= repaired.lines, "there are poses, at most one per line");
  const std::size_t memory = trajectory.poses.capacity() * sizeof(graze::Pose);
  expect(memory <= (std::size_t{64} << 20) + 64 * size, "memory is proportional to the file");
  for (const graze::Pose& pose : trajectory.poses) {
    expect(graze::is_finite(pose.translation()) && pose.rotation().allFinite(), "poses are finite");
  }
  constexpr std::size_t kFew = 500;
  if (trajectory.size() <= kFew) use(trajectory);
  return 0;
}
