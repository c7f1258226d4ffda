// graze map: occupancy maps from the frames of a sensor, and pages of them.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
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
#include "map_page.h"
#include "outputs.h"
#include "progress_bar.h"
#include "streams.h"

namespace graze::app {
namespace {

struct BuildArguments {
  std::vector<std::string> frames;
  std::string poses, output, axes = "flu";
  double resolution = 0.05, max_range = 0, hit = 0.7, miss = 0.4;
  int average = 0;
  bool every_point = false;
};

OccupancyMapperOptions mapper_options(const BuildArguments& a) {
  OccupancyMapperOptions options{.resolution = a.resolution, .hit = a.hit, .miss = a.miss};
  if (a.average > 0) options.model = SensorModel::running_average, options.window = a.average;
  return options;
}

int build(const BuildArguments& a, bool quiet) {
  say_when_interrupted("");
  if (!map_format_of(a.output)) {
    throw Error(a.output, "its name does not indicate a format; maps are written as .gmap, .bt and .ot");
  }
  check_writable(a.output);
  expect_no_input(a.output, a.frames);
  expect_no_input(a.output, std::array{a.poses});
  ProgressBar bar(quiet);
  const Progress progress = bar.progress();
  const clearance::Trajectory poses = read_trajectory(a.poses, {.axes = a.axes});
  if (poses.size() != a.frames.size()) {
    throw Error(a.poses, fmt::format("has {} poses for {} frames; expected one for each, in the same order",
                                     poses.size(), a.frames.size()));
  }
  OccupancyMapper mapper(mapper_options(a));
  InsertReport sum;
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    stop_if_interrupted();
    progress.report(static_cast<double>(i) / static_cast<double>(a.frames.size()), "inserting frames");
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
  stop_if_interrupted();
  write_map(a.output, map, {.sensor = mapper.options()});
  bar.clear();
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
            "Where the map goes: .gmap (everything), .bt (free or occupied) or .ot (log-odds)",
            {.value = "FILE", .required = true, .file = true}},
           {"--resolution", &a->resolution, "Side of a cell in metres", {.value = "R", .range = {1e-3, 1e3}}},
           {"--max-range",
            &a->max_range,
            "Metres; rays that are longer are cut there and clear only. 0: no limit",
            {.value = "D", .range = {0, 1e6}}},
           {"--axes", &a->axes, "Where x, y and z of the sensor point in the trajectory", {.value = "AXES"}},
           {"--hit", &a->hit, "Probability that a hit stands for", {.value = "P", .range = {0.5, 0.9999}}},
           {"--miss", &a->miss, "Probability that a miss stands for", {.value = "P", .range = {0.0001, 0.5}}},
           {"--average",
            &a->average,
            "Instead of log-odds, the share of hits among the last N frames that saw a cell, 1 to 62",
            {.value = "N", .range = {1, 62}}},
           {"--every-point", &a->every_point, "A ray for every point instead of every cell with points"}},
      .footer = "Inserts every cloud from the position of its pose, as OctoMap does. Points that are NaN are left out.",
      .run = [a](const Session& session) { return build(*a, session.quiet); }};
}

struct ShowArguments {
  std::string map, output;
  double threshold = 0.5;
  std::uint64_t max_cubes = 400'000;
  bool free = false, unknown = false;
};

int show(const ShowArguments& a, bool quiet) {
  say_when_interrupted("");
  const std::string output = a.output.empty() ? std::filesystem::path(a.map).stem().string() + ".html" : a.output;
  check_writable(output);
  expect_no_input(output, std::array{a.map});
  ProgressBar bar(quiet);
  bar.progress().report(0, "reading the map");
  const MapFile file = read_map_file(a.map);
  stop_if_interrupted();
  const MapPageReport page = write_map_page(output, file.map,
                                            {.title = std::filesystem::path(a.map).filename().string(),
                                             .cubes = {.threshold = a.threshold,
                                                       .free = a.free,
                                                       .unknown = a.unknown,
                                                       .max = static_cast<std::size_t>(a.max_cubes)}});
  bar.clear();
  print(quiet ? printable(output) + "\n"
              : fmt::format("{}: {} cubes of {}\n", printable(output), page.cubes, printable(a.map)));
  if (page.level > 0) {
    remark(quiet, fmt::format("{} has more than {} cells to show; the page merges them into cubes of {:g} m, or see "
                              "--max-cubes",
                              a.map, a.max_cubes, std::ldexp(file.map.resolution(), page.level)));
  }
  if (page.cubes == 0) remark(quiet, fmt::format("{} has no cell of at least this probability", a.map));
  return kClear;
}

Command show_command() {
  const auto a = std::make_shared<ShowArguments>();
  return {
      .name = "show",
      .help = "Write a page with the cells of a map in three dimensions",
      .options =
          {{"MAP", &a->map, "An occupancy map: GMAP, BT, OT", {.required = true, .file = true}},
           {"-o,--output", &a->output, "The page [the name of the map with .html, in this folder]", {.value = "FILE"}},
           {"--threshold",
            &a->threshold,
            "Cells of at least this probability are occupied",
            {.value = "P", .range = {0, 1}}},
           {"--free", &a->free, "Free cells too"},
           {"--unknown", &a->unknown, "Unknown cells too, within the bounds of what is known"},
           {"--max-cubes",
            &a->max_cubes,
            "Show more cells than this as coarser cubes",
            {.value = "N", .range = {1000, 5e6}}}},
      .footer =
          "The page is one file that opens offline. Cells are coloured by probability or height; a slider moves the\n"
          "threshold from that of the page upwards.",
      .run = [a](const Session& session) { return show(*a, session.quiet); }};
}

}  // namespace

Command map_command() {
  return {.name = "map", .help = "Make and show occupancy maps", .commands = {build_command(), show_command()}};
}

}  // namespace graze::app
