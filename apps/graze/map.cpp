// graze map: occupancy maps from the frames of a sensor.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "graze/base/error.h"
#include "graze/io/cloud_file.h"
#include "graze/io/map_file.h"
#include "graze/io/trajectory_file.h"
#include "graze/io/write_file.h"
#include "graze/map/occupancy_mapper.h"
#include "interrupt.h"
#include "streams.h"

namespace graze::app {
namespace {

struct BuildArguments {
  std::vector<std::string> frames;
  std::string poses, output, axes = "flu";
  double resolution = 0.05, max_range = 0, hit = 0.7, miss = 0.4;
  bool every_point = false;
};

int build(const BuildArguments& a, bool quiet) {
  say_when_interrupted("");
  check_writable(a.output);
  const clearance::Trajectory poses = read_trajectory(a.poses, {.axes = a.axes});
  if (poses.size() != a.frames.size()) {
    throw Error(a.poses, fmt::format("has {} poses for {} frames; expected one for each, in the same order",
                                     poses.size(), a.frames.size()));
  }
  OccupancyMapper mapper({.resolution = a.resolution, .hit = a.hit, .miss = a.miss});
  InsertReport sum;
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    stop_if_interrupted();
    const Cloud cloud = read_cloud(a.frames[i], {.attributes = false});
    std::vector<Vec3> points;
    points.reserve(cloud.size());
    for (std::size_t k = 0; k < cloud.size(); ++k) points.push_back(cloud.point(k));
    InsertReport report;
    try {
      report = mapper.insert({.points = points,
                              .pose = poses.poses[i],
                              .time = poses.times.empty() ? static_cast<double>(i) : poses.times[i],
                              .max_range = a.max_range > 0 ? a.max_range : kInfinity,
                              .rays = a.every_point ? FrameRays::per_point : FrameRays::per_end_voxel});
    } catch (const Error& error) {
      throw Error(a.frames[i], error.what());
    }
    sum.points += report.points;
    sum.hits += report.hits;
    sum.cut += report.cut;
    sum.no_return += report.no_return;
    sum.too_far += report.too_far;
  }
  const OccupancyMap map = mapper.map();
  write_map(a.output, map);
  if (!quiet) {
    print(
        fmt::format("{}: {} leaves from {} frames; of {} points {} hit, {} were beyond the range, {} were no return\n",
                    printable(a.output), map.leaves(), a.frames.size(), sum.points, sum.hits, sum.cut, sum.no_return));
  }
  if (sum.too_far > 0) complain(fmt::format("{} rays were too long and are not in the map", sum.too_far));
  return kClear;
}

Command build_command() {
  const auto a = std::make_shared<BuildArguments>();
  return {
      .name = "build",
      .help = "Make an occupancy map of scans and the poses of the sensor",
      .options =
          {{"FRAME", &a->frames, "Clouds, one per pose, in the frame of the sensor", {.required = true, .file = true}},
           {"--poses",
            &a->poses,
            "Trajectory of the sensor (TUM, KITTI, CSV): a pose for every frame, in their order",
            {.value = "TRAJECTORY", .required = true, .file = true}},
           {"-o,--output",
            &a->output,
            "Where the map goes: .bt (free or occupied) or .ot (log-odds)",
            {.value = "FILE", .required = true, .file = true}},
           {"--resolution", &a->resolution, "Side of a cell in metres", {.value = "R", .range = {1e-3, 1e3}}},
           {"--max-range",
            &a->max_range,
            "Metres; rays that are longer are cut there and clear only. 0: no limit",
            {.value = "D", .range = {0, 1e6}}},
           {"--axes", &a->axes, "Where x, y and z of the sensor point in the trajectory", {.value = "AXES"}},
           {"--hit", &a->hit, "Probability that a hit stands for", {.value = "P", .range = {0.5, 0.9999}}},
           {"--miss", &a->miss, "Probability that a miss stands for", {.value = "P", .range = {0.0001, 0.5}}},
           {"--every-point", &a->every_point, "A ray for every point instead of every cell with points"}},
      .footer = "Inserts every cloud from the position of its pose, as OctoMap does. Points that are NaN are left out.",
      .run = [a](const Session& session) { return build(*a, session.quiet); }};
}

}  // namespace

Command map_command() {
  return {.name = "map", .help = "Occupancy maps from the frames of a sensor", .commands = {build_command()}};
}

}  // namespace graze::app
