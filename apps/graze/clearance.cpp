// graze clearance: a model along a path through a scan, from files to a report.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>

#include "clearance_job.h"
#include "command.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/io/cloud_file.h"
#include "graze/io/write_file.h"
#include "graze/version.h"
#include "progress_bar.h"
#include "result_store.h"
#include "sha256.h"
#include "streams.h"

namespace graze::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> outputs_of(const ClearanceArguments& a) {
  std::vector<std::string> out;
  for (const std::string& path : {a.report, a.csv, a.clusters, a.points}) {
    if (!path.empty()) out.push_back(path);
  }
  return out;
}

// Hours of measuring are not to end in a folder that does not exist.
void check_outputs(const ClearanceArguments& a) {
  for (const std::string& path : outputs_of(a)) {
    const fs::path folder = fs::absolute(path).parent_path();
    if (!fs::is_directory(folder)) throw Error(path, fmt::format("the folder {} does not exist", folder.string()));
    if (fs::is_directory(path)) throw Error(path, "is a folder");
    const bool exists = fs::exists(path);
    if ((exists && ::access(path.c_str(), W_OK) != 0) || (!exists && ::access(folder.c_str(), W_OK) != 0)) {
      throw Error(path, "cannot be written");
    }
    for (const std::string& scan : a.scans) {
      std::error_code error;
      if (fs::equivalent(scan, path, error)) throw Error(path, "is one of the scans; name another file");
    }
  }
}

void hash_inputs(std::vector<InputFile>& inputs, const Progress& progress) {
  const auto count = static_cast<double>(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto k = static_cast<double>(i);
    inputs[i].sha256 = sha256_of_file(inputs[i].path, progress.part(k / count, (k + 1) / count));
    inputs[i].size = fs::file_size(inputs[i].path);
  }
}

// Everything that the clearance of a point depends on.
std::string fingerprint_of(const ClearanceArguments& a, const std::vector<InputFile>& inputs) {
  std::string out =
      fmt::format("graze {}\nmethod {} limit {:a} fail {:a} warn {:a} radius {:a} step {:a} smooth {:a}\n", kVersion,
                  a.method, a.reach(), a.fail, a.warn, a.radius, a.step, a.smooth);
  out += fmt::format("units {} {} {} axes {} shell {} repair {} block {} start {:a}\nroi", a.units, a.path_units,
                     a.model_units, a.axes, a.shell, a.repair, a.block, a.chainage_start);
  for (const double x : a.roi) out += fmt::format(" {:a}", x);
  for (const InputFile& file : inputs) out += fmt::format("\n{} {}", file.role, file.sha256);
  return out + "\n";
}

Aabb moved_box(const Way& way, const Aabb& box) {
  Aabb out;
  for (const Pose& pose : way.poses) out.extend(transformed(box, pose));
  return out;
}

class Job {
 public:
  Job(const ClearanceArguments& arguments, bool quiet) : a_(arguments), quiet_(quiet), bar_(quiet) {}

  int run() {
    check_outputs(a_);
    const Progress progress = bar_.progress();
    progress.report(0, "reading " + a_.path);
    read(progress.part(0, 0.12));
    measure(progress.part(0.12, a_.report.empty() && a_.points.empty() ? 0.99 : 0.7));
    write(progress.part(0.7, 0.99));
    progress.report(1);
    bar_.clear();
    if (store_ && !a_.keep_work) store_->remove();
    tell();
    if (outcome_.unchecked) return kInput;
    return outcome_.passed() ? kClear : kCollision;
  }

 private:
  void read(const Progress& progress) {
    way_ = read_way(a_);
    model_ = read_model(a_);
    if (const std::size_t shapes = model_.frames.size(); shapes > 1 && shapes != way_.poses.size()) {
      throw Error(
          a_.model,
          fmt::format("has {} shapes, but the path has {} poses{}; a model that changes has one shape for "
                      "each pose",
                      shapes, way_.poses.size(), a_.step > 0 || a_.smooth > 0 ? " with --step or --smooth" : ""));
    }
    for (const std::string& scan : a_.scans) outcome_.inputs.push_back({"scan", scan, 0, ""});
    outcome_.inputs.push_back({"path", a_.path, 0, ""});
    outcome_.inputs.insert(outcome_.inputs.end(), model_.files.begin(), model_.files.end());
    hash_inputs(outcome_.inputs, progress.part(0.1, 0.6));
    outcome_.scan = ScanReader(a_).survey(progress.part(0.6, 1));
    outcome_.notes = way_.notes;
    outcome_.notes.insert(outcome_.notes.end(), model_.notes.begin(), model_.notes.end());
    outcome_.cautions = cautions_of(a_, model_, way_, outcome_.scan);
    outcome_.unchecked = nothing_to_check(a_, model_, way_, outcome_.scan);
    path_ = std::make_unique<ReportPath>(way_.poses, way_.chainage, model_.box);
    if (outputs_of(a_).empty()) return;
    const std::string folder = a_.work.empty() ? outputs_of(a_).front() + ".work" : a_.work;
    store_ = std::make_unique<ResultStore>(folder, fingerprint_of(a_, outcome_.inputs), a_.resume);
    bar_.clear();
    if (a_.resume && !store_->refused().empty()) remark(quiet_, "Measuring from the start: " + store_->refused());
    if (store_->found() > 0) remark(quiet_, fmt::format("Going on after {} blocks of points", store_->found()));
  }

  void measure(const Progress& progress) {
    progress.report(0, "measuring");
    const Method method = method_of(a_, model_, way_);
    ReportBuilder builder(*path_, options());
    std::vector<PointClearance> results;
    for_each_block(progress,
                   [&](std::size_t block, std::uint64_t first, std::span<const Vec3> points, const Progress& part) {
                     results.assign(points.size(), {});
                     if (!store_ || !store_->load(block, results)) {
                       method.measure(points, results, part);
                       if (store_) store_->save(block, results);
                     }
                     builder.add(points, results, first);
                     part.report(1);
                   });
    outcome_.report = std::move(builder).finish();
    if (method.depth) measure_depths(method);
    const ClearanceReport& r = outcome_.report;
    if (r.within == 0 && r.points > r.skipped && outcome_.cautions.empty()) {
      outcome_.cautions.push_back(fmt::format(
          "No point of the scan is within {:g} m of the vehicle. If that is a surprise, look at the units and "
          "the coordinate systems.",
          a_.reach()));
    }
  }

  void measure_depths(const Method& method) {
    std::vector<ReportCluster>& clusters = outcome_.report.clusters;
    parallel_for(clusters.size(), [&](std::size_t i) { clusters[i].depth = method.depth(*path_, clusters[i].worst); },
                 {.threads = a_.threads});
  }

  // The paper's depths and sets are those of whole scans.
  void for_each_block(
      const Progress& progress,
      const std::function<void(std::size_t, std::uint64_t, std::span<const Vec3>, const Progress&)>& visit) const {
    ScanReader(a_).for_each_block(outcome_.scan.points, progress, visit);
  }

  ReportOptions options() const {
    return {.warn = a_.warn,
            .fail = a_.fail,
            .bin = a_.bin,
            .link = a_.link,
            .halo = ReportOptions().halo,
            .clusters = a_.most_clusters,
            .threads = a_.threads};
  }

  void write(const Progress& progress) {
    if (!a_.csv.empty()) write_file(a_.csv, profile_csv(outcome_.report));
    if (!a_.clusters.empty()) write_file(a_.clusters, clusters_csv(outcome_.report));
    const double split = a_.points.empty() ? 1 : a_.report.empty() ? 0 : 0.5;
    if (!a_.report.empty()) write_report(progress.part(0, split));
    if (!a_.points.empty()) write_points(progress.part(split, 1));
  }

  void write_report(const Progress& progress) {
    progress.report(0, "writing " + a_.report);
    PageParts parts;
    // All shapes of a model that changes have the room of one.
    const std::size_t frames = model_.frames.size();
    const ReportModelOptions drawn{.points = std::max<std::size_t>(500, ReportModelOptions().points / frames),
                                   .triangles = std::max<std::size_t>(1000, ReportModelOptions().triangles / frames)};
    for (const std::vector<Placed>& shape : model_.frames) parts.models.push_back(report_model(shape, drawn));
    std::vector<ReportPlace> places;
    for (const ReportCluster& c : outcome_.report.clusters) {
      if (places.size() < a_.sections) places.push_back(c.worst);
    }
    SectionBuilder sections(*path_, parts.models, places, {.thickness = a_.slice});
    ReportCloudBuilder cloud(outcome_.report, *path_,
                             {.points = static_cast<std::size_t>(a_.report_points), .limit = a_.reach()});
    std::vector<PointClearance> results;
    for_each_block(progress.part(0, 0.7),
                   [&](std::size_t block, std::uint64_t first, std::span<const Vec3> points, const Progress& part) {
                     load(block, points, results);
                     sections.add(points, results);
                     cloud.add(points, results, first);
                     part.report(1);
                   });
    parts.sections = std::move(sections).finish();
    parts.cloud = std::move(cloud).finish();
    write_clearance_page(a_, model_, way_, outcome_, parts);
    progress.report(1);
  }

  void load(std::size_t block, std::span<const Vec3> points, std::vector<PointClearance>& results) const {
    results.resize(points.size());
    if (!store_->load(block, results)) throw Error("the folder of results", "was changed while it was in use");
  }

  void write_points(const Progress& progress) {
    AddedColumns added;
    added.attributes = {{"red", NumberType::uint8},
                        {"green", NumberType::uint8},
                        {"blue", NumberType::uint8},
                        {"clearance", NumberType::float32},
                        {"clearance_level", NumberType::uint8}};
    const ReportOptions thresholds = options();
    std::vector<PointClearance> results;
    std::size_t loaded = std::numeric_limits<std::size_t>::max();
    added.fill = [&](std::uint64_t first, const PointView& points, std::span<std::byte* const> columns) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint64_t index = first + i;
        const auto block = static_cast<std::size_t>(index / a_.block);
        if (block != loaded) {
          const std::uint64_t begin = block * a_.block;
          results.resize(static_cast<std::size_t>(std::min(a_.block, outcome_.scan.points - begin)));
          if (!store_->load(block, results)) throw Error("the folder of results", "was changed while it was in use");
          loaded = block;
        }
        const PointClearance& r = results[static_cast<std::size_t>(index % a_.block)];
        const std::array<std::uint8_t, 3> rgb = rgb_of(clearance_code(r.clearance, thresholds, a_.reach()));
        const auto value = r.found() ? static_cast<float>(r.clearance) : std::numeric_limits<float>::quiet_NaN();
        for (std::size_t k = 0; k < 3; ++k) columns[k][i] = std::byte{rgb[k]};
        std::memcpy(columns[3] + sizeof value * i, &value, sizeof value);
        columns[4][i] = static_cast<std::byte>(level_of(r.clearance, thresholds));
      }
    };
    const WriteCloudReport written = annotate_clouds(a_.scans, a_.points, added, {.progress = progress});
    for (const std::string& note : written.notes) notes_.push_back(fmt::format("{}: {}", a_.points, note));
  }

  void tell() const {
    const ClearanceReport& r = outcome_.report;
    // Who wants quiet wants no progress, and still no wrong units.
    for (const std::string& caution : outcome_.cautions) remark(false, "Caution: " + caution);
    for (const std::string& note : outcome_.notes) remark(quiet_, note);
    for (const std::string& note : notes_) remark(quiet_, note);
    if (a_.json) {
      print(clearance_json(a_, model_, way_, outcome_));
    } else {
      print(text(r));
    }
    for (const std::string& path : outputs_of(a_)) remark(quiet_, "wrote " + path);
  }

  std::string text(const ClearanceReport& r) const {
    if (outcome_.unchecked) return "NOT CHECKED: no point of the scan is near the way\n";
    std::string out = r.passed() ? (r.levels[2] > 0 ? "FITS, NARROWLY" : "CLEAR") : "DOES NOT FIT";
    if (use_color(stdout)) out = fmt::format("\033[1;{}m{}\033[0m", r.passed() ? (r.levels[2] > 0 ? 33 : 32) : 31, out);
    out += fmt::format(": of {} points {} are hit, {} more are below {:g} m and {} more below {:g} m", r.points,
                       r.levels[0], r.levels[1], a_.fail, r.levels[2], a_.warn);
    if (std::isfinite(r.worst.clearance)) {
      out += fmt::format("; least clearance {:.3f} m, {} at chainage {:.1f} m", r.worst.clearance,
                         name_of(r.worst.side), r.worst.chainage);
    }
    out += "\n";
    if (quiet_ || r.clusters.empty()) return out;
    out += fmt::format("\n  {:>3}  {:<5} {:>10}  {:<6} {:>10}  {:>19}  {:>8}\n", "#", "level", "clearance", "side",
                       "chainage", "from – to ", "points");
    constexpr std::size_t kRows = 10;
    for (std::size_t i = 0; i < std::min(kRows, r.clusters.size()); ++i) {
      const ReportCluster& c = r.clusters[i];
      out += fmt::format("  {:>3}  {:<5} {:>8.3f} m  {:<6} {:>8.1f} m  {:>17}  {:>8}\n", i + 1, name_of(c.level),
                         c.worst.clearance, name_of(c.worst.side), c.worst.chainage,
                         fmt::format("{:.1f} – {:.1f}", c.from, c.to), c.total());
    }
    if (r.clusters_found > kRows) out += fmt::format("  … and {} more places\n", r.clusters_found - kRows);
    return out;
  }

  const ClearanceArguments& a_;
  bool quiet_;
  ProgressBar bar_;
  Way way_;
  MovingModel model_;
  std::unique_ptr<ReportPath> path_;
  std::unique_ptr<ResultStore> store_;
  ClearanceOutcome outcome_;
  std::vector<std::string> notes_;
};

void check_arguments(ClearanceArguments& a) {
  const auto refuse = [](const char* option, const char* why) { throw CLI::ValidationError(option, why); };
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!finite(a.fail) || a.fail < 0) refuse("--fail", "must not be negative");
  if (!finite(a.warn) || a.warn < a.fail) refuse("--warn", "must not be below --fail");
  if (!(a.reach() >= a.warn) || !finite(a.reach())) refuse("--limit", "must not be below --warn");
  if (!finite(a.bin) || a.bin <= 0) refuse("--bin", "must be positive");
  if (!finite(a.link) || a.link <= 0) refuse("--link", "must be positive");
  if (!finite(a.slice) || a.slice <= 0) refuse("--slice", "must be positive");
  if (!finite(a.radius) || a.radius < 0) refuse("--radius", "must not be negative");
  if (!finite(a.step) || a.step < 0) refuse("--step", "must not be negative");
  if (!finite(a.smooth) || a.smooth < 0) refuse("--smooth", "must not be negative");
  if (!finite(a.chainage_start)) refuse("--chainage-start", "must be a number");
  if (a.model.empty() == a.vehicle.empty()) refuse("--model", "or --vehicle must be given, and not both");
  if (!a.vehicle.empty() && a.model_units != "m")
    refuse("--model-units", "is for --model; a vehicle's JSON has \"unit\"");
  for (std::size_t k = 0; k < a.roi.size(); ++k) {
    if (!finite(a.roi[k]) || (k >= 3 && a.roi[k] < a.roi[k - 3]))
      refuse("--roi", "is X Y Z of the least and the greatest corner");
  }
  if (a.block == 0 || a.block > 0x7FFFFFFF) refuse("--block", "must be from 1 to 2147483647");
  if (a.resume && outputs_of(a).empty() && a.work.empty()) refuse("--resume", "needs an output file or --work");
  if (a.title.empty()) a.title = "Clearance report";
  // Sets and depths of the paper are those of a whole scan.
  if (a.method.starts_with("kd-")) a.block = 0x7FFFFFFF;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const ClearanceArguments& a, const MovingModel& model,
                                                             const Way& way) {
  const auto metres = [](double x) { return fmt::format("{:g} m", x); };
  const Vec3 size = model.box.max - model.box.min;
  const Aabb swept = moved_box(way, model.box);
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
      {"way", fmt::format("{} poses, chainage {:.2f} m to {:.2f} m", way.poses.size(), way.chainage.front(),
                          way.chainage.back())},
      {"swept space", fmt::format("({:.1f}, {:.1f}, {:.1f}) to ({:.1f}, {:.1f}, {:.1f})", swept.min.x(), swept.min.y(),
                                  swept.min.z(), swept.max.x(), swept.max.y(), swept.max.z())},
      {"clusters", fmt::format("points joined over cubes of {:g} m", a.link)}};
  const auto add = [&](bool given, const char* name, const std::string& value) {
    if (given) out.emplace_back(name, value);
  };
  add(a.radius > 0, "radius of model points", metres(a.radius));
  add(a.smooth > 0, "path smoothed within", metres(a.smooth));
  add(a.step > 0, "path in steps of", metres(a.step));
  add(a.units != "m", "units of the scan", a.units);
  add(a.path_units != "m", "units of the path", a.path_units);
  add(a.model_units != "m", "units of the model", a.model_units);
  add(a.axes != "flu", "axes of the path", a.axes);
  if (a.roi.size() == 6) {
    out.emplace_back("region of interest", fmt::format("({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g})", a.roi[0], a.roi[1],
                                                       a.roi[2], a.roi[3], a.roi[4], a.roi[5]));
  }
  return out;
}

void add_clearance(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("clearance", "How near a vehicle or a model comes to the points of a scan, along its path");
  const auto a = std::make_shared<ClearanceArguments>();
  const auto units = CLI::IsMember({"m", "dm", "cm", "mm", "km", "in", "ft", "us-ft"});
  command->add_option("SCAN", a->scans, "Files of points: PLY, PCD, LAS, text in columns")->required();
  command->add_option("--path", a->path, "The track or the model's way: TUM, KITTI, 3x4 rows, CSV")
      ->required()
      ->option_text("FILE");
  command
      ->add_option(
          "--model", a->model,
          "What moves along the path: a mesh or a cloud, x forward, y left, z up; a folder of them is a model that "
          "changes its shape, with one file per pose in the order of their names")
      ->option_text("FILE");
  command->add_option("--vehicle", a->vehicle, "A vehicle on two bogies that follows the path: JSON")
      ->option_text("FILE");

  command->add_option("--fail", a->fail, "Less clearance than this fails, in metres")
      ->capture_default_str()
      ->option_text("M [0.1]");
  command->add_option("--warn", a->warn, "Less than this is listed")->capture_default_str()->option_text("M [0.2]");
  command
      ->add_option("--limit", a->limit, "Farther points are not measured; 0.3 and at least 1.5 times --warn if absent")
      ->option_text("M");
  command
      ->add_option(
          "--method", a->method,
          "exact; gauge (a section drawn along the track); or the methods of the kd-CD paper with r = --fail:\n"
          "kd-cd-simple, kd-cd, kd-pd-fast, kd-pd")
      ->check(CLI::IsMember({"exact", "gauge", "kd-cd-simple", "kd-cd", "kd-pd-fast", "kd-pd"}))
      ->option_text("NAME");

  command->add_option("--report", a->report, "The report: one HTML page that opens offline")->option_text("FILE");
  command->add_option("--csv", a->csv, "Least clearance left, right, above and below per chainage")
      ->option_text("FILE");
  command->add_option("--clusters", a->clusters, "The places that are too narrow, as CSV")->option_text("FILE");
  command->add_option("--points", a->points, "The scan, coloured by clearance: .ply, .las, .pcd, .csv")
      ->option_text("FILE");
  command->add_flag("--json", a->json, "Results as JSON on standard output");
  command->add_option("--title", a->title, "Of the report")->option_text("TEXT");

  command->add_option("--units", a->units, "Of the scan: m, dm, cm, mm, km, in, ft, us-ft")
      ->check(units)
      ->option_text("U");
  command->add_option("--path-units", a->path_units, "Of the path")->check(units)->option_text("U");
  command->add_option("--model-units", a->model_units, "Of the model")->check(units)->option_text("U");
  command->add_option("--axes", a->axes, "Of the poses in the path: flu, or rdf (cameras), frd (aircraft), …")
      ->option_text("XYZ");
  command->add_option("--roi", a->roi, "Only points in this box, in metres")->expected(6)->option_text("X Y Z X Y Z");
  command->add_option("--radius", a->radius, "Of the points of a model that is a cloud")->option_text("M");
  command->add_flag("--shell", a->shell, "Only the surface of a closed mesh counts, not its inside");
  command->add_option("--step", a->step, "Metres between the poses that are used (0.1 for a vehicle)")
      ->option_text("M");
  command->add_option("--smooth", a->smooth, "Smooth the path, moving it by no more than this")->option_text("M");
  command->add_flag("--repair", a->repair, "Mend a path with unordered times, NaN or zero quaternions");
  command->add_option("--chainage-start", a->chainage_start, "Of the first pose of the path")->option_text("M");
  command->add_option("--bin", a->bin, "Chainage per row of the diagram")->option_text("M [1]");
  command->add_option("--link", a->link, "Points nearer than about this make one place")->option_text("M [0.25]");
  command->add_option("--slice", a->slice, "Thickness of the cross-sections")->option_text("M [0.2]");
  command->add_option("--sections", a->sections, "Cross-sections in the report")->option_text("N [24]");
  command->add_option("--most-clusters", a->most_clusters, "Places that are listed")->option_text("N [200]");
  command->add_option("--report-points", a->report_points, "Points in the 3-D view, about 9 bytes each")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{100'000'000}))
      ->option_text("N [2000000]");

  command->add_option("--threads", a->threads, "0: all of the machine's")->check(CLI::Range(0, 4096))->option_text("N");
  command->add_option("--block", a->block, "Points that are measured at a time, some 60 bytes each")
      ->option_text("N [4000000]");
  command->add_flag("--resume", a->resume, "Go on where a run was interrupted");
  command
      ->add_option("--work", a->work, "Folder for what --resume needs; the first output with .work behind it if absent")
      ->option_text("FOLDER");
  command->add_flag("--keep-work", a->keep_work, "Do not remove that folder at the end");
  command->footer(
      "Exit code 0: every point keeps the clearance --fail; 1: some do not; 2: usage; 3: bad input, or no point is "
      "near.\n"
      "Files are written when they are complete. docs/clearance-report.md tells how to read the report.\n"
      "Try:  graze generate tunnel --points 1000000 -o tunnel\n"
      "      graze clearance tunnel/scan.las --path tunnel/track.tum --vehicle tunnel/vehicle.json --report "
      "report.html");
  command->callback([&session, a] {
    check_arguments(*a);
    session.run = [&session, a] { return Job(*a, session.quiet).run(); };
  });
}

}  // namespace graze::app
