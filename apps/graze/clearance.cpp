// graze clearance: a model along a path through a scan, from files to a report.
#include <fmt/format.h>

#include <algorithm>
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
#include "interrupt.h"
#include "outputs.h"
#include "progress_bar.h"
#include "result_store.h"
#include "sha256.h"
#include "streams.h"

namespace graze::app {
namespace {

namespace fs = std::filesystem;

// Before anything is measured: hours of work must not be lost to a folder that does not exist.
void check_outputs(const ClearanceArguments& a) {
  if (!a.points.empty()) {
    try {
      writable_cloud_format(a.points);
    } catch (const Error& error) {
      // clearance has no option for the format: leave out the advice to use one.
      const std::string text = std::string(error.what()).substr(error.where().size() + 2);
      throw Error(a.points, text.substr(0, text.find(", or state the format")));
    }
  }
  if (!a.work.empty()) check_folder_writable(a.work);
  for (const std::string& path : a.outputs()) {
    check_writable(path);
    expect_no_input(path, a.scans);
    expect_no_input(path, std::array{a.path, a.model, a.vehicle});
  }
}

// An argument as a shell reads it.
std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted;
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + quoted + "'";
}

// The command line that continues this run.
std::string resume_command(const Session& session) {
  std::string out;
  for (const std::string& word : session.arguments) {
    if (word != "--resume") out += shell_quoted(word) + " ";
  }
  return out + "--resume";
}

void hash_inputs(std::vector<InputFile>& inputs, const Progress& progress) {
  const auto count = static_cast<double>(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto k = static_cast<double>(i);
    inputs[i].sha256 = sha256_of_file(inputs[i].path, progress.part(k / count, (k + 1) / count));
    inputs[i].size = fs::file_size(inputs[i].path);
  }
}

// Everything that the clearance of a point depends on: results of runs that differ in it are not mixed.
std::string fingerprint_of(const ClearanceArguments& a, const std::vector<InputFile>& inputs) {
  std::string out =
      fmt::format("graze {}\nmethod {} limit {:a} fail {:a} warn {:a} radius {:a} step {:a} smooth {:a}\n", kVersion,
                  a.method, a.reach(), a.fail, a.warn, a.radius, a.step, a.smooth);
  out += fmt::format("units {} {} {} axes {} shell {} repair {} block {} start {:a} drop {}\nroi", a.units,
                     a.path_units, a.model_units, a.axes, a.shell, a.repair, a.block, a.chainage_start, a.drop_no_echo);
  for (const double x : a.roi) out += fmt::format(" {:a}", x);
  for (const InputFile& file : inputs) out += fmt::format("\n{} {}", file.role, file.sha256);
  return out + "\n";
}

// Progress, as a fraction of the whole, at the end of reading, measuring and writing.
constexpr double kRead = 0.12, kMeasured = 0.7, kWritten = 0.99;
// How many times as long as reading the scan it takes to write the report and the points, as measured on scans of 1 and
// 6 million points.
constexpr double kReportReads = 4, kPointsReads = 4;

class Job {
 public:
  Job(const ClearanceArguments& arguments, const Session& session)
      : a_(arguments), session_(session), quiet_(session.quiet), bar_(session.quiet) {}

  int run() {
    check_outputs(a_);
    const Progress progress = bar_.progress();
    progress.report(0, "reading " + a_.path);
    bar_.start_phase(0, kRead, std::nullopt);
    read(progress.part(0, kRead));
    const double measured = a_.report.empty() && a_.points.empty() ? kWritten : kMeasured;
    bar_.start_phase(kRead, measured, seconds_of_report() + seconds_of_points());
    measure(progress.part(kRead, measured));
    stop_if_interrupted();  // incomplete results are not written
    write(progress.part(kMeasured, kWritten));
    stop_if_interrupted();
    progress.report(1);
    bar_.clear();
    if (store_ && !a_.keep_work) store_->remove();
    print_results();
    return outcome_.exit_code(a_);
  }

 private:
  void read(const Progress& progress) {
    read_route_and_model();
    for (const std::string& scan : a_.scans) outcome_.inputs.push_back({"scan", scan, 0, ""});
    outcome_.inputs.push_back({"path", a_.path, 0, ""});
    outcome_.inputs.insert(outcome_.inputs.end(), model_.files.begin(), model_.files.end());
    hash_inputs(outcome_.inputs, progress.part(0.1, 0.6));
    survey_scan(progress.part(0.6, 1));
    outcome_.notes = route_.notes;
    outcome_.notes.insert(outcome_.notes.end(), model_.notes.begin(), model_.notes.end());
    outcome_.notes.insert(outcome_.notes.end(), outcome_.scan.notes.begin(), outcome_.scan.notes.end());
    if (outcome_.scan.dropped > 0) {
      outcome_.notes.push_back(
          fmt::format("{} points without an echo, at {} spots, were left out", outcome_.scan.dropped, dropped_.size()));
    }
    outcome_.cautions = cautions_of(a_, model_, route_, outcome_.scan);
    path_ = std::make_unique<clearance::ReportPath>(route_.poses, route_.chainage, model_.box);
    say_when_interrupted("nothing was written. A run with --work FOLDER, or with an output file, can be resumed.");
    if (!a_.outputs().empty() || !a_.work.empty()) open_store();
  }

  void read_route_and_model() {
    std::optional<VehicleFile> vehicle;
    if (!a_.vehicle.empty()) vehicle = read_vehicle_file(a_.vehicle);
    route_ = read_route(a_, vehicle);
    model_ = read_model(a_, vehicle);
    const std::size_t shapes = model_.frames.size(), poses = route_.poses.size();
    if (shapes <= 1 || shapes == poses) return;
    const char* changed = a_.step > 0 || a_.smooth > 0 ? " with --step or --smooth" : "";
    throw Error(a_.model,
                fmt::format("has {} shapes, but the path has {} poses{}; a model that changes needs one shape "
                            "for each pose",
                            shapes, poses, changed));
  }

  // Spots without an echo are found by one survey and left out of a second one.
  void survey_scan(const Progress& progress) {
    const double start = bar_.seconds();
    outcome_.scan = ScanReader(a_).survey(progress.part(0, a_.drop_no_echo ? 0.5 : 1));
    survey_seconds_ = bar_.seconds() - start;
    if (!a_.drop_no_echo || outcome_.scan.spots.empty()) return;
    dropped_ = std::move(outcome_.scan.spots);
    outcome_.scan = ScanReader(a_, dropped_).survey(progress.part(0.5, 1));
  }

  // Where measured blocks are kept, and found again by --resume.
  void open_store() {
    const std::string folder = a_.work.empty() ? a_.outputs().front() + ".work" : a_.work;
    store_ = std::make_unique<ResultStore>(folder, fingerprint_of(a_, outcome_.inputs), a_.resume);
    say_when_interrupted(fmt::format("the blocks of points measured so far are in {}. To continue:\n  {}", folder,
                                     resume_command(session_)));
    bar_.clear();
    if (a_.resume && !store_->refused().empty()) remark(quiet_, "Measuring from the start: " + store_->refused());
    if (store_->found() > 0) remark(quiet_, fmt::format("Resuming after {} blocks of points", store_->found()));
  }

  void measure(const Progress& progress) {
    progress.report(0, "measuring");
    const Method method = method_of(a_, model_, route_);
    tolerance_ = method.tolerance;
    clearance::ReportBuilder builder(*path_, options());
    std::vector<clearance::PointClearance> results;
    for_each_block(progress,
                   [&](std::size_t block, std::uint64_t first, std::span<const Vec3> points, const Progress& part) {
                     results.assign(points.size(), {});
                     if (!store_ || !store_->load(block, results)) {
                       method.measure(points, results, part);
                       stop_if_interrupted();  // an interrupted block is not saved
                       if (store_) store_->save(block, results);
                     }
                     builder.add(points, results, first);
                     part.report(1);
                   });
    outcome_.report = std::move(builder).finish();
    if (method.depth) measure_depths(method);
    const clearance::Report& r = outcome_.report;
    if (r.within == 0 && r.points > r.skipped && outcome_.cautions.empty()) {
      outcome_.cautions.push_back(
          {"nothing-near", fmt::format("No point of the scan is within {:g} m of the vehicle. If that is unexpected, "
                                       "check the units and the coordinate systems.",
                                       a_.reach())});
    }
  }

  void measure_depths(const Method& method) {
    std::vector<clearance::ReportCluster>& clusters = outcome_.report.clusters;
    parallel_for(clusters.size(), [&](std::size_t i) { clusters[i].depth = method.depth(*path_, clusters[i].worst); },
                 {.threads = a_.threads});
  }

  void for_each_block(
      const Progress& progress,
      const std::function<void(std::size_t, std::uint64_t, std::span<const Vec3>, const Progress&)>& visit) const {
    ScanReader(a_, dropped_).for_each_block(outcome_.scan.points, progress, visit);
  }

  clearance::ReportOptions options() const {
    return {.warn = a_.warn,
            .fail = a_.fail,
            .tolerance = tolerance_,
            .bin = a_.bin,
            .link = a_.link,
            .halo = clearance::ReportOptions().halo,
            .clusters = a_.max_clusters,
            .threads = a_.threads,
            .coverage = a_.coverage()};
  }

  // Writing reads the scan once more, and all other work grows with its points too: estimated from the time of the
  // survey.
  double seconds_of_report() const { return a_.report.empty() ? 0 : kReportReads * survey_seconds_; }
  double seconds_of_points() const { return a_.points.empty() ? 0 : kPointsReads * survey_seconds_; }

  void write(const Progress& progress) {
    if (!a_.csv.empty()) write_file(a_.csv, profile_csv(outcome_.report));
    if (!a_.clusters.empty()) write_file(a_.clusters, clusters_csv(outcome_.report));
    const double split = a_.points.empty() ? 1 : a_.report.empty() ? 0 : 0.5;
    const auto whole = [](double part) { return kMeasured + part * (kWritten - kMeasured); };
    if (!a_.report.empty()) {
      bar_.start_phase(whole(0), whole(split), seconds_of_points());
      write_report(progress.part(0, split));
    }
    stop_if_interrupted();
    if (!a_.points.empty()) {
      bar_.start_phase(whole(split), whole(1), 0);
      write_points(progress.part(split, 1));
    }
  }

  void write_report(const Progress& progress) {
    progress.report(0, "writing " + a_.report);
    PageParts parts;
    // All shapes of a model that changes share the budget of one.
    const std::size_t frames = model_.frames.size();
    const clearance::ReportModelOptions drawn{
        .points = std::max<std::size_t>(500, clearance::ReportModelOptions().points / frames),
        .triangles = std::max<std::size_t>(1000, clearance::ReportModelOptions().triangles / frames)};
    for (const std::vector<Placed>& shape : model_.frames)
      parts.models.push_back(clearance::report_model(shape, drawn));
    std::vector<clearance::ReportPoint> places;
    for (const clearance::ReportCluster& c : outcome_.report.clusters) {
      if (places.size() < a_.sections) places.push_back(c.worst);
    }
    clearance::SectionBuilder sections(*path_, parts.models, places, {.thickness = a_.slice});
    clearance::ReportCloudBuilder cloud(outcome_.report, *path_,
                                        {.points = static_cast<std::size_t>(a_.report_points), .limit = a_.reach()});
    std::vector<clearance::PointClearance> results;
    for_each_block(progress.part(0, 0.7),
                   [&](std::size_t block, std::uint64_t first, std::span<const Vec3> points, const Progress& part) {
                     load(block, points, results);
                     sections.add(points, results);
                     cloud.add(points, results, first);
                     part.report(1);
                   });
    parts.sections = std::move(sections).finish();
    parts.cloud = std::move(cloud).finish();
    write_clearance_page(a_, model_, route_, outcome_, parts);
    progress.report(1);
  }

  void load(std::size_t block, std::span<const Vec3> points, std::vector<clearance::PointClearance>& results) const {
    results.resize(points.size());
    if (!store_->load(block, results)) throw Error("the folder of results", "was changed while it was in use");
  }

  void write_points(const Progress& progress) {
    AddedColumns added;
    if (!a_.units.empty()) added.unit = unit_of(a_.units);
    added.attributes = {{"red", NumberType::uint8},
                        {"green", NumberType::uint8},
                        {"blue", NumberType::uint8},
                        {"clearance", NumberType::float32},
                        {"clearance_level", NumberType::uint8}};
    const clearance::ReportOptions thresholds = options();
    std::vector<clearance::PointClearance> results;
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
        const clearance::PointClearance& r = results[static_cast<std::size_t>(index % a_.block)];
        const std::array<std::uint8_t, 3> rgb = rgb_of(clearance_code(r.clearance, thresholds, a_.reach()));
        // Rounded down: no clearance is overstated.
        const float value = r.found() ? float_below(r.clearance) : std::numeric_limits<float>::quiet_NaN();
        for (std::size_t k = 0; k < 3; ++k) columns[k][i] = std::byte{rgb[k]};
        std::memcpy(columns[3] + sizeof value * i, &value, sizeof value);
        columns[4][i] = static_cast<std::byte>(level_of(r.clearance, thresholds));
      }
    };
    const WriteCloudReport written = annotate_clouds(a_.scans, a_.points, added, {.progress = progress});
    for (const std::string& note : written.notes) notes_.push_back(fmt::format("{}: {}", a_.points, note));
  }

  void print_results() const {
    // Cautions are printed even with --quiet: they may mean wrong units.
    for (const Caution& caution : outcome_.cautions) remark(false, "Caution: " + caution.text);
    for (const std::string& note : outcome_.notes) remark(quiet_, note);
    for (const std::string& note : notes_) remark(quiet_, note);
    if (a_.json) {
      print(clearance_json(a_, model_, route_, outcome_));
    } else {
      print(clearance_text(a_, outcome_, quiet_, use_color(stdout)));
    }
    for (const std::string& path : a_.outputs()) remark(quiet_, "wrote " + path);
  }

  const ClearanceArguments& a_;
  const Session& session_;
  bool quiet_;
  ProgressBar bar_;
  Route route_;
  MovingModel model_;
  std::unique_ptr<clearance::ReportPath> path_;
  std::unique_ptr<ResultStore> store_;
  ClearanceOutcome outcome_;
  std::vector<Spot> dropped_;
  double survey_seconds_ = 0;  // time to read the scan once
  double tolerance_ = clearance::kTolerance;
  std::vector<std::string> notes_;
};

}  // namespace

int run_clearance(const ClearanceArguments& arguments, const Session& session) { return Job(arguments, session).run(); }

}  // namespace graze::app
