// A wagon runs along a track: where does its body go, and what does a structure gauge make of it?

#include <graze/graze.h>
#include <graze/io/trajectory_file.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  // [snippet]
  using namespace graze;

  // A surveyed curve of radius 300 m: a point every 5 m and nothing about rotations.
  std::string table = "x,y,z\n";
  for (int i = 0; i <= 40; ++i) {
    const double angle = 5.0 / 300 * i;
    table += std::to_string(300 * std::sin(angle)) + "," + std::to_string(300 - 300 * std::cos(angle)) + ",0\n";
  }
  const TrajectoryFile file = parse_trajectory(table, "survey.csv");  // read_trajectory("survey.csv") for a file
  const clearance::Trajectory& survey = file.trajectory;              // file.notes: what was worked out or repaired

  // Five metres are too coarse for chords: a smooth curve within a millimetre of every point, every 0.1 m.
  const clearance::SmoothedTrajectory smooth = survey.smoothed({.tolerance = 0.001, .step = 0.1});
  const clearance::Track track(smooth.trajectory);

  // A wagon with bogies 20 m apart; both stay on the track.
  clearance::Vehicle wagon;
  wagon.bogie_distance = 20;
  wagon.length = 24.6;
  const clearance::VehicleRun run = run_along(track, wagon, {.step = 0.5});
  const Pose middle = run.body.poses[run.body.size() / 2];

  // The middle of the body lies inside the curve, by a² / 8R; its ends outside, by (L² - a²) / 8R.
  const Vec3 center(0, 300, 0);
  const double inwards = 300 - (middle * Vec3(0, 0, 0) - center).norm();
  const double outwards = (middle * Vec3(12.3, 0, 0) - center).norm() - 300;

  // A gauge 1.5 m wide on each side does not see a post inside the curve that the body hits.
  const clearance::Gauge gauge({{-1.5, 0}, {1.5, 0}, {1.5, 4}, {-1.5, 4}});
  const std::vector<Vec3> post = {middle * Vec3(0, 1.45, 1)};
  std::vector<clearance::GaugePoint> seen(post.size());
  check_gauge(gauge, track, post, seen);
  // [/snippet]

  std::printf("%zu poses from %zu, off by %.2g m at most; %zu notes\n", smooth.trajectory.size(), survey.size(),
              smooth.residual, file.notes.size());
  std::printf("center throw %.4f m (%.4f), end throw %.4f m (%.4f)\n", inwards, center_throw(wagon, 300), outwards,
              end_throw(wagon, 300));
  std::printf("the post is %.3f m outside the gauge, and inside the wagon\n", seen[0].clearance);
  const bool as_expected = smooth.residual <= 0.001 && std::abs(inwards - center_throw(wagon, 300)) < 0.001 &&
                           std::abs(outwards - end_throw(wagon, 300)) < 0.001 &&
                           seen[0].state == clearance::GaugeState::clear;
  return as_expected ? 0 : 1;
}
