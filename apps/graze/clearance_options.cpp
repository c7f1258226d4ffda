// The options of graze clearance, and how they are listed in its report.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "clearance_job.h"
#include "command.h"
#include "graze/base/error.h"
#include "graze/io/trajectory_file.h"
#include "numbers.h"

namespace graze::app {
namespace {

Aabb moved_box(const Route& route, const Aabb& box) {
  Aabb out;
  for (const Pose& pose : route.poses) out.extend(transformed(box, pose));
  return out;
}

void check_arguments(ClearanceArguments& a) {
  const auto refuse = [](const char* option, const char* why) { throw UsageError(option, why); };
  try {
    turn_to_flu(a.axes);
  } catch (const Error& error) {
    throw UsageError("--axes", std::string(error.what()).substr(error.where().size() + 2));
  }
  if (a.warn < a.fail) refuse("--warn", "must not be below --fail");
  if (a.reach() < a.warn) refuse("--limit", "must not be below --warn");
  if (a.model.empty() == a.vehicle.empty()) refuse("--model, --vehicle", "exactly one of the two must be given");
  if (!a.vehicle.empty() && !a.model_units.empty())
    refuse("--model-units", "is for --model; a vehicle's JSON has \"unit\"");
  for (std::size_t k = 3; k < a.roi.size(); ++k) {
    if (a.roi[k] < a.roi[k - 3]) refuse("--roi", "expects X Y Z of the minimum corner, then of the maximum corner");
  }
  const auto has = [&](const char* side) { return std::find(a.sides.begin(), a.sides.end(), side) != a.sides.end(); };
  if (a.sides.empty() || (a.sides.size() > 1 && (has("none") || has("all")))) {
    refuse("--sides", "is a list of left, right, above and below, or all, or none");
  }
  if (a.resume && a.outputs().empty() && a.work.empty()) refuse("--resume", "needs an output file or --work");
  if (a.title.empty()) a.title = "Clearance report";
  // Sets and depths of the paper are those of a whole scan.
  if (a.method.starts_with("kd-")) a.block = 0x7FFFFFFF;
}

}  // namespace

std::vector<std::string> ClearanceArguments::outputs() const {
  std::vector<std::string> out;
  for (const std::string& file : {report, csv, clusters, points}) {
    if (!file.empty()) out.push_back(file);
  }
  return out;
}

clearance::CoverageOptions ClearanceArguments::coverage() const {
  clearance::CoverageOptions out{
      .lookout = lookout, .points = scan_density, .gap = gap, .demanded = {}, .min_share = min_scanned};
  for (const std::string& name : sides) {
    for (std::size_t side = 0; side < clearance::kSides; ++side) {
      if (name == "all" || name == name_of(static_cast<clearance::Side>(side))) out.demanded[side] = true;
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> settings_of(const ClearanceArguments& a, const MovingModel& model,
                                                             const Route& route) {
  const auto metres = [](double x) { return fmt::format("{:g} m", x); };
  const Vec3 size = model.box.max - model.box.min;
  std::vector<std::pair<std::string, std::string>> out = {
      {"method", a.method == "exact"   ? "exact: continuous between the poses, all of the model"
                 : a.method == "gauge" ? "gauge: the outline of the model, drawn along the track"
                                       : fmt::format("{} with r = {:g} m: points nearer than r to a voxel centre of "
                                                     "the model are hits",
                                                     a.method, a.fail)},
      {"fail below", metres(a.fail)},
      {"warn below", metres(a.warn)},
      {"measured up to", metres(a.reach())},
      {"vehicle", fmt::format("{}, {:.2f} × {:.2f} × {:.2f} m", model.name, size.x(), size.y(), size.z())},
      {"path", fmt::format("{} poses, chainage {} m to {} m", route.poses.size(), fixed(route.chainage.front(), 2),
                           fixed(route.chainage.back(), 2))},
      {"swept space", range_text(moved_box(route, model.box))},
      {"clusters", fmt::format("points joined over cubes of {:g} m", a.link)},
      {"coverage",
       fmt::format("a side is seen with {:g} points per metre within {:g} m of the vehicle's box, or between "
                   "such at most {:g} m apart; required: {}",
                   a.scan_density, a.lookout, a.gap,
                   a.sides.front() == "none" ? "none" : sides_text(a.coverage().demanded))}};
  const auto add = [&](bool given, const char* name, const std::string& value) {
    if (given) out.emplace_back(name, value);
  };
  add(a.allow_gaps, "gaps", "allowed");
  add(a.drop_no_echo, "points without an echo", "left out");
  for (const std::string& name : a.accept) out.emplace_back("accepted", name);
  add(a.radius > 0, "radius of model points", metres(a.radius));
  add(a.smooth > 0, "path smoothed within", metres(a.smooth));
  add(a.step > 0, "path in steps of", metres(a.step));
  add(!a.units.empty(), "units of the scan", a.units);
  add(a.path_units != "m", "units of the path", a.path_units);
  add(!a.model_units.empty(), "units of the model", a.model_units);
  add(a.axes != "flu", "axes of the path", a.axes);
  if (a.roi.size() == 6) {
    out.emplace_back("region of interest", fmt::format("({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g})", a.roi[0], a.roi[1],
                                                       a.roi[2], a.roi[3], a.roi[4], a.roi[5]));
  }
  return out;
}

Command clearance_command() {
  const auto a = std::make_shared<ClearanceArguments>();
  const std::vector<std::string> units = {"m", "dm", "cm", "mm", "km", "in", "ft", "us-ft"};
  return {
      .name = "clearance",
      .help = "How near a vehicle or a model comes to the points of a scan, along its path",
      .options =
          {{"SCAN",
            &a->scans,
            "Files of points: PLY, PCD, LAS, LAZ, E57, text in columns",
            {.required = true, .file = true}},
           {"--path",
            &a->path,
            "The track, or the path of the model: TUM, KITTI, 3x4 rows, CSV",
            {.value = "FILE", .required = true}},
           {"--model",
            &a->model,
            "What moves along the path: a mesh or a cloud, x forward, y left, z up; a folder of them is a model that "
            "changes its shape, with one file per pose in the order of their names",
            {.value = "FILE"}},
           {"--vehicle", &a->vehicle, "A vehicle on two bogies that follows the path: JSON", {.value = "FILE"}},

           {"--fail",
            &a->fail,
            "Less clearance than this fails, in metres",
            {.value = "M [0.1]", .range = kNotNegative}},
           {"--warn", &a->warn, "Less than this is listed", {.value = "M [0.2]"}},
           {"--limit",
            &a->limit,
            "Farther points are not measured; 0.3 and at least 1.5 times --warn if absent",
            {.value = "M"}},
           {"--method",
            &a->method,
            "exact; gauge (a section drawn along the track); or the methods of the kd-CD paper with r = --fail:\n"
            "kd-cd-simple, kd-cd, kd-pd-fast, kd-pd",
            {.value = "NAME", .one_of = {"exact", "gauge", "kd-cd-simple", "kd-cd", "kd-pd-fast", "kd-pd"}}},

           {"--sides",
            &a->sides,
            "Sides that must have been scanned: a list of left, right, above, below; or all; or none",
            {.value = "LIST [left,right,below]",
             .one_of = {"left", "right", "above", "below", "all", "none"},
             .commas = true}},
           {"--lookout",
            &a->lookout,
            "Points within this distance of the vehicle show that the scanner saw that side",
            {.value = "M [5]", .range = kPositive}},
           {"--scan-density",
            &a->scan_density,
            "Such points per metre of path and side that count as scanned",
            {.value = "N [3]", .range = kPositive}},
           {"--gap", &a->gap, "Shorter sections without them are ignored", {.value = "M [3]", .range = kNotNegative}},
           {"--min-scanned",
            &a->min_scanned,
            "With less of the path scanned, there is no verdict",
            {.value = "SHARE [0.05]", .range = {0, 1}}},
           {"--allow-gaps", &a->allow_gaps, "Exit code 0 even if part of the path was not scanned"},
           {"--accept",
            &a->accept,
            "Cautions to accept as correct: units, size, offset, axes",
            {.value = "NAME", .one_of = {"units", "size", "offset", "axes"}, .commas = true}},
           {"--drop-no-echo", &a->drop_no_echo, "Leave out spots with a thousand equal points, such as 0, 0, 0"},

           {"--report", &a->report, "The report: one HTML page that opens offline", {.value = "FILE"}},
           {"--csv", &a->csv, "Minimum clearance left, right, above and below per chainage", {.value = "FILE"}},
           {"--clusters", &a->clusters, "The locations that are too narrow, as CSV", {.value = "FILE"}},
           {"--points", &a->points, "The scan, coloured by clearance: .ply, .las, .pcd, .csv", {.value = "FILE"}},
           {"--json", &a->json, "Results as JSON on standard output"},
           {"--title", &a->title, "Of the report", {.value = "TEXT"}},

           {"--units",
            &a->units,
            "Of the scan: m, dm, cm, mm, km, in, ft, us-ft; as a LAS file says, or m, if not given",
            {.value = "U", .one_of = units}},
           {"--path-units", &a->path_units, "Of the path", {.value = "U", .one_of = units}},
           {"--model-units", &a->model_units, "Of the model", {.value = "U", .one_of = units}},
           {"--axes", &a->axes, "Of the poses in the path: flu, or rdf (cameras), frd (aircraft), …", {.value = "XYZ"}},
           {"--roi", &a->roi, "Only points in this box, in metres", {.value = "X Y Z X Y Z", .count = 6}},
           {"--radius", &a->radius, "Of the points of a model that is a cloud", {.value = "M", .range = kNotNegative}},
           {"--shell", &a->shell, "Only the surface of a closed mesh counts, not its inside"},
           {"--step",
            &a->step,
            "Metres between the poses that are used (0.1 for a vehicle)",
            {.value = "M", .range = kNotNegative}},
           {"--smooth",
            &a->smooth,
            "Smooth the path, moving it by no more than this",
            {.value = "M", .range = kNotNegative}},
           {"--repair", &a->repair, "Repair a path with unordered times, NaN or zero quaternions"},
           {"--chainage-start", &a->chainage_start, "Of the first pose of the path", {.value = "M"}},
           {"--bin", &a->bin, "Chainage per row of the diagram", {.value = "M [1]", .range = kPositive}},
           {"--link",
            &a->link,
            "Points nearer to each other than about this form one cluster",
            {.value = "M [0.25]", .range = kPositive}},
           {"--slice", &a->slice, "Thickness of the cross-sections", {.value = "M [0.2]", .range = kPositive}},
           {"--sections", &a->sections, "Cross-sections in the report", {.value = "N [24]"}},
           {"--max-clusters", &a->max_clusters, "Maximum number of locations listed", {.value = "N [200]"}},
           {"--report-points",
            &a->report_points,
            "Points in the 3-D view, about 9 bytes each",
            {.value = "N [2000000]", .range = {0, 100'000'000}}},

           {"--threads", &a->threads, "0: as many as the machine has", {.value = "N", .range = {0, 4096}}},
           {"--block",
            &a->block,
            "Points measured at a time, about 60 bytes each",
            {.value = "N [4000000]", .range = {1, 0x7FFFFFFF}}},
           {"--resume", &a->resume, "Continue an interrupted run"},
           {"--work",
            &a->work,
            "Folder for what --resume needs; by default the first output with .work appended",
            {.value = "FOLDER"}},
           {"--keep-work", &a->keep_work, "Do not remove that folder at the end"}},
      .footer =
          "Exit code 0: every point keeps the clearance --fail, and all of the path was scanned; 1: some do not; 2: "
          "usage;\n"
          "3: bad input, or nothing was checked (too little scanned, or a caution that --accept does not name);\n"
          "5: clear where scanned, and part of the path was not (0 with --allow-gaps).\n"
          "Files are written when they are complete. docs/clearance-report.md explains how to read the report.\n"
          "Try:  graze generate tunnel --points 1000000 -o tunnel\n"
          "      graze clearance tunnel/scan.las --path tunnel/track.tum --vehicle tunnel/vehicle.json --report "
          "report.html",
      .check = [a] { check_arguments(*a); },
      .run = [a](const Session& session) { return run_clearance(*a, session); }};
}

}  // namespace graze::app
