// A clearance run: what goes in, what is measured, and what comes out of it for the files that are written.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clearance_spots.h"
#include "graze/base/aabb.h"
#include "graze/base/progress.h"
#include "graze/clearance/report.h"
#include "graze/clearance/report_view.h"
#include "graze/clearance/trajectory.h"
#include "graze/io/vehicle_file.h"
#include "options.h"

namespace graze::app {

struct ClearanceArguments {
  std::vector<std::string> scans;
  std::string path, model, vehicle;
  std::string report, csv, clusters, points, work, title;
  std::string method = "exact", axes = "flu";
  std::string units, model_units;  ///< of the scan and the model; empty: as the file says, or metres
  std::string path_units = "m";
  double warn = 0.2, fail = 0.1;
  std::optional<double> limit;
  double radius = 0, step = 0, smooth = 0, bin = 1, link = 0.25, chainage_start = 0, slice = 0.2;
  std::vector<double> roi;
  std::vector<std::string> sides = {"left", "right", "below"}, accept;
  double lookout = clearance::CoverageOptions().lookout, scan_density = clearance::CoverageOptions().points,
         gap = clearance::CoverageOptions().gap;
  double min_scanned = clearance::CoverageOptions().min_share;
  std::uint64_t report_points = 2'000'000, block = 4'000'000;
  std::uint64_t sections = 24, max_clusters = 200;
  int threads = 0;
  bool shell = false, repair = false, json = false, resume = false, keep_work = false;
  bool allow_gaps = false, drop_no_echo = false;

  /// Measuring farther costs more: at 0.5 m several times what it does at 0.2 m.
  double reach() const { return limit.value_or(std::max(0.3, 1.5 * warn)); }
  clearance::CoverageOptions coverage() const;
  /// The files that are written.
  std::vector<std::string> outputs() const;
};

/// Reads, measures, writes and prints; returns the exit code.
int run_clearance(const ClearanceArguments& arguments, const Session& session);

/// One input file.
struct InputFile {
  std::string role;  ///< "scan", "path", "model", "vehicle"
  std::string path;
  std::uint64_t size = 0;  ///< bytes
  std::string sha256;
};

/// The moving thing: what is measured, part by part, and what is drawn.
struct MovingModel {
  std::string name;
  std::vector<std::vector<Placed>> frames;  ///< its parts: once, or for every pose of the route
  std::vector<clearance::Model> models;     ///< one per mesh and cloud, one for all shapes; one if it changes its shape
  std::vector<InputFile> files;
  std::vector<std::string> notes;
  Aabb box;
};

/// Where the model's frame goes.
struct Route {
  std::vector<Pose> poses;
  std::vector<double> chainage;
  clearance::Trajectory track;  ///< that a vehicle follows; the route itself for a model without bogies
  double chainage_start = 0;    ///< of the track
  std::vector<std::string> notes;
};

/// `vehicle` is that of --vehicle, if it is given.
MovingModel read_model(const ClearanceArguments& arguments, const std::optional<VehicleFile>& vehicle);
Route read_route(const ClearanceArguments& arguments, const std::optional<VehicleFile>& vehicle);
/// Metres per unit of a name such as "mm".
double unit_of(const std::string& name);

/// What is known of the scans before anything is measured.
struct ScanFacts {
  std::uint64_t points = 0, skipped = 0;
  Aabb bounds;                ///< in metres, of the points that are used
  std::uint64_t outside = 0;  ///< of the region of interest
  std::vector<Spot> spots;    ///< with very many equal points
  std::uint64_t dropped = 0;  ///< of these
  std::vector<std::string> notes;
};

/// The points of all scans, in metres; NaN for invalid ones and those outside of the region of interest. Blocks depend
/// on the number of points only.
class ScanReader {
 public:
  /// Points at the spots `drop` are taken for NaN.
  explicit ScanReader(const ClearanceArguments& arguments, std::span<const Spot> drop = {});
  ScanFacts survey(const Progress& progress) const;
  void for_each_block(std::uint64_t points, const Progress& progress,
                      const std::function<void(std::size_t block, std::uint64_t first, std::span<const Vec3>,
                                               const Progress& part)>& visit) const;

 private:
  void for_each_point(const Progress& progress, const std::function<void(std::span<const Vec3>)>& visit,
                      ScanFacts* facts = nullptr) const;
  const ClearanceArguments& arguments_;
  std::optional<Aabb> roi_;
  SpotSet drop_;
};

/// Measures a block.
using Measure = std::function<void(std::span<const Vec3> points, std::span<clearance::PointClearance> results,
                                   const Progress& progress)>;
struct Method {
  Measure measure;
  /// Metres: no clearance is overstated by more than this.
  double tolerance = clearance::kTolerance;
  /// What it takes to keep --fail at a place; none where the method does not know.
  std::function<clearance::PlaceDepth(const clearance::ReportPath& path, const clearance::ReportPoint& place)> depth =
      {};
};
/// The one that was asked for.
Method method_of(const ClearanceArguments& arguments, const MovingModel& model, const Route& route);

/// What looks like a mistake.
struct Caution {
  std::string name;       ///< for --accept
  std::string text;       ///< a sentence or two
  bool doubt = false;     ///< in the inputs as a whole: no verdict unless it is accepted
  bool accepted = false;  ///< by --accept
};

/// Mistakes in units, sizes, offsets and axes that show before anything is measured.
std::vector<Caution> cautions_of(const ClearanceArguments& arguments, const MovingModel& model, const Route& route,
                                 const ScanFacts& scan);

/// What was found, for everything that is written and printed.
struct ClearanceOutcome {
  std::vector<InputFile> inputs;
  std::vector<Caution> cautions;
  std::vector<std::string> notes;
  ScanFacts scan;
  clearance::Report report;

  /// The first caution that rules out a verdict; null if none does.
  const Caution* doubt() const;
  /// That of the report, and "not checked" instead of anything better where there is a doubt.
  clearance::Verdict verdict() const;
  int exit_code(const ClearanceArguments& arguments) const;
};

/// What is said on the terminal; `color` for its first words.
std::string clearance_text(const ClearanceArguments& arguments, const ClearanceOutcome& outcome, bool quiet,
                           bool color);
/// Why there is no verdict: a sentence without its full stop.
std::string unchecked_reason(const ClearanceOutcome& outcome);
/// "(0.0, 0.0, 0.0) to (9.5, 2.0, 4.1)"
std::string range_text(const Aabb& box);
/// "96 of 1124 m"; the first is rounded down, so that no gap is rounded away.
std::string scanned_text(const clearance::Coverage& coverage);
/// Metres on which a side was seen, rounded down unless it is all of them.
inline double whole_metres(const clearance::Coverage& coverage, std::size_t side) {
  const bool all = coverage.seen[side] >= coverage.length() - 1e-6;
  return all ? std::round(coverage.length()) : std::floor(coverage.seen[side]);
}
/// "left, right"
std::string sides_text(const std::array<bool, clearance::kSides>& sides);

/// A line of the settings: what, and its value.
std::vector<std::pair<std::string, std::string>> settings_of(const ClearanceArguments& arguments,
                                                             const MovingModel& model, const Route& route);
/// The results as JSON, schema graze-clearance/2; ends with a newline.
std::string clearance_json(const ClearanceArguments& arguments, const MovingModel& model, const Route& route,
                           const ClearanceOutcome& outcome);

/// What the page draws.
struct PageParts {
  std::vector<clearance::ReportModel> models;      ///< one, or one per pose
  std::vector<clearance::ReportSection> sections;  ///< of the first clusters, in their order
  clearance::ReportCloud cloud;
};
/// Writes the page to a temporary file that is renamed when complete.
void write_clearance_page(const ClearanceArguments& arguments, const MovingModel& model, const Route& route,
                          const ClearanceOutcome& outcome, const PageParts& parts);

/// Pictures of the page that need no script.
std::string profile_svg(const clearance::Report& report, double limit);
std::string section_svg(const clearance::ReportSection& section, const clearance::ReportOptions& options, double limit);
/// The largest float that is not above a number.
inline float float_below(double x) {
  const auto near = static_cast<float>(x);
  return static_cast<double>(near) > x ? std::nextafterf(near, -std::numeric_limits<float>::infinity()) : near;
}

/// A clearance as it is shown, on the terminal, on the page and in its viewer: in whole millimetres, never more than it
/// is (but for clearance::kTolerance, so that what is a millimetre to rounding is shown as one).
inline double whole_millimetres(double x) { return std::floor((x + clearance::kTolerance) * 1000) / 1000; }

/// "#rrggbb" of a byte of clearance_code.
std::string color_of(std::uint8_t code);
std::array<std::uint8_t, 3> rgb_of(std::uint8_t code);

}  // namespace graze::app
